//go:build linux && cgo && (amd64 || arm64)

package latebind

// #cgo LDFLAGS: -ldl
import "C"

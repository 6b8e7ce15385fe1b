//go:build !unix

package logtail

const nonblock = 0

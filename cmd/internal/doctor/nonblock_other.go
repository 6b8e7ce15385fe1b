//go:build !unix

package doctor

const nonblock = 0

//go:build unix

package doctor

import (
	"io"
	"os"
	"syscall"
)

// nonblock keeps an open from waiting for the other end of a pipe, and a read
// of the kernel's log from waiting for the next message.
const nonblock = syscall.O_NONBLOCK

// readRecord reads once, without waiting: the runtime's own files wait for
// more where the kernel says that there is none now.
func readRecord(f *os.File, buf []byte) (int, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	n, failed := 0, error(nil)
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, failed = syscall.Read(int(fd), buf)
			// EPIPE: older messages were overwritten; the next read goes on.
			if failed != syscall.EINTR && failed != syscall.EPIPE { //nolint:errorlint // bare numbers of the kernel
				return true
			}
		}
	})
	switch {
	case err != nil:
		return 0, err
	case failed != nil:
		return 0, failed
	case n <= 0:
		return 0, io.EOF
	}
	return n, nil
}

package proc

import (
	"io/fs"
	"syscall"
)

// readInto fills buf from the start of a file. It goes past package os, which
// asks the poller about every file it opens: a third of the cost of reading a
// line of /proc.
func readInto(name string, buf []byte) (int, error) {
	fd, err := again(func() (int, error) { return syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return 0, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer syscall.Close(fd) //nolint:errcheck // read only
	n, err := again(func() (int, error) { return syscall.Read(fd, buf) })
	if err != nil {
		return 0, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return n, nil
}

// again repeats a call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != syscall.EINTR { //nolint:errorlint // a bare number of the kernel
			return n, err
		}
	}
}

package proc

import (
	"io/fs"
	"syscall"
)

// procMagic is the type of a proc file system (PROC_SUPER_MAGIC,
// include/uapi/linux/magic.h).
const procMagic = 0x9fa0

// procFile is an open file below the proc root. Opening goes past package os, which
// asks the poller about every file: a third of the cost of reading a line of
// /proc.
//
// A file of a process stays tied to the process that it was opened for: once
// that has ended, reading fails with ESRCH, also when its number is given to
// another (get_proc_task in fs/proc, proc(5)). The zero procFile is not open.
type procFile struct{ descriptor int32 } // and one

func openFile(name string) (procFile, error) {
	fd, err := again(func() (int, error) { return syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return procFile{}, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return procFile{int32(fd) + 1}, nil
}

func (f procFile) open() bool { return f.descriptor > 0 }

// read fills buf from the start of the file.
func (f procFile) read(buf []byte) (int, error) {
	return again(func() (int, error) { return syscall.Pread(int(f.descriptor-1), buf, 0) })
}

func (f procFile) close() {
	if f.open() {
		_ = syscall.Close(int(f.descriptor - 1))
	}
}

// tied tells whether files below root are tied to processes: in a copy of a
// proc file system they are not.
func tied(root string) bool {
	var at syscall.Statfs_t
	return syscall.Statfs(root, &at) == nil && at.Type == procMagic
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

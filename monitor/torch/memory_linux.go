//go:build linux

package torch

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// OpenMemory opens the memory of a process of the proc file system at root.
// It uses process_vm_readv(2), which needs no open file, and falls back to
// reading /proc/PID/mem where that call is missing or filtered (seccomp in
// older container runtimes), or where root shows another PID namespace, in
// which the call would reach a stranger. Both need the right that ptrace(2)
// calls PTRACE_MODE_ATTACH_REALCREDS; neither stops the process.
func OpenMemory(root string, pid int) (Memory, error) {
	m := &procMemory{pid: pid, path: root + "/" + strconv.Itoa(pid) + "/mem", file: -1}
	if own, err := os.Readlink(root + "/self"); err != nil || own != strconv.Itoa(os.Getpid()) {
		if err := m.openFile(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// procMemory reads through the kernel. file is -1 as long as
// process_vm_readv does.
type procMemory struct {
	pid    int
	path   string
	file   int
	local  []unix.Iovec
	remote []unix.RemoteIovec
}

func (m *procMemory) Read(spans []Span) error {
	if m.file >= 0 {
		return m.readFile(spans)
	}
	m.local, m.remote = m.local[:0], m.remote[:0]
	want := 0
	for i := range spans {
		n := len(spans[i].Into)
		if n == 0 {
			continue
		}
		local := unix.Iovec{Base: &spans[i].Into[0]}
		local.SetLen(n)
		m.local = append(m.local, local)
		m.remote = append(m.remote, unix.RemoteIovec{Base: uintptr(spans[i].Addr), Len: n})
		want += n
	}
	n, err := unix.ProcessVMReadv(m.pid, m.local, m.remote, 0)
	switch err {
	case nil:
		if n != want {
			return errShort
		}
		return nil
	case unix.ENOSYS, unix.EPERM, unix.EACCES:
		if m.openFile() != nil {
			if err == unix.ENOSYS {
				err = unix.EPERM
			}
			return fmt.Errorf("process_vm_readv of process %d: %w", m.pid, err)
		}
		return m.readFile(spans)
	}
	return fmt.Errorf("process_vm_readv of process %d: %w", m.pid, err)
}

func (m *procMemory) openFile() error {
	file, err := unix.Open(m.path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open the memory of process %d: %w", m.pid, err)
	}
	m.file = file
	return nil
}

// readFile reads through /proc/PID/mem. The file stays tied to the address
// space it was opened on: after an exec or an exit reads return nothing.
func (m *procMemory) readFile(spans []Span) error {
	for _, s := range spans {
		for done := 0; done < len(s.Into); {
			n, err := unix.Pread(m.file, s.Into[done:], int64(s.Addr)+int64(done))
			if err == unix.EINTR {
				continue
			}
			if err != nil {
				return fmt.Errorf("read the memory of process %d: %w", m.pid, err)
			}
			if n <= 0 {
				return errShort
			}
			done += n
		}
	}
	return nil
}

func (m *procMemory) Close() error {
	if m.file < 0 {
		return nil
	}
	file := m.file
	m.file = -1
	return unix.Close(file)
}

// ReadvRefused tells whether process_vm_readv(2) is missing or refused by a
// filter (seccomp): a process may always read itself, so nothing else can.
func ReadvRefused() bool {
	var from, into [8]byte
	local := unix.Iovec{Base: &into[0]}
	local.SetLen(len(into))
	remote := unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&from[0])), Len: len(from)}
	_, err := unix.ProcessVMReadv(os.Getpid(), []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	runtime.KeepAlive(&from)
	return err != nil
}

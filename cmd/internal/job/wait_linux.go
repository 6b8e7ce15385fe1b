package job

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// waitPeek waits until a child has ended, stopped or gone on and returns its
// PID, without reaping it: its number stays its own until reap.
func waitPeek() (int, error) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WSTOPPED|unix.WCONTINUED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return 0, err
		}
		return siginfoPID(&info), nil
	}
}

// siginfoPID returns si_pid, which stands behind three numbers of 32 bits, from
// the next boundary of a pointer on (the kernel's siginfo.h).
func siginfoPID(info *unix.Siginfo) int {
	const word = unsafe.Sizeof(uintptr(0))
	return int(*(*int32)(unsafe.Add(unsafe.Pointer(info), (12+word-1)&^(word-1))))
}

// reap takes the state of a child that waitPeek told of.
func reap(pid int) (syscall.WaitStatus, error) {
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(pid, &ws, syscall.WNOHANG|syscall.WUNTRACED|syscall.WCONTINUED, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err == nil && got == 0 {
			return 0, errNothing
		}
		return ws, err
	}
}

// adoptOrphans makes this process the parent of descendants whose own parent
// ends (prctl(2), PR_SET_CHILD_SUBREAPER), so that they stay in its tree.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// nameSelf gives this process a name for ps and top, where it was started
// through /proc/self/exe.
func nameSelf(name string) { _ = os.WriteFile("/proc/self/comm", []byte(name), 0) }

// closeInherited closes the files that this process was started with and that
// are not its own business: a lock or a pipe held open here would outlive its
// owner. Files that Go opened are marked close-on-exec; those below keep stay.
func closeInherited(keep int) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd < keep {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}

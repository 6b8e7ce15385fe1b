package job

import (
	"errors"
	"syscall"
	"time"
)

// waitPeek returns 0 from time to time: macOS has no waitid in Go's library, so
// that reap asks for any child.
func waitPeek() (int, error) {
	time.Sleep(20 * time.Millisecond)
	return anyChild, nil
}

const anyChild = -1

// reap takes the state of a child.
func reap(pid int) (syscall.WaitStatus, error) {
	var ws syscall.WaitStatus
	got, err := syscall.Wait4(pid, &ws, syscall.WNOHANG|syscall.WUNTRACED|syscall.WCONTINUED, nil)
	if err == nil && got == 0 || errors.Is(err, syscall.EINTR) {
		return 0, errNothing
	}
	return ws, err
}

func adoptOrphans()      {}
func nameSelf(string)    {}
func closeInherited(int) {}

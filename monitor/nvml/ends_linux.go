package nvml

import "golang.org/x/sys/unix"

// ends tells with one call which of many processes live: a descriptor of a
// process is there to be read once it has ended (pidfd_open(2), Linux 5.3).
type ends struct {
	polled []unix.PollFd
	of     []*living
}

// openEnd opens the descriptor of a process; -1 where the kernel has none, or
// the number is that of a thread.
func openEnd(pid int) int {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1
	}
	return fd
}

func closeEnd(fd int) {
	if fd >= 0 {
		_ = unix.Close(fd)
	}
}

// mark sets alive of each process that is known to live just now.
func (e *ends) mark(all map[int]*living) {
	e.polled, e.of = e.polled[:0], e.of[:0]
	for _, k := range all {
		if k.alive = false; k.end >= 0 {
			e.polled, e.of = append(e.polled, unix.PollFd{Fd: int32(k.end), Events: unix.POLLIN}), append(e.of, k)
		}
	}
	if len(e.polled) == 0 {
		return
	}
	if _, err := unix.Poll(e.polled, 0); err != nil {
		return
	}
	for i := range e.polled {
		e.of[i].alive = e.polled[i].Revents == 0
	}
}

//go:build linux || darwin

package job

import (
	"errors"
	"sync"
	"syscall"
)

var errNothing = errors.New("no child has changed")

// family is the job as a child of this process, and the orphans it leaves. No
// signal reaches a PID after it was reaped: signals and reaping share a lock.
type family struct {
	mu    sync.Mutex
	pid   int
	group int // the job's process group, 0 for that of this process
	ended bool
}

// start starts the job with these files as its descriptors from 0 on.
func (f *family) start(path string, args, environ []string, files []uintptr, attr *syscall.SysProcAttr) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{Env: environ, Files: files, Sys: attr})
	if err != nil {
		return startError(args[0], err)
	}
	f.pid = pid
	if attr != nil && (attr.Setpgid || attr.Foreground) {
		f.group = pid
	}
	return nil
}

// wait tells of every change of the job's state and reaps whatever else ends,
// until no child is left.
func (f *family) wait(tell func(State, Result)) {
	for {
		pid, err := waitPeek()
		if err != nil {
			return // ECHILD
		}
		state, result, ok, err := f.take(pid)
		if errors.Is(err, syscall.ECHILD) && pid < 0 {
			return
		}
		if ok {
			tell(state, result)
		}
	}
}

// take reaps a child; ok when it was the job.
func (f *family) take(pid int) (state State, result Result, ok bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if pid < 0 {
		pid = f.pid
	}
	ws, err := reap(pid)
	if err != nil || pid != f.pid {
		return Running, Result{}, false, err
	}
	switch {
	case ws.Stopped():
		return Stopped, Result{}, true, nil
	case ws.Continued():
		return Running, Result{}, true, nil
	}
	f.ended = true
	return Ended, resultOf(ws), true, nil
}

// signal sends a signal to the job alone, or to its process group.
func (f *family) signal(s syscall.Signal, wholeGroup bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pid == 0 || f.ended {
		return syscall.ESRCH
	}
	if wholeGroup && f.group > 0 {
		return syscall.Kill(-f.group, s)
	}
	return syscall.Kill(f.pid, s)
}

// running reports whether the job was started and has not been reaped.
func (f *family) running() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pid != 0 && !f.ended
}

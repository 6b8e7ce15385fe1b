package nvml

import (
	"errors"
	"fmt"
	"time"
)

// Delays between tries to start the driver again.
const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// session is the use of the driver from a good start to the moment it goes
// away, and the tries in between. It belongs to the goroutine of Read.
type session struct {
	drv    driver
	module func() string // version of the loaded kernel module

	watched bool      // events are waited for
	watch   *watcher  // of this or the last start; nil before
	workers []*worker // nil while the driver is not started
	retired []*worker // of the session before, to be ended before the next start
	version string
	err     error // why the driver is not started; nil before the first try

	starting chan started // not nil while a start is under way
	askedAt  time.Time    // when that start, or the last one, began
	began    time.Time    // the same on the clock that deadlines run by
	next     time.Time    // when to try again
	wait     time.Duration
	begun    bool // the library was opened and is to be closed before another start
}

// started is the outcome of a start.
type started struct {
	opened
	err error
}

// due tells whether a new start may be made at t. A clock that was set back
// must not postpone it for ever.
func (s *session) due(t time.Time) bool {
	return s.starting == nil && (!t.Before(s.next) || t.Before(s.askedAt))
}

// start begins a start in a goroutine of its own, since every step of it can
// hang. The workers of the session before have nothing under way then.
func (s *session) start(t time.Time) {
	old, watch, begun := s.retired, s.watch, s.begun
	s.retired, s.watch, s.begun = nil, nil, true
	s.starting = make(chan started, 1)
	s.askedAt, s.began = t, time.Now()
	go func(result chan<- started) { result <- s.restart(old, watch, begun) }(s.starting)
}

func (s *session) restart(old []*worker, watch *watcher, begun bool) (result started) {
	defer func() {
		if p := recover(); p != nil {
			result.err = fault{call: fmt.Sprintf("starting NVML (%v)", p), code: returnPanic}
		}
	}()
	for _, w := range old {
		close(w.ask)
		<-w.ended
	}
	if watch != nil {
		watch.end()
	}
	if begun {
		// A library whose driver is gone answers an error; it is of no use.
		_ = s.drv.close()
	}
	result.opened, result.err = s.drv.open()
	if result.err == nil && result.count == 0 {
		result.err = fmt.Errorf("%w: in a container, give it the GPUs (docker run --gpus all)", ErrNoGPU)
	}
	return result
}

// finish takes the outcome of a start; spawn makes the worker of a device.
func (s *session) finish(result started, t time.Time, spawn func(index int) *worker) {
	s.starting = nil
	if result.version != "" {
		s.version = result.version
	}
	if result.err != nil {
		s.fail(s.explain(result.err), t)
		return
	}
	s.err = nil
	s.workers = make([]*worker, result.count)
	for i := range s.workers {
		s.workers[i] = spawn(i)
	}
	if s.watched {
		s.watch = startWatcher(s.drv, result.count)
	}
}

func (s *session) explain(err error) error {
	var f fault
	if !errors.As(err, &f) {
		return err
	}
	module := ""
	if f.code == returnMismatch {
		module = s.module()
	}
	return openError(f, module)
}

// fail notes why the driver cannot be used and when to try again.
func (s *session) fail(err error, t time.Time) {
	s.err = err
	s.wait = min(max(firstRetry, 2*s.wait), lastRetry)
	s.next = t.Add(s.wait)
}

// retire ends the use of a driver that is gone. Its workers are idle.
func (s *session) retire(err error, t time.Time) {
	s.retired, s.workers = s.workers, nil
	s.fail(err, t)
}

// healthy notes that a device was read, so that the next failure is retried
// soon.
func (s *session) healthy() { s.wait, s.next = 0, time.Time{} }

// close ends the workers and the use of the library, waiting for that no
// longer than patience: a call that hangs must not keep the program from
// ending. The library is left open under a call that has not come back.
func (s *session) close(patience time.Duration) error {
	workers := append(s.retired, s.workers...)
	for _, w := range workers {
		close(w.ask)
	}
	silent := s.starting != nil || s.busy()
	if s.watch != nil {
		close(s.watch.stop)
		// A wait for events is nearly always under way. It is not waited for, and
		// the library is left open under it.
		silent = silent || !s.watch.done()
		s.watch = nil
	}
	s.workers, s.retired = nil, nil
	if silent || !s.begun {
		return nil
	}
	done := make(chan error, 1)
	go func() {
		for _, w := range workers {
			<-w.ended
		}
		done <- s.drv.close()
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return fmt.Errorf("closing NVML: %w", errSilent)
	}
}

// busy tells whether a call to a device has not come back yet. The driver
// must not be closed under it.
func (s *session) busy() bool {
	for _, w := range s.workers {
		if w.busy {
			return true
		}
	}
	return false
}

package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"
)

// errGivenUp is the error of a write that nobody took when the program was to
// end.
var errGivenUp = errors.New("nobody reads what is written")

// leaveAfter is how long a reader has for what is written last.
const leaveAfter = 200 * time.Millisecond

// leavable writes to a pipe or a terminal whose reader may stand still: a write
// into it that is not taken is given up soon after ctx ends, and all that would
// follow. It belongs to one goroutine.
type leavable struct {
	ctx   context.Context
	to    io.Writer
	stuck bool
}

// Write returns when the bytes are taken, or with errGivenUp. The write that
// was given up may go on beside; it has bytes of its own.
func (l *leavable) Write(p []byte) (int, error) {
	if l.stuck {
		return 0, errGivenUp
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	p = slices.Clone(p)
	go func() {
		n, err := l.to.Write(p)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		return r.n, r.err
	case <-l.ctx.Done():
	}
	select {
	case r := <-done:
		return r.n, r.err
	case <-time.After(leaveAfter):
		l.stuck = true
		return 0, errGivenUp
	}
}

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

// patience is how long one waits for the reader of what is written: until left
// ends, and then a little more.
type patience struct {
	left context.Context
	more time.Duration
}

// How long a reader has for what is written last: little where somebody pressed
// ctrl-c, more where a job came to its end by itself.
const (
	afterSignal = 200 * time.Millisecond
	afterJob    = 5 * time.Second
)

// leavable writes to a pipe or a terminal whose reader may stand still: a write
// into it that is not taken is given up when the patience is at its end, and all
// that would follow. It belongs to one goroutine.
type leavable struct {
	patience
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
	case <-l.left.Done():
	}
	select {
	case r := <-done:
		return r.n, r.err
	case <-time.After(l.more):
		l.stuck = true
		return 0, errGivenUp
	}
}

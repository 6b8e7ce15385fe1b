package monitor

import (
	"context"
	"time"
)

// State is how well something can be read just now.
type State uint8

// The states of a source or a device.
const (
	StateUnavailable State = iota // nothing can be read
	StateOK                       // everything is being read
	StatePartial                  // some of it is
	StateStale                    // what is shown is older than it should be
)

// String returns the state as it stands in JSON.
func (s State) String() string {
	switch s {
	case StateOK:
		return "ok"
	case StatePartial:
		return "partial"
	case StateStale:
		return "stale"
	case StateUnavailable:
		return "unavailable"
	}
	return "unavailable"
}

// ParseState returns the state of that name; false for no such name.
func ParseState(name string) (State, bool) {
	for _, s := range []State{StateOK, StatePartial, StateStale, StateUnavailable} {
		if s.String() == name {
			return s, true
		}
	}
	return StateUnavailable, false
}

// SourceStatus is what a source says of itself in a sample.
type SourceStatus struct {
	Name   string // nvml, torch, proc, log…
	State  State
	Reason string        // a sentence with the cure, when State is not StateOK
	GoodAt time.Time     // when it last answered well; zero when never
	Took   time.Duration // how long the last answer took
}

// Request is what a source is asked: its part of the sample of Time, given
// what the sources before it found for the same sample. Seen is read only.
type Request struct {
	Time time.Time
	Seen *Sample
}

// Part is what one source adds to a sample. Its rows are shared with the sample,
// so a source that has returned them does not change them.
type Part struct {
	Status    SourceStatus
	Driver    string // driver version
	GPUs      []GPU
	Holders   []Holder
	Processes []Process
	Torch     []Allocator
	Lines     []LogLine
	Readings  []LogReading
	Marks     []Mark // moments that the source saw
}

// Source reads one kind of thing. Read is never called twice at the same time.
// It returns by the deadline of ctx as far as it can; a caller must be ready
// for one that does not. It reports failure in its Status and never panics.
type Source interface {
	Name() string
	Read(ctx context.Context, req Request) Part
	Close() error
}

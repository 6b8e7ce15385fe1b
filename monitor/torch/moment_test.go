//go:build linux

package torch

import (
	"context"
	"testing"
	"time"
)

// slowMemory lets the clock go on while it reads.
type slowMemory struct {
	Memory
	clock *time.Time
	takes func() time.Duration
}

func (m slowMemory) Read(spans []Span) error {
	err := m.Memory.Read(spans)
	*m.clock = m.clock.Add(m.takes())
	return err
}

func TestTheMomentOfAReadingIsNeverLaterThanItsFigures(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	for _, interrupted := range []int{0, 1, 2, 3, 1000} {
		clock, reads := time.Now(), 0
		began := clock
		r := newReader(t, Config{
			Now:  func() time.Time { return clock },
			Wait: func(_ context.Context, d time.Duration) bool { clock = clock.Add(d); return true },
			Open: OpenMemory,
		})
		wantBytes(t, only(t, read(r, clock, listed(p.pid), p.pid)), 0, 20971520)
		a := r.targets[p.pid].attached
		a.mem = slowMemory{Memory: a.mem, clock: &clock, takes: func() time.Duration {
			reads++
			began = clock
			if reads <= interrupted+1 && reads > 1 { // the first looks at the place
				return 8 * time.Millisecond
			}
			return 3 * time.Microsecond
		}}
		if got := a.sample(r.now, r.pause); got != resultOK {
			t.Fatalf("%d interrupted: result %v", interrupted, got)
		}
		if at := a.devices[0].readAt; !at.Equal(began) {
			t.Errorf("%d interrupted: the figures are said to hold %v after their reading began", interrupted, at.Sub(began))
		}
		if want := min(interrupted, 3) + 2; reads != want {
			t.Errorf("%d interrupted: %d reads, want %d", interrupted, reads, want)
		}
	}
}

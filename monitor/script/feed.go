package script

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Feed plays a script at its own pace: a sample every interval, starting at
// once. After the last it returns io.EOF.
type Feed struct {
	machine Machine
	next    int
	began   time.Time
	once    sync.Once
	closed  chan struct{}
}

var _ monitor.Feed = (*Feed)(nil)

// NewFeed returns a feed at the beginning of the script.
func NewFeed(m Machine) *Feed { return &Feed{machine: m, closed: make(chan struct{})} }

// Next waits until the next sample is due.
func (f *Feed) Next(ctx context.Context) (monitor.Batch, error) {
	if f.began.IsZero() {
		f.began = time.Now()
	}
	for {
		if f.machine.Length > 0 && f.next >= f.machine.Count() {
			return monitor.Batch{}, io.EOF
		}
		due := f.began.Add(time.Duration(f.next) * f.machine.interval())
		timer := time.NewTimer(time.Until(due))
		select {
		case <-f.closed:
			timer.Stop()
			return monitor.Batch{}, io.EOF
		case <-ctx.Done():
			timer.Stop()
			return monitor.Batch{}, ctx.Err()
		case <-timer.C:
		}
		s, ok := f.machine.Sample(f.next)
		f.next++
		if ok {
			return monitor.Batch{Samples: []monitor.Sample{s}}, nil
		}
	}
}

// Close ends the feed.
func (f *Feed) Close() error {
	f.once.Do(func() { close(f.closed) })
	return nil
}

// AllAtOnce returns a feed that hands over the whole script in one batch and
// then ends, for tests that look at the last screen.
func AllAtOnce(m Machine) monitor.Feed { return &whole{samples: m.Samples()} }

type whole struct{ samples []monitor.Sample }

func (w *whole) Next(ctx context.Context) (monitor.Batch, error) {
	if err := ctx.Err(); err != nil {
		return monitor.Batch{}, err
	}
	if len(w.samples) == 0 {
		return monitor.Batch{}, io.EOF
	}
	batch := monitor.Batch{Samples: w.samples}
	w.samples = nil
	return batch, nil
}

func (w *whole) Close() error { return nil }

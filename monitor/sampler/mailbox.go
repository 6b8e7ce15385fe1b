package sampler

import (
	"context"
	"io"
	"sync"

	"github.com/vramscope/vramscope/monitor"
)

// mailbox holds the newest sample until somebody takes it. A sample that is
// replaced before is counted, and its log lines and marks move to the next.
type mailbox struct {
	mu      sync.Mutex
	sample  monitor.Sample
	full    bool
	dropped uint64
	posted  chan struct{} // holds one token while the box is full
	closed  chan struct{}
	err     error // why no more samples come
}

func newMailbox() *mailbox {
	return &mailbox{posted: make(chan struct{}, 1), closed: make(chan struct{})}
}

func (m *mailbox) post(s monitor.Sample) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		m.dropped++
		s.Lines = newest(joined(m.sample.Lines, s.Lines), maxCarried)
		s.Readings = newest(joined(m.sample.Readings, s.Readings), maxCarried)
		s.Marks = newest(joined(m.sample.Marks, s.Marks), maxCarried)
	}
	m.sample, m.full = s, true
	select {
	case m.posted <- struct{}{}:
	default:
	}
}

// fail has take return an error from now on.
func (m *mailbox) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
	select {
	case m.posted <- struct{}{}:
	default:
	}
}

func (m *mailbox) failed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err != nil
}

// joined puts two slices together in memory of its own.
func joined[T any](a, b []T) []T {
	if len(a) == 0 {
		return b
	}
	return append(a[:len(a):len(a)], b...)
}

func (m *mailbox) take(ctx context.Context) (monitor.Batch, error) {
	select {
	case <-m.closed:
		return monitor.Batch{}, io.EOF
	default:
	}
	select {
	case <-m.closed:
		return monitor.Batch{}, io.EOF
	case <-ctx.Done():
		return monitor.Batch{}, ctx.Err()
	case <-m.posted:
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		select {
		case m.posted <- struct{}{}: // for whoever asks again
		default:
		}
		return monitor.Batch{}, m.err
	}
	batch := monitor.Batch{Samples: []monitor.Sample{m.sample}, Dropped: m.dropped}
	m.sample, m.full, m.dropped = monitor.Sample{}, false, 0
	return batch, nil
}

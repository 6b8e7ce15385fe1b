package sampler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Sampler samples a machine, as a monitor.Feed or once. Its methods may be
// called from any goroutine.
type Sampler struct {
	box    *mailbox
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan struct{} // closed when the loop has ended
	change chan struct{} // one token: interval or marks changed, or a sample is wanted

	mu       sync.Mutex
	interval time.Duration
	wanted   bool
	marks    []monitor.Mark
	running  bool
	closed   bool

	taking sync.Mutex // held by whoever uses taker
	taker  taker
}

var _ monitor.Feed = (*Sampler)(nil)

// New returns a sampler. Nothing is read before the first Next or Once.
func New(cfg Config) *Sampler {
	ctx, cancel := context.WithCancel(context.Background())
	return &Sampler{box: newMailbox(), ctx: ctx, cancel: cancel, ended: make(chan struct{}), change: make(chan struct{}, 1),
		interval: clampInterval(cfg.Interval), taker: newTaker(cfg)}
}

// Next waits for the next sample; the first call starts sampling. When samples
// came faster than they were taken it returns the newest, with the log lines of
// those it replaced. After Close it returns io.EOF.
func (s *Sampler) Next(ctx context.Context) (monitor.Batch, error) {
	s.mu.Lock()
	if !s.running && !s.closed {
		s.running = true
		go s.loop()
	}
	s.mu.Unlock()
	return s.box.take(ctx)
}

// Once takes one sample apart from the pace. Each source gets five seconds, or
// until ctx ends: one sample has no second chance.
func (s *Sampler) Once(ctx context.Context) monitor.Sample {
	s.taking.Lock()
	defer s.taking.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(s.ctx, cancel)
	defer stop()
	return s.taker.take(ctx, onceDeadline)
}

// Interval returns the time between samples.
func (s *Sampler) Interval() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.interval
}

// SetInterval changes the time between samples, held within MinInterval and
// MaxInterval. The next sample comes that long after the last.
func (s *Sampler) SetInterval(d time.Duration) {
	s.update(func() { s.interval = clampInterval(d) })
}

// Now asks for a sample at once. The pace of the others stays.
func (s *Sampler) Now() { s.update(func() { s.wanted = true }) }

// Mark puts a named moment into the next sample.
func (s *Sampler) Mark(m monitor.Mark) {
	s.update(func() { s.marks = newest(append(s.marks, m), maxCarried) })
}

func (s *Sampler) update(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	select {
	case s.change <- struct{}{}:
	default:
	}
}

func (s *Sampler) loop() {
	defer close(s.ended)
	last := time.Now()
	s.sample()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		due := nextDue(last, s.Interval())
		timer.Reset(time.Until(due))
		select {
		case <-s.ctx.Done():
			return
		case <-timer.C:
			last = due
			s.sample()
		case <-s.change:
			if s.takeWanted() {
				s.sample()
			}
		}
		if s.box.failed() {
			return
		}
	}
}

// nextDue is when the sample after that of last is to be taken. When the
// machine slept or a source took long it goes on from now instead of catching
// up.
func nextDue(last time.Time, interval time.Duration) time.Time {
	due := last.Add(interval)
	if time.Since(due) > interval {
		return time.Now()
	}
	return due
}

func (s *Sampler) takeWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := s.wanted
	s.wanted = false
	return wanted
}

// sample takes one sample. A mistake in putting it together is handed to the
// reader of the feed as an error, so that the screen can end in order.
func (s *Sampler) sample() {
	defer func() {
		if what := recover(); what != nil {
			s.box.fail(fmt.Errorf("sampling went wrong inside the program: %s", oneLine(what)))
		}
	}()
	sample := s.taken()
	if s.ctx.Err() != nil {
		return // cut short: not a picture of the machine
	}
	s.mu.Lock()
	sample.Marks, s.marks = append(sample.Marks, s.marks...), nil
	s.mu.Unlock()
	s.box.post(sample)
}

func (s *Sampler) taken() monitor.Sample {
	s.taking.Lock()
	defer s.taking.Unlock()
	return s.taker.take(s.ctx, deadlineFor(s.Interval()))
}

// Close stops sampling and closes the sources, within 50 milliseconds. A
// source that hangs is closed when it returns.
func (s *Sampler) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	running := s.running
	s.mu.Unlock()
	s.cancel()
	close(s.box.closed)
	if running {
		<-s.ended
	}
	s.taking.Lock()
	defer s.taking.Unlock()
	return s.closeSources()
}

func (s *Sampler) closeSources() error {
	runners := slices.Concat(s.taker.stages...)
	done := make(chan error, len(runners)) // room for those nobody waits for
	free := 0
	for _, r := range runners {
		if r.pending == nil {
			free++
			r.close(done)
			continue
		}
		r.close(make(chan error, 1))
	}
	timer := time.NewTimer(closeWait)
	defer timer.Stop()
	var errs []error
	for range free {
		select {
		case err := <-done:
			errs = append(errs, err)
		case <-timer.C:
			return errors.Join(errs...)
		}
	}
	return errors.Join(errs...)
}

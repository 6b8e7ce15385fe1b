package record

import (
	"context"
	"io"
	"math"
	"sync"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// PlayerOptions says how a recording is played.
type PlayerOptions struct {
	Speed float64 // 1 when zero
	// EndAtEOF makes Next return io.EOF after the last sample. Without it Next
	// waits there: the screen stays and one may step back.
	EndAtEOF bool
	// MaxWait shortens the waits where nothing was recorded; 5 seconds when
	// zero, none when negative.
	MaxWait time.Duration
	Paused  bool // start paused, on the first sample
}

const (
	defaultMaxWait = 5 * time.Second
	minSpeed       = 0.01
	maxSpeed       = 10_000
	// minBatch bounds how often a fast replay wakes its reader.
	minBatch = 20 * time.Millisecond
	// maxBatch is how many samples are handed over at once, so that who takes them
	// in can do something else between two batches.
	maxBatch = 16_384
)

// Player plays a recording as a monitor.Feed. Its methods may be called from
// any goroutine; Next from one at a time.
type Player struct {
	samples []monitor.Sample
	opts    PlayerOptions

	mu     sync.Mutex
	target int           // samples that are to be shown
	sent   int           // samples handed over
	reset  bool          // hand over all again
	paused bool          // the clock of the replay stands
	speed  float64       // recorded seconds a second
	anchor time.Time     // when the sample before target was due
	woken  chan struct{} // closed and made anew at every change
	closed bool
}

// NewPlayer returns a player at the beginning of a recording, which must not
// be changed afterwards.
func NewPlayer(rec *Recording, opts PlayerOptions) *Player {
	if opts.MaxWait == 0 {
		opts.MaxWait = defaultMaxWait
	}
	if opts.Speed == 0 {
		opts.Speed = 1
	}
	return &Player{samples: rec.Samples, opts: opts, target: min(1, len(rec.Samples)), paused: opts.Paused,
		speed: min(max(opts.Speed, minSpeed), maxSpeed), woken: make(chan struct{})}
}

// Next waits for the samples that are due next. After a step back or a seek
// back the batch has Reset set, and all samples up to the new position follow,
// of a long way in several batches.
func (p *Player) Next(ctx context.Context) (monitor.Batch, error) {
	for {
		batch, wait, woken, err := p.poll(time.Now())
		if err != nil || len(batch.Samples) > 0 || batch.Reset {
			return batch, err
		}
		if err := sleep(ctx, wait, woken); err != nil {
			return monitor.Batch{}, err
		}
	}
}

// sleep waits for a change, for a time when it is not negative, or for the end
// of ctx.
func sleep(ctx context.Context, wait time.Duration, woken <-chan struct{}) error {
	var due <-chan time.Time
	if wait >= 0 {
		timer := time.NewTimer(max(wait, minBatch))
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-woken:
	case <-due:
	}
	return nil
}

// poll gives what is due, or how long to wait (negative: until woken).
func (p *Player) poll(now time.Time) (monitor.Batch, time.Duration, <-chan struct{}, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return monitor.Batch{}, 0, nil, io.EOF
	}
	if p.anchor.IsZero() {
		p.anchor = now
	}
	if !p.paused {
		p.advance(now)
	}
	if p.reset || p.target > p.sent {
		return p.handOver(), 0, nil, nil
	}
	if p.target == len(p.samples) && p.opts.EndAtEOF {
		return monitor.Batch{}, 0, nil, io.EOF
	}
	if p.paused || p.target == len(p.samples) {
		return monitor.Batch{}, -1, p.woken, nil
	}
	return monitor.Batch{}, p.anchor.Add(p.step()).Sub(now), p.woken, nil
}

// handOver gives the next samples up to the target.
func (p *Player) handOver() monitor.Batch {
	from := p.sent
	if p.reset {
		from = 0
	}
	p.sent = min(p.target, from+maxBatch)
	batch := monitor.Batch{Reset: p.reset, Samples: p.samples[from:p.sent:p.sent], More: p.sent < p.target}
	p.reset = false
	return batch
}

// advance moves the target over the samples that are due.
func (p *Player) advance(now time.Time) {
	for p.target > 0 && p.target < len(p.samples) {
		due := p.anchor.Add(p.step())
		if due.After(now) {
			return
		}
		p.anchor = due
		p.target++
	}
}

// step is how long after the sample before it the next one is due.
func (p *Player) step() time.Duration {
	d := max(p.samples[p.target].Time.Sub(p.samples[p.target-1].Time), 0)
	d = time.Duration(float64(d) / p.speed)
	if p.opts.MaxWait > 0 {
		d = min(d, p.opts.MaxWait)
	}
	return d
}

// change runs f and wakes Next. The replay goes on from now.
func (p *Player) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	p.anchor = time.Now()
	close(p.woken)
	p.woken = make(chan struct{})
}

// Pause stops the replay where it is, or lets it go on.
func (p *Player) Pause(on bool) { p.change(func() { p.paused = on }) }

// Paused reports whether the replay stands still.
func (p *Player) Paused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paused
}

// SetSpeed sets how many recorded seconds pass in one, from 0.01 to 10,000.
func (p *Player) SetSpeed(x float64) {
	if math.IsNaN(x) {
		return
	}
	p.change(func() { p.speed = min(max(x, minSpeed), maxSpeed) })
}

// Speed returns how many recorded seconds pass in one.
func (p *Player) Speed() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.speed
}

// Step moves by that many samples, back when n is negative.
func (p *Player) Step(n int) { p.change(func() { p.moveTo(p.target + n) }) }

// Seek moves to the last sample taken at or before that time, or to the first.
func (p *Player) Seek(t time.Time) {
	n := len(p.samples)
	for n > 1 && p.samples[n-1].Time.After(t) {
		n--
	}
	p.change(func() { p.moveTo(n) })
}

func (p *Player) moveTo(n int) {
	p.target = min(max(n, min(1, len(p.samples))), len(p.samples))
	if p.target < p.sent {
		p.reset = true
	}
}

// Position returns how many samples have been played, from 1 while there are
// any, and the time of the last of them.
func (p *Player) Position() (n int, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target == 0 {
		return 0, time.Time{}
	}
	return p.target, p.samples[p.target-1].Time
}

// Len returns how many samples the recording has.
func (p *Player) Len() int { return len(p.samples) }

// Span returns the times of the first and the last sample.
func (p *Player) Span() (from, to time.Time) {
	if len(p.samples) == 0 {
		return time.Time{}, time.Time{}
	}
	return p.samples[0].Time, p.samples[len(p.samples)-1].Time
}

// Close ends the replay; Next returns io.EOF.
func (p *Player) Close() error {
	p.change(func() { p.closed = true })
	return nil
}

var _ monitor.Feed = (*Player)(nil)

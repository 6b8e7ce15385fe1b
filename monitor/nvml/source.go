package nvml

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Config says how to read. The zero Config reads this machine.
type Config struct {
	// ProcRoot is where /proc is mounted: the one whose PIDs are compared with
	// the driver's. Empty means /proc.
	ProcRoot string
	// Timeout bounds the wait for the devices in one Read, also when its
	// context allows more. 0 means 2 s.
	Timeout time.Duration
	// StartTimeout bounds the wait for the start of the driver library, which
	// takes seconds on a machine whose GPUs were asleep. A start that takes
	// longer goes on behind later Reads, which no longer wait for it. 0 means
	// 10 s.
	StartTimeout time.Duration
	// SlowEvery is how often things are asked that hardly change: power limit,
	// error correction, MIG. 0 means 10 s.
	SlowEvery time.Duration
	// Watch also waits for the driver's events, on a goroutine of its own: Xid
	// errors and uncorrectable memory errors become lines and marks of a Read.
	Watch bool
}

func (c Config) withDefaults() Config {
	if c.ProcRoot == "" {
		c.ProcRoot = "/proc"
	}
	if c.Timeout <= 0 {
		c.Timeout = 2 * time.Second
	}
	if c.StartTimeout <= 0 {
		c.StartTimeout = 10 * time.Second
	}
	if c.SlowEvery <= 0 {
		c.SlowEvery = 10 * time.Second
	}
	return c
}

// Source reads the GPUs of this machine through NVML. It implements
// monitor.Source.
type Source struct {
	cfg     Config
	use     sync.Mutex // held by Read and Close, so that Close may come at any time
	session session
	turn    turns
	space   *namespace
	rows    []row
	holders []monitor.Holder // being put together
	told    []monitor.Holder // handed over last, and again while nothing changes; not changed any more
	goodAt  time.Time
	closed  bool

	watching atomic.Pointer[watcher] // that of the session

	mu  sync.Mutex // guards err alone
	err error
}

// New returns a source that starts the driver library at its first Read, not
// before: a library that hangs must not hold up the start of the program.
func New(cfg Config) *Source { return newSource(cfg, newDriver()) }

func newSource(cfg Config, drv driver) *Source {
	cfg = cfg.withDefaults()
	return &Source{
		cfg:     cfg,
		turn:    newTurns(),
		session: session{drv: drv, watched: cfg.Watch, module: func() string { return moduleVersion(cfg.ProcRoot) }},
		space:   newNamespace(cfg.ProcRoot, cfg.SlowEvery),
	}
}

// Name returns "nvml".
func (s *Source) Name() string { return "nvml" }

// Err returns why the driver is not in use: an error that is ErrNoLibrary,
// ErrNoDriver, ErrNoGPU or ErrNotBuilt when this machine has nothing to read,
// another one for a failure, nil while it works and before the first Read. It
// may be called at any time from any goroutine.
func (s *Source) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Absent tells whether the last Read found no NVIDIA driver or GPU here, as
// opposed to one that fails: the library or the kernel module is not there, no
// GPU is shown, or this binary was built without the interface.
func (s *Source) Absent() bool {
	err := s.Err()
	return errors.Is(err, ErrNoLibrary) || errors.Is(err, ErrNoDriver) || errors.Is(err, ErrNoGPU) || errors.Is(err, ErrNotBuilt)
}

// Close ends the use of the driver library. It waits for a Read that is under
// way, and a second at most for the library; a call that hangs in the driver
// is left behind.
func (s *Source) Close() error {
	s.use.Lock()
	defer s.use.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.space.close()
	return s.session.close(time.Second)
}

// Read asks every device that is not still busy with an earlier question and
// waits for all answers, but no longer than the context and Config.Timeout
// allow. A device that does not answer in time is shown as it was last read.
func (s *Source) Read(ctx context.Context, req monitor.Request) monitor.Part {
	s.use.Lock()
	defer s.use.Unlock()
	begin := time.Now()
	ctx, cancel := beforeDeadline(ctx)
	defer cancel()
	if s.closed {
		return monitor.Part{Status: monitor.SourceStatus{Name: s.Name(), Reason: "closed"}}
	}
	s.ready(ctx, req.Time)
	s.poll()
	s.askAll(req.Time)
	s.collect(ctx)
	s.review(req.Time)
	part := s.part(req.Time)
	part.Status.Took = time.Since(begin)
	return part
}

// beforeDeadline returns a context that ends a little before the caller stops
// waiting for Read, so that the answers of the healthy devices are not lost
// with that of a silent one.
func beforeDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	left := time.Until(end)
	return context.WithTimeout(ctx, left-left/8)
}

// ready starts the driver when it is not in use and a try is due, and waits
// for a start that is under way.
func (s *Source) ready(ctx context.Context, t time.Time) {
	c := &s.session
	if c.workers == nil && c.due(t) {
		c.start(t)
	}
	if c.starting == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.StartTimeout-time.Since(c.began))
	defer cancel()
	result, ok := receive(ctx, c.starting)
	if !ok {
		c.err = fmt.Errorf("%w: its start began %s ago and has not come back; when it stays so, look for NVRM or Xid lines in the kernel log (dmesg)",
			errSilent, age(time.Since(c.began)))
		return
	}
	c.finish(result, t, s.spawn)
	s.resize(len(c.workers))
}

// receive waits for a value until ctx ends; a value that is there wins over a
// context that has ended.
func receive[T any](ctx context.Context, from <-chan T) (value T, ok bool) {
	select {
	case value = <-from:
		return value, true
	default:
	}
	select {
	case value = <-from:
		return value, true
	case <-ctx.Done():
		return value, false
	}
}

func (s *Source) spawn(index int) *worker {
	root := s.cfg.ProcRoot
	return startWorker(index, s.session.drv, s.turn, s.cfg.SlowEvery, func() (memoryInfo, error) { return systemMemory(root) })
}

// resize makes one row for each device of a new start, keeping what is known
// of a device with the same index until it answers.
func (s *Source) resize(devices int) {
	if devices == 0 {
		return
	}
	for i := len(s.rows); i < devices; i++ {
		s.rows = append(s.rows, newRow(i))
	}
	s.rows = s.rows[:devices]
}

// poll takes answers that came after an earlier Read had stopped waiting.
func (s *Source) poll() {
	for _, w := range s.session.workers {
		select {
		case a := <-w.answers:
			s.take(w, a)
		default:
		}
	}
}

func (s *Source) askAll(t time.Time) {
	for _, w := range s.session.workers {
		if !w.busy {
			w.busy, w.askedAt = true, t
			w.ask <- t
		}
	}
}

// collect waits for the answers of all devices. Those not there when the time
// is up are marked as waited for.
func (s *Source) collect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	for _, w := range s.session.workers {
		if !w.busy {
			continue
		}
		if a, ok := receive(ctx, w.answers); ok {
			s.take(w, a)
		} else {
			s.rows[w.index].waiting = w.askedAt
		}
	}
}

func (s *Source) take(w *worker, a answer) {
	w.busy = false
	s.rows[w.index].take(a)
	if a.err == nil {
		s.goodAt = a.gpu.ReadAt
		s.session.healthy()
	}
}

// review ends the use of a driver that can read no device any more. While a
// call hangs in the driver it is left alone, since closing it under the call
// is not safe.
func (s *Source) review(t time.Time) {
	c := &s.session
	if c.workers == nil {
		for i := range s.rows {
			if c.err != nil && s.rows[i].err == nil {
				s.rows[i].lose(c.err)
			}
		}
		return
	}
	var gone error
	for i := range s.rows {
		err := s.rows[i].err
		if err == nil {
			return
		}
		if gone == nil || codeOf(err).driverGone() {
			gone = err
		}
	}
	if gone != nil && !c.busy() {
		module := ""
		if codeOf(gone) == returnMismatch {
			module = c.module()
		}
		c.retire(goneError(gone, module), t)
	}
}

// part builds the answer from the rows.
func (s *Source) part(t time.Time) monitor.Part {
	part := monitor.Part{Driver: s.session.version, GPUs: make([]monitor.GPU, 0, len(s.rows))}
	lists := make([]listed, 0, len(s.rows))
	pids := make([]int, 0, len(s.space.living)+8)
	for i := range s.rows {
		g := s.rows[i].show(t)
		part.GPUs = append(part.GPUs, g)
		split, _ := g.MIG.Get()
		lists = append(lists, listed{gpu: g.Index, split: split, entries: s.rows[i].entries})
		for _, e := range s.rows[i].entries {
			if e.pid != 0 && e.pid <= maxPID {
				pids = append(pids, int(e.pid))
			}
		}
	}
	s.space.hostNumbers = listsHostNumbers(s.session.version)
	s.holders = holders(s.holders, lists, s.space.finder(t, pids), s.space.nested, mixesNamespaces(s.session.version))
	s.holders = s.attribute(part.GPUs, s.holders)
	if !slices.Equal(s.holders, s.told) {
		s.told = slices.Clone(s.holders)
	}
	part.Holders = s.told
	part.Status = s.status(part.GPUs)
	part.Lines, part.Marks = s.happened(t)
	s.watching.Store(s.session.watch)
	s.mu.Lock()
	s.err = s.session.err
	s.mu.Unlock()
	return part
}

func (s *Source) status(gpus []monitor.GPU) monitor.SourceStatus {
	status := monitor.SourceStatus{Name: s.Name(), GoodAt: s.goodAt}
	if err := s.session.err; err != nil {
		status.State, status.Reason = monitor.StateUnavailable, err.Error()
		return status
	}
	counts := map[monitor.State]int{}
	var troubles []string
	for _, g := range gpus {
		counts[g.State]++
		if g.State != monitor.StateOK {
			troubles = append(troubles, fmt.Sprintf("GPU %d: %s", g.Index, g.Reason))
		}
	}
	status.Reason = strings.Join(troubles, "; ")
	switch {
	case counts[monitor.StateOK] == len(gpus):
		status.State = monitor.StateOK
	case counts[monitor.StateUnavailable] == len(gpus):
		status.State = monitor.StateUnavailable
	case counts[monitor.StateStale]+counts[monitor.StateUnavailable] == len(gpus):
		status.State = monitor.StateStale
	default:
		status.State = monitor.StatePartial
	}
	return status
}

package torch

import (
	"context"
	"os"
	"runtime"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Limits bound the work of a Reader. Zero fields take the default.
type Limits struct {
	LooksPerRead    int           // processes whose mappings are looked at in one Read after the first; 64
	AttachesPerRead int           // processes searched for an allocator in one Read after the first; 16
	Processes       int           // processes watched; 1024
	MapsBytes       int           // of one /proc file; 8 MiB
	ScanBytes       int           // of writable memory searched in a build without the symbol; 64 MiB
	StaleAfter      time.Duration // age from which figures are no longer shown; 5 s
	ConfirmAfter    time.Duration // between the first two samples of a process; 50 ms
}

// Config is what a Reader needs of its surroundings. The zero Config reads
// this machine.
type Config struct {
	Root   string                                          // of the proc file system; "/proc"
	Open   func(root string, pid int) (Memory, error)      // OpenMemory
	Now    func() time.Time                                // time.Now
	Wait   func(ctx context.Context, d time.Duration) bool // false when ctx ended first
	Self   *Self                                           // what this process may do; read from Root when nil
	Limits Limits
}

// Reader finds processes that use PyTorch's CUDA caching allocator and reads
// its statistics. It implements monitor.Source.
type Reader struct {
	proc   procfs
	open   func(root string, pid int) (Memory, error)
	now    func() time.Time
	wait   func(ctx context.Context, d time.Duration) bool
	rights Self
	limits Limits
	self   int

	targets   map[int]*target
	order     []int // their numbers, ascending
	dismissed map[int]dismissed
	pids      []int
	pass      uint32
	listedAt  time.Time
	// listUnfinished says that the last walk over all processes was cut off.
	listUnfinished bool

	explorer explorer
	holders  holdings
	gpus     []gpuFact
	statBuf  [1024]byte
	pause    func(time.Duration)
	reads    uint64
	rows     int // of the last read
	goodAt   time.Time
}

var _ monitor.Source = (*Reader)(nil)

// New returns a Reader. It opens nothing before the first Read.
func New(c Config) *Reader {
	if c.Root == "" {
		c.Root = "/proc"
	}
	if c.Open == nil {
		c.Open = OpenMemory
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = waitFor
	}
	if c.Self == nil {
		rights := ReadSelf(c.Root)
		c.Self = &rights
	}
	c.Limits.fill()
	r := &Reader{
		proc:      procfs{root: c.Root, limit: c.Limits.MapsBytes},
		open:      c.Open,
		now:       c.Now,
		wait:      c.Wait,
		rights:    *c.Self,
		limits:    c.Limits,
		self:      os.Getpid(),
		targets:   make(map[int]*target),
		dismissed: make(map[int]dismissed),
		holders:   holdings{groups: make(map[int]int)},
	}
	r.pause = func(d time.Duration) { r.wait(context.Background(), d) }
	return r
}

func (l *Limits) fill() {
	orDefault(&l.LooksPerRead, 64)
	orDefault(&l.AttachesPerRead, 16)
	orDefault(&l.Processes, 1024)
	orDefault(&l.MapsBytes, 8*mebibyte)
	orDefault(&l.ScanBytes, 64*mebibyte)
	orDefault(&l.StaleAfter, 5*time.Second)
	orDefault(&l.ConfirmAfter, 50*time.Millisecond)
}

func orDefault[T int | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

func waitFor(ctx context.Context, d time.Duration) bool {
	if ctx.Done() == nil {
		time.Sleep(d)
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Name returns "torch".
func (r *Reader) Name() string { return "torch" }

// Read returns one row for every device that a readable process uses, and one
// row with the reason for every process whose figures cannot be shown. It uses
// the GPUs and the driver's process lists of req.Seen. A process seen for the
// first time is read twice, 50 ms apart, before its figures are shown.
func (r *Reader) Read(ctx context.Context, req monitor.Request) monitor.Part {
	began := r.now()
	at := req.Time
	if at.IsZero() {
		at = began
	}
	if runtime.GOOS != "linux" {
		return monitor.Part{Status: monitor.SourceStatus{Name: r.Name(), Reason: reasonNotLinux}}
	}
	r.gpus = readGPUs(r.gpus[:0], req.Seen)
	r.holders.load(req.Seen, r.group)
	r.forgetGroups()
	r.discover(ctx, at)
	r.visit(ctx, at)
	r.confirm(ctx)

	part := monitor.Part{Torch: make([]monitor.Allocator, 0, r.rows)}
	var sum summary
	for i := 0; i < len(r.order); i++ {
		t := r.targets[r.order[i]]
		if t.attached != nil && !t.endedNow {
			r.judge(t, at)
		}
		first := len(part.Torch)
		part.Torch = r.appendRows(part.Torch, t)
		sum.add(part.Torch[first:])
		if t.endedNow || t.kind == kindNone && t.attached == nil {
			r.drop(t)
			r.dismiss(t.pid, r.holders.listed(t.pid), at)
			i--
		}
	}
	r.reads++
	r.rows = len(part.Torch)
	if sum.state() != monitor.StateUnavailable {
		r.goodAt = at
	}
	part.Status = monitor.SourceStatus{Name: r.Name(), State: sum.state(), Reason: sum.reason(), GoodAt: r.goodAt, Took: r.now().Sub(began)}
	return part
}

// judge decides what the figures of an attached process are worth.
func (r *Reader) judge(t *target, at time.Time) {
	r.judgeOwner(t)
	r.matchGPUs(t)
	r.crossCheck(t, at)
	for i := range t.attached.devices {
		d := &t.attached.devices[i]
		d.usedBefore = d.used
	}
}

// forgetGroups drops what is remembered of threads that the driver no longer
// lists: their numbers may be given to others.
func (r *Reader) forgetGroups() {
	for pid, group := range r.holders.groups {
		if !r.holders.listed(group) {
			delete(r.holders.groups, pid)
		}
	}
}

// visit samples every attached target and searches those that are due.
func (r *Reader) visit(ctx context.Context, at time.Time) {
	attaches := r.limits.AttachesPerRead
	if r.reads == 0 {
		attaches = r.limits.Processes
	}
	for i := 0; i < len(r.order) && ctx.Err() == nil; i++ {
		t := r.targets[r.order[i]]
		t.endedNow = false
		if t.attached == nil {
			if !r.alive(t) {
				r.drop(t)
				i--
				continue
			}
			if !t.due(at, r.holders.listed(t.pid)) || attaches == 0 {
				continue
			}
			attaches--
			r.attach(t, at)
		}
		r.sample(t, at)
		t.endedNow = !r.alive(t)
		if t.endedNow && t.attached == nil && t.out.state == monitor.AllocatorGone && !r.holders.listed(t.pid) {
			// It had ended before the driver was asked, and nothing of it was read.
			r.drop(t)
			i--
		}
	}
}

func (r *Reader) alive(t *target) bool {
	id, err := t.stat.read(r.statBuf[:])
	t.parent = id.parent
	return err == nil && id.start == t.start && !ended(id)
}

// maxBroken is how often in a row a layout may turn out wrong before the
// process is given up for a while.
const maxBroken = 3

// sample reads an attached target. When the allocator has moved (exec, a
// library loaded again) or breaks the rules of its layout it searches again at
// once. What was read counts only if the process still lives afterwards, which
// the caller checks: then its number meant this process all the time.
func (r *Reader) sample(t *target, at time.Time) {
	for t.attached != nil {
		switch t.attached.sample(r.now, r.pause) {
		case resultOK:
			t.broken = 0
			r.searchUUIDs(t)
			return
		case resultNothing:
			// The lock is held: for a slow cudaMalloc, or for good in a copy
			// that was forked while another thread held it.
			return
		case resultGone:
			t.detach()
			t.settle(outcome{state: monitor.AllocatorGone, reason: reasonGone}, at)
			return
		case resultDenied:
			t.detach()
			t.settle(outcome{state: monitor.AllocatorDenied, reason: r.reasonDenied(t.pid, true)}, at)
			return
		case resultMoved, resultBroken:
			why := t.attached.brokenRule()
			t.broken++
			if t.broken > maxBroken {
				t.detach()
				t.broken = 0
				t.settle(outcome{state: monitor.AllocatorUnknown, reason: reasonBroken(why)}, at)
				return
			}
			if !r.attachAgain(t, at, why) {
				return
			}
		}
	}
}

// attachAgain searches once more and tells whether an allocator was found.
// One that was there and broke a rule is not called missing.
func (r *Reader) attachAgain(t *target, at time.Time, why rule) bool {
	r.attach(t, at)
	if t.attached == nil && why != "" && t.out.state == monitor.AllocatorNoCUDA && !t.out.empty {
		t.settle(outcome{state: monitor.AllocatorUnknown, reason: reasonBroken(why)}, at)
	}
	return t.attached != nil
}

// searchUUIDs looks for the GPUs' UUIDs when they became known only after the
// process was attached.
func (r *Reader) searchUUIDs(t *target) {
	if t.uuidsOf == len(r.gpus) {
		return
	}
	t.uuidsOf = len(r.gpus)
	e := &r.explorer
	if r.loadMaps(t, e) != nil {
		return
	}
	e.view.mem = t.attached.mem
	t.attached.matchUUIDs(e, r.gpus)
}

// confirm reads those processes a second time that were read for the first
// time just now, so that a single call can show their figures.
func (r *Reader) confirm(ctx context.Context) {
	waited := false
	for _, pid := range r.order {
		t := r.targets[pid]
		if t.attached == nil || t.endedNow || !t.attached.unconfirmed() {
			continue
		}
		if !waited {
			if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < 2*r.limits.ConfirmAfter {
				return
			}
			if !r.wait(ctx, r.limits.ConfirmAfter) {
				return
			}
			waited = true
		}
		r.sample(t, r.now())
		t.endedNow = !r.alive(t)
	}
}

// Close lets go of everything that is open.
func (r *Reader) Close() error {
	for len(r.order) > 0 {
		r.drop(r.targets[r.order[0]])
	}
	return nil
}

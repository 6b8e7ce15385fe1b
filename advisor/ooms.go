package advisor

import (
	"math"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// notAvailable is what torch prints for a figure that it could not get: 2^64
// bytes, seen on WSL 2 and Windows. It is no size.
const notAvailable = float64(1 << 63)

// oom is one failed allocation, from its text, from the allocator's counter,
// or from both.
type oom struct {
	t      float64
	job    *job
	text   bool // there was a text
	figure oomFigures
	others []monitor.LogOOMProcess
	frames map[frame]bool
	times  int    // how often
	cause  string // who failed, when not PyTorch's allocator
	pid    int    // of the line, 0 when it does not tell
	rank   *int   // as the text or its line names it, nil when it does not
	gpu    *int   // likewise, as the process numbers its devices
	ranks  []int  // that tell of it, the first first
}

// oomFigures are the figures of the text in bytes; NaN where it has none.
type oomFigures struct {
	tried, total, free, allocated, reserved, process, allowed, pools float64
}

func noFigures() oomFigures {
	n := math.NaN()
	return oomFigures{n, n, n, n, n, n, n, n}
}

func (f oomFigures) idle() float64 { return f.reserved - f.allocated }

// room is what the process could still have taken from the driver.
func (f oomFigures) room() float64 {
	room := f.free
	if has(f.allowed) && has(f.reserved) {
		room = math.Min(orInf(room), math.Max(0, f.allowed-f.reserved))
	}
	return room
}

// usable is the most the process could have had.
func (f oomFigures) usable() float64 {
	if has(f.allowed) {
		return math.Min(orInf(f.total), f.allowed)
	}
	return f.total
}

// Bounds of what the figures of one text can mean together.
const (
	spillMost  = 3    // times the card that a driver was seen to spill
	roomLeast  = 0.25 // of the card, free, to be far more than was asked for
	roomTimes  = 4    // of the request likewise
	freeAtMost = 1.02 // of the card: figures are rounded
)

// contradict reports whether the figures cannot all be true: more free than
// there is, or more allocated than any driver spills to the host.
func (f oomFigures) contradict() bool {
	return f.total > 0 && (f.free > freeAtMost*f.total || f.allocated > spillMost*f.total)
}

// muchFree reports whether far more was free than was asked for, and nothing
// says that the process was not allowed to take it.
func (f oomFigures) muchFree() bool {
	return !has(f.allowed) && f.tried > 0 && f.free >= roomTimes*f.tried && f.free >= roomLeast*f.total
}

// outside is what is taken of the card and not by this process's allocator.
func (f oomFigures) outside() float64 {
	if has(f.reserved) {
		return f.total - orZero(f.free) - f.reserved
	}
	return f.total - orZero(f.free) - f.allocated
}

func has(v float64) bool { return !math.IsNaN(v) }

func orInf(v float64) float64 {
	if has(v) {
		return v
	}
	return math.Inf(1)
}

func orZero(v float64) float64 {
	if has(v) {
		return v
	}
	return 0
}

func figure(r monitor.Reading[int64]) float64 {
	if v, ok := r.Get(); ok && v >= 0 && float64(v) < notAvailable {
		return float64(v)
	}
	return math.NaN()
}

func figuresOf(o *monitor.LogOOMFigures) oomFigures {
	f := noFigures()
	f.tried, f.total, f.free = figure(o.RequestedBytes), figure(o.TotalBytes), figure(o.FreeBytes)
	f.allocated, f.reserved = figure(o.AllocatedBytes), figure(o.ReservedBytes)
	f.process, f.allowed, f.pools = figure(o.ProcessBytes), figure(o.AllowedBytes), figure(o.PrivatePoolBytes)
	const implausible = 1 << 54 // 16 PiB
	if f.allowed > implausible {
		f.allowed = math.NaN()
	}
	if f.process > implausible {
		f.process = math.NaN()
	}
	return f
}

// addOOMs collects the failures. The same failure printed several times counts
// once.
func (s *scene) addOOMs() {
	for _, r := range s.all {
		if r.Kind != monitor.LogOOM {
			continue
		}
		o := oom{t: s.place(r.Time, r.Line), text: true, figure: noFigures(), times: 1}
		if r.OOM != nil {
			o.figure, o.others, o.cause = figuresOf(r.OOM), r.OOM.Others, r.OOM.Cause
		}
		o.pid, o.rank, o.gpu = r.PID, pointerTo(r.Rank), pointerTo(r.GPU)
		o.toldBy(o.rank)
		o.frames = s.text.framesNear(o.t, math.Max(3*s.every, 1))
		o.job = s.failing(&r, &o)
		s.besides(&o)
		if n := len(s.ooms); n > 0 && s.ooms[n-1].job == o.job {
			last := &s.ooms[n-1]
			if last.figure.same(o.figure) {
				last.times++
				if last.toldBy(o.rank); len(last.ranks) < 2 {
					last.rank, last.gpu = agreed(last.rank, o.rank), agreed(last.gpu, o.gpu)
				}
				continue
			}
			// One failure is told more than once, often without figures.
			if o.figure.same(noFigures()) && o.t-last.t <= math.Max(5*s.every, 5) {
				last.toldBy(o.rank)
				continue
			}
		}
		s.ooms = append(s.ooms, o)
	}
	for _, j := range s.jobs {
		s.countedOOMs(j)
	}
	s.failed = map[*job]failure{}
	for i := range s.ooms {
		o := &s.ooms[i]
		was, ok := s.failed[o.job]
		switch {
		case !ok:
			s.failed[o.job] = failure{first: i, t: o.t}
		case o.t < was.t:
			s.failed[o.job] = failure{first: was.first, t: o.t}
		}
	}
}

// failure is where a job's failures begin.
type failure struct {
	first int     // place in the list
	t     float64 // the earliest time
}

// pointerTo returns a number that is known, or nil.
func pointerTo(r monitor.Reading[int]) *int {
	if v, ok := r.Get(); ok && v >= 0 {
		return &v
	}
	return nil
}

// agreed returns the number that two tellings of one failure agree on; a
// telling without one agrees with any.
func agreed(a, b *int) *int {
	switch {
	case a == nil:
		return b
	case b == nil || *a == *b:
		return a
	}
	return nil
}

func (f oomFigures) same(g oomFigures) bool {
	eq := func(a, b float64) bool { return a == b || !has(a) && !has(b) }
	return eq(f.tried, g.tried) && eq(f.total, g.total) && eq(f.free, g.free) && eq(f.allocated, g.allocated) && eq(f.reserved, g.reserved)
}

// countedOOMs adds the failures that only the allocator's counter tells of.
func (s *scene) countedOOMs(j *job) {
	k := j.metric(history.OOMs)
	for i := 1; i < k.len(); i++ {
		if k.last[i] <= k.last[i-1] {
			continue
		}
		t, known := k.t[i], false
		for n := range s.ooms {
			if s.ooms[n].job == j && (s.ooms[n].text && abs(s.ooms[n].t-t) <= math.Max(5*s.every, 2) || !s.ooms[n].text) {
				known = true
				if !s.ooms[n].text {
					s.ooms[n].times += int(k.last[i] - k.last[i-1])
				} else {
					s.ooms[n].t = math.Min(s.ooms[n].t, t)
				}
			}
		}
		if !known {
			o := oom{t: t, job: j, figure: noFigures(), times: int(k.last[i] - k.last[i-1])}
			o.frames = map[frame]bool{}
			o.figure.total = zeroIsNone(j.total)
			s.atFailure(&o)
			s.ooms = append(s.ooms, o)
		}
	}
}

// atFailure fills in what was read about a failure that has no text.
func (s *scene) atFailure(o *oom) {
	j := o.job
	after, ok1 := j.alloc().valueAt(o.t)
	before, ok2 := j.alloc().valueAt(o.t - math.Max(s.every, 1e-3))
	held, ok3 := j.reserved().valueAt(o.t)
	if ok1 && ok3 {
		o.figure.allocated, o.figure.reserved = after, held
		if ok2 && before <= held {
			o.figure.allocated = math.Max(after, before)
		}
	}
	if j.gpu == nil {
		return
	}
	free := j.gpu.track(history.Free)
	if part := free.between(o.t-2*s.every, o.t+2*s.every); part.len() > 0 {
		o.figure.free = part.min()
	}
	for _, h := range j.gpu.holders {
		v, ok := h.track(history.Used).valueAt(o.t)
		switch {
		case !ok:
		case h == j.holder:
			o.figure.process = v
		case v > 0 && h.track(history.Used).between(o.t-2*s.every, o.t+2*s.every).len() > 0:
			o.others = append(o.others, monitor.LogOOMProcess{PID: h.key.PID, UsedBytes: int64(v)})
		}
	}
}

// besides fills in who else held the card where a text names nobody: older
// versions and containers do not. The driver's list says it as well.
func (s *scene) besides(o *oom) {
	if len(o.others) > 0 || o.job == nil || o.job.holder == nil || o.job.gpu == nil {
		return
	}
	for _, h := range o.job.gpu.holders {
		if h.track(history.Used).between(o.t-5*s.every, o.t+2*s.every).len() == 0 {
			continue
		}
		v, ok := h.track(history.Used).valueAt(o.t)
		switch {
		case !ok || v <= 0:
		case h == o.job.holder:
			if !has(o.figure.process) && o.figure.canHold(v) {
				o.figure.process = v
			}
		case !s.sameJob(h, o.job.holder):
			o.others = append(o.others, monitor.LogOOMProcess{PID: h.key.PID, UsedBytes: int64(v)})
		}
	}
}

// canHold reports whether a process can have held so much when it failed. The
// driver's figure is of a sample before: since then the job may have grown, or
// PyTorch may have given back its cache, as it does before it fails.
func (f oomFigures) canHold(v float64) bool {
	return v >= firstOf(f.reserved, f.allocated) && !(v > f.total-f.free)
}

func zeroIsNone(v float64) float64 {
	if v == 0 {
		return math.NaN()
	}
	return v
}

// failing finds the job that a failure belongs to.
func (s *scene) failing(r *monitor.LogReading, o *oom) *job {
	if r.PID != 0 {
		if j := s.jobOf(r.PID); j != nil {
			return j
		}
	}
	var best *job
	nearest := math.Inf(1)
	for _, j := range s.jobs {
		if rank, ok := r.Rank.Get(); ok && j.rank != nil && *j.rank == rank {
			return j
		}
		if d := s.distance(j, o); d < nearest {
			best, nearest = j, d
		}
	}
	if best == nil && len(s.jobs) == 1 {
		return s.jobs[0]
	}
	return best
}

// distance is how badly the figures of a failure fit a job.
func (s *scene) distance(j *job, o *oom) float64 {
	if j.log != nil && (j.log.source == "" || len(s.jobs) == 1) && !j.attached() {
		return 1
	}
	if !has(o.figure.reserved) {
		return math.Inf(1)
	}
	if v, ok := j.reserved().valueAt(o.t + 2*s.every); ok && v > 0 {
		return math.Abs(v-o.figure.reserved) / math.Max(v, o.figure.reserved)
	}
	return math.Inf(1)
}

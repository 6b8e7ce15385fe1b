package advisor

import (
	"math"
	"slices"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// A job that starts and ends inside a window is judged by its life: what it
// frees on its way out is no phase of its own, and what is printed or listed
// of it afterwards is not it any more.

// Bounds of the tear-down, as shares of the points of a track.
const (
	tearDownEnded = 0.25 // of a process that is gone at the window's end
	tearDownAlive = 0.12 // of one that is still there
	tearDownLeast = 3    // points that are always few enough
	freedEnded    = 0.9  // of the lowest level at work: less is left after it
	freedAlive    = 0.35
)

// ended reports whether a process is gone at the window's end.
func (h *holder) ended() bool {
	s := h.gpu.s
	if s.every <= 0 || s.rest || h.usedNow.Known() {
		return false
	}
	last := h.lastSeen()
	return !math.IsInf(last, 0) && s.end-last > 1.5*s.every
}

// lastSeen returns when a process was last seen on its device, in seconds; minus
// infinity for never.
func (h *holder) lastSeen() float64 {
	s := h.gpu.s
	last := math.Inf(-1)
	for _, other := range s.holders[h.key.PID] {
		if other.gpu != h.gpu {
			continue
		}
		if other.facts != nil {
			last = math.Max(last, s.seconds(other.facts.Last))
		}
		if k := other.raw(history.Used); k.len() > 0 {
			last = math.Max(last, k.t[k.len()-1])
		}
	}
	return last
}

// ended reports whether the job's process is gone at the window's end.
func (s *scene) ended(j *job) bool { return j.holder != nil && j.ended() }

// lost reports whether the process of that number on a device is gone.
func (g *gpu) lost(pid *int) bool {
	return pid != nil && slices.ContainsFunc(g.s.holders[*pid], func(h *holder) bool { return h.gpu == g && h.ended() })
}

// left is how much more the job can take, and could take at the end of one that
// is gone: what is free on the card. A job that ended while it grew was as near
// to the end of the card as it would be now. One that failed is judged by that.
func (s *scene) left(j *job) (float64, bool) {
	if j.gpu == nil {
		return 0, false
	}
	free := j.gpu.track(history.Free)
	if s.ended(j) {
		if s.failureOf(j) != nil {
			return 0, false
		}
		free = free.slice(0, free.at(math.Min(j.lifeEnd(), j.lastSeen())))
	}
	if free.len() == 0 {
		return 0, false
	}
	return quantile(free.last[max(0, free.len()-20):], 0.1), true
}

// ofLife reports whether a figure is to be judged within the life of a job
// alone. Counters are not: a failure at the very end is one.
func ofLife(m history.Metric) bool {
	switch m {
	case history.Allocated, history.Reserved, history.PeakAllocated, history.PeakReserved, history.InactiveSplit, history.PrivatePools, history.NonTorch:
		return true
	default:
		return false
	}
}

// lifeEnd returns when a process began to free everything, or when the
// allocator was last read and only the log still tells of it: infinity when
// neither was seen.
func (h *holder) lifeEnd() float64 {
	if h.until != 0 {
		return h.until
	}
	h.until = math.Inf(1)
	if h.gpu.s.rest {
		return h.until
	}
	k := h.raw(history.Allocated)
	if last, ok := h.lastRead(); ok && k.len() > 0 && last < k.t[k.len()-1] {
		k = k.slice(0, k.at(math.Nextafter(last, math.Inf(1))))
		h.until = math.Nextafter(last, math.Inf(1))
	}
	if at := tearDown(k, h.ended); at < k.len() {
		h.until = k.t[at]
	}
	return h.until
}

// lastRead returns when figures that no log prints were last known; false when
// the newest sample has them still, or none ever had.
func (h *holder) lastRead() (float64, bool) {
	if h.now != nil && h.now.Origin != monitor.OriginLog {
		return 0, false
	}
	last := math.Inf(-1)
	for _, m := range []history.Metric{history.Active, history.Requested, history.AllocRetries, history.OOMs, history.Segments, history.InactiveSplit} {
		if k := h.raw(m); k.len() > 0 {
			last = math.Max(last, k.t[k.len()-1])
		}
	}
	return last, !math.IsInf(last, 0)
}

// printed reports whether what is known of a process's tensors are the figures
// of its log held from line to line, and not the allocator's own.
func (h *holder) printed() bool {
	if h.now != nil && h.now.Origin != monitor.OriginLog {
		return false
	}
	_, read := h.lastRead()
	return !read
}

// tearDown returns the place in a track of allocated at which everything was
// freed for good, the length of the track when it was not. What is left then
// is less than the job ever held at work, and nothing rises any more.
func tearDown(k track, ended func() bool) int {
	n := k.len()
	if n < 10 {
		return n
	}
	v := k.last[n-1]
	at := n
	for at > 0 && math.Abs(k.last[at-1]-v) <= 0.01*v && k.hi[at-1] <= 1.01*v {
		at--
	}
	if at > 0 && math.Abs(k.last[at-1]-v) <= 0.01*v {
		at-- // a pooled point that begins high
	}
	// The way down, when samples fall into it.
	for least := n - n/10 - 2; at > max(2, least) && k.last[at-2] > 1.01*k.last[at-1] && k.last[at-1] > v; {
		at--
	}
	if at < 5 || n-at > max(tearDownLeast, int(tearDownEnded*float64(n))) {
		return n
	}
	work := atWork(k.slice(0, at))
	switch {
	case v <= freedAlive*work && n-at <= max(tearDownLeast, int(tearDownAlive*float64(n))):
		return at
	case v < freedEnded*work && ended():
		return at
	}
	return n
}

// atWork returns the lowest level since a job first freed anything: what comes
// before that is building the model. A job that was never seen to free
// anything is judged by its usual level.
func atWork(k track) float64 {
	built := 1
	for built < k.len() && !k.cameDown(built) {
		built++
	}
	if k.len()-built < 5 {
		return quantile(k.lo, 0.5)
	}
	return minOf(k.lo[built:])
}

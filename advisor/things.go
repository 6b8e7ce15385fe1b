package advisor

import (
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// gpu is one device.
type gpu struct {
	s       *scene
	id      string
	index   int
	known   bool // index is the driver's
	total   float64
	facts   *monitor.GPU
	holders []*holder
	// listedNow is what the driver's list in the newest sample adds up to.
	listedNow monitor.Reading[int64]
	tracks    tracks
}

func (g *gpu) track(m history.Metric) track {
	return g.tracks.get(m, func() series { return g.s.read(history.Key{Metric: m, GPU: g.id}) }).track
}

// series is a track with the samples it was made from, where they are kept
// singly.
type series struct {
	track
	values []float64 // one a sample of the window, NaN for none
}

// tracks keeps what was read: a rule after another asks for the same.
type tracks struct {
	read [history.Metrics]bool
	all  []series // as many as were read
	at   [history.Metrics]uint8
}

func (x *tracks) get(m history.Metric, read func() series) series {
	if !x.read[m] {
		// What is read may ask for others meanwhile.
		got := read()
		if x.all == nil {
			x.all = make([]series, 0, 4) // as many as of most processes
		}
		x.read[m], x.at[m] = true, uint8(len(x.all))
		x.all = append(x.all, got)
	}
	return x.all[x.at[m]]
}

// holder is one process on one device.
type holder struct {
	gpu    *gpu
	key    monitor.ProcessKey
	facts  *history.ProcessFacts
	now    *monitor.Allocator // in the newest sample, nil when it is not there
	listed bool               // the driver told its memory at least once
	spread int                // devices that the process holds memory on
	// usedNow is what the driver says of it in the newest sample.
	usedNow monitor.Reading[int64]
	tracks  tracks
	until   float64 // seconds; the end of its life, 0 when not looked for yet
	longer  *holder // the same in a longer view, nil when there is none
	job     *job
}

// track returns a figure over the life of the process.
func (h *holder) track(m history.Metric) track {
	k := h.raw(m)
	if !ofLife(m) || k.len() == 0 {
		return k
	}
	return k.slice(0, k.at(h.lifeEnd()))
}

// raw returns a figure over the whole window.
func (h *holder) raw(m history.Metric) track { return h.series(m).track }

func (h *holder) series(m history.Metric) series {
	return h.tracks.get(m, func() series {
		s := h.gpu.s
		switch {
		case h.quiet(m):
			return series{}
		case s.axis == nil || h.longer == nil || h.longer.gpu.s.axis == nil:
			return s.read(history.Key{Metric: m, GPU: h.gpu.id, Process: h.key})
		}
		// The longer view has read it.
		values := h.longer.series(m).values
		return s.axis.series(values[max(0, len(values)-len(s.w.Times)):])
	})
}

// quiet reports whether a series need not be read, because the newest sample
// tells that there is nothing in it to find: a counter that still stands at
// zero, or an amount that no rule asks about.
func (h *holder) quiet(m history.Metric) bool {
	if h.now == nil || h.gpu.total == 0 {
		return false
	}
	var v monitor.Reading[int64]
	least := int64(1)
	switch m {
	case history.AllocRetries:
		v = h.now.AllocRetryCount
	case history.OOMs:
		v = h.now.OOMCount
	case history.PrivatePools:
		v, least = h.now.PrivatePoolBytes, int64(idleOfCard*h.gpu.total)
	case history.NonTorch:
		v, least = monitor.Minus(h.usedNow, h.now.ReservedBytes), int64(2*outsideLeak*h.gpu.total)
	case history.InactiveSplit:
		v, least = h.now.InactiveSplitBytes, int64(splitOfCard*h.gpu.total)
	default:
		return false
	}
	n, ok := v.Get()
	return ok && n < least
}

// used returns the process's memory on the device at the end of its life, and
// false when the driver did not tell.
func (h *holder) used() (float64, bool) {
	if v, ok := h.usedNow.Get(); ok && h.gpu.s.many {
		return float64(v), true
	}
	k := h.track(history.Used)
	if k.len() == 0 {
		return 0, false
	}
	return quantile(k.last[max(0, k.len()-5):], 0.5), true
}

// process returns the facts of the process; the zero value when none are known.
func (h *holder) process() monitor.Process {
	if h.facts == nil {
		return monitor.Process{}
	}
	return h.facts.Process
}

// job is one process on one device whose tensors are known, or one log whose
// process is not.
type job struct {
	*holder         // nil for a log that belongs to no process
	gpu     *gpu    // nil when not known
	total   float64 // of the card; a stand-in when guessed
	guessed bool    // the size of the card is not known
	log     *logTrack
	rank    *int
}

// attached reports whether the allocator itself was read.
func (j *job) attached() bool {
	return j.holder != nil && j.metric(history.Allocated).len() > 0
}

// alloc, reserved and peak are the allocator's own figures, empty when it was
// not read.
func (j *job) alloc() track    { return j.metric(history.Allocated) }
func (j *job) reserved() track { return j.metric(history.Reserved) }
func (j *job) peak() track     { return j.metric(history.PeakAllocated) }

func (j *job) metric(m history.Metric) track {
	if j.holder == nil || j.log != nil && j.printed() {
		return track{}
	}
	return j.track(m)
}

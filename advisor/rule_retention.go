package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// turnsMissed is how many high steps should have come in the time since the
// last: a job that generates and trains in turn has pauses as long as its turns.
const turnsMissed = 16

// pauseTimes is how many times as long as any pause before the time since has
// to be.
const pauseTimes = 2

// retention needs reserved and allocated. A phase that needed much must be
// over: allocated stays far below what it once was for most of the window, and
// the cache stays as large.
func retention(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		if j.total == 0 || s.failureOf(j) != nil {
			continue
		}
		if d := s.retained(j); d != nil {
			out = append(out, d)
		}
	}
	return out
}

func (s *scene) retained(j *job) *draft {
	a := j.alloc()
	if held, ok := j.heldNow(); ok && a.len() > 0 && a.hi[a.len()-1] > 0.35*held {
		return nil
	}
	r := j.reserved()
	least, source := 15, "attach"
	if a.len() < least || r.len() < least {
		if j.log == nil {
			return nil
		}
		a, r, least, source = j.log.alloc, j.log.reserved, 6, "log"
	}
	if a.len() < least || r.len() < least {
		return nil
	}
	// The part since allocated was last above a third of reserved.
	held, _ := r.end()
	since := a.len()
	for since > 0 && a.hi[since-1] <= 0.35*held {
		since--
	}
	low := a.slice(since, a.len())
	if low.len() < least || low.len() < a.len()*3/10 {
		return nil
	}
	late := r.between(low.t[0], math.Inf(1))
	idle := late.min() - low.max()
	if late.len() == 0 || idle < idleOfCard*j.total || late.max()-late.min() > 0.15*idle {
		return nil
	}
	severity, confidence, ok := s.phaseBefore(j, a.slice(0, since), low, held, source)
	if !ok {
		return nil
	}
	w := words{"idle": size(idle), "reserved": size(late.min()), "allocated": size(low.max()), "time": duration(s.end - low.t[0]),
		"share": percent(idle / j.total)}
	claim := "run"
	if j.guessed {
		claim = "unsized"
	}
	d := s.draft(catalog.CacheRetention, claim, w).on(j).span(low.t[0], low.t[low.len()-1]).grade(severity, confidence)
	d.logged = source == "log"
	return d.during("idle in the cache", idle, Bytes, low.t[0], s.end).during("reserved", late.min(), Bytes, low.t[0], s.end).
		during("allocated, most since", low.max(), Bytes, low.t[0], s.end)
}

// pauseIn returns the longest time that a job at work stayed below a height
// before it went above it, in seconds: what comes now and then comes again.
func (s *scene) pauseIn(before track, height float64) float64 {
	k := training(before)
	longest, since := 0.0, math.NaN()
	for i := range k.t {
		switch {
		case k.hi[i] < height && math.IsNaN(since):
			since = k.t[i]
		case k.hi[i] >= height:
			if pause := k.t[i] - since; pause > longest {
				longest = pause
			}
			since = math.NaN()
		}
	}
	return longest
}

// heldNow is what the allocator has reserved in the newest sample.
func (j *job) heldNow() (float64, bool) {
	if j.holder == nil || j.now == nil {
		return 0, false
	}
	v, ok := j.now.ReservedBytes.Get()
	return float64(v), ok
}

// phaseBefore looks for the phase that needed what the cache still holds: seen
// as a stretch of high allocated, or told by the allocator's peak alone. One
// large step among others is no phase.
func (s *scene) phaseBefore(j *job, before, low track, held float64, source string) (Severity, Confidence, bool) {
	h := highIn(before, 0.5*held)
	lowTime := low.t[low.len()-1] - low.t[0]
	switch {
	case source == "log" && h.turns > 0 || s.loggedHigh(j, low.t[0], held):
		// A line stands at one point of a step: no peak within one.
		return Warning, Likely, h.turns <= 2
	case h.longest >= 3 && h.plateau && h.turns <= 2 && lowTime >= 3*h.seconds && lowTime >= pauseTimes*s.pauseIn(before, 0.5*held):
		return Warning, Likely, true
	case h.turns >= 3 && before.len() > 1:
		// Many high steps before, and none where as many should have come.
		expected := float64(h.turns) * lowTime / (before.t[before.len()-1] - before.t[0])
		if low.max()-low.min() <= 0.002*low.max() {
			expected *= 2 // it stands still: nobody is at work in another phase
		}
		return Warning, Likely, expected >= turnsMissed
	}
	peak, ok := j.peak().end()
	if source == "attach" && before.len() == 0 && ok && peak >= 0.6*held {
		// Steps between the samples would move the level now and then.
		still := low.max()-low.min() <= 0.002*low.max()
		if peak >= 20*low.max() && (held >= 0.25*j.total || still && held >= 2*idleOfCard*j.total) {
			return Warning, Likely, true
		}
		return Info, Possible, peak >= 4*low.max()
	}
	return Info, Possible, false
}

// loggedHigh reports whether the log printed a high level before a time.
func (s *scene) loggedHigh(j *job, before, held float64) bool {
	if j.log == nil {
		return false
	}
	k := j.log.alloc
	k = k.slice(0, k.at(before))
	return k.len() > 0 && k.max() >= 0.5*held
}

// high is what a track did above a height.
type high struct {
	turns, longest int
	seconds        float64 // of the longest turn
	plateau        bool    // it stood at one height in the longest turn
}

func highIn(k track, height float64) high {
	var h high
	for i := 0; i < k.len(); i++ {
		if k.lo[i] < height {
			continue
		}
		from, top := i, 0.0
		for ; i < k.len() && k.lo[i] >= height; i++ {
			top = math.Max(top, k.hi[i])
		}
		h.turns++
		if i-from <= h.longest {
			continue
		}
		h.longest, h.seconds = i-from, k.t[i-1]-k.t[from]
		near := 0
		for n := from; n < i; n++ {
			if k.lo[n] >= 0.95*top {
				near++
			}
		}
		h.plateau = near >= (i-from+1)/2
	}
	return h
}

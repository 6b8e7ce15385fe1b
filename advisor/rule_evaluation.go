package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// ramp is one climb of allocated from the level between steps to a height, in
// many rises, and its fall back to that level at once.
type ramp struct {
	from, to   float64 // seconds: from the level to the fall
	base, top  float64
	rises      int
	first, end int
	steps      float64 // that a log counted within it
	closed     bool    // it fell back
	marked     bool    // a line about evaluation stands at its beginning or end
	turned     bool    // the log's count of steps began anew with it and after it
}

// ramps finds the climbs of a track that reach the upper half of its range.
func ramps(k track) []ramp {
	n := k.len()
	if n < 6 {
		return nil
	}
	base := quantile(k.lo, 0.15)
	top := k.max()
	var out []ramp
	start := 0
	for i := 0; i <= n; i++ {
		low := i == n || k.lo[i] <= base+0.12*(top-base)
		if !low {
			continue
		}
		if r, ok := rampIn(k, start, i, base, top); ok {
			r.closed = i < n
			out = append(out, r)
		}
		start = i
	}
	return out
}

// rampIn judges the stretch between two visits to the level.
func rampIn(k track, start, end int, base, top float64) (ramp, bool) {
	if end-start < 3 {
		return ramp{}, false
	}
	high, at := 0.0, start
	rises, falls := 0, 0
	for i := start + 1; i < end; i++ {
		if k.hi[i] > high {
			high, at = k.hi[i], i
		}
		switch d := k.last[i] - k.last[i-1]; {
		case d > 0:
			rises++
		case d < -0.05*(top-base):
			falls++
		}
	}
	// Forward and backward of a slow step rise and fall; a ramp only rises.
	if high < base+0.5*(top-base) || rises < 3 || falls > rises/4 || at < end-1-(end-start)/5 {
		return ramp{}, false
	}
	return ramp{from: k.t[start], to: k.t[end-1], base: base, top: high, rises: rises, first: start, end: end}, true
}

// evaluation needs allocated, read or logged, and lines that say when
// evaluation begins or ends. Climbs that go with evaluation are graphs kept
// because gradients are on, or predictions kept on the device.
func evaluation(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		if j.total == 0 {
			continue
		}
		if d := s.evaluated(j); d != nil {
			out = append(out, d)
		}
	}
	return out
}

func (s *scene) evaluated(j *job) *draft {
	for _, k := range []track{j.alloc(), logOf(j)} {
		if k.len() < 12 {
			continue
		}
		if first := s.firstStep(j); first > k.t[0] {
			k = k.slice(k.at(first), k.len())
		} else if j.log == nil {
			k = training(k)
			k = k.slice(min(1, k.len()), k.len()) // it begins with the height it fell from
		}
		if k.len() < 12 {
			continue
		}
		if d := s.evalFound(j, k, s.marked(j, ramps(k))); d != nil {
			return d
		}
		if !s.text.tells(j, phaseEval) {
			continue
		}
		found := s.marked(j, climbs(k))
		if !s.openedByEval(j, found) {
			continue // a slow step climbs and falls as well
		}
		if d := s.evalFound(j, k, found); d != nil {
			return d
		}
	}
	return nil
}

func logOf(j *job) track {
	if j.log == nil {
		return track{}
	}
	return j.log.alloc
}

// firstStep is when the log first counted a step.
func (s *scene) firstStep(j *job) float64 {
	if j.log == nil || j.log.steps.len() == 0 {
		return math.Inf(-1)
	}
	return j.log.steps.t[0]
}

// marked notes which climbs have a line about evaluation near one of their
// ends, and how many steps the log counted within each.
func (s *scene) marked(j *job, in []ramp) []ramp {
	for i := range in {
		r := &in[i]
		slack := math.Max(2.5*s.every, 0.3*(r.to-r.from))
		near := append(s.text.phaseTimes(j, r.from-slack, r.from+slack, phaseEval),
			s.text.phaseTimes(j, r.to-slack, r.to+slack, phaseEval, phaseEvalEnd)...)
		r.marked = len(near) > 0
		r.steps = s.stepsBetween(j, r.from, r.to)
		r.turned = j.log != nil && anew(j.log.steps, r.from) && (!r.closed || anew(j.log.steps, r.to))
	}
	return in
}

// anew reports whether a count of steps begins again right after a time: a line
// of the loop before may still come first.
func anew(steps track, t float64) bool {
	from := max(1, steps.at(math.Nextafter(t, math.Inf(1))))
	for i := from; i < min(from+2, steps.len()); i++ {
		if steps.last[i] < steps.last[i-1] {
			return true
		}
	}
	return false
}

// keepsGraphs reports whether climbs that no line speaks of are a loop of their
// own beside training, in which a step leaves behind about what a training step
// needs for a while: its activations. A buffer that fills keeps far less.
func (s *scene) keepsGraphs(j *job, found []ramp, base float64) bool {
	if !j.attached() || s.freesWithin(j, found) {
		return false
	}
	turned, rise, steps := 0, 0.0, 0.0
	for _, r := range found {
		if r.turned && r.steps >= 3 {
			turned++
			rise, steps = rise+r.top-r.base, steps+r.steps
		}
	}
	before, ok := j.peak().valueAt(found[0].from)
	trained := s.stepsBetween(j, math.Inf(-1), found[0].from)
	return ok && turned >= 2 && 2*turned >= len(found) && trained >= 3 && before > 1.02*base && rise/steps >= 0.15*(before-base)
}

// openedByEval reports whether at least two climbs, and most of them, begin at a
// line that says so, and the first of them went above all peaks before it.
func (s *scene) openedByEval(j *job, found []ramp) bool {
	n := 0
	for _, r := range found {
		slack := math.Max(2.5*s.every, 0.1*(r.to-r.from))
		if len(s.text.phaseTimes(j, r.from-slack, r.from+slack, phaseEval)) == 0 {
			continue
		}
		if n++; n == 1 && !j.aboveItsPeak(r) {
			return false
		}
	}
	return n >= 2 && 2*n > len(found)
}

// aboveItsPeak reports whether a climb went above all that the allocator's peak
// had counted before.
func (j *job) aboveItsPeak(r ramp) bool {
	before, ok := j.peak().valueAt(r.from)
	return ok && before < 0.95*r.top
}

func countMarked(found []ramp) int {
	n := 0
	for _, r := range found {
		if r.marked {
			n++
		}
	}
	return n
}

func (s *scene) evalFound(j *job, k track, found []ramp) *draft {
	marked, top, base := countMarked(found), 0.0, math.Inf(1)
	rises := 0
	many := 0
	closed := 0
	from, to := math.Inf(1), 0.0
	for _, r := range found {
		if r.steps >= 3 {
			many++
		}
		if r.closed {
			closed++
		}
		top, base = math.Max(top, r.top), math.Min(base, r.base)
		from, to = math.Min(from, r.from), math.Max(to, r.to)
		rises += r.rises
	}
	if len(found) == 0 || closed == 0 || !s.aboveTraining(k, found, base, top) || s.withinPeak(j, found, top) {
		return nil
	}
	severity, confidence := Warning, Likely
	switch {
	case marked >= 1 && 2*marked >= len(found):
	case s.keepsGraphs(j, found, base):
		confidence = Possible
	case len(found) >= 2 && many >= 2:
		severity, confidence = Info, Possible
	case len(found) >= 3 && j.log == nil && (s.isolated(k, found) || s.lowSteps(j, base, top)):
		severity, confidence = Info, Possible
	default:
		return nil
	}
	if top-base < 0.005*j.total {
		severity = Info
	}
	id := catalog.EvalWithoutNoGrad
	if s.freesWithin(j, found) {
		id = catalog.EvalPredictions
	}
	claim := "run"
	if marked == 0 {
		claim = "unmarked"
	}
	w := words{"base": size(base), "top": size(top), "count": several(len(found), "time", "times"), "rises": number(rises / len(found))}
	d := s.draft(id, claim, w).on(j).span(from, to).grade(severity, confidence)
	return d.during("level between steps", base, Bytes, from, to).during("top of the climb", top, Bytes, from, to).
		figure("climbs", float64(len(found)), Count).figure("of them at lines about evaluation", float64(marked), Count)
}

// withinPeak reports whether the one or two climbs that there are stay within
// what the allocator's peak says that the job needed before them: then they may
// be the activations of slow steps.
func (s *scene) withinPeak(j *job, found []ramp, top float64) bool {
	if len(found) > 2 || !j.attached() {
		return false
	}
	before, ok := j.peak().valueAt(found[0].from)
	return ok && before >= 0.98*top
}

// aboveTraining reports whether the climbs clearly top everything outside them.
func (s *scene) aboveTraining(k track, found []ramp, base, top float64) bool {
	usual := base
	at := 0
	for _, r := range found {
		for ; at < r.first && at < k.len(); at++ {
			usual = math.Max(usual, k.hi[at])
		}
		at = k.past(r.end)
	}
	for ; at < k.len(); at++ {
		usual = math.Max(usual, k.hi[at])
	}
	return top-base >= 1.3*(usual-base) && top >= 1.15*base
}

// past returns the point after the stretch that a point stands for: where a
// window is kept in buckets, several points in a row are of one bucket, and of
// that in which a climb ends nothing is outside of it.
func (k track) past(i int) int {
	next := i + 1
	for next < k.len() && k.lo[next] == k.lo[i] && k.hi[next] == k.hi[i] && k.hi[i] > k.lo[i] {
		next++
	}
	return next
}

// isolated reports whether ordinary steps with lower peaks lie between climbs.
func (s *scene) isolated(k track, found []ramp) bool {
	steps := 0
	at := 0
	for _, r := range found {
		for ; at < r.first && at < k.len(); at++ {
			if k.hi[at] > r.base+0.03*(r.top-r.base) {
				steps++
			}
		}
		at = k.past(r.end)
	}
	return steps >= 2
}

// lowSteps reports whether steps came and went whose peak stayed in the lower
// half: the allocator's peak stood above the level and below the climbs.
func (s *scene) lowSteps(j *job, base, top float64) bool {
	a, n := j.alloc(), 0
	peak := j.peak()
	for i := range peak.t {
		at, ok := a.valueAt(peak.t[i])
		if ok && at >= 0.9*base && peak.last[i] > 1.05*at && peak.last[i] < base+0.5*(top-base) {
			n++
		}
	}
	return n >= 2
}

// freesWithin reports whether the allocator's peak rises above the level in the
// climbs: each batch frees its activations and only its outputs stay.
func (s *scene) freesWithin(j *job, found []ramp) bool {
	above, n := 0, 0
	for _, r := range found {
		a, p := j.alloc().between(r.from, r.to), j.peak().between(r.from, r.to)
		if a.len() == 0 || a.len() != p.len() {
			continue
		}
		before, _ := j.peak().valueAt(r.from)
		for i := range a.t {
			if a.last[i] <= before {
				continue
			}
			n++
			if p.last[i] > a.last[i]*1.02 {
				above++
			}
		}
	}
	return n >= 3 && above >= n*8/10
}

package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// Bounds of the rules about new levels.
const (
	stepOfCard  = 0.0008 // least step of the floor
	stepOfLevel = 0.15
	// atFloor is how near to the floor a point may be, as a share of what steps
	// add, to count as at it.
	atFloor = 0.1
)

// newLevels needs allocated, read or logged. The floor of training goes up once
// or a few times and stays: another model beside the first, or a checkpoint.
func newLevels(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		if j.total == 0 {
			continue
		}
		if d := s.stepsUp(j); d != nil {
			out = append(out, d)
		}
	}
	return out
}

func (s *scene) stepsUp(j *job) *draft {
	end := s.lastBefore(j)
	if k := j.alloc(); k.len() >= 24 {
		k = k.slice(0, k.at(end))
		if d := s.stepsOf(j, k, false); d != nil {
			return d
		}
		if d := s.staircase(j, k); d != nil {
			return d
		}
		if d := s.secondCopy(j, k); d != nil {
			return d
		}
	}
	k := logOf(j)
	d := s.stepsOf(j, k.slice(0, k.at(end)), true)
	if d != nil {
		d.logged = true
	}
	return d
}

// stepsOf looks for new levels in allocated as read, or as logged.
func (s *scene) stepsOf(j *job, k track, logged bool) *draft {
	if k.len() < 12 || k.cannotRise(stepOfCard*j.total) {
		return nil
	}
	perBlock := 3
	if logged {
		perBlock = 1
	}
	found := levels(k, perBlock, stepOfCard*j.total)
	trained := s.trained(j, k, found, logged, atFloor)
	if len(trained) < 2 {
		return nil
	}
	var jumps []float64
	for i := 1; i < len(trained); i++ {
		if d := trained[i].bytes - trained[i-1].bytes; d >= stepOfLevel*trained[0].bytes {
			jumps = append(jumps, d)
		}
	}
	if len(jumps) == 0 || len(jumps) > 8 || len(jumps) < len(trained)-1 || !logged && !s.peakWentAlong(j, trained) {
		return nil
	}
	resumed, staged := s.stageMarks(j, k, trained)
	if !resumed && staged == 0 && len(s.trained(j, k, found, logged, 0)) < 2 {
		return nil // nothing but the levels speaks for it, and they are not sharp
	}
	return s.stage(j, found, trained, jumps, resumed, staged)
}

// staircase looks for new levels in the peak that the allocator counts, where few
// samples meet the floor: it stands still between two stages, and all that is
// seen of the steps went up with it.
func (s *scene) staircase(j *job, k track) *draft {
	third := k.len() / 3
	if !(meanOf(k.last[2*third:])-meanOf(k.last[:third]) >= stepOfCard*j.total) {
		return nil
	}
	peak := j.peak()
	if peak = peak.slice(0, min(k.len(), peak.len())); peak.len() < k.len() || peak.cannotRise(stepOfCard*j.total) {
		return nil
	}
	var stages []level
	var jumps []float64
	for _, l := range levels(peak, 3, stepOfCard*j.total) {
		part := k.slice(l.first, l.last)
		at := level{from: l.from, to: l.to, first: l.first, last: l.last, bytes: quantile(part.last, 0.15)}
		if n := len(stages); n > 0 {
			jump := l.bytes - minOf(peak.lo[stages[n-1].first:stages[n-1].last])
			if !k.slice(stages[n-1].first, stages[n-1].last).liftedTo(part, jump) {
				stages, jumps = stages[:0], jumps[:0] // loading, or steps that grew
			} else {
				jumps = append(jumps, jump)
			}
		}
		if stages = append(stages, at); returns(part) < 2 {
			stages, jumps = stages[:0], jumps[:0]
		}
	}
	if len(jumps) == 0 || len(jumps) > 8 {
		return nil
	}
	resumed, staged := s.stageMarks(j, k, stages)
	if len(jumps) == 1 && staged == 0 {
		return nil
	}
	return s.stage(j, stages, stages, jumps, resumed, staged)
}

// liftedTo reports whether another stretch lies above this one by a jump at any
// height.
func (k track) liftedTo(other track, jump float64) bool {
	for _, q := range []float64{0.15, 0.25, 0.5, 0.75} {
		d := quantile(other.last, q) - quantile(k.last, q)
		if !(d >= 0.6*jump && d <= 1.4*jump) {
			return false
		}
	}
	return true
}

// peakWentAlong reports whether the peak that the allocator counts rose with
// each level. What stays lies under the peaks of later steps as well; where the
// peak stands still, samples only met other points of the same steps.
func (s *scene) peakWentAlong(j *job, trained []level) bool {
	for i := 1; i < len(trained); i++ {
		before, ok1 := j.peak().valueAt(trained[i-1].to)
		after, ok2 := j.peak().valueAt(trained[i].to)
		if ok1 && ok2 && after-before < 0.3*(trained[i].bytes-trained[i-1].bytes) {
			return false
		}
	}
	return true
}

// trained keeps the levels at which steps were made: allocated rose above them
// and came back to within that share of what steps add, or the log counted.
func (s *scene) trained(j *job, k track, found []level, logged bool, within float64) []level {
	var out []level
	for _, l := range found {
		part := k.slice(l.first, l.last)
		moved := turns(part, l.bytes, within)
		if l.bytes > 0 && moved >= 2 && part.near(l.bytes, within) >= 4 || logged && stepsIn(j.log.steps.between(l.from, l.to)) >= 2 {
			out = append(out, l)
		}
	}
	return out
}

// near counts the points of a track at a level: within a share of what the
// steps add to it, since few samples meet the floor itself.
func (k track) near(level, within float64) int {
	n, most := 0, level+math.Max(0.003*level, within*(k.max()-level))
	for i := range k.lo {
		if k.lo[i] <= most {
			n++
		}
	}
	return n
}

// turns counts how often a track rose above a level and came back to it.
func turns(k track, level, within float64) int {
	rise := within * (k.max() - level)
	high, low := level+math.Max(0.004*level, 2*rise), level+math.Max(0.001*level, rise)
	n, up := 0, false
	for i := range k.t {
		if k.hi[i] > high {
			up = true
		}
		if up && k.lo[i] <= low && k.cameDown(i) {
			n++
			up = false
		}
	}
	return n
}

// stageMarks reports whether a line about a checkpoint that is read stands at one
// of the steps between levels, and how many stages were announced since the
// first level, when a line about one stands at any of them.
func (s *scene) stageMarks(j *job, k track, trained []level) (resumed bool, staged int) {
	for i := 1; i < len(trained); i++ {
		from, to := trained[i-1].to, trained[i].from
		slack := math.Max(0.1*(k.t[k.len()-1]-k.t[0])/float64(len(trained)), 3*s.every)
		resumed = resumed || len(s.text.phaseTimes(j, from-slack, to+slack, phaseResume)) > 0
		if len(s.text.phaseTimes(j, from-slack, to+slack, phaseStage)) > 0 {
			staged = len(s.text.phaseTimes(j, (trained[0].from+trained[0].to)/2, math.Inf(1), phaseStage))
		}
	}
	return resumed, staged
}

// asMuchAgain reports whether the level between steps rose by about all that was
// there before, and the peak of the steps by as much. What a stage before left
// behind needs nothing in the steps; layers that train from now on may need
// gradients beside their state.
func (s *scene) asMuchAgain(j *job, base, jump float64, before, after level) bool {
	if jump < 0.7*base || jump > 1.4*base {
		return false
	}
	low, ok1 := j.peak().valueAt(before.to)
	high, ok2 := j.peak().valueAt(after.to)
	return !ok1 || !ok2 || math.Abs(high-low-jump) <= 0.2*jump
}

// stage tells a second model from a checkpoint: by a line about either, by the
// number of steps, or by their size.
func (s *scene) stage(j *job, found, trained []level, jumps []float64, resumed bool, staged int) *draft {
	alike := true
	for _, d := range jumps {
		alike = alike && d >= 0.7*jumps[0] && d <= 1.4*jumps[0]
	}
	base, last := trained[0].bytes, trained[len(trained)-1]
	// The weights alone: the level before training, where it was seen.
	weights := math.NaN()
	if found[0].bytes < 0.7*base && found[0].bytes > 0 {
		weights = found[0].bytes
	}
	one := len(jumps) == 1
	id, claim, severity, confidence := catalog.SecondStage, "run", Warning, Likely
	switch {
	case resumed && one && !(staged > 0 && jumps[0] > 0.7*base):
		id = catalog.CheckpointLoadDoubling
	case staged > 0 && one && s.asMuchAgain(j, base, jumps[0], trained[0], last):
		claim, severity, confidence = "once", Info, Possible
	case staged > 0 && (one || staged < len(jumps)):
		return nil // layers that train from now on, as likely as not
	case staged > 0:
	case len(jumps) >= 2 && alike && jumps[0] >= 0.4*base:
	default:
		return nil // one level alone may be anything: an average, an optimizer, a second network
	}
	w := words{"from": size(base), "to": size(last.bytes), "count": several(len(jumps), "time", "times"), "step": size(jumps[0]),
		"share": percent(jumps[0] / base)}
	d := s.draft(id, claim, w).on(j).span(trained[1].from, last.to).grade(severity, confidence)
	d.during("allocated between steps, first", base, Bytes, trained[0].from, trained[0].to).
		during("and at the end", last.bytes, Bytes, last.from, last.to).figure("new levels", float64(len(jumps)), Count).bytes("step", jumps[0])
	return d.bytes("weights before training", weights)
}

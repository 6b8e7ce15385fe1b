package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// Bounds of the rules about new levels.
const (
	stepOfCard  = 0.0008 // least step of the floor
	stepOfLevel = 0.15
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
		if d := s.stepsOf(j, k.slice(0, k.at(end)), false); d != nil {
			return d
		}
	}
	k := logOf(j)
	return s.stepsOf(j, k.slice(0, k.at(end)), true)
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
	trained := s.trained(j, k, found, logged)
	if len(trained) < 2 {
		return nil
	}
	var jumps []float64
	for i := 1; i < len(trained); i++ {
		if d := trained[i].bytes - trained[i-1].bytes; d >= stepOfLevel*trained[0].bytes {
			jumps = append(jumps, d)
		}
	}
	if len(jumps) == 0 || len(jumps) > 8 || len(jumps) < len(trained)-1 {
		return nil
	}
	return s.stage(j, k, found, trained, jumps)
}

// trained keeps the levels at which steps were made: allocated rose above them
// and came back, or the log counted.
func (s *scene) trained(j *job, k track, found []level, logged bool) []level {
	var out []level
	for _, l := range found {
		part := k.slice(l.first, l.last)
		moved := turns(part, l.bytes)
		if moved >= 2 && part.near(l.bytes) >= 4 || logged && stepsIn(j.log.steps.between(l.from, l.to)) >= 2 {
			out = append(out, l)
		}
	}
	return out
}

// near counts the points of a track at a level.
func (k track) near(level float64) int {
	n := 0
	for i := range k.lo {
		if k.lo[i] <= 1.003*level {
			n++
		}
	}
	return n
}

// turns counts how often a track rose above a level and came back to it.
func turns(k track, level float64) int {
	n, up := 0, false
	for i := range k.t {
		if k.hi[i] > 1.004*level {
			up = true
		}
		if up && k.lo[i] <= 1.001*level {
			n++
			up = false
		}
	}
	return n
}

// stage tells a second model from a checkpoint: by a line about either, by the
// number of steps, or by their size.
func (s *scene) stage(j *job, k track, found, trained []level, jumps []float64) *draft {
	resumed, staged := false, false
	for i := 1; i < len(trained); i++ {
		from, to := trained[i-1].to, trained[i].from
		slack := math.Max(0.1*(k.t[k.len()-1]-k.t[0])/float64(len(trained)), 3*s.every)
		resumed = resumed || len(s.text.phaseTimes(from-slack, to+slack, phaseResume)) > 0
		staged = staged || len(s.text.phaseTimes(from-slack, to+slack, phaseStage)) > 0
	}
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
	copyOfWeights := one && has(weights) && math.Abs(jumps[0]-weights) <= 0.15*weights
	id, claim := catalog.SecondStage, "run"
	severity, confidence := Info, Possible
	switch {
	case resumed && one && !(staged && jumps[0] > 0.7*base):
		id, claim, severity, confidence = catalog.CheckpointLoadDoubling, "run", Warning, Likely
	case staged:
		severity, confidence = Warning, Likely
	case len(jumps) >= 2 && alike && jumps[0] >= 0.4*base:
		severity, confidence = Warning, Likely
	case copyOfWeights:
		id, claim = catalog.CheckpointLoadDoubling, "run"
	case one && jumps[0] >= 0.6*base:
	case one && jumps[0] <= 0.5*base:
		id, claim = catalog.CheckpointLoadDoubling, "run"
	default:
		return nil
	}
	w := words{"from": size(base), "to": size(last.bytes), "count": several(len(jumps), "time", "times"), "step": size(jumps[0]),
		"share": percent(jumps[0] / base)}
	d := s.draft(id, claim, w).on(j).span(trained[1].from, last.to).grade(severity, confidence)
	d.during("allocated between steps, first", base, Bytes, trained[0].from, trained[0].to).
		during("and at the end", last.bytes, Bytes, last.from, last.to).figure("new levels", float64(len(jumps)), Count).bytes("step", jumps[0])
	return d.bytes("weights before training", weights)
}

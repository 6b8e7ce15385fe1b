package advisor

import (
	"math"
	"slices"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// Bounds of a second copy of the weights. A level alone is no copy: it may be an
// average of the weights, a second network, or the state of an optimizer. So a
// line has to say that a checkpoint is read, the level has to double there and
// stay, and what comes later has to rule an optimizer out.
const (
	copyOfCard = 0.02 // of the card, least size of a copy
	copyNear   = 0.05 // off twice the level before, as a share of it
	copyStands = 3    // samples at the doubled level
	copyAfter  = 20   // samples after it
	copyCalm   = 10   // samples at the end in which the peak stood still
	copyTries  = 16   // lines about checkpoints that are looked at
)

// secondCopy finds a checkpoint that stays beside the weights it was read into;
// nil for none.
func (s *scene) secondCopy(j *job, k track) *draft {
	if k.len() < copyAfter || j.peak().len() < k.len() {
		return nil
	}
	marks := s.text.phaseTimes(j, k.t[0], k.t[k.len()-1], phaseResume)
	for _, t := range marks[:min(len(marks), copyTries)] {
		i := k.at(math.Nextafter(t, math.Inf(1)))
		if i < 2 {
			continue
		}
		weights := k.last[i-1]
		if weights < copyOfCard*j.total || k.slice(0, i).falls() > 0 || math.Abs(k.last[i-2]-weights) > copyNear*weights {
			continue // it works already, or is still being built
		}
		at := slices.IndexFunc(k.last[i:], func(v float64) bool { return v >= (2-copyNear)*weights })
		if at < 0 || !s.staysDouble(j, k.slice(i+at, k.len()), weights, marks[len(marks)-1]) {
			continue
		}
		w := words{"from": size(weights), "to": size(k.last[i+at])}
		d := s.draft(catalog.CheckpointLoadDoubling, "kept", w).on(j).span(k.t[i+at], k.t[k.len()-1]).grade(Info, Possible)
		return d.bytes("allocated before the line", weights).bytes("allocated after it", k.last[i+at])
	}
	return nil
}

// staysDouble reports whether a level that doubled stood there and never fell
// back, and is no optimizer's state: either the steps that follow need too
// little for gradients, or their optimizer made its state later, after a line
// at which all was read.
func (s *scene) staysDouble(j *job, k track, weights, readAt float64) bool {
	n := k.len()
	if n < copyAfter || k.slice(0, copyStands).max() > (2+copyNear)*weights || k.min() < (2-copyNear)*weights {
		return false
	}
	floor := minOf(k.lo[n-n/3:])
	peak := j.peak().between(k.t[0], k.t[n-1])
	if peak.len() == 0 { // a recording may lack it just there
		return false
	}
	high, before := peak.last[peak.len()-1], peak.last[max(0, peak.len()-copyCalm)]
	works := k.falls() >= copyStands || high > 1.0001*k.max()
	if works && high == before && high <= floor+0.5*weights {
		return true
	}
	i := k.at(math.Nextafter(readAt, math.Inf(1))) // all that was read is seen in the sample after the line
	return i > 0 && i < n && k.last[i] <= 2.5*weights && floor >= (3-2*copyNear)*weights
}

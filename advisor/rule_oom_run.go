package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// byRun judges a failure by what the run did before it.
func (s *scene) byRun(o *oom) *draft {
	j := o.job
	if j == nil {
		return nil
	}
	k := s.levelsOf(j)
	k = k.slice(0, k.at(o.t))
	if k.len() < 2 {
		return nil
	}
	most := firstOf(o.figure.allocated, k.max())
	if j.attached() {
		most = math.Max(most, k.max())
	}
	if !s.stepsDone(o) {
		if d := s.inFirstPass(o, k, most); d != nil {
			return d
		}
		d := s.beforeFirstStep(o, k, most)
		if d != nil && !o.text {
			d.Confidence = Possible // no stack says what it was doing
		}
		return d
	}
	floor := quantile(k.lo[k.len()/3:], 0.1)
	if !has(o.figure.allocated) && !j.attached() {
		return nil
	}
	rise := most - floor
	if rise < 0.5*most {
		return nil
	}
	if d := s.oneLarger(o, j, k, floor, most); d != nil {
		return d
	}
	return s.activations(o, k, floor, most)
}

// activations is the verdict that a step rose too far above the level between
// steps.
func (s *scene) activations(o *oom, k track, floor, most float64) *draft {
	rise := most - floor
	d := s.oomDraft(o, catalog.ActivationsTooLarge, "oom", Critical, Likely)
	d.say("oom", words{"floor": size(floor), "peak": size(most), "rise": size(rise),
		"tried": sizeOr(o.figure.tried, "more"), "share": percent(rise / most)})
	return d.during("allocated between steps", floor, Bytes, k.t[0], o.t).bytes("rise within a step", rise).know(o.figure.fits(floor, most))
}

// inFirstPass judges a failure before any step was done: the model was at work,
// as the stack says or the pace, so it was loaded, and the level at which it
// stood is the one to measure from.
func (s *scene) inFirstPass(o *oom, k track, most float64) *draft {
	fr := o.frames
	stood := k.stood()
	if most-stood < 0.3*most || fr[frameLoad] || fr[frameCheckpoint] || fr[frameOptimizer] {
		return nil
	}
	if fr[frameForward] || fr[frameBackward] || fr[frameEval] || fr[frameConv] {
		return s.activations(o, k, stood, most)
	}
	if !o.text && s.sprints(o, k, stood, most) {
		d := s.activations(o, k, stood, most)
		d.Confidence = Possible
		return d
	}
	return nil
}

// sprints reports whether what came on top of a level came far faster than the
// level itself, as activations do and loading does not.
func (s *scene) sprints(o *oom, k track, stood, most float64) bool {
	begun, loaded, left := math.NaN(), math.NaN(), math.NaN()
	for i := range k.t {
		switch v := k.last[i]; {
		case v >= 0.97*stood && v <= 1.03*stood:
			if math.IsNaN(loaded) {
				loaded = k.t[i]
			}
			left = k.t[i]
		case v > 0.05*stood && math.IsNaN(begun):
			begun = k.t[i]
		}
	}
	if !(loaded-begun > 3*s.every) {
		return false
	}
	return (most-stood)/math.Max(o.t-left, s.every) >= 4*stood/(loaded-begun)
}

// stood returns the level at which a track stood still longest; its lowest when
// it never did.
func (k track) stood() float64 {
	level, longest := k.min(), 1
	for i := 0; i < k.len(); {
		n := i
		for n < k.len() && math.Abs(k.last[n]-k.last[i]) <= 0.01*k.last[i] {
			n++
		}
		if n-i > longest && k.last[i] > 0 {
			level, longest = k.last[i], n-i
		}
		i = max(n, i+1)
	}
	return level
}

// levelsOf is allocated as read from the allocator, or else as logged.
func (s *scene) levelsOf(j *job) track {
	if k := j.alloc(); k.len() >= 3 {
		return k
	}
	if j.log != nil {
		return j.log.alloc
	}
	return track{}
}

// oneLarger judges a failure in a job whose steps all peaked at one height
// before: one step was much larger than the others.
func (s *scene) oneLarger(o *oom, j *job, k track, floor, most float64) *draft {
	if !j.attached() || k.len() < 40 {
		return nil
	}
	n := k.len()
	usual := maxOf(k.hi[:n-max(3, n/20)])
	if peak, ok := j.peak().valueAt(k.t[n-max(3, n/20)]); ok {
		usual = math.Max(usual, peak)
	}
	steady := j.peak().between(k.t[n/3], k.t[n-max(3, n/20)])
	if steady.len() < 10 || steady.last[0] < 0.9*usual {
		return nil
	}
	asked := most + orZero(o.figure.tried)
	if asked-floor < 1.5*(usual-floor) || usual-floor < 0.02*j.total {
		return nil
	}
	d := s.oomDraft(o, catalog.LengthSpike, "oom", Critical, Likely)
	d.say("oom", words{"usual": size(usual), "peak": size(asked), "tried": sizeOr(o.figure.tried, "more")})
	return d.during("usual peak of a step", usual, Bytes, k.t[n/3], o.t).bytes("this step, at least", asked)
}

// stepsDone reports whether a training step was completed before a failure:
// the log counted some, or allocated went up and came back several times.
func (s *scene) stepsDone(o *oom) bool {
	if s.stepsPrinted(o) {
		return true
	}
	j := o.job
	if j == nil {
		return false
	}
	if j.log != nil {
		k := j.log.steps
		k = k.slice(0, k.at(o.t))
		if k.len() >= 2 && stepsIn(k) >= 1 {
			return true
		}
	}
	k := j.alloc()
	k = k.slice(0, k.at(o.t))
	return k.len() > 0 && returns(k) >= 2
}

// stepsPrinted reports whether the lines before a failure count steps beyond
// the first: one with a higher number, or several. Loading counts files or
// shards, other processes and ranks their own steps.
func (s *scene) stepsPrinted(o *oom) bool {
	for _, r := range s.all {
		n, ok := r.Step.Get()
		if !ok || n <= 1 || phaseWords[r.Phase] == phaseResume || r.Kind == monitor.LogOOM || s.place(r.Time, r.Line) >= o.t {
			continue
		}
		rank, ranked := r.Rank.Get()
		if o.pid != 0 && r.PID != 0 && r.PID != o.pid || ranked && o.rank != nil && *o.rank != rank {
			continue
		}
		return true
	}
	return false
}

// returns counts how often a track rose well above its floor and came back. The
// climb at its end, which may be that of a failure, does not set the measure.
func returns(k track) int {
	usual := median(k.lo)
	for k.len() > 0 && k.lo[k.len()-1] > usual {
		k = k.slice(0, k.len()-1)
	}
	floor, top := k.min(), k.max()
	up, n := false, 0
	for i := range k.t {
		switch {
		case k.hi[i] > floor+0.5*(top-floor):
			up = true
		case up && k.lo[i] < floor+0.3*(top-floor):
			up = false
			n++
		}
	}
	return n
}

// beforeFirstStep judges a failure before any step was done: the optimizer's
// state when allocated had doubled once and stood there, weights otherwise.
func (s *scene) beforeFirstStep(o *oom, k track, most float64) *draft {
	if w, g, ok := doubled(k, most); ok {
		d := s.oomDraft(o, catalog.OptimizerStateFirstStep, "run", Critical, Likely)
		d.say("run", words{"weights": size(w), "grads": size(g), "peak": size(most)})
		return d.bytes("weights", w).bytes("weights and gradients", g).know(words{"state": size(2 * w), "small": size(w / 2)})
	}
	if fell := falls(k); fell || most < 0.6*orZero(o.figure.usable()) && has(o.figure.usable()) {
		return nil
	}
	d := s.oomDraft(o, catalog.ModelTooBigAtLoad, "run", Critical, Likely)
	d.say("run", words{"allocated": size(most), "total": sizeOr(o.figure.usable(), "the card"),
		"tried": sizeOr(o.figure.tried, "more"), "share": percent(most / o.figure.usable())})
	return d
}

// falls reports whether allocated ever came down by more than a little.
func falls(k track) bool {
	top := 0.0
	for i := range k.t {
		top = math.Max(top, k.hi[i])
		if k.lo[i] < 0.9*top {
			return true
		}
	}
	return false
}

// doubled finds the level of the weights and the level of weights and
// gradients, about twice as high, at which a run stood before it failed higher
// still.
func doubled(k track, most float64) (weights, both float64, ok bool) {
	var at []float64
	var runs []int
	for i := range k.t {
		n := len(at)
		if n > 0 && math.Abs(k.last[i]-at[n-1]) <= 0.03*at[n-1] {
			runs[n-1]++
			continue
		}
		at, runs = append(at, k.last[i]), append(runs, 1)
	}
	for i := range at {
		for n := i + 1; n < len(at); n++ {
			stood := runs[i] >= 3 && runs[n] >= 2 || runs[i] >= 1 && len(at) <= 4
			if r := at[n] / at[i]; stood && r >= 1.8 && r <= 2.3 && most > 1.15*at[n] && most >= 2.2*at[i] &&
				stairs(runs[i+1:n])+stairs(runs[n+1:]) <= 2 {
				return at[i], at[n], true
			}
		}
	}
	return 0, 0, false
}

// stairs counts the levels at which a run stood: with many of them between two
// levels, or above them, it was loading piece by piece.
func stairs(runs []int) int {
	n := 0
	for _, r := range runs {
		if r >= 2 {
			n++
		}
	}
	return n
}

// recovered reports whether the job went on for a while after a failure.
func (s *scene) recovered(o *oom) bool {
	j := o.job
	if j == nil {
		return false
	}
	if j.log != nil {
		k := j.log.steps
		if stepsIn(k.slice(k.at(o.t), k.len())) >= 3 {
			return true
		}
	}
	k := j.alloc()
	k = k.slice(k.at(o.t), k.len())
	return k.len() >= 20 && returns(k) >= 5
}

// recoveryHolds needs allocated before and after a failure that the job
// survived: it stays higher than before although the steps go on.
func recoveryHolds(s *scene) []*draft {
	var out []*draft
	for i := range s.ooms {
		o := &s.ooms[i]
		if o.job == nil || !s.recovered(o) || o.job.total == 0 {
			continue
		}
		k := s.levelsOf(o.job)
		at := k.at(o.t)
		before, after := k.slice(0, at), k.slice(min(at+1, k.len()), k.len())
		if before.len() < 10 || after.len() < 10 {
			continue
		}
		low, now := quantile(before.lo[before.len()/2:], 0.1), quantile(after.lo, 0.1)
		if now-low < 0.1*low || now-low < 0.01*o.job.total {
			continue
		}
		w := words{"before": size(low), "after": size(now), "rise": size(now - low)}
		d := s.draft(catalog.OOMRecovery, "run", w).on(o.job).span(o.t, after.t[after.len()-1]).grade(Warning, Likely)
		out = append(out, d.during("allocated between steps before", low, Bytes, before.t[0], o.t).
			during("and after", now, Bytes, o.t, s.end))
	}
	return out
}

package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/history"
)

// Bounds of the leak rule. The rise must be seen in many samples, reach a share
// of the card that matters, and be no small part of what is allocated anyway.
const (
	leakPoints    = 20    // samples
	leakLogPoints = 8     // lines of a log, each at the same point of a step
	leakFewPoints = 5     // lines, when they lie on a line and count many steps
	leakSteps     = 10    // steps that a log counted meanwhile
	leakOfCard    = 0.002 // least rise of the floor
	leakOfLevel   = 0.02  // as a share of the floor it began at
	leakLarge     = 0.01  // of the card: needs no share of the floor
	// A small job on a large card: less of the card, more of its own level.
	leakSmallOfCard  = 0.0004
	leakSmallOfLevel = 0.3
	soonSeconds      = 600 // full within this time is critical
)

// leaks needs allocated of a process, read or logged. It is silent while
// memory only ever rises without anything being freed: that is loading.
func leaks(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		if j.total == 0 {
			continue
		}
		g, source, ok := s.leak(j)
		switch {
		case !ok:
		case s.withinEvaluation(j, g):
			out = append(out, s.openEvaluation(j, g)...)
		default:
			out = append(out, s.leakFound(j, g, source))
		}
	}
	return out
}

// leak finds the rise in the allocator's own figures, or in the log's.
func (s *scene) leak(j *job) (growth, string, bool) {
	if j.still(history.Allocated, leakSmallOfCard*j.total) && j.log == nil {
		return growth{}, "", false
	}
	end := s.lastBefore(j)
	rule := growthRule{points: leakPoints, perBlock: 3, maxBlocks: 10, supported: true,
		minBytes: leakOfCard * j.total, share: leakOfLevel, large: leakLarge * j.total}
	k := j.alloc()
	k = k.slice(0, k.at(end))
	small := rule
	small.minBytes, small.share, small.large = leakSmallOfCard*j.total, leakSmallOfLevel, math.Inf(1)
	young, born := growth{}, false
	for _, r := range []growthRule{rule, small} {
		if g, ok := s.floorRises(j, k, r); ok && !s.fromBirth(j, g) {
			return g, "attach", true
		} else if ok && !born {
			young, born = g, true
		}
	}
	if g, ok := s.peaksRise(j, k, rule); ok {
		return g, "attach", true
	}
	if g, ok := s.peakRamps(j, k, rule); ok {
		return g, "attach", true
	}
	if born {
		return young, "attach", true
	}
	if j.log == nil || k.len() > 0 && s.contradicts(k, rule) {
		return growth{}, "", false
	}
	rule.points, rule.perBlock, rule.supported = leakLogPoints, 1, false
	l := j.log.alloc
	l = l.slice(0, l.at(end))
	g, ok := findGrowth(l, rule)
	if !ok && l.len() >= leakFewPoints {
		rule.points, rule.straight = leakFewPoints, true
		g, ok = findGrowth(l, rule)
		ok = ok && s.stepsBetween(j, g.from, g.to) >= 2*leakSteps
	}
	if ok && s.stepped(j, g) && s.frees(j, g) {
		return l.wholeRise(g), "log", true
	}
	return growth{}, "", false
}

// floorRises finds the rise in the floor of allocated itself.
func (s *scene) floorRises(j *job, k track, rule growthRule) (growth, bool) {
	fits := func(from int) (growth, bool) {
		g, ok := findGrowth(k.slice(from, k.len()), rule)
		g.first, g.last = g.first+from, g.last+from
		if !ok {
			return g, false
		}
		part := k.slice(g.first, g.last)
		return g, s.churns(j, part, g) && s.stepped(j, g) && !s.peakDenies(j, part, g)
	}
	g, ok := fits(0)
	if ok && s.fromBirth(j, g) {
		// Loading and a leak after it look like one rise: look at the rest alone.
		worked := k.len() - training(k).len()
		for _, from := range []int{worked, worked + (k.len()-worked)/8, k.len() / 4, k.len() / 2} {
			if later, ok := fits(from); ok && !s.fromBirth(j, later) {
				return later, true
			}
		}
	}
	return g, ok
}

// peaksRise finds the rise in the peak that the allocator counts, which shows
// every step also where few samples meet the floor. All that is seen of a step
// has to go along, from the lowest to the highest: longer and longer batches
// raise the peak alone, or more than what lies below.
func (s *scene) peaksRise(j *job, k track, rule growthRule) (growth, bool) {
	rule.supported = false
	for part := range 3 {
		from := k.len() * part / 4
		if third := (k.len() - from) / 3; third < 2 ||
			!(meanOf(k.last[k.len()-third:])-meanOf(k.last[from:from+third]) >= 0.3*rule.minBytes) {
			continue
		}
		peak := j.peak()
		if peak.len() < k.len() {
			return growth{}, false
		}
		if n := peak.len(); n == 0 || peak.last[n-1]-peak.last[from] < rule.minBytes {
			continue
		}
		if a, c := k.slice(from, k.len()).outerThirds(0.25); !(c-a >= 0.45*rule.minBytes) {
			continue
		}
		g, ok := findGrowth(peak.slice(from, k.len()), rule)
		if !ok {
			continue
		}
		g.first, g.last = g.first+from, g.last+from
		seen := k.slice(g.first, g.last)
		if !seen.lifted(g.bytes()) {
			continue
		}
		// The floor, by the slope of the peaks.
		a := minOf(seen.lo[:max(1, seen.len()/3)])
		g.start, g.end = a, a+g.bytes()
		if s.peaksAlong(j, g) && s.stepped(j, g) && !s.fromBirth(j, g) && !s.cacheClimbs(j, g) {
			return g, true
		}
	}
	return growth{}, false
}

// cacheClimbs reports whether reserved rose by far more than the peak did, as
// when batches grow: what leaks needs no more of the card than its own size.
func (s *scene) cacheClimbs(j *job, g growth) bool {
	r := j.reserved().between(g.from, g.to)
	return r.len() > 1 && climbOf(r, 0).up > 3*g.bytes()
}

// lastBefore is the end of what can be judged: just after the job's first
// failure, since what comes later is clearing up.
func (s *scene) lastBefore(j *job) float64 {
	if at, ok := s.failed[j]; ok {
		return at.t
	}
	return math.Inf(1)
}

// contradicts reports whether plenty of the allocator's own figures show no
// rise at all where a log seems to.
func (s *scene) contradicts(k track, r growthRule) bool {
	if k.len() < 2*leakPoints {
		return false
	}
	n := k.len()
	early, late := minOf(k.lo[n/3:2*n/3]), minOf(k.lo[2*n/3:])
	return late-early < r.minBytes/4
}

// churns reports whether memory was freed again and again while the floor
// rose, as steps do and loading does not; all the while, or one long climb
// beside other work would do.
func (s *scene) churns(j *job, k track, g growth) bool {
	least := math.Max(0.02*g.bytes(), 0.0005*j.total)
	falls, pooled := 0, 0
	var in [3]bool
	for i := 1; i < k.len(); i++ {
		fell, within := k.last[i] < k.last[i-1]-least, k.hi[i]-k.last[i] > least
		if fell {
			falls++
		}
		if within { // it came down within the point
			pooled++
		}
		in[i*len(in)/k.len()] = in[i*len(in)/k.len()] || fell || within
	}
	if (falls >= 5 && falls >= k.len()/20 || pooled >= k.len()/2) && in == [3]bool{true, true, true} {
		return true
	}
	return s.peaksAlong(j, g)
}

// peaksAlong reports whether the peak that the allocator counts lies above the
// sampled level and rises with it: then steps came and went between samples.
// Where some samples meet the peak itself, they have to be seen to come and go.
func (s *scene) peaksAlong(j *job, g growth) bool {
	peak := j.peak().between(g.from, g.to)
	alloc := j.alloc().between(g.from, g.to)
	n := peak.len()
	if n < 5 || n != alloc.len() {
		return false
	}
	above, falls := 0, 0
	for i := range peak.t {
		if peak.last[i] > alloc.last[i]*1.0001 {
			above++
		}
		if alloc.cameDown(i) {
			falls++
		}
	}
	rise := peak.last[n-1] - peak.last[0]
	return rise >= 0.5*g.bytes() && (above >= n*8/10 || above >= n/2 && falls >= n/8)
}

// stepped reports whether the log, where there is one, counted steps meanwhile.
func (s *scene) stepped(j *job, g growth) bool {
	if j.log == nil || j.log.steps.len() < 2 {
		return true
	}
	return stepsIn(j.log.steps.between(g.from, g.to)) >= leakSteps
}

// stepsIn counts the steps that passed, or by how much any counter went up, over
// restarts of the count.
func stepsIn(k track) float64 {
	n := 0.0
	for i := 1; i < k.len(); i++ {
		if d := k.last[i] - k.last[i-1]; d > 0 {
			n += d
		}
	}
	return n
}

// evenSteps counts the steps that a log tells between two times, where its
// count goes up evenly; 0 where it does not, since then it may count something
// else.
func (s *scene) evenSteps(j *job, from, to float64) float64 {
	if j.log == nil {
		return 0
	}
	k := j.log.steps.between(from, to)
	var ups []float64
	for i := 1; i < k.len(); i++ {
		if d := k.last[i] - k.last[i-1]; d > 0 {
			ups = append(ups, d)
		}
	}
	if len(ups) < 3 || quantile(ups, 0.9) > 3*median(ups) {
		return 0
	}
	return stepsIn(k)
}

// stepsOfRise counts the steps between the two levels that are told of a rise.
// Where the log counts at other moments, by the pace of the steps.
func (s *scene) stepsOfRise(j *job, g growth) float64 {
	if j.log == nil {
		return 0
	}
	k := j.log.steps.between(g.from, g.to)
	if n := k.len(); n > 1 && k.t[n-1] > k.t[0] {
		if exact := k.between(g.startAt, g.endAt); exact.len() > 1 && exact.t[0] == g.startAt && exact.t[exact.len()-1] == g.endAt {
			return stepsIn(exact)
		}
		return stepsIn(k) * (g.endAt - g.startAt) / (k.t[n-1] - k.t[0])
	}
	return 0
}

// frees reports whether a log shows any sign that memory was freed between its
// lines: a cache, or a peak above the level.
func (s *scene) frees(j *job, g growth) bool {
	a, r, p := j.log.alloc.between(g.from, g.to), j.log.reserved.between(g.from, g.to), j.log.maxAlloc.between(g.from, g.to)
	if r.len() == 0 && p.len() == 0 {
		return true
	}
	level := median(a.last)
	return r.len() > 0 && median(r.last) > 1.02*level || p.len() > 0 && median(p.last) > 1.01*level
}

// fromBirth reports whether the rise is as old as the process and began at
// almost nothing, as loading does.
func (s *scene) fromBirth(j *job, g growth) bool {
	k := j.alloc()
	if k.len() == 0 || g.start >= 0.25*g.bytes() {
		return false
	}
	return g.first <= 2 || maxOf(k.hi[:min(g.first, k.len())]) <= g.start
}

// leakFound writes the finding.
func (s *scene) leakFound(j *job, g growth, source string) *draft {
	w := words{"rate": rate(g.rate()), "from": size(g.start), "to": size(g.end), "time": duration(g.endAt - g.startAt),
		"rise": size(g.bytes()), "share": percent(g.bytes() / j.total)}
	claim := "run"
	steps := s.evenSteps(j, g.from, g.to)
	made := s.stepsOfRise(j, g)
	perStep := g.bytes() / made
	if steps >= leakSteps && made >= 1 {
		claim, w["perstep"], w["steps"] = "steps", size(perStep), number(int(math.Round(made)))
	}
	if j.log != nil && j.log.ordinal && source == "log" {
		claim, w["lines"] = "log", number(j.log.alloc.between(g.startAt, g.endAt).len())
	}
	d := s.draft(catalog.Leak, claim, w).on(j).span(g.from, g.to)
	d.logged, d.rise = source == "log", g.bytes()
	d.during("allocated floor at the start", g.start, Bytes, g.from, g.to).
		during("allocated floor at the end", g.end, Bytes, g.from, g.to).
		figure("samples", float64(g.points), Count)
	if claim != "log" {
		d.during("slope", g.rate(), BytesPerSecond, g.from, g.to).
			during("slope, low", min(g.low, g.rate()), BytesPerSecond, g.from, g.to).
			during("slope, high", max(g.high, g.rate()), BytesPerSecond, g.from, g.to)
	}
	if steps >= leakSteps && made >= 1 {
		d.figure("rise a step", perStep, BytesPerStep).figure("steps", math.Round(made), Count)
	}
	d.Line = Line{Metric: history.Allocated.String(), From: s.time(g.startAt), To: s.time(g.endAt), FromBytes: g.start, ToBytes: g.end,
		SlopeLow: g.low, SlopeHigh: g.high}
	s.gradeLeak(d, j, g, steps)
	return s.likeCaptures(d, j, g.from, g.to)
}

// gradeLeak sets severity and confidence, and the time that is left.
func (s *scene) gradeLeak(d *draft, j *job, g growth, steps float64) {
	severity, confidence := Warning, Likely
	if steps >= leakSteps && g.blocks >= 6 {
		confidence = Fact
	}
	if steps < leakSteps && s.fromBirth(j, g) {
		severity, confidence = Info, Possible
	}
	if o := s.failureOf(j); o != nil {
		if s.explains(g, o) {
			severity = Critical
		}
		d.grade(severity, confidence)
		return
	}
	if left, ok := s.left(j); ok && severity == Warning && !s.rest {
		if sec := left / g.slope; sec <= soonSeconds {
			severity = Critical
		}
	}
	d.grade(severity, confidence)
}

// failureOf returns the first failure of a job; nil for none.
func (s *scene) failureOf(j *job) *oom {
	if at, ok := s.failed[j]; ok {
		return &s.ooms[at.first]
	}
	return nil
}

// explains reports whether a rise made up a good part of what was allocated
// when it failed.
func (s *scene) explains(g growth, o *oom) bool {
	at := o.figure.allocated
	if !has(at) {
		at = o.figure.usable()
	}
	if !has(at) {
		return true
	}
	late := 0.25
	if s.rest {
		late = 1 // lines of a traceback stand between
	}
	return g.bytes() >= 0.25*at && g.to >= o.t-late*(g.to-g.from)-5*s.every
}

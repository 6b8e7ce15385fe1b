package advisor

import (
	"math"
	"slices"
)

// Bounds of a ramp of the allocator's peak.
const (
	rampRises  = 10   // that the peak made
	rampFlat   = 10   // samples at work before it, in which the peak stood still
	rampEven   = 3    // times the usual rise, and the usual time between rises, at most
	rampWithin = 0.05 // of the whole rise, off a straight line
)

// peakRamps finds a leak in the peak that the allocator counts where too few
// samples meet the floor: the peak stood still while steps were made, and from
// one moment on it rises again and again by the same. Batches that grow do so
// from the start of a job, or in few and uneven rises.
func (s *scene) peakRamps(j *job, k track, rule growthRule) (growth, bool) {
	p := j.peak()
	if p.len() < k.len() {
		return growth{}, false
	}
	p = p.slice(0, k.len())
	if n := p.len(); n <= rampFlat || p.last[n-1]-p.last[0] < rule.minBytes {
		return growth{}, false
	}
	from, ok := p.rampFrom()
	if !ok || from < rampFlat {
		return growth{}, false
	}
	n := p.len()
	rise := p.last[n-1] - p.last[from]
	flat := k.slice(max(0, from-(n-from)), from)
	floor := minOf(flat.lo)
	if rise < rule.minBytes || rise < rule.large && rise < rule.share*floor || p.last[from]-p.last[from-rampFlat] > rampWithin*rise {
		return growth{}, false
	}
	ramp := k.slice(from, n)
	if flat.falls() < 3 || ramp.falls() < max(3, ramp.len()/10) || !p.slice(from, n).straight(rise) {
		return growth{}, false
	}
	// What is seen of the steps has to be higher as well.
	late := ramp.last[ramp.len()/2:]
	if meanOf(late)-meanOf(flat.last) < 0.3*rise {
		return growth{}, false
	}
	slope := rise / (p.t[n-1] - p.t[from])
	g := growth{from: p.t[from], to: p.t[n-1], start: floor, end: floor + rise, startAt: p.t[from], endAt: p.t[n-1], slope: slope,
		low: 0.9 * slope, high: 1.1 * slope, points: n - from, blocks: 5, first: from, last: n}
	return g, s.stepped(j, g)
}

// rampFrom returns the point from which a track that never falls rises to its
// end, in rises of about one size at about one pace.
func (k track) rampFrom() (int, bool) {
	var sizes, gaps []float64
	last := k.len() // of the rise looked at before, which is later
	usual, pace := 0.0, 0.0
	for i := k.len() - 1; i > 0; i-- {
		d := k.last[i] - k.last[i-1]
		if len(gaps) >= 3 && float64(last-i) > rampEven*math.Max(pace, 1) {
			break // it stood still before this
		}
		if d <= 0 {
			continue
		}
		if len(sizes) >= 3 && d > 2*rampEven*usual {
			break
		}
		sizes, gaps = append(sizes, d), append(gaps, float64(last-i))
		usual, pace, last = median(sizes), median(gaps), i
	}
	if len(sizes) < rampRises || k.len()-1-slices.Index(k.last, k.last[k.len()-1]) > int(rampEven*math.Max(pace, 1)) {
		return 0, false
	}
	return last - 1, true
}

// falls counts the points at which a track came down.
func (k track) falls() int {
	n := 0
	for i := range k.t {
		if k.cameDown(i) {
			n++
		}
	}
	return n
}

// straight reports whether a track that rises by so much lies on the line
// between its ends.
func (k track) straight(rise float64) bool {
	n := k.len()
	slope := rise / (k.t[n-1] - k.t[0])
	off := 0
	for i := range k.t {
		if math.Abs(k.last[i]-k.last[0]-slope*(k.t[i]-k.t[0])) > rampWithin*rise {
			off++
		}
	}
	return off <= n/10
}

package advisor

import "math"

// Bounds of a climb out of steps that move a good deal themselves, as shares of
// the whole range.
const (
	climbDip  = 0.05 // that a climb may fall by on its way
	climbLow  = 0.35 // where it begins, at most
	climbHigh = 0.6  // where it ends, at least
	climbFall = 0.5  // by which it falls at once
	climbPart = 4    // rises at least
)

// climbs finds the climbs of a track as ramps does, also where the steps beside
// them hardly ever meet the level: each rises without a break and falls at once.
func climbs(k track) []ramp {
	n := k.len()
	if n < 6 {
		return nil
	}
	base, top := quantile(k.lo, 0.15), k.max()
	whole := top - base
	var out []ramp
	for i := 1; i < n; {
		start, rises, high := i-1, 0, k.hi[i-1]
		for i < n && k.last[i] >= k.last[i-1]-climbDip*whole {
			if k.last[i] > k.last[i-1] {
				rises++
			}
			high = math.Max(high, k.hi[i])
			i++
		}
		fell := i == n || k.lo[i] <= high-climbFall*whole
		if rises >= climbPart && fell && high >= base+climbHigh*whole && k.lo[start] <= base+climbLow*whole {
			out = append(out, ramp{from: k.t[start], to: k.t[i-1], base: base, top: high, rises: rises, first: start, end: i, closed: i < n})
		}
		i++
	}
	return out
}

package advisor

import "math"

// peakDenies reports whether the peak that the allocator counts stood still,
// although steps as high as those that were seen would have moved it on a floor
// that rose: then samples met ever later points of steps that are alike, or the
// inside of a slow one.
func (s *scene) peakDenies(j *job, k track, g growth) bool {
	before, ok1 := j.peak().valueAt(g.from)
	after, ok2 := j.peak().valueAt(g.to)
	if !ok1 || !ok2 || after > before || g.endAt <= g.startAt {
		return false
	}
	height := 0.0
	for i := range k.len() / 3 {
		height = math.Max(height, k.hi[i]-g.start-g.rate()*(k.t[i]-g.startAt))
	}
	return g.end+0.8*height > after
}

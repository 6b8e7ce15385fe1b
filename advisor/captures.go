package advisor

import (
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/history"
)

// Private pools of CUDA graphs cannot be told from outside: the allocator's
// statistics have totals only (DeviceStats of c10/core/CachingDeviceAllocator.h;
// its figure of private pools came with 2.13 and is a map that is not read). What
// a capture leaves behind has a shape, though: tensors that stay, in segments of
// their own, and more reserved than they need, which nothing else may use. A
// growth of that shape names captures among what to look for, no more.

// Bounds of that shape.
const (
	captureParts = 10  // of the growth, in which all three have to rise
	captureLeast = 5   // parts at least
	captureFits  = 0.8 // of the parts
	captureSpare = 2   // times the rise of tensors, by which reserved has to rise
)

// likeCaptures tags a growth between two times whose shape is that of CUDA
// graphs captured again and again, or whose log speaks of captures.
func (s *scene) likeCaptures(d *draft, j *job, from, to float64) *draft {
	if len(s.text.phaseTimes(j, from, to, phaseCapture)) > 0 || s.risesWithSegments(j, from, to) {
		d.tag(catalog.LikeCaptures)
	}
	return d
}

// risesWithSegments reports whether tensors, reserved and segments rise together
// all through a growth, and reserved by far more than tensors: what a leak needs
// of the card is no more than its own size.
func (s *scene) risesWithSegments(j *job, from, to float64) bool {
	a, r, n := j.alloc().between(from, to), j.reserved().between(from, to), j.metric(history.Segments).between(from, to)
	if a.len() < 4*captureLeast || a.len() != r.len() || a.len() != n.len() {
		return false
	}
	parts := min(captureParts, a.len()/2)
	_, floor := a.blocks(parts)
	together := 0
	for i := 1; i < parts; i++ {
		first, last := (i-1)*a.len()/parts, (i+1)*a.len()/parts-1
		up := floor[i] - floor[i-1]
		if up > 0 && n.last[last] > n.last[first] && r.last[last]-r.last[first] >= up {
			together++
		}
	}
	if parts < captureLeast || float64(together) < captureFits*float64(parts-1) {
		return false
	}
	rose := floor[parts-1] - floor[0]
	return r.last[r.len()-1]-r.last[0] >= captureSpare*rose
}

package advisor

import "math"

// The floor of a training step is the level to which allocated falls back when
// a step is over: what stays. It is looked for without knowing the step's
// length, as the minimum of each of a few equal parts of a window. A rise of
// the floor has to go through all parts alike to be a leak, and through one or
// two of them to be a new level.

// cannotRise reports, cheaply, that a track's floor is no higher at its end
// than it ever was, so that no rise and no new level can be found in it.
func (k track) cannotRise(least float64) bool {
	n := k.len()
	if n < 10 {
		return false
	}
	late := minOf(k.lo[n-max(1, n/12):])
	for i := range k.lo {
		if k.lo[i] <= late-least {
			return false
		}
	}
	return true
}

// growth is a rise of the floor that goes on through a whole window.
type growth struct {
	from, to       float64 // seconds
	start, end     float64 // floor of the first and of the last part, in bytes
	slope          float64 // bytes a second
	low, high      float64 // range of the slope
	points, blocks int
	first, last    int // points of the track
	// When the floor stood at start and at end.
	startAt, endAt float64
}

func (g growth) bytes() float64 { return g.end - g.start }

// rate is the rise a second between the two levels that are told, so that it
// agrees with them; the slope, which forgives outliers, is for judging.
func (g growth) rate() float64 {
	if g.endAt > g.startAt {
		return g.bytes() / (g.endAt - g.startAt)
	}
	return g.slope
}

// wholeRise returns a growth with its levels at the first and the last point,
// where the track never falls in between. Of lines that came together, and have
// one time, the levels are then those of the first and of the last.
func (k track) wholeRise(g growth) growth {
	part := k.between(g.startAt, g.to)
	n := part.len()
	if n == 0 {
		return g
	}
	for i := 1; i < n; i++ {
		if part.last[i] < part.last[i-1] || part.hi[i] > part.last[i] {
			return g
		}
	}
	g.start, g.startAt, g.end, g.endAt = part.lo[0], part.t[0], part.last[n-1], part.t[n-1]
	return g
}

// growthRule says how strict the search is.
type growthRule struct {
	points    int     // fewest points
	perBlock  int     // fewest points in a part
	maxBlocks int     // most parts
	supported bool    // ask for several points near the floor in each part
	straight  bool    // the whole must lie on a line
	minBytes  float64 // least rise
	share     float64 // least rise as a share of the level, unless it is large
	large     float64 // a rise that needs no share of the level
}

// blocks cuts a track into n parts with equally many points and returns the
// minimum of each and the middle of its time.
func (k track) blocks(n int) (t, floor []float64) {
	both := make([]float64, 2*n)
	t, floor = both[:n:n], both[n:]
	for b := range n {
		from, to := b*k.len()/n, (b+1)*k.len()/n
		t[b] = (k.t[from] + k.t[to-1]) / 2
		floor[b] = minOf(k.lo[from:to])
	}
	return t, floor
}

// lowestAt returns the time of the first of the lowest points; NaN for none.
func (k track) lowestAt() float64 {
	at, low := math.NaN(), math.Inf(1)
	for i, v := range k.lo {
		if v < low {
			at, low = k.t[i], v
		}
	}
	return at
}

// findGrowth looks for a rise that lasts to the end of the track, in the whole
// of it first and then in ever shorter ends of it, since a job does not leak
// while it loads.
func findGrowth(k track, r growthRule) (growth, bool) {
	n := k.len()
	if k.cannotRise(r.minBytes) {
		return growth{}, false
	}
	for part := range 7 {
		from := n * part / 8
		if n-from < r.points || part > 0 && r.straight {
			return growth{}, false
		}
		g, ok := r.rises(k.slice(from, n))
		if ok && !r.seenBefore(k.slice(0, from), g, (n-from)/g.blocks) {
			g.first, g.last = from, n
			return g, true
		}
	}
	return growth{}, false
}

// rises judges one window.
func (r growthRule) rises(k track) (growth, bool) {
	n := k.len()
	blocks := min(max(n/r.perBlock, 5), r.maxBlocks)
	if n < blocks*r.perBlock || n < r.points {
		return growth{}, false
	}
	// The first and the last part alone rule out nearly all.
	begin := minOf(k.lo[:n/blocks])
	total := minOf(k.lo[(blocks-1)*n/blocks:]) - begin
	if total < r.minBytes || total < r.large && total < r.share*begin {
		return growth{}, false
	}
	t, floor := k.blocks(blocks)
	if !evenly(floor, total) {
		return growth{}, false
	}
	slope, low, high := theilSen(t, floor)
	base := offset(t, floor, slope)
	within := 0.15
	if r.straight {
		within = 0.03
	}
	if slope <= 0 || !alongLine(t, floor, slope, base, within*total) {
		return growth{}, false
	}
	if r.supported && !supported(k, slope, base, total, blocks) {
		return growth{}, false
	}
	from, to := k.t[0], k.t[n-1]
	late := (blocks - 1) * n / blocks
	return growth{from: from, to: to, start: floor[0], end: floor[blocks-1],
		startAt: k.slice(0, n/blocks).lowestAt(), endAt: k.slice(late, n).lowestAt(), slope: slope, low: low, high: high, points: n, blocks: blocks}, true
}

// evenly reports whether the floor rises in nearly every part, in none of them
// by most of the whole, and no slower at the end.
func evenly(floor []float64, total float64) bool {
	n := len(floor) - 1
	up, down := 0, 0
	for i := range n {
		d := floor[i+1] - floor[i]
		switch {
		case d > total/float64(10*n):
			up++
		case d < -total/float64(2*n):
			down++
		}
		if d > 0.5*total {
			return false
		}
	}
	late := floor[n] - floor[n-n/3]
	return up >= n-n/5 && down <= n/8 && late >= 0.15*total
}

// alongLine reports whether the floors lie near the line.
func alongLine(t, floor []float64, slope, base, within float64) bool {
	off := 0
	for i := range t {
		if math.Abs(floor[i]-base-slope*t[i]) > within {
			off++
		}
	}
	return off <= len(t)/6
}

// supported reports whether enough points lie near the floor. A few minima of
// a noisy step can stand in a row by chance; many cannot.
func supported(k track, slope, base, total float64, blocks int) bool {
	near := 0
	for i := range k.t {
		if math.Abs(k.lo[i]-base-slope*k.t[i]) <= 0.12*total {
			near++
		}
	}
	return near >= 2*blocks
}

// seenBefore reports whether the floor stood as high as now already and came
// back: then this is one more turn of something that repeats.
func (r growthRule) seenBefore(k track, g growth, width int) bool {
	for from := 0; from+width <= k.len(); from += max(1, width/2) {
		if minOf(k.lo[from:from+width]) >= g.end-0.2*g.bytes() {
			return true
		}
	}
	return false
}

// level is a stretch in which the floor stays the same.
type level struct {
	from, to    float64 // seconds
	bytes       float64
	first, last int // points of the track
}

// levels finds the stretches between steps of the floor. A step is a rise that
// never comes back; least is the smallest that counts. Fewer than two levels
// means that the floor did not step, or moved all the time.
func levels(k track, perBlock int, least float64) []level {
	n := k.len()
	count := min(n/perBlock, 48)
	if count < 8 {
		return nil
	}
	t, floor := k.blocks(count)
	kept := floor[:count:count]
	for i := count - 2; i >= 0; i-- {
		kept[i] = math.Min(floor[i], kept[i+1])
	}
	var out []level
	start := 0
	closeAt := func(end int) { // blocks start..end−1
		if end-start >= max(2, count/12) {
			first, last := start*n/count, end*n/count
			out = append(out, level{from: t[start], to: t[end-1], bytes: kept[start], first: first, last: last})
		}
		start = end
	}
	for i := 1; i < count; i++ {
		if kept[i]-kept[start] >= 0.25*least {
			closeAt(i)
		}
	}
	closeAt(count)
	return joined(out, least)
}

// joined puts levels together that differ by less than a step.
func joined(in []level, least float64) []level {
	var out []level
	for _, l := range in {
		if n := len(out); n > 0 && l.bytes-out[n-1].bytes < least {
			out[n-1].to, out[n-1].last = l.to, l.last
			continue
		}
		out = append(out, l)
	}
	return out
}

// lifted reports whether a track as a whole went up with a rise, so that its
// last third lies above its first by two thirds of it at any height.
func (k track) lifted(rise float64) bool {
	for _, q := range []float64{0.15, 0.25, 0.5, 0.75} {
		a, c := k.outerThirds(q)
		if !(c-a >= 0.4*rise && c-a <= 1.6*rise) {
			return false
		}
	}
	return true
}

// outerThirds returns the q-quantile of the first and of the last third of a
// track; NaN for a short one.
func (k track) outerThirds(q float64) (first, last float64) {
	n := k.len()
	if n < 6 {
		return math.NaN(), math.NaN()
	}
	return quantile(k.last[:n/3], q), quantile(k.last[2*n/3:], q)
}

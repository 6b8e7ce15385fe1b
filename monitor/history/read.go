package history

import (
	"math"
	"time"
)

// span is one stretch of a series at one resolution. A single sample is a
// point: it was true at its start and is held to the end, where the next one
// comes. A bucket's figures are true somewhere between start and own.
type span struct {
	startNS, ownNS, endNS int64
	low, high, last       float64
	count                 int
	held                  bool // read before the time asked for and still standing in it
}

// walk calls f for every stretch of a series that overlaps [from, to] until it
// returns false, in order of time, each part of the axis at the finest resolution that has it.
// What no call covers is a gap.
func (r *rings) walk(t *thing, column int, fromNS, toNS int64, f func(span) bool) {
	midNS, singleNS := r.borders()
	if !r.walkBuckets(&r.coarse, &t.coarse, column, fromNS, min(toNS, midNS-1), midNS, f) ||
		!r.walkBuckets(&r.mid, &t.mid, column, max(fromNS, midNS), min(toNS, singleNS-1), singleNS, f) {
		return
	}
	r.walkSingles(t, column, max(fromNS, singleNS), toNS, f)
}

// borders returns the times from which on the middle resolution and single
// samples are read. A finer resolution takes over at the end of a coarser
// bucket, so that no sample counts twice.
func (r *rings) borders() (midNS, singleNS int64) {
	singleNS = r.mid.alignUp(r.singles.fromNS)
	midNS = r.coarse.alignUp(min(r.mid.coveredFrom(), singleNS))
	return midNS, max(singleNS, midNS)
}

// walkBuckets handles one coarser resolution; its stretches end at limitNS,
// where the next finer one takes over.
func (r *rings) walkBuckets(b *buckets, figures *book[figure], column int, fromNS, toNS, limitNS int64, f func(span) bool) bool {
	if !b.any || limitNS == math.MinInt64 || toNS < fromNS {
		return true
	}
	// One bucket earlier may still be held into the range.
	n := max(b.oldest(), b.of(fromNS)-1)
	last := min(b.head, b.of(toNS))
	for ; n <= last; n++ {
		slot, ok := b.has(n)
		if !ok {
			continue
		}
		was := figures.at(slot, column)
		if was.count == 0 {
			n += int64(min(figures.barren(slot, column), len(b.number)-slot) - 1)
			continue
		}
		s := span{startNS: n * b.widthNS, low: float64(was.low), high: float64(was.high),
			last: float64(was.last), count: int(was.count)}
		s.ownNS = min(s.startNS+b.widthNS, limitNS)
		s.endNS = min(b.heldUntil(n, slot), limitNS)
		s.held = s.ownNS <= fromNS && s.startNS < fromNS
		if s.endNS > fromNS && !f(s) {
			return false
		}
	}
	return true
}

// heldUntil is when the figures of a bucket stop standing for what follows:
// at the next bucket with samples, or when one is overdue.
func (b *buckets) heldUntil(n int64, slot int) int64 {
	end := (n + 1) * b.widthNS
	limit := end + b.holdNS[slot]
	for next := n + 1; next <= b.head && next*b.widthNS < limit; next++ {
		if _, ok := b.has(next); ok {
			if next-n > 1 {
				return next * b.widthNS
			}
			return end
		}
	}
	return end
}

func (r *rings) walkSingles(t *thing, column int, fromNS, toNS int64, f func(span) bool) {
	patience := kindMetrics[t.key.kind][column].patience()
	n := r.singles.len()
	i := max(r.singles.find(fromNS)-patience, 0) // values held into the range
	for ; i < n; i++ {
		slot := r.singles.slot(i)
		at := r.singles.timeNS[slot]
		if at > toNS {
			return
		}
		v := t.single(slot, column)
		if math.IsNaN(v) {
			i += min(t.singles.barren(slot, column), r.singles.limit-slot) - 1
			continue
		}
		s := span{startNS: at, ownNS: at, endNS: r.singles.heldUntil(t, column, i, patience), low: v, high: v, last: v, count: 1, held: at < fromNS}
		if (s.endNS > fromNS || at >= fromNS) && !f(s) {
			return
		}
	}
}

// heldUntil is when the value of the i-th oldest sample stops standing for
// what follows: at the next value, or where it is missing in as many samples
// as patience allows, or at once when the next sample was overdue.
func (r *singles) heldUntil(t *thing, column, i, patience int) int64 {
	end := r.timeNS[r.slot(i)]
	for step := 1; step <= patience; step++ {
		slot := r.slot(i + step - 1)
		limit := r.timeNS[slot] + r.holdNS[slot]
		if i+step >= r.len() {
			return limit
		}
		next := r.slot(i + step)
		if r.timeNS[next] > limit {
			return end
		}
		end = r.timeNS[next]
		if !math.IsNaN(t.single(next, column)) {
			return end
		}
	}
	return end
}

// columns pools the stretches of [from, to] into the columns of out.
func (r *rings) columns(out []Bucket, t *thing, column int, fromNS, toNS int64, at func(int64) time.Time) {
	n := len(out)
	stepNS := float64(toNS-fromNS) / float64(n)
	for i := range out {
		out[i] = Bucket{Start: at(fromNS + int64(float64(i)*stepNS))}
	}
	if t == nil || toNS < fromNS || n == 0 {
		return
	}
	place := func(ns int64) int {
		if stepNS <= 0 {
			return 0
		}
		return min(max(int(float64(ns-fromNS)/stepNS), 0), n-1)
	}
	r.walk(t, column, fromNS, toNS, func(s span) bool {
		if !s.held {
			last := place(max(s.startNS, s.ownNS-1))
			for c := place(s.startNS); c <= last; c++ {
				out[c].pool(s)
			}
		}
		if s.endNS > s.ownNS {
			last := place(min(s.endNS, toNS) - 1)
			for c := place(max(s.ownNS, fromNS)); c <= last; c++ {
				out[c].hold(s.last)
			}
		}
		return true
	})
	for i := range out {
		if out[i].Count == held {
			out[i].Count = 1
		}
	}
}

// held is the count of a column that has no value of its own but the one before
// it, while columns are made.
const held = -1

func (b *Bucket) hold(v float64) {
	if b.Count == 0 {
		b.Min, b.Max, b.Last, b.Count = v, v, v, held
	}
}

func (b *Bucket) pool(s span) {
	if b.Count <= 0 {
		b.Min, b.Max, b.Count = s.low, s.high, 0
	} else {
		b.Min, b.Max = min(b.Min, s.low), max(b.Max, s.high)
	}
	b.Last = s.last
	b.Count += s.count
}

// series lists the stretches of [from, to] as buckets, with one of Count 0 at
// the start of each gap.
func (r *rings) series(t *thing, column int, fromNS, toNS int64, at func(int64) time.Time) []Bucket {
	var out []Bucket
	if t == nil {
		return out
	}
	endNS := int64(math.MinInt64)
	r.walk(t, column, fromNS, toNS, func(s span) bool {
		if s.held {
			return true
		}
		if len(out) > 0 && s.startNS > endNS {
			out = append(out, Bucket{Start: at(endNS)})
		}
		out = append(out, Bucket{Start: at(s.startNS), Min: s.low, Max: s.high, Last: s.last, Count: s.count})
		endNS = s.endNS
		return true
	})
	return out
}

// any reports whether a series has a value in [from, to].
func (r *rings) any(t *thing, column int, fromNS, toNS int64) bool {
	if n := r.singles.len(); n > 0 { // most that have one have one in the newest sample
		slot := r.singles.slot(n - 1)
		if at := r.singles.timeNS[slot]; at >= fromNS && at <= toNS && !math.IsNaN(t.single(slot, column)) {
			return true
		}
	}
	found := false
	r.walk(t, column, fromNS, toNS, func(s span) bool {
		found = !s.held
		return !found
	})
	return found
}

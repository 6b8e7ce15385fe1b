package advisor

import (
	"math"
	"time"

	"github.com/vramscope/vramscope/monitor/history"
)

// maxPoints bounds the points of a track. A longer window is pooled into
// columns of minimum and maximum, which is what the rules ask for anyway.
const maxPoints = 2048

// track is one figure over time. A single sample has lo, hi and last the same;
// a pooled stretch has its minimum, maximum and last value.
type track struct {
	t            []float64 // seconds since the window's origin
	lo, hi, last []float64
}

func (k track) len() int { return len(k.t) }

func (k track) slice(from, to int) track {
	return track{t: k.t[from:to], lo: k.lo[from:to], hi: k.hi[from:to], last: k.last[from:to]}
}

// at returns the place of the first point at or after that time.
func (k track) at(t float64) int {
	lo, hi := 0, len(k.t)
	for lo < hi {
		mid := (lo + hi) / 2
		if k.t[mid] < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// between returns the points from time from to time to, both included.
func (k track) between(from, to float64) track {
	a := k.at(from)
	b := a
	for b < len(k.t) && k.t[b] <= to {
		b++
	}
	return k.slice(a, b)
}

// valueAt returns the last value at or before that time; false before the
// first.
func (k track) valueAt(t float64) (float64, bool) {
	i := k.at(t)
	if i < len(k.t) && k.t[i] == t {
		return k.last[i], true
	}
	if i == 0 {
		return math.NaN(), false
	}
	return k.last[i-1], true
}

// end returns the last value; false when there is none.
func (k track) end() (float64, bool) {
	if len(k.last) == 0 {
		return math.NaN(), false
	}
	return k.last[len(k.last)-1], true
}

func (k track) max() float64 { return maxOf(k.hi) }
func (k track) min() float64 { return minOf(k.lo) }

func (k *track) add(t, v float64) {
	k.t, k.lo, k.hi, k.last = append(k.t, t), append(k.lo, v), append(k.hi, v), append(k.last, v)
}

func maxOf(values []float64) float64 {
	m := math.Inf(-1)
	for _, v := range values {
		m = math.Max(m, v)
	}
	return m
}

func minOf(values []float64) float64 {
	m := math.Inf(1)
	for _, v := range values {
		m = math.Min(m, v)
	}
	return m
}

// mixed reports whether part of a window is kept in buckets only: then its
// points are not evenly spaced, and columns make them so.
func mixed(w *history.Window) bool {
	return len(w.Times) > 0 && w.Times[0].Sub(w.From) > w.To.Sub(w.From)/10
}

// manySeries is the number of samples of all processes from which on their
// series are pooled a little, so that a pass over a full machine stays cheap.
const manySeries = 8192

// fewColumns is how many columns a series is pooled into then.
const fewColumns = 200

// read takes a series out of a window. Series of a long window, or of very
// many processes, are pooled into columns.
func read(w *history.Window, key history.Key, origin time.Time, many bool) track {
	var buckets []history.Bucket
	switch {
	case len(w.Times) > maxPoints || mixed(w):
		buckets = w.Columns(key, w.From, w.To, maxPoints)
	case many:
		buckets = w.Columns(key, w.From, w.To, min(fewColumns, max(len(w.Times), 1)))
	default:
		buckets = w.Series(key)
	}
	n := len(buckets)
	if n == 0 {
		return track{}
	}
	all := make([]float64, 4*n)
	k := track{t: all[:0:n], lo: all[n : n : 2*n], hi: all[2*n : 2*n : 3*n], last: all[3*n : 3*n : 4*n]}
	for i := range buckets {
		b := &buckets[i]
		if b.Count == 0 || math.IsNaN(b.Last) || math.IsInf(b.Last, 0) {
			continue
		}
		k.t = append(k.t, b.Start.Sub(origin).Seconds())
		k.lo, k.hi, k.last = append(k.lo, b.Min), append(k.hi, b.Max), append(k.last, b.Last)
	}
	return k
}

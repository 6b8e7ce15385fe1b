package advisor

import (
	"math"

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

// cameDown reports whether the i-th point is below the one before, or below
// what it was itself: what is only loaded never is.
func (k track) cameDown(i int) bool {
	return k.hi[i] > k.last[i] || i > 0 && k.last[i] < k.last[i-1]
}

func (k track) max() float64 { return maxOf(k.hi) }
func (k track) min() float64 { return minOf(k.lo) }

// evenly pools a track whose last points lie closer together than its first.
func (k track) evenly() track {
	n := k.len()
	if n < 64 {
		return k
	}
	apart := (k.t[n/4] - k.t[0]) / float64(n/4)
	if columns := (k.t[n-1] - k.t[0]) / apart; !(apart > 0) || columns > 0.75*float64(n) {
		return k
	}
	out := newTrack(n)
	for i := 0; i < n; {
		end := max(i+1, k.at(k.t[i]+apart))
		part := k.slice(i, end)
		out.t, out.lo, out.hi, out.last = append(out.t, k.t[end-1]), append(out.lo, part.min()), append(out.hi, part.max()), append(out.last, k.last[end-1])
		i = end
	}
	return out
}

func (k *track) add(t, v float64) {
	k.t, k.lo, k.hi, k.last = append(k.t, t), append(k.lo, v), append(k.hi, v), append(k.last, v)
}

// meanOf returns the mean; NaN for none.
func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

func maxOf(values []float64) float64 {
	m := math.Inf(-1)
	for _, v := range values {
		m = max(m, v)
	}
	return m
}

func minOf(values []float64) float64 {
	m := math.Inf(1)
	for _, v := range values {
		m = min(m, v)
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

// fewPoints is how many points a series is pooled into then.
const fewPoints = 128

// axis is where the points of a window lie that is kept singly: each stands
// for as many samples.
type axis struct {
	t    []float64 // seconds, of the first sample of each point
	each int       // samples a point
}

// axisOf lays out a window; nil when part of it is kept in buckets only.
func (s *scene) axisOf() *axis {
	n := len(s.w.Times)
	if n == 0 || mixed(s.w) {
		return nil
	}
	most := maxPoints
	if s.many {
		most = fewPoints
	}
	a := &axis{each: (n + most - 1) / most}
	a.t = make([]float64, 0, n/a.each+1)
	for i := 0; i < n; i += a.each {
		a.t = append(a.t, s.seconds(s.w.Times[i]))
	}
	return a
}

// read takes a series out of the window. Series of a long window, or of very
// many processes, are pooled.
func (s *scene) read(key history.Key) series {
	if s.axis == nil {
		return series{track: s.readColumns(key)}
	}
	return s.axis.series(s.w.Singles(key))
}

// series makes a track of the values of all samples.
func (a *axis) series(values []float64) series {
	missing, same := 0, true
	for _, v := range values {
		if v-v != 0 { // neither NaN nor infinite gives 0
			missing++
		}
		same = same && v == values[0]
	}
	switch {
	case missing == len(values):
		return series{values: values}
	case missing == 0 && (a.each == 1 || same):
		k := values[:len(a.t)]
		return series{track{t: a.t, lo: k, hi: k, last: k}, values}
	}
	return series{a.pool(values), values}
}

// pool makes a track of the values that are known.
func (a *axis) pool(values []float64) track {
	n := len(a.t)
	all := make([]float64, 3*n)
	k := track{lo: all[:0:n], hi: all[n : n : 2*n], last: all[2*n : 2*n : 3*n]}
	if a.each == 1 { // the three are the same
		k.lo, k.hi = nil, nil
	}
	for i := range a.t {
		lo, hi, last := math.Inf(1), math.Inf(-1), math.NaN()
		for _, v := range values[i*a.each : min((i+1)*a.each, len(values))] {
			if v-v != 0 {
				continue
			}
			lo, hi, last = min(lo, v), max(hi, v), v
		}
		switch {
		case last != last:
			if k.t == nil {
				k.t = append(make([]float64, 0, n), a.t[:i]...)
			}
			continue
		case k.t != nil:
			k.t = append(k.t, a.t[i])
		}
		k.last = append(k.last, last)
		if a.each > 1 {
			k.lo, k.hi = append(k.lo, lo), append(k.hi, hi)
		}
	}
	if k.t == nil {
		k.t = a.t // none is missing
	}
	if a.each == 1 {
		k.lo, k.hi = k.last, k.last
	}
	return k
}

// newTrack returns an empty track with room for that many points.
func newTrack(n int) track {
	all := make([]float64, 4*n)
	return track{t: all[:0:n], lo: all[n : n : 2*n], hi: all[2*n : 2*n : 3*n], last: all[3*n : 3*n : 4*n]}
}

// readColumns takes a series out of a window whose older part is kept in
// buckets only.
func (s *scene) readColumns(key history.Key) track {
	most := maxPoints
	if s.many {
		most = fewPoints
	}
	buckets := s.w.Columns(key, s.w.From, s.w.To, most)
	k := newTrack(len(buckets))
	for i := range buckets {
		b := &buckets[i]
		if b.Count == 0 || math.IsNaN(b.Last) || math.IsInf(b.Last, 0) {
			continue
		}
		k.t = append(k.t, s.seconds(b.Start))
		k.lo, k.hi, k.last = append(k.lo, b.Min), append(k.hi, b.Max), append(k.last, b.Last)
	}
	return k
}

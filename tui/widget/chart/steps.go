package chart

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// Point is a figure that a log printed at a moment.
type Point struct {
	Time  time.Time
	Bytes monitor.Reading[int64]
}

// Steps pools figures of a log into n columns between two times, as what they
// are: each holds until the next one, the last until the given time, which is
// the last at which the log is known to have had nothing newer. Before the
// first there is a gap, and so there is after an unknown figure. Points are
// ordered by time.
func Steps(points []Point, from, to, until time.Time, n int) []history.Bucket {
	out := make([]history.Bucket, max(n, 0))
	width := float64(to.Sub(from)) / float64(max(n, 1))
	held, next := monitor.Reading[int64]{}, 0
	for i := range out {
		b := &out[i]
		b.Start = from.Add(time.Duration(float64(i) * width))
		end := from.Add(time.Duration(float64(i+1) * width))
		for ; next < len(points) && !points[next].Time.After(b.Start); next++ {
			held = points[next].Bytes
		}
		if b.Start.After(until) {
			continue
		}
		pool(b, held)
		for ; next < len(points) && points[next].Time.Before(end) && !points[next].Time.After(until); next++ {
			held = points[next].Bytes
			pool(b, held)
		}
	}
	return out
}

// pool adds a figure to a bucket.
func pool(b *history.Bucket, r monitor.Reading[int64]) {
	v, ok := r.Get()
	if !ok {
		return
	}
	f := float64(v)
	if b.Count == 0 {
		b.Min, b.Max = f, f
	}
	b.Min, b.Max, b.Last = min(b.Min, f), max(b.Max, f), f
	b.Count++
}

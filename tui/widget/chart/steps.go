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

// LogPoints are the figures of one log, each series ordered by time.
type LogPoints struct {
	Used, Reserved, Allocated   []Point
	PeakAllocated, PeakReserved []Point
	Total                       monitor.Reading[int64]
}

// PointsOf returns what readings of one log say about memory, oldest first. A
// figure that a line does not print keeps its value from the line that did.
func PointsOf(readings []monitor.LogReading) LogPoints {
	var p LogPoints
	for i := range readings {
		r := &readings[i]
		if r.Kind != monitor.LogMemory {
			continue
		}
		for series, bytes := range map[*[]Point]monitor.Reading[int64]{
			&p.Used: r.DeviceUsedBytes, &p.Reserved: r.ReservedBytes, &p.Allocated: r.AllocatedBytes,
			&p.PeakAllocated: r.MaxAllocatedBytes, &p.PeakReserved: r.MaxReservedBytes,
		} {
			if bytes.Known() {
				*series = append(*series, Point{r.Time, bytes})
			}
		}
		if r.DeviceTotalBytes.Known() {
			p.Total = r.DeviceTotalBytes
		}
	}
	return p
}

// ReadLog is Read for the figures of a log, which hold until the newest moment
// of the bounds.
func ReadLog(p LogPoints, m Model, b Bounds) Data {
	d := Data{Now: b.Last, Total: p.Total, cursor: m.Cursor}
	d.From, d.To = m.Range(b)
	const log = string(monitor.OriginLog)
	d.Sources = Sources{Used: log, Reserved: log, Allocated: log}
	n := max(b.Columns, 1)
	for _, s := range []struct {
		points []Point
		into   *[]history.Bucket
		cursor *figure
	}{
		{p.Used, &d.Used, &d.atCursor.used},
		{p.Reserved, &d.Reserved, &d.atCursor.reserved},
		{p.Allocated, &d.Allocated, &d.atCursor.allocated},
		{p.PeakAllocated, &d.PeakAllocated, &d.atCursor.peak},
		{p.PeakReserved, &d.PeakReserved, nil},
	} {
		if len(s.points) == 0 {
			continue
		}
		*s.into = Steps(s.points, d.From, d.To, b.Last, n)
		if s.cursor != nil && !m.Cursor.IsZero() {
			*s.cursor = figureAt(Steps(s.points, m.Cursor, m.Cursor, b.Last, 1), 0)
		}
	}
	return d
}

// AtCursor returns the layers at the time of the model's cursor, as Read and
// ReadLog found them there; false when the model had none.
func (d *Data) AtCursor() (Moment, bool) {
	if d.cursor.IsZero() {
		return Moment{}, false
	}
	return d.moment(d.cursor, d.atCursor), true
}

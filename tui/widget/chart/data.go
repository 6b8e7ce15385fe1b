package chart

import (
	"math"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/theme"
)

// Data is what there is to draw between two times. Each series has one bucket a
// column, all of the same length, in bytes; nil when the layer is not known at
// all. A bucket of Count 0 is a gap, and so is one with a figure that cannot
// be: negative, infinite, not a number.
type Data struct {
	From, To time.Time // of the columns, as Model.Range gives them
	Now      time.Time // what times are counted from; zero is To

	Used, Reserved, Allocated []history.Bucket
	// The highest values as the job itself counts them. Where one of them rose
	// above what was sampled, a mark stands.
	PeakAllocated, PeakReserved []history.Bucket
	Total                       monitor.Reading[int64]

	Sources Sources
	// Outside names what is used beyond reserved: "non-torch" of one process,
	// "other" of a whole device. Empty is "other". Clean, at most 9 columns.
	Outside string

	Marks   []Mark   // by time, oldest first
	Windows []Window // most important first
}

// Sources says where the figures of each layer come from, in a word such as
// nvml, attach or log; empty when that is not known.
type Sources struct{ Used, Reserved, Allocated string }

// MarkKind says what happened at a moment.
type MarkKind uint8

// The kinds of marks.
const (
	MarkUser  MarkKind = iota // set by the user
	MarkPhase                 // an epoch, an evaluation, a checkpoint
	MarkOOM                   // out of memory
)

// Mark is a moment with a name. The text may come from outside.
type Mark struct {
	Time time.Time
	Kind MarkKind
	Text string
}

// Window is a stretch of time that something holds in, such as a finding. The
// text may come from outside.
type Window struct {
	From, To time.Time
	Active   bool // it still holds at the newest sample
	Role     theme.Role
	Text     string
}

// Subject is what a chart shows: a process on a device, or with the zero
// Process the device as a whole.
type Subject struct {
	GPU     string // monitor.GPU.ID()
	Process monitor.ProcessKey
}

// Series is where columns come from: a *history.Store or a history.Window.
type Series interface {
	Columns(key history.Key, from, to time.Time, n int) []history.Bucket
}

// Read returns the layers and peaks of a subject over what the model looks at.
// The rest of Data (total, sources, marks, windows) is for the caller to add.
func Read(s Series, subject Subject, m Model, b Bounds) Data {
	d := Data{Now: b.Last}
	d.From, d.To = m.Range(b)
	n := max(b.Columns, 1)
	// Columns counts its end in, and what lies on it belongs to the next column.
	to := d.To.Add(-1)
	column := func(metric history.Metric) []history.Bucket {
		return s.Columns(history.Key{Metric: metric, GPU: subject.GPU, Process: subject.Process}, d.From, to, n)
	}
	d.Used, d.Reserved, d.Allocated = column(history.Used), column(history.Reserved), column(history.Allocated)
	d.PeakAllocated, d.PeakReserved = column(history.PeakAllocated), column(history.PeakReserved)
	if subject.Process != (monitor.ProcessKey{}) {
		d.Outside = "non-torch"
	}
	return d
}

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

// columns returns how many columns the data have.
func (d *Data) columns() int {
	return max(len(d.Used), len(d.Reserved), len(d.Allocated))
}

// figure is one layer in one column, in bytes.
type figure struct {
	low, high, last float64
	known           bool
}

// figureAt returns a series in a column. What no memory can be is unknown.
func figureAt(series []history.Bucket, column int) figure {
	if column < 0 || column >= len(series) {
		return figure{}
	}
	b := &series[column]
	if b.Count <= 0 || !sane(b.Min) || !sane(b.Max) || !sane(b.Last) || b.Min > b.Max {
		return figure{}
	}
	return figure{low: b.Min, high: b.Max, last: b.Last, known: true}
}

// sane tells whether a number can be an amount of memory.
func sane(v float64) bool { return v >= 0 && v <= math.MaxInt64 } // false for NaN

// total returns the size of the memory in bytes, 0 when it is not known.
func (d *Data) total() float64 {
	if v, ok := d.Total.Get(); ok && v > 0 {
		return float64(v)
	}
	return 0
}

// columnOf returns the column that a time falls into; false outside the plot.
func (d *Data) columnOf(t time.Time, columns int) (int, bool) {
	if t.Before(d.From) || !t.Before(d.To) || columns <= 0 {
		return 0, false
	}
	return min(int(float64(t.Sub(d.From))/float64(d.To.Sub(d.From))*float64(columns)), columns-1), true
}

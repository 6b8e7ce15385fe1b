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

	cursor   time.Time // when the model's cursor stood there
	atCursor figures   // what the history has for that very time
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

// Read returns the layers and peaks of a subject over what the model looks at,
// and what they were at its cursor.
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
	if !m.Cursor.IsZero() {
		d.cursor, d.atCursor = m.Cursor, readFigures(s, subject, m.Cursor)
	}
	if subject.Process != (monitor.ProcessKey{}) {
		d.Outside = "non-torch"
	}
	return d
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

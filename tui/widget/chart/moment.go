package chart

import (
	"math"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Value is one layer at a moment. Low and High are what it did in the stretch
// of time that the moment stands for; they equal Bytes for a single sample.
type Value struct {
	Bytes     monitor.Reading[int64]
	Low, High int64
	Source    string // where it was read; empty when the value or that is not known
}

// Moment is what the cursor stands on.
type Moment struct {
	Time                      time.Time
	Used, Reserved, Allocated Value
	Total                     monitor.Reading[int64]
	PeakAllocated             monitor.Reading[int64] // as the job counts it
	Outside                   string                 // as in Data
}

// figures are the layers at a moment.
type figures struct{ used, reserved, allocated, peak figure }

// moment gives figures the sources, total and name of the gap of the data.
func (d *Data) moment(t time.Time, f figures) Moment {
	return Moment{
		Time: t, Total: d.Total, Outside: d.Outside,
		Used:      valueOf(f.used, d.Sources.Used),
		Reserved:  valueOf(f.reserved, d.Sources.Reserved),
		Allocated: valueOf(f.allocated, d.Sources.Allocated),

		PeakAllocated: valueOf(f.peak, "").Bytes,
	}
}

// Values returns what the data hold at a time: the column that it falls into.
// For the figures of the very sample, ask ReadMoment.
func (d *Data) Values(t time.Time) Moment {
	column, ok := d.columnOf(t, d.columns())
	if !ok {
		column = -1
	}
	return d.moment(t, figures{figureAt(d.Used, column), figureAt(d.Reserved, column),
		figureAt(d.Allocated, column), figureAt(d.PeakAllocated, column)})
}

// ReadMoment returns what a history has for the very time: the sample that held
// then, or of older times the bucket with its lowest and highest value. Sources,
// total and name of the gap are those of the data.
func ReadMoment(s Series, subject Subject, t time.Time, d *Data) Moment {
	return d.moment(t, readFigures(s, subject, t))
}

func readFigures(s Series, subject Subject, t time.Time) figures {
	read := func(metric history.Metric) figure {
		key := history.Key{Metric: metric, GPU: subject.GPU, Process: subject.Process}
		return figureAt(s.Columns(key, t, t, 1), 0)
	}
	return figures{read(history.Used), read(history.Reserved), read(history.Allocated), read(history.PeakAllocated)}
}

func valueOf(f figure, source string) Value {
	if !f.known {
		return Value{Bytes: monitor.Unknown[int64](monitor.NotRead, "nothing was read at this time")}
	}
	return Value{Bytes: monitor.Known(whole(f.last)), Low: whole(f.low), High: whole(f.high), Source: source}
}

// whole returns bytes as an integer.
func whole(v float64) int64 {
	if v >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(v)
}

// Cache is reserved minus allocated.
func (m *Moment) Cache() monitor.Reading[int64] {
	return monitor.Minus(m.Reserved.Bytes, m.Allocated.Bytes)
}

// Rest is used minus reserved: what is outside PyTorch's allocator.
func (m *Moment) Rest() monitor.Reading[int64] {
	return monitor.Minus(m.Used.Bytes, m.Reserved.Bytes)
}

// Empty tells whether nothing is known of the moment.
func (m *Moment) Empty() bool {
	return !m.Used.Bytes.Known() && !m.Reserved.Bytes.Known() && !m.Allocated.Bytes.Known()
}

// outside returns the name of the gap beyond reserved.
func (m *Moment) outside() string {
	if m.Outside == "" {
		return "other"
	}
	return m.Outside
}

// Lines returns the moment as five lines of at most width columns: the three
// layers with their sources, from the widest to the narrowest, and the gaps
// between them.
func (m *Moment) Lines(th *theme.Theme, width int) []string {
	rows := []struct {
		role  theme.Role
		name  string
		value Value
	}{
		{theme.Used, "used", m.Used},
		{theme.Dim, m.outside(), Value{Bytes: m.Rest()}},
		{theme.Reserved, "reserved", m.Reserved},
		{theme.Dim, "cache", Value{Bytes: m.Cache()}},
		{theme.Allocated, "allocated", m.Allocated},
	}
	lines := make([]string, 0, len(rows))
	for _, r := range rows {
		l := line.New(width, th)
		l.Add(th.Style(r.role), th.Outside(r.name))
		l.Pad(nameWidth)
		l.Add(theme.Style{}, gibOr(r.value.Bytes, th)+" GiB")
		if r.value.Source != "" {
			l.Add(th.Style(theme.Dim), "  "+th.Outside(r.value.Source))
		}
		l.Add(th.Style(theme.Dim), rangeText(r.value))
		lines = append(lines, l.String())
	}
	return lines
}

// nameWidth is the width of the longest name of a layer and a space.
const nameWidth = 10

// Line returns the moment in one line of at most width columns.
func (m *Moment) Line(th *theme.Theme, width int) string {
	l := line.New(width, th)
	l.Add(th.Style(theme.Strong), clockText(m.Time, time.Second))
	sep := "  "
	add := func(role theme.Role, name string, v Value) {
		l.Add(th.Style(theme.Dim), sep)
		l.Add(th.Style(role), th.Outside(name))
		l.Add(theme.Style{}, " "+strings.TrimSpace(gibOr(v.Bytes, th)))
		if v.Source != "" {
			l.Add(th.Style(theme.Dim), " "+th.Outside(v.Source))
		}
		l.Add(th.Style(theme.Dim), rangeText(v))
		sep = " " + th.Glyphs.Dot + " "
	}
	add(theme.Used, "used", m.Used)
	add(theme.Reserved, "reserved", m.Reserved)
	add(theme.Allocated, "allocated", m.Allocated)
	add(theme.Dim, "cache", Value{Bytes: m.Cache()})
	add(theme.Dim, m.outside(), Value{Bytes: m.Rest()})
	l.Add(th.Style(theme.Dim), "  GiB")
	return l.String()
}

// rangeText tells what a value did where it was not one figure.
func rangeText(v Value) string {
	if !v.Bytes.Known() {
		return ""
	}
	low, high := strings.TrimSpace(text.GiB(v.Low)), strings.TrimSpace(text.GiB(v.High))
	if low == high {
		return ""
	}
	return " (" + low + " to " + high + ")"
}

// gibOr returns a reading in GiB in text.GiBWidth columns.
func gibOr(r monitor.Reading[int64], th *theme.Theme) string {
	if v, ok := r.Get(); ok {
		return text.GiB(v)
	}
	return strings.Repeat(" ", text.GiBWidth-1) + th.Glyphs.Unknown
}

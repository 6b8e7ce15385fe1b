package chart

import (
	"math"
	"time"
)

// All is the span that covers the whole history.
const All = time.Duration(math.MaxInt64)

// DefaultSpan is the span of the zero Model.
const DefaultSpan = 5 * time.Minute

// spans are the steps of zooming. All lies beyond the last.
var spans = [...]time.Duration{
	30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute,
	time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// Spans returns the spans that ZoomIn and ZoomOut step through, shortest first,
// without All.
func Spans() []time.Duration { return append([]time.Duration(nil), spans[:]...) }

// allSpans are the lengths that All takes, up to a day: few, so that the scale
// changes seldom while the history grows, and close enough to be mostly full.
var allSpans = [...]time.Duration{
	10 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second, 45 * time.Second,
	time.Minute, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute, 7 * time.Minute,
	10 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute, 45 * time.Minute,
	time.Hour, 90 * time.Minute, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour,
	12 * time.Hour, 16 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Model is what a user looks at: which stretch of time, and where the cursors
// are. The zero Model follows the newest sample over DefaultSpan. Methods
// return the changed Model and change nothing else.
type Model struct {
	Span   time.Duration // 0 is DefaultSpan; All is everything there is
	End    time.Time     // right edge; zero follows the newest sample
	Cursor time.Time     // zero when there is none
	Anchor time.Time     // the other cursor, to take a difference from; zero when there is none
	Clock  bool          // times of day under the axis even where times before now would do
	Fit    bool          // scale to what is shown instead of to the total
}

// Bounds is what there is to look at, and how finely it can be shown.
type Bounds struct {
	First, Last time.Time // oldest and newest moment of the history
	Columns     int       // of the plot, as Size.Columns gives them
}

// Following tells whether the right edge moves with the newest sample.
func (m Model) Following() bool { return m.End.IsZero() }

// Range returns the times of the left and right edge. The width of a column
// and the edges depend on the span alone, and the edges lie on whole columns,
// so that a chart that follows moves in whole columns and does not shimmer.
func (m Model) Range(b Bounds) (from, to time.Time) {
	step := m.Step(b)
	end := m.End
	if end.IsZero() {
		end = b.Last
	}
	to = end.Truncate(step)
	if to.Before(end) || m.End.IsZero() {
		to = to.Add(step)
	}
	return to.Add(-step * time.Duration(max(b.Columns, 1))), to
}

// Step returns the time that one column covers, at least a millisecond.
func (m Model) Step(b Bounds) time.Duration {
	return max(m.span(b)/time.Duration(max(b.Columns, 1)), time.Millisecond)
}

// span returns the stretch of time that is shown.
func (m Model) span(b Bounds) time.Duration {
	switch {
	case m.Span == 0:
		return DefaultSpan
	case m.Span != All:
		return max(m.Span, time.Second)
	}
	need := b.Last.Sub(b.First)
	for _, s := range allSpans {
		// The newest column may be all but empty.
		if need <= s-s/time.Duration(max(b.Columns, 1)) {
			return s
		}
	}
	// Beyond a day in steps of half a day, at most a century.
	need += need / time.Duration(max(b.Columns-1, 1))
	return (min(max(need, 0)/(12*time.Hour), 2*36500) + 1) * 12 * time.Hour
}

// ZoomIn shows half as much or less, down to 30 seconds. The cursor keeps its
// place on the screen as far as that can be; without one the right edge stays.
func (m Model) ZoomIn(b Bounds) Model {
	now := m.span(b)
	for i := len(spans) - 1; i >= 0; i-- {
		if spans[i] < now {
			return m.SetSpan(spans[i], b)
		}
	}
	return m
}

// ZoomOut shows twice as much or more, up to a day, and everything where that
// is more.
func (m Model) ZoomOut(b Bounds) Model {
	if m.Span == All {
		return m
	}
	now := m.span(b)
	for _, s := range spans {
		if s > now {
			return m.SetSpan(s, b)
		}
	}
	if b.Last.Sub(b.First) > now {
		return m.SetSpan(All, b)
	}
	return m
}

// SetSpan shows that much time around the cursor, or up to the right edge.
func (m Model) SetSpan(span time.Duration, b Bounds) Model {
	from, to := m.Range(b)
	at := m.Cursor
	m.Span = span
	if m.Following() && (at.IsZero() || span == All) {
		return m
	}
	if at.IsZero() || at.Before(from) || at.After(to) || span == All {
		return m.endAt(to, b)
	}
	// The share of the plot right of the cursor stays.
	right := float64(to.Sub(at)) / float64(max(to.Sub(from), 1))
	return m.endAt(at.Add(time.Duration(right*float64(m.span(b)))), b).CursorTo(at, b)
}

// Pan moves the view by so many columns, to the past when negative. It stops
// where the history does; at its newest end the chart follows again.
func (m Model) Pan(columns int, b Bounds) Model {
	_, to := m.Range(b)
	return m.endAt(to.Add(m.shift(columns, b)), b)
}

// shift returns the time of so many columns, at most a century.
func (m Model) shift(columns int, b Bounds) time.Duration {
	const century = 36500 * 24 * time.Hour
	far := float64(columns) * float64(m.Step(b))
	return time.Duration(max(-float64(century), min(far, float64(century))))
}

// endAt puts the right edge there, within the history. At the newest end the
// view follows, unless a cursor holds it.
func (m Model) endAt(to time.Time, b Bounds) Model {
	step := m.Step(b)
	earliest := b.First.Truncate(step).Add(step * time.Duration(max(b.Columns, 1)))
	if to.Before(earliest) {
		to = earliest
	}
	m.End = to
	if to.Before(b.Last) {
		return m
	}
	m.End = time.Time{}
	if !m.Cursor.IsZero() {
		_, m.End = m.Range(b)
	}
	return m
}

// Follow goes back to the newest sample and takes the cursor away; the anchor
// stays.
func (m Model) Follow() Model {
	m.End, m.Cursor = time.Time{}, time.Time{}
	return m
}

// CursorTo puts the cursor at a time, within the history, and moves the view to
// show it. The view stops following while a cursor is set, so that what the
// cursor stands on stays on screen.
func (m Model) CursorTo(t time.Time, b Bounds) Model {
	if t.Before(b.First) {
		t = b.First
	}
	if t.After(b.Last) {
		t = b.Last
	}
	from, to := m.Range(b)
	m.Cursor = t
	switch {
	case t.Before(from):
		to = t.Add(to.Sub(from)).Truncate(m.Step(b))
	case !t.Before(to):
		to = t.Truncate(m.Step(b)).Add(m.Step(b))
	}
	m.End = to
	return m
}

package chart

import (
	"math/rand/v2"
	"testing"
	"time"
)

// day is a history of a day and a bit.
func day() Bounds {
	return Bounds{First: began(), Last: began().Add(26*time.Hour + 7*time.Second), Columns: 113}
}

func TestTheZeroModelFollowsTheNewestSample(t *testing.T) {
	b := day()
	from, to := Model{}.Range(b)
	if !to.After(b.Last) || to.Sub(b.Last) > (Model{}).Step(b) {
		t.Errorf("the right edge %v does not lie just after the newest sample %v", to, b.Last)
	}
	if got := to.Sub(from); got > DefaultSpan || got < DefaultSpan-time.Millisecond {
		t.Errorf("it shows %v", got)
	}
}

func TestAViewThatFollowsMovesInWholeColumns(t *testing.T) {
	b := day()
	m := Model{Span: 30 * time.Second}
	from, _ := m.Range(b)
	for range 500 {
		b.Last = b.Last.Add(100 * time.Millisecond)
		next, _ := m.Range(b)
		if moved := next.Sub(from); moved%m.Step(b) != 0 {
			t.Fatalf("the view moved by %v, columns are %v", moved, m.Step(b))
		}
		from = next
	}
}

func TestZoomGoesFromHalfAMinuteToEverythingAndBack(t *testing.T) {
	b := day()
	m := Model{}
	for range 30 {
		m = m.ZoomIn(b)
	}
	if m.Span != 30*time.Second {
		t.Errorf("zoomed in to %v", m.Span)
	}
	for range 30 {
		m = m.ZoomOut(b)
	}
	if m.Span != All {
		t.Errorf("zoomed out to %v", m.Span)
	}
	if m = m.ZoomIn(b); m.Span != 24*time.Hour {
		t.Errorf("back from everything to %v", m.Span)
	}
	b.Last = b.First.Add(time.Minute)
	if m = m.ZoomOut(b); m.Span != 24*time.Hour {
		t.Errorf("a day is not enough for a minute: %v", m.Span)
	}
}

func TestEverythingIsShownWhateverTheLength(t *testing.T) {
	for _, length := range []time.Duration{0, time.Second, 29 * time.Second, 30 * time.Second, 299 * time.Second, 300 * time.Second,
		24*time.Hour - 1, 24 * time.Hour, 25 * time.Hour, 40 * 24 * time.Hour} {
		for _, columns := range []int{2, 13, 113, 300} {
			b := Bounds{First: began(), Last: began().Add(length), Columns: columns}
			from, to := Model{Span: All}.Range(b)
			if from.After(b.First) || !to.After(b.Last) {
				t.Errorf("%v in %d columns shows from %v to %v", length, columns, from.Sub(b.First), to.Sub(b.Last))
			}
		}
	}
}

func TestZoomKeepsTheCursorWhereItIsOnScreen(t *testing.T) {
	b := day()
	share := func(m Model) float64 {
		from, to := m.Range(b)
		return float64(m.Cursor.Sub(from)) / float64(to.Sub(from))
	}
	m := Model{Span: time.Hour}.CursorTo(b.Last.Add(-5*time.Hour), b).Pan(-40, b)
	m = m.CursorTo(m.Cursor, b)
	before := share(m)
	for range 3 {
		m = m.ZoomIn(b)
		if got := share(m); got < before-0.02 || got > before+0.02 {
			t.Errorf("over %v the cursor is at %.3f, it was at %.3f", m.Span, got, before)
		}
	}
}

func TestPanStopsAtBothEnds(t *testing.T) {
	b := day()
	m := Model{Span: time.Hour}
	m = m.Pan(-1_000_000_000, b)
	if from, _ := m.Range(b); from.Before(b.First.Add(-m.Step(b))) || from.After(b.First.Add(m.Step(b))) {
		t.Errorf("the start of the history is at %v from the left edge", b.First.Sub(from))
	}
	if m.Following() {
		t.Error("a view of the past follows the newest sample")
	}
	if m = m.Pan(1_000_000_000, b); !m.Following() {
		t.Error("at the newest end the view does not follow again")
	}
	if s := m.Pan(-1_000_000_000, b); s != m.Pan(-2_000_000_000, b) {
		t.Errorf("the start is %+v", s)
	}
}

func TestPanAndBackIsWhereItWas(t *testing.T) {
	b := day()
	m := Model{Span: time.Hour}.Pan(-200, b)
	if back := m.Pan(-7, b).Pan(7, b); back != m {
		t.Errorf("%v became %v", m.End, back.End)
	}
}

func TestTheCursorIsAlwaysInTheHistoryAndInView(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		b := Bounds{First: began(), Last: began().Add(time.Duration(r.Int64N(int64(30 * time.Hour)))), Columns: 1 + r.IntN(250)}
		m := Model{}.CursorTo(b.Last, b)
		for range 60 {
			switch r.IntN(6) {
			case 0:
				m = m.ZoomIn(b)
			case 1:
				m = m.ZoomOut(b)
			case 2:
				m = m.CursorTo(began().Add(time.Duration(r.Int64N(int64(40*time.Hour)))-5*time.Hour), b)
			case 3:
				m = m.Follow().CursorTo(b.Last.Add(-time.Second), b)
			default:
				m = m.Pan(r.IntN(600)-300, b).CursorTo(m.Cursor, b)
			}
			from, to := m.Range(b)
			if m.Cursor.Before(b.First) || m.Cursor.After(b.Last) {
				t.Fatalf("cursor %v lies outside the history", m.Cursor)
			}
			if m.Cursor.Before(from) || !m.Cursor.Before(to) {
				t.Fatalf("cursor %v is not between %v and %v (%+v)", m.Cursor, from, to, m)
			}
		}
	}
}

func TestACursorHoldsTheViewAndLettingGoFollowsAgain(t *testing.T) {
	b := day()
	m := Model{Anchor: b.First}.CursorTo(b.Last.Add(-time.Minute), b)
	from, _ := m.Range(b)
	later := b
	later.Last = later.Last.Add(time.Minute)
	if now, _ := m.Range(later); now != from {
		t.Errorf("the view moved by %v under the cursor", now.Sub(from))
	}
	if m = m.Follow(); !m.Following() || !m.Cursor.IsZero() || m.Anchor != b.First {
		t.Errorf("without the cursor: %+v", m)
	}
}

func TestAnEmptyHistoryIsNoTrouble(t *testing.T) {
	b := Bounds{}
	m := Model{}.ZoomIn(b).ZoomOut(b).Pan(-5, b).CursorTo(time.Time{}, b).SetSpan(All, b).Follow()
	if from, to := m.Range(b); !to.After(from) {
		t.Errorf("%v to %v", from, to)
	}
}

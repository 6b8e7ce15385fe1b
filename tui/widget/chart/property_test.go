package chart

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/theme"
)

// hostile are figures and texts that nobody means well with.
var (
	hostileFigures = []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, -math.MaxFloat64, math.MaxFloat64,
		math.MaxInt64, math.SmallestNonzeroFloat64, 0, 1, 1 << 30, 200 << 30}
	hostileTexts = []string{"", "eval", "\x1b[31mred\x1b[0m", "a\nb\tc\rd", "漢字の長い名前がここに", "e\u0301\u0301\u0301\u0301",
		"\u202eright to left", "\x00\x07\x9b31m", strings.Repeat("long ", 60), "\xff\xfe", "👩‍👩‍👧 family"}
)

func randomSeries(r *rand.Rand, n int) []bucket {
	switch r.IntN(8) {
	case 0:
		return nil
	case 1:
		return make([]bucket, n) // nothing but gaps
	case 2:
		n = r.IntN(2*n + 2) // not as many as asked for
	}
	out := make([]bucket, n)
	level := r.Float64() * 180 * gib
	for i := range out {
		if r.IntN(5) == 0 {
			continue
		}
		pick := func() float64 {
			if r.IntN(12) == 0 {
				return hostileFigures[r.IntN(len(hostileFigures))]
			}
			return level * (0.5 + r.Float64())
		}
		out[i] = bucket{Min: pick(), Max: pick(), Last: pick(), Count: r.IntN(3)}
		if r.IntN(3) > 0 {
			v := pick()
			out[i] = bucket{Min: v, Max: v, Last: v, Count: 1}
		}
	}
	return out
}

func randomData(r *rand.Rand, n int) (Data, Model) {
	span := []time.Duration{0, time.Nanosecond, 30 * time.Second, 5 * time.Minute, 24 * time.Hour, 400 * 24 * time.Hour, -time.Minute}[r.IntN(7)]
	d := Data{From: began(), To: began().Add(span)}
	moment := func() time.Time {
		switch r.IntN(8) {
		case 0:
			return time.Time{}
		case 1:
			return began().Add(-200 * 365 * 24 * time.Hour)
		}
		return began().Add(time.Duration((r.Float64()*1.4 - 0.2) * float64(max(span, time.Minute))))
	}
	for _, s := range d.all() {
		*s = randomSeries(r, n)
	}
	d.Total = []monitor.Reading[int64]{monitor.Unknown[int64](monitor.Failed, ""), monitor.Known[int64](h200),
		monitor.Known[int64](math.MaxInt64), monitor.Known[int64](1), monitor.Known[int64](0), monitor.Known[int64](-5)}[r.IntN(6)]
	text := func() string { return hostileTexts[r.IntN(len(hostileTexts))] }
	d.Sources, d.Outside = Sources{text(), text(), text()}, text()
	for range r.IntN(12) {
		d.Marks = append(d.Marks, Mark{moment(), MarkKind(r.IntN(5)), text()})
		d.Windows = append(d.Windows, Window{moment(), moment(), r.IntN(2) == 0, theme.Role(r.IntN(20)), text()})
	}
	d.Now = moment()
	return d, Model{Cursor: moment(), Anchor: moment(), Clock: r.IntN(2) == 0, Fit: r.IntN(2) == 0}
}

func TestNoLineIsWiderThanAskedWhateverTheData(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for range 4000 {
		size := Size{Width: 1 + r.IntN(300), Height: 1 + r.IntN(60), Bare: r.IntN(4) == 0}
		if r.IntN(3) == 0 {
			size.Width, size.Height = 1+r.IntN(70), 1+r.IntN(14)
		}
		d, m := randomData(r, size.Columns())
		ascii := r.IntN(2) == 0
		th := themed(t, theme.Names()[r.IntN(len(theme.Names()))], ascii)
		lines := m.Render(&d, size, th)
		if len(lines) != size.Height {
			t.Fatalf("%d lines for %+v", len(lines), size)
		}
		at := d.Values(m.Cursor)
		diff := Diff(at, d.Values(m.Anchor))
		lines = append(lines, at.Line(th, size.Width), diff.Line(th, size.Width))
		lines = append(lines, at.Lines(th, size.Width)...)
		for i, l := range lines {
			if w := ansi.StringWidth(l); w > size.Width {
				t.Fatalf("line %d is %d wide in %+v: %q", i, w, size, l)
			}
			text := ansi.Strip(l)
			if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || ascii && r > '~' }) {
				t.Fatalf("line %d has a character that must not be drawn: %q", i, text)
			}
		}
	}
}

func TestNothingIsDrawnWithoutRoom(t *testing.T) {
	d := stories()[0].data(Size{Width: 80, Height: 20})
	for _, size := range []Size{{0, 10, false}, {10, 0, false}, {-1, -1, false}} {
		if lines := (Model{}).Render(&d, size, themed(t, theme.Mono, false)); lines != nil {
			t.Errorf("%+v gives %q", size, lines)
		}
	}
}

// at returns what stands in a column and row of the plot.
func at(t *testing.T, lines []string, size Size, column, row int) string {
	t.Helper()
	line := []rune(ansi.Strip(lines[row]))
	x := size.Layout().PlotX + column
	if x >= len(line) {
		return " "
	}
	return string(line[x])
}

func even(n int, gibs float64) []bucket {
	out := make([]bucket, n)
	for i := range out {
		out[i] = bucket{Min: gibs * gib, Max: gibs * gib, Last: gibs * gib, Count: 1}
	}
	return out
}

// still is a chart of constant layers on a card of 100 GiB over 20 rows.
func still(used, reserved, allocated float64) (Data, Size) {
	size := Size{Width: 60, Height: 24}
	n := size.Columns()
	return Data{From: began(), To: began().Add(time.Duration(n) * time.Second), Total: monitor.Known(int64(100 * gib)),
		Used: even(n, used), Reserved: even(n, reserved), Allocated: even(n, allocated)}, size
}

func TestAGapStaysEmptyWhateverStandsAroundIt(t *testing.T) {
	d, size := still(80, 60, 40)
	d.Total = monitor.Reading[int64]{}
	for _, s := range d.all() {
		if len(*s) > 0 {
			(*s)[20] = bucket{}
		}
	}
	d.Allocated[30].Last = math.NaN()
	d.Reserved[30].Max = math.Inf(1)
	d.Used[30].Min = -1
	lines := Model{}.Render(&d, size, themed(t, theme.Mono, false))
	for row := range size.Layout().Rows {
		for _, column := range []int{20, 30} {
			if got := at(t, lines, size, column, row); got != " " {
				t.Errorf("row %d of the gap in column %d shows %q", row, column, got)
			}
		}
	}
	if got := at(t, lines, size, 20, size.Layout().Rows); got != "╌" {
		t.Errorf("the axis shows %q at a gap", got)
	}
}

func TestAShortPeakIsVisibleAtAnyZoom(t *testing.T) {
	st := history.New(history.Config{Interval: time.Second})
	const peakAt = 3000
	for i := range 6000 {
		used := 20 * gib
		if i == peakAt {
			used = 120 * gib
		}
		st.Append(monitor.Sample{Seq: uint64(i), Time: began().Add(time.Duration(i) * time.Second), GPUs: []monitor.GPU{{
			State: monitor.StateOK, UUID: monitor.Known("GPU-a"),
			Memory: monitor.DeviceMemory{UsedBytes: monitor.Known(int64(used))}}}})
	}
	first, last := st.Span()
	for _, span := range append(Spans(), All) {
		for _, width := range []int{20, 37, 80, 200} {
			size := Size{Width: width, Height: 20}
			b := Bounds{first, last, size.Columns()}
			m := Model{}.SetSpan(span, b).CursorTo(began().Add(peakAt*time.Second), b)
			m.Cursor = time.Time{} // it would hide what it stands on
			d := Read(st, Subject{GPU: "GPU-a"}, m, b)
			d.Total = monitor.Known[int64](h200)
			lines := m.Render(&d, size, themed(t, theme.Mono, false))
			if !strings.ContainsAny(ansi.Strip(lines[2]+lines[3]), "▁▂▃▄▅▆▇█┊") {
				t.Errorf("no peak over %v in %d columns:\n%s", span, width, plainText(lines))
			}
		}
	}
}

package chart

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/theme"
)

func after(d time.Duration) time.Time { return began().Add(d) }

func TestLogFiguresAreStepsAndNothingInBetween(t *testing.T) {
	known := monitor.Known[int64]
	points := []Point{
		{after(2 * time.Second), known(10)},
		{after(5 * time.Second), known(30)},
		{after(5500 * time.Millisecond), known(20)},
		{after(8 * time.Second), monitor.Unknown[int64](monitor.NotAvailable, "not printed")},
		{after(9 * time.Second), known(40)},
	}
	var got []float64
	for _, b := range Steps(points, began(), after(12*time.Second), after(10*time.Second), 12) {
		if b.Count == 0 {
			b.Max = -1
		}
		got = append(got, b.Max)
	}
	want := []float64{-1, -1, 10, 10, 10, 30, 20, 20, -1, 40, 40, -1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the steps differ (-want +got):\n%s", diff)
	}
}

func TestAStepBetweenColumnsKeepsBothValues(t *testing.T) {
	points := []Point{{after(-time.Hour), monitor.Known[int64](5)}, {after(1500 * time.Millisecond), monitor.Known[int64](50)}}
	b := Steps(points, began(), after(3*time.Second), after(time.Hour), 3)[1]
	if b.Min != 5 || b.Max != 50 || b.Last != 50 {
		t.Errorf("%+v", b)
	}
}

func TestTheCursorReadsTheVerySample(t *testing.T) {
	s := stories()[1] // the sawtooth
	size := Size{Width: 60, Height: 20}
	st, d := s.store(), s.data(size)
	m := ReadMoment(st, Subject{GPU: "GPU-a"}, after(150*time.Second+300*time.Millisecond), &d)
	if got := m.Allocated.Bytes.Or(0); got != int64(118*gib) {
		t.Errorf("allocated at the peak is %.1f GiB", float64(got)/gib)
	}
	if m.Used.Source != "nvml" || m.Allocated.Source != "attach" {
		t.Errorf("sources %q and %q", m.Used.Source, m.Allocated.Source)
	}
	column := d.Values(after(150 * time.Second))
	if column.Allocated.High != int64(118*gib) || column.Allocated.Low >= column.Allocated.High {
		t.Errorf("the column goes from %d to %d", column.Allocated.Low, column.Allocated.High)
	}
	th := themed(t, theme.Mono, false)
	want := "14:02:30  used 121.0 nvml · reserved 120.0 attach · allocated 118.0 attach · cache 2.0 · other 1.0  GiB"
	if got := ansi.Strip(m.Line(th, 120)); got != want {
		t.Errorf("%q", got)
	}
	if got := ansi.Strip(column.Lines(th, 60)[4]); !strings.Contains(got, "118.0)") {
		t.Errorf("%q does not tell the range", got)
	}
}

func TestTheLegendSaysWhatTheReadoutSays(t *testing.T) {
	s := stories()[0]
	s.model.Cursor = after(157*time.Second + 100*time.Millisecond)
	size := Size{Width: 78, Height: 20}
	d := s.data(size)
	m := ReadMoment(s.store(), Subject{GPU: "GPU-a"}, s.model.Cursor, &d)
	lines := s.model.Render(&d, size, themed(t, theme.Mono, false))
	for row, v := range map[int]monitor.Reading[int64]{2: m.Used.Bytes, 4: m.Reserved.Bytes, 6: m.Allocated.Bytes} {
		if want := gibText(float64(v.Or(0))); !strings.HasSuffix(ansi.Strip(lines[row]), want) {
			t.Errorf("the legend is %q, the readout %q", ansi.Strip(lines[row]), want)
		}
	}
}

func TestAColumnUnderTheMouseIsATime(t *testing.T) {
	d, size := still(80, 60, 40)
	for column := range size.Width {
		at, ok := size.TimeAt(&d, column)
		l := size.Layout()
		if inside := column >= l.PlotX && column < l.PlotX+l.Columns; ok != inside {
			t.Errorf("column %d is on the plot: %v", column, ok)
		}
		if back, on := d.columnOf(at, l.Columns); ok && (!on || back != column-l.PlotX) {
			t.Errorf("column %d became %d", column-l.PlotX, back)
		}
	}
}

func TestAMomentWithoutFiguresSaysNoNumbers(t *testing.T) {
	s := stories()[2] // the gap
	size := Size{Width: 60, Height: 20}
	st, d := s.store(), s.data(size)
	for _, m := range []Moment{ReadMoment(st, Subject{GPU: "GPU-a"}, after(100*time.Second), &d), d.Values(after(100 * time.Second)),
		d.Values(after(-time.Hour)), d.Values(after(time.Hour)), {}} {
		if !m.Empty() || m.Cache().Known() || m.Rest().Known() {
			t.Errorf("%v has figures", m.Time)
		}
		if l := ansi.Strip(m.Line(themed(t, theme.Mono, true), 200)); !strings.HasPrefix(l[8:], "  used - ") {
			t.Errorf("%q", l)
		}
	}
	if m := ReadMoment(st, Subject{GPU: "GPU-a"}, after(200*time.Second), &d); !m.Used.Bytes.Known() || m.Allocated.Bytes.Known() {
		t.Error("used is not known apart from what could not be read")
	}
}

func TestTheDifferenceOfTwoCursors(t *testing.T) {
	gibs := func(v float64) Value { return Value{Bytes: monitor.Known(int64(v * gib))} }
	a := Moment{Time: began(), Used: gibs(57.9), Reserved: gibs(53), Allocated: gibs(20.3)}
	b := Moment{Time: after(250 * time.Second), Used: gibs(96.1), Reserved: gibs(91.2), Allocated: gibs(18.3)}
	th := themed(t, theme.Mono, false)
	want := "used +38.2 · reserved +38.2 · allocated -2.0 GiB in 4 m 10 s"
	for _, d := range []Difference{Diff(a, b), Diff(b, a)} {
		if got := ansi.Strip(d.Line(th, 80)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	b.Reserved = Value{}
	d := Diff(a, b)
	if got := ansi.Strip(d.Line(th, 80)); !strings.Contains(got, "reserved – ·") {
		t.Errorf("%q makes up a difference", got)
	}
	if got := ansi.Strip(d.Line(th, 12)); got != "used +38.2 …" {
		t.Errorf("%q", got)
	}
}

func TestLengthsOfTimeAsPeopleSayThem(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 300 * time.Millisecond: "300 ms", 30 * time.Second: "30 s", 250 * time.Second: "4 m 10 s", time.Hour: "1 h",
		65 * time.Minute: "1 h 5 m", 51*time.Hour + time.Second: "2 d 3 h", -90 * time.Second: "-1 m 30 s",
		math.MinInt64: "-106751 d 23 h",
	} {
		if got := SpanText(d); got != want {
			t.Errorf("%d ns is %q, want %q", d, got, want)
		}
	}
}

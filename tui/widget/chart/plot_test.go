package chart

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/theme"
)

// column returns a column of the plot from below.
func column(t *testing.T, lines []string, size Size, i int) string {
	t.Helper()
	var b strings.Builder
	for row := size.Layout().Rows - 1; row >= 0; row-- {
		b.WriteString(at(t, lines, size, i, row))
	}
	return strings.TrimRight(b.String(), " ")
}

func TestTheLayersAreStackedOnOneAxis(t *testing.T) {
	for _, c := range []struct {
		name                      string
		used, reserved, allocated float64
		unicode, ascii            string
	}{
		{"all three", 80, 60, 40, "░░░░░░░▔▒▒▒▒████", "........====####"},
		{"hardly more used than reserved", 61, 60, 40, "░░░░░░░▔▒▒▒▒▂", "........====_"},
		{"equal", 60, 60, 60, "░░░░░░░░░░░█", "...........#"},
		{"read at different moments", 80, 40, 60, "░░░░░░░░░░░▔████", "............####"},
		{"nothing in use by PyTorch", 20, 0, 0, "████", "####"},
		{"more than there is", 150, 60, 40, "", ""},
	} {
		d, size := still(c.used, c.reserved, c.allocated)
		// The plot has 20 rows of 5 GiB.
		for _, ascii := range []bool{false, true} {
			want := c.unicode
			if ascii {
				want = c.ascii
			}
			lines := Model{}.Render(&d, size, themed(t, theme.Mono, ascii))
			got := strings.TrimRight(column(t, lines, size, 7), "┄- ")
			if want != "" && got != want {
				t.Errorf("%s is %q, want %q", c.name, got, want)
			}
		}
	}
}

func TestWhatIsAboveTheTotalIsNotCutOff(t *testing.T) {
	d, size := still(160, 60, 40)
	lines := Model{}.Render(&d, size, themed(t, theme.Mono, false))
	if got := column(t, lines, size, 7); got != "░░░░▔▒▒█████████████" && got != "░░░░▔▒▒▒████████████" {
		t.Errorf("the column is %q", got)
	}
	if got := ansi.Strip(lines[0]); !strings.HasPrefix(got, "160.0 ┤") {
		t.Errorf("the axis begins with %q", got)
	}
	if !strings.Contains(plainText(lines), "\n100.0 ┤") {
		t.Errorf("the total is not on the axis:\n%s", plainText(lines))
	}
}

func TestAScaleThatFitsNeverHidesAnything(t *testing.T) {
	for used, top := range map[float64]string{0.3: "  1.0", 7: "  8.0", 61: " 80.0", 99: "100.0", 130: "130.0"} {
		d, size := still(used, 0, 0)
		lines := Model{Fit: true}.Render(&d, size, themed(t, theme.Mono, false))
		if got := ansi.Strip(lines[0]); !strings.HasPrefix(got, top) {
			t.Errorf("over %v GiB the axis begins with %q, want %q", used, got, top)
		}
	}
}

func TestAPeakBetweenSamplesIsMarkedWhereItRose(t *testing.T) {
	d, size := still(80, 70, 20)
	n := size.Columns()
	d.PeakAllocated = even(n, 25)
	for i := 30; i < n; i++ {
		d.PeakAllocated[i] = even(1, 52)[0]
	}
	lines := Model{}.Render(&d, size, themed(t, theme.Mono, false))
	for i := range n {
		want := i == 30
		if got := strings.Contains(column(t, lines, size, i), "╵"); got != want {
			t.Errorf("column %d has a peak: %v", i, got)
		}
	}
	if got := column(t, lines, size, 30); !strings.HasPrefix(got, "░░░▔▒▒▒▒▒▒╵▒▒▒██ ") {
		t.Errorf("the peak stands at %q", got)
	}
}

func TestTimesNearNowCountBackAndOthersAreTimesOfDay(t *testing.T) {
	d, size := still(80, 60, 40)
	times := func(now time.Time, m Model) string {
		d.Now = now
		lines := m.Render(&d, size, themed(t, theme.Mono, true))
		return strings.Join(strings.Fields(ansi.Strip(lines[size.Layout().Rows+1])), " ")
	}
	for _, c := range []struct {
		now  time.Time
		m    Model
		want string
	}{
		{d.To, Model{}, "GiB -45 s -30 -15 now"},
		{d.To.Add(30 * time.Second), Model{}, "GiB -75 s -60 -45 -30"},
		{d.To.Add(time.Hour), Model{}, "GiB 14:00:00 14:00:15 14:00:30 14:00:45"},
		{d.To, Model{Clock: true}, "GiB 14:00:00 14:00:15 14:00:30 14:00:45"},
		{d.To, Model{Cursor: after(29 * time.Second)}, "GiB -45 s 14:00:29 -15 now"},
	} {
		if got := times(c.now, c.m); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestMomentsOnTheAxisAreRoundAndFew(t *testing.T) {
	for span, want := range map[time.Duration]time.Duration{
		30 * time.Second: 5 * time.Second, 2 * time.Minute: 15 * time.Second, 5 * time.Minute: time.Minute,
		time.Hour: 10 * time.Minute, 24 * time.Hour: 3 * time.Hour, 40 * 24 * time.Hour: 7 * 24 * time.Hour,
	} {
		if got := timeStep(span, 120); got != want {
			t.Errorf("%v has a moment every %v, want %v", span, got, want)
		}
	}
}

func TestAnOOMStandsOverItsColumnAndItsNameUnderIt(t *testing.T) {
	d, size := still(80, 60, 40)
	d.Marks = []Mark{{after(10 * time.Second), MarkPhase, "eval"}, {after(20 * time.Second), MarkOOM, ""}}
	lines := Model{}.Render(&d, size, themed(t, theme.Mono, true))
	if got := column(t, lines, size, 20); !strings.HasSuffix(got, "####!!!-") {
		t.Errorf("the column is %q", got)
	}
	rows := size.Layout().Rows
	if got := ansi.Strip(lines[rows])[size.Layout().PlotX:][10:21]; got != "^---------X" {
		t.Errorf("the axis is %q", got)
	}
	if got := strings.TrimSpace(ansi.Strip(lines[rows+2])); got != "^ eval    X OOM" {
		t.Errorf("the names are %q", got)
	}
}

func TestWindowsThatFindNoRoomAreCounted(t *testing.T) {
	d, size := still(80, 60, 40)
	for range 5 {
		d.Windows = append(d.Windows, Window{From: after(5 * time.Second), To: after(40 * time.Second), Text: "leak"})
	}
	d.Windows = append(d.Windows, Window{From: after(time.Hour), To: after(2 * time.Hour), Text: "not here"})
	lines := Model{}.Render(&d, size, themed(t, theme.Mono, true))
	want := "   +4       [- leak ---------------------------]"
	if got := ansi.Strip(lines[len(lines)-1]); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheTotalIsNoLineWhenItIsNotKnown(t *testing.T) {
	d, size := still(80, 60, 40)
	for _, total := range []monitor.Reading[int64]{{}, monitor.Known[int64](0), monitor.Known[int64](-1)} {
		d.Total = total
		if got := plainText(Model{}.Render(&d, size, themed(t, theme.Mono, false))); strings.Contains(got, "┄") {
			t.Errorf("a total of %v is drawn:\n%s", total, got)
		}
	}
}

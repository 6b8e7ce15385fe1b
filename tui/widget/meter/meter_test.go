package meter

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

func themed(tb testing.TB, ascii bool) *theme.Theme {
	tb.Helper()
	return named(tb, theme.Terminal, ascii)
}

func named(tb testing.TB, name string, ascii bool) *theme.Theme {
	tb.Helper()
	th, err := theme.New(name, ascii)
	if err != nil {
		tb.Fatal(err)
	}
	return &th
}

func TestABarEndsWhereItsValueIs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		bar   Bar
		ascii bool
		want  string
	}{
		{"empty at zero", Bar{Known: true, Total: 100}, false, "          ▏"},
		{"nothing when unknown", Bar{Value: 50, Total: 100}, false, "          ▏"},
		{"half", Bar{Value: 50, Known: true, Total: 100}, false, "█████     ▏"},
		{"eighths of a column", Bar{Value: 55, Known: true, Total: 100}, false, "█████▌    ▏"},
		{"full", Bar{Value: 100, Known: true, Total: 100}, false, "██████████▏"},
		{"more than the total", Bar{Value: 400, Known: true, Total: 100}, false, "██████████▏"},
		{"a sliver for little", Bar{Layer: theme.LayerAllocated, Value: 1, Known: true, Total: 100}, false, "▏         ▏"},
		{"no total", Bar{Value: 5, Known: true}, false, "          ▏"},
		{"another layer", Bar{Layer: theme.LayerReserved, Value: 50, Known: true, Total: 100}, false, "▆▆▆▆▆     ▏"},
		{"ASCII", Bar{Layer: theme.LayerAllocated, Value: 50, Known: true, Total: 100}, true, ".....     ]"},
		{"a peak beyond the bar", Bar{Layer: theme.LayerAllocated, Value: 20, Known: true, Total: 100, Peak: 60, HasPeak: true, PeakLabel: "6"}, false, "▄▄    ╵6  ▏"},
		{"a label before the mark when there is no room behind", Bar{Layer: theme.LayerAllocated, Value: 20, Known: true, Total: 100, Peak: 99, HasPeak: true, PeakLabel: "99 p"}, false, "▄▄   99 p╵▏"},
		{"no mark where the bar ends", Bar{Layer: theme.LayerAllocated, Value: 20, Known: true, Total: 100, Peak: 21, HasPeak: true, PeakLabel: "21"}, false, "▄▄        ▏"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			th := themed(t, tt.ascii)
			l := line.New(20, th)
			tt.bar.Draw(l, th, 11)
			if got := ansi.Strip(l.String()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOfTwoValuesTheSmallerIsNeverDrawnLonger(t *testing.T) {
	th := themed(t, false)
	for track := 2; track < 40; track++ {
		for used := int64(1); used <= 200; used += 3 {
			for reserved := int64(0); reserved <= used; reserved += 7 {
				u := line.Width(fill(&th.Glyphs, theme.LayerUsed, used, 200, track))
				r := line.Width(fill(&th.Glyphs, theme.LayerReserved, reserved, 200, track))
				if r > u {
					t.Fatalf("in %d columns %d is drawn in %d and %d in %d", track, used, u, reserved, r)
				}
			}
		}
	}
}

func TestWithoutColourANestedBarShowsEachLayerWithItsOwnGlyph(t *testing.T) {
	bar := func(layer theme.Layer, value int64, known bool) Bar {
		return Bar{Layer: layer, Value: value, Known: known, Total: 100}
	}
	for _, tt := range []struct {
		name                      string
		used, reserved, allocated Bar
		want                      string
	}{
		{"all three", bar(theme.LayerUsed, 90, true), bar(theme.LayerReserved, 60, true), bar(theme.LayerAllocated, 20, true), "▄▄▆▆▆▆███ ▏"},
		{"used alone", bar(theme.LayerUsed, 90, true), bar(theme.LayerReserved, 0, false), bar(theme.LayerAllocated, 0, false), "█████████ ▏"},
		{"a figure that contradicts", bar(theme.LayerUsed, 30, true), bar(theme.LayerReserved, 60, true), bar(theme.LayerAllocated, 20, true), "▄▄▆▆▆▆    ▏"},
		{"little", bar(theme.LayerUsed, 1, true), bar(theme.LayerReserved, 0, false), bar(theme.LayerAllocated, 0, false), "▏         ▏"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			th := named(t, theme.Mono, false)
			l := line.New(20, th)
			Nested(l, th, 11, [3]Bar{tt.used, tt.reserved, tt.allocated})
			if got := ansi.Strip(l.String()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestInColourTheLayersOfANestedBarMeetWithinAColumn(t *testing.T) {
	th := themed(t, false)
	bar := func(layer theme.Layer, value int64) Bar {
		return Bar{Layer: layer, Value: value, Known: value >= 0, Total: 100}
	}
	used, reserved, allocated := th.Style(theme.Used), th.Style(theme.Reserved), th.Style(theme.Allocated)
	for _, tt := range []struct {
		name                      string
		used, reserved, allocated int64
		want                      string
	}{
		{"all three", 95, 60, 25, allocated.Paint("██") + th.On(theme.LayerReserved, theme.Allocated).Paint("▌") + reserved.Paint("███") + used.Paint("███▌")},
		{"little allocated", 65, 64, 1, th.On(theme.LayerReserved, theme.Allocated).Paint("▏") + reserved.Paint("█████▌")},
		{"used alone", 90, -1, -1, used.Paint("█████████")},
		{"hardly anything", 1, -1, -1, used.Paint("▏")},
		{"nothing", 0, 0, 0, ""},
	} {
		l := line.New(20, th)
		Nested(l, th, 11, [3]Bar{bar(theme.LayerUsed, tt.used), bar(theme.LayerReserved, tt.reserved), bar(theme.LayerAllocated, tt.allocated)})
		if got, _, _ := strings.Cut(l.String(), th.Style(theme.Dim).Paint(th.Glyphs.Edge)); strings.TrimRight(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

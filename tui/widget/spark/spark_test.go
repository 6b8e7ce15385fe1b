package spark

import (
	"math"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

func TestASparklineShowsLevelsAndGaps(t *testing.T) {
	p := func(v float64) Point { return Point{Value: v} }
	gap := Point{Gap: true}
	for _, tt := range []struct {
		name   string
		ascii  bool
		points []Point
		top    float64
		want   string
	}{
		{"a ramp against the top", false, []Point{p(0), p(12.5), p(50), p(100)}, 100, "▁▁▄█"},
		{"a gap is empty, zero is not", false, []Point{p(0), gap, p(0), p(0)}, 100, "▁ ▁▁"},
		{"few points end at the right", false, []Point{p(100)}, 100, "   █"},
		{"too many lose the oldest", false, []Point{p(100), p(0), p(0), p(0), p(0)}, 100, "▁▁▁▁"},
		{"above the top", false, []Point{p(900), p(900), p(900), p(900)}, 100, "████"},
		{"no top", false, []Point{p(1), p(1), p(1), p(1)}, 0, "    "},
		{"no number", false, []Point{p(math.NaN()), p(-5), p(1), p(1)}, 8, " ▁▁▁"},
		{"ASCII", true, []Point{p(0), gap, p(50), p(100)}, 100, ". =#"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			th, err := theme.New(theme.Mono, tt.ascii)
			if err != nil {
				t.Fatal(err)
			}
			l := line.New(9, &th)
			Draw(l, &th, theme.Used, 4, tt.points, tt.top)
			if got := ansi.Strip(l.String()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

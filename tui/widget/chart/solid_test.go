package chart

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/tui/theme"
)

// drawn is what a column of filled cells shows, from below: for each eighth of
// a cell the layer, 0 for the terminal's own ground.
func drawn(c *canvas, x, rows int) string {
	parts := unicodeGlyphs().parts
	var b strings.Builder
	for row := rows - 1; row >= 0; row-- {
		at := c.cells[row*c.width+x]
		lower := slices.Index(parts[:], at.glyph) + 1 // 0 for a blank
		above := "."
		if at.ground > 0 {
			above = theme.Layer(at.ground - 1).Name()[:1]
		}
		layer := "?"
		for _, l := range inward() {
			if l.Role() == at.role {
				layer = l.Name()[:1]
			}
		}
		b.WriteString(strings.Repeat(layer, lower) + strings.Repeat(above, 8-lower))
	}
	return strings.TrimRight(b.String(), ".")
}

func solidColumn(rows int, figures [3]figure) string {
	c := newCanvas(1, rows)
	p := plot{c: &c, g: unicodeGlyphs(), scale: scale{top: float64(8 * rows), rows: rows}}
	p.solid(0, figures)
	return drawn(&c, 0, rows)
}

// known is a figure in eighths of a cell that did not move.
func knownFigure(eighths int) figure {
	v := float64(eighths)
	return figure{low: v, high: v, last: v, known: true}
}

func TestInColourTheLayersMeetWithinACell(t *testing.T) {
	for _, c := range []struct{ allocated, reserved, used, runs string }{
		{"3", "12", "20", "3a 9r 8u"},
		{"8", "16", "24", "8a 8r 8u"},
		{"3", "3", "3", "3a"},
		{"1", "40", "41", "1a 39r 1u"},
		{"0", "0", "20", "20u"},
		{"0", "11", "20", "11r 9u"},
		{"20", "11", "30", "20a 10u"}, // read at different moments
		{"2", "4", "16", "2a 14u"},    // three things in one cell
		{"1", "6", "16", "1a 7r 8u"},
		{"1", "5", "6", "6r"}, // and the terminal's ground above them
		{"–", "–", "12", "12u"},
		{"9", "17", "–", "9a 7r 1r"},
	} {
		var figures [3]figure
		for i, s := range []string{c.allocated, c.reserved, c.used} {
			if s != "–" {
				var n int
				if _, err := fmt.Sscan(s, &n); err != nil {
					t.Fatal(err)
				}
				figures[i] = knownFigure(n)
			}
		}
		want := ""
		for _, run := range strings.Fields(c.runs) {
			var n int
			var layer string
			if _, err := fmt.Sscanf(run, "%d%1s", &n, &layer); err != nil {
				t.Fatal(err)
			}
			want += strings.Repeat(layer, n)
		}
		if got := solidColumn(6, figures); got != want {
			t.Errorf("%s, %s, %s eighths are drawn as %q, want %q", c.allocated, c.reserved, c.used, got, want)
		}
	}
}

func TestInColourNothingIsEmptyBelowTheHighestEdgeAndNoEdgeIsOffByACell(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 5000 {
		rows := 1 + r.IntN(30)
		edges := []int{r.IntN(8*rows + 1), r.IntN(8*rows + 1), r.IntN(8*rows + 1)}
		slices.Sort(edges)
		got := solidColumn(rows, [3]figure{knownFigure(edges[0]), knownFigure(edges[1]), knownFigure(edges[2])})
		if len(got) != edges[2] || strings.Contains(got, ".") {
			t.Fatalf("%v in %d rows is %q", edges, rows, got)
		}
		begin := 0
		for i, layer := range []string{"a", "r", "u"} {
			share := edges[i] - begin
			if n := strings.Count(got, layer); n-share >= 8 || share-n >= 8 {
				t.Fatalf("%v in %d rows: %d eighths of %s, want %d: %q", edges, rows, n, layer, share, got)
			}
			begin = edges[i]
		}
	}
}

func TestAWideRangeIsStemsOverWhatIsFilled(t *testing.T) {
	c := newCanvas(1, 6)
	p := plot{c: &c, g: unicodeGlyphs(), scale: scale{top: 48, rows: 6}}
	p.solid(0, [3]figure{{low: 4, high: 30, last: 8, known: true}, knownFigure(36), knownFigure(40)})
	var got strings.Builder
	for row := 5; row >= 0; row-- {
		fmt.Fprintf(&got, "%c%d ", c.cells[row].glyph, c.cells[row].ground)
	}
	reserved, used := groundOf(theme.LayerReserved), groundOf(theme.LayerUsed)
	if want := fmt.Sprintf("▄%d ┊%d ┊%d ┊%d ▄%d \x000 ", reserved, reserved, reserved, reserved, used); got.String() != want {
		t.Errorf("the column is %q, want %q", got.String(), want)
	}
}

func TestTheCursorLeavesTheLayersBehindIt(t *testing.T) {
	d, size := still(80, 60, 40)
	m := Model{Cursor: after(0).Add(7 * 1e9)}
	lines := m.Render(&d, size, themed(t, theme.Dark, false))
	th := themed(t, theme.Dark, false)
	if want := th.On(theme.LayerReserved, theme.Strong).Paint("│"); !strings.Contains(strings.Join(lines, "\n"), want) {
		t.Errorf("no %q in\n%q", want, lines)
	}
}

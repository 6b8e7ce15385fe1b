package chart

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/stack"
)

// known is a figure in eighths of a cell that did not move.
func knownFigure(eighths int) figure {
	v := float64(eighths)
	return figure{low: v, high: v, last: v, known: true}
}

// solidColumn draws a column of six cells and tells it from below: each glyph
// and the layer whose colour is behind it.
func solidColumn(figures [3]figure) string {
	const rows = 6
	c := newCanvas(1, rows)
	p := plot{c: &c, g: solidGlyphs(), scale: scale{top: 8 * rows, rows: rows}}
	p.solid(0, figures)
	var b strings.Builder
	for row := rows - 1; row >= 0 && c.cells[row].glyph != 0; row-- {
		at := c.cells[row]
		behind := "."
		if at.ground > 0 {
			behind = theme.Layer(at.ground - 1).Name()[:1]
		}
		for _, l := range stack.Layers() {
			if l.Role() == at.role {
				fmt.Fprintf(&b, "%c%s%s ", at.glyph, l.Name()[:1], behind)
			}
		}
	}
	return strings.TrimSpace(b.String())
}

func TestInColourTheLayersMeetWithinACell(t *testing.T) {
	for _, c := range []struct {
		name    string
		figures [3]figure
		want    string
	}{
		{"each ends within a cell", [3]figure{knownFigure(3), knownFigure(12), knownFigure(20)}, "▃ar ▄ru ▄u."},
		{"nothing but the driver's figure", [3]figure{{}, {}, knownFigure(12)}, "█uu ▄u."},
		{"no figure of the driver", [3]figure{knownFigure(9), knownFigure(16), {}}, "█aa ▁ar"},
		{"a wide range is stems over what is filled", [3]figure{{low: 4, high: 30, last: 8, known: true}, knownFigure(36), knownFigure(40)}, "▄ar ┊ar ┊ar ┊ar ▄ru"},
		{"a range above everything", [3]figure{knownFigure(4), knownFigure(8), {low: 8, high: 30, last: 9, known: true}}, "▄ar ┊u. ┊u. ▆u."},
	} {
		if got := solidColumn(c.figures); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTheCursorLeavesTheLayersBehindIt(t *testing.T) {
	d, size := still(80, 60, 40)
	m := Model{Cursor: after(7 * time.Second)}
	lines := m.Render(&d, size, themed(t, theme.Dark, false))
	th := themed(t, theme.Dark, false)
	if want := th.On(theme.LayerReserved, theme.Strong).Paint("│"); !strings.Contains(strings.Join(lines, "\n"), want) {
		t.Errorf("no %q in\n%q", want, lines)
	}
}

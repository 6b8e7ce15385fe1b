// Package spark draws a series of values in one row: a column is a span of
// time, its height is the highest value in it against a fixed scale, and a span
// without values stays empty.
//
// It must not scale to the data: two sparklines on one screen are comparable.
package spark

import (
	"math"
	"strings"

	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Point is the highest value of one span of time. A gap has no value.
type Point struct {
	Value float64
	Gap   bool
}

// Draw appends exactly columns columns to l, one a point, oldest first; when
// there are fewer points, the newest end at the right edge. Values are drawn
// against top; a known zero is the lowest level, not a gap.
func Draw(l *line.Line, th *theme.Theme, role theme.Role, columns int, points []Point, top float64) {
	if extra := len(points) - columns; extra > 0 {
		points = points[extra:]
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", columns-len(points)))
	for _, p := range points {
		if n := level(p, top, len(th.Glyphs.Spark)); n > 0 {
			b.WriteString(th.Glyphs.Spark[n-1])
		} else {
			b.WriteByte(' ')
		}
	}
	l.Add(th.Style(role), b.String())
}

// level returns 0 for a gap, else 1 to levels.
func level(p Point, top float64, levels int) int {
	if p.Gap || top <= 0 || math.IsNaN(p.Value) {
		return 0
	}
	share := max(0, min(p.Value/top, 1))
	return max(1, int(math.Ceil(share*float64(levels))))
}

// Package spark draws a series of values in one row: a column is a span of
// time, its height is the highest value in it against a fixed scale, and a span
// without values stays empty.
//
// It must not scale to the data: two sparklines on one screen are comparable.
package spark

import (
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Point is the highest value of one span of time. A gap has no value.
type Point struct {
	Value float64
	Gap   bool
}

// Points returns how many points a sparkline of that many columns shows.
func Points(g *theme.Glyphs, columns int) int {
	if g.Braille {
		return 2 * columns
	}
	return columns
}

// Draw appends exactly columns columns to l. Points are oldest first; when
// there are fewer than fit, the newest end at the right edge. Values are drawn
// against top; a known zero is the lowest level, not a gap.
func Draw(l *line.Line, th *theme.Theme, role theme.Role, columns int, points []Point, top float64) {
	g := &th.Glyphs
	per := 1
	if g.Braille {
		per = 2
	}
	if extra := len(points) - per*columns; extra > 0 {
		points = points[extra:]
	}
	missing := per*columns - len(points)
	at := func(i int) Point {
		if i < missing {
			return Point{Gap: true}
		}
		return points[i-missing]
	}
	text := make([]rune, 0, columns)
	for c := range columns {
		if g.Braille {
			text = append(text, braille(level(at(2*c), top, 4), level(at(2*c+1), top, 4)))
			continue
		}
		n := level(at(c), top, len(g.Spark))
		if n == 0 {
			text = append(text, ' ')
			continue
		}
		text = append(text, []rune(g.Spark[n-1])...)
	}
	l.Add(th.Style(role), string(text))
}

// level returns 0 for a gap, else 1 to levels.
func level(p Point, top float64, levels int) int {
	if p.Gap || top <= 0 {
		return 0
	}
	n := 1 + int(p.Value/top*float64(levels)-1e-9)
	return max(1, min(n, levels))
}

// braille returns the pattern with that many dots, from the bottom, in its left
// and its right column. Dots 7, 3, 2, 1 and 8, 6, 5, 4 are bits 6, 2, 1, 0 and
// 7, 5, 4, 3 above U+2800 (Unicode, chapter 21.1).
func braille(left, right int) rune {
	leftDots := [5]rune{0, 0x40, 0x44, 0x46, 0x47}
	rightDots := [5]rune{0, 0x80, 0xa0, 0xb0, 0xb8}
	if left == 0 && right == 0 {
		return ' '
	}
	return 0x2800 + leftDots[left] + rightDots[right]
}

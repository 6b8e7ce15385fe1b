package chart

import (
	"strings"
	"unicode/utf8"

	"github.com/vramscope/vramscope/tui/theme"
)

// cell is one column of one line.
type cell struct {
	glyph rune // 0 is blank
	role  theme.Role
}

// canvas is a grid of cells, line after line from the top.
type canvas struct {
	cells         []cell
	width, height int
}

func newCanvas(width, height int) canvas {
	return canvas{cells: make([]cell, width*height), width: width, height: height}
}

// put draws one glyph; outside the grid it does nothing.
func (c *canvas) put(x, y int, role theme.Role, glyph rune) {
	if x >= 0 && x < c.width && y >= 0 && y < c.height {
		c.cells[y*c.width+x] = cell{glyph, role}
	}
}

// putBlank draws where nothing is yet.
func (c *canvas) putBlank(x, y int, role theme.Role, glyph rune) {
	if x >= 0 && x < c.width && y >= 0 && y < c.height && c.cells[y*c.width+x].glyph == 0 {
		c.cells[y*c.width+x] = cell{glyph, role}
	}
}

// text draws characters of one column each.
func (c *canvas) text(x, y int, role theme.Role, s string) {
	for _, r := range s {
		if r != ' ' {
			c.put(x, y, role, r)
		}
		x++
	}
}

// over draws characters of one column each, blanks too.
func (c *canvas) over(x, y int, role theme.Role, s string) {
	for _, r := range s {
		c.put(x, y, role, r)
		x++
	}
}

// ink is how a role opens and closes.
type ink struct{ open, close string }

// inks returns the ink of every role in use.
func inks(th *theme.Theme) (out [theme.Key + 1]ink) {
	for role := range out {
		open, end, _ := strings.Cut(th.Style(theme.Role(role)).Paint("x"), "x")
		out[role] = ink{open, end}
	}
	return out
}

// lines returns the grid as lines without blanks at their ends.
func (c *canvas) lines(th *theme.Theme) []string {
	styles := inks(th)
	buf := make([]byte, 0, 4*len(c.cells)+1)
	ends := make([]int, c.height)
	for y := range c.height {
		row := c.cells[y*c.width : (y+1)*c.width]
		for len(row) > 0 && row[len(row)-1].glyph == 0 {
			row = row[:len(row)-1]
		}
		role, painted := theme.Plain, false
		for _, at := range row {
			if at.glyph == 0 {
				at = cell{' ', role} // a blank needs no change of style
			}
			if at.role != role || !painted {
				if painted {
					buf = append(buf, styles[role].close...)
				}
				buf = append(buf, styles[at.role].open...)
				role, painted = at.role, true
			}
			buf = utf8.AppendRune(buf, at.glyph)
		}
		if painted {
			buf = append(buf, styles[role].close...)
		}
		ends[y] = len(buf)
	}
	all, start := string(buf), 0
	out := make([]string, c.height, c.height+4)
	for y, end := range ends {
		out[y], start = all[start:end], end
	}
	return out
}

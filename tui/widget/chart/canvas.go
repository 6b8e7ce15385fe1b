package chart

import (
	"strings"
	"unicode/utf8"

	"github.com/vramscope/vramscope/tui/theme"
)

// cell is one column of one line.
type cell struct {
	glyph  rune // 0 is blank
	role   theme.Role
	ground ground
}

// ground is the layer whose colour fills a cell behind its glyph, counted from
// one; 0 is the terminal's own.
type ground uint8

const grounds = 1 + ground(theme.LayerAllocated) + 1

func groundOf(l theme.Layer) ground { return ground(l) + 1 }

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
		c.cells[y*c.width+x] = cell{glyph: glyph, role: role}
	}
}

// putOn draws one glyph over what a layer fills.
func (c *canvas) putOn(x, y int, role theme.Role, glyph rune, on ground) {
	if c.put(x, y, role, glyph); on > 0 && x >= 0 && x < c.width && y >= 0 && y < c.height {
		c.cells[y*c.width+x].ground = on
	}
}

// ground returns what fills the cell behind a glyph that is put there.
func (c *canvas) ground(x, y int) ground {
	if x < 0 || x >= c.width || y < 0 || y >= c.height {
		return 0
	}
	return c.cells[y*c.width+x].ground
}

// putBlank draws where nothing is yet.
func (c *canvas) putBlank(x, y int, role theme.Role, glyph rune) {
	if x >= 0 && x < c.width && y >= 0 && y < c.height && c.cells[y*c.width+x].glyph == 0 {
		c.cells[y*c.width+x] = cell{glyph: glyph, role: role}
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

// ink is how a style opens and closes.
type ink struct{ open, close string }

// inks returns the ink of every role in use, on every ground.
func inks(th *theme.Theme) (out [grounds][theme.Key + 1]ink) {
	for on := range out {
		for role := range out[on] {
			style := th.Style(theme.Role(role))
			if on > 0 {
				style = th.On(theme.Layer(on-1), theme.Role(role))
			}
			open, end, _ := strings.Cut(style.Paint("x"), "x")
			out[on][role] = ink{open, end}
		}
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
		var last cell
		painted := false
		for _, at := range row {
			if at.glyph == 0 {
				at = cell{glyph: ' ', role: last.role} // a blank needs no change of style, only the terminal's own ground
			}
			if at.role != last.role || at.ground != last.ground || !painted {
				if painted {
					buf = append(buf, styles[last.ground][last.role].close...)
				}
				buf = append(buf, styles[at.ground][at.role].open...)
				last, painted = at, true
			}
			buf = utf8.AppendRune(buf, at.glyph)
		}
		if painted {
			buf = append(buf, styles[last.ground][last.role].close...)
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

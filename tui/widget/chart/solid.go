package chart

import (
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/stack"
)

// solid draws a column with the layers' colours, exact to an eighth of a cell
// where at most two things meet in it: filled as far as each layer went all the
// time of the column, and stems as far as it went at its highest.
func (p *plot) solid(x int, figures [3]figure) {
	var low, high [3]int
	for i, f := range figures {
		if !f.known {
			continue
		}
		low[i], high[i] = p.scale.eighths(f.low), p.scale.eighths(f.high)
		if high[i]-low[i] < rangeEighths {
			low[i] = high[i]
		}
	}
	ends := stack.EndsOf(low)
	for begin := 0; begin < ends[2]; begin += stack.Eighths {
		p.fill(x, p.scale.rows-1-begin/stack.Eighths, ends.Cell(begin))
	}
	for i := len(high) - 1; i >= 0; i-- {
		p.stems(x, stack.Layers()[i], ends[i], high[i])
	}
}

func (p *plot) fill(x, row int, c stack.Cell) {
	on := ground(0)
	switch {
	case c.Over:
		on = groundOf(c.Upper)
	case c.Part == stack.Eighths:
		on = groundOf(c.Layer) // for what is drawn over it
	}
	p.c.putOn(x, row, c.Layer.Role(), p.g.parts[c.Part-1], on)
}

// stems draws how far a layer rose within the time of a column.
func (p *plot) stems(x int, layer theme.Layer, filled, high int) {
	const whole = stack.Eighths
	for cell := (filled + whole - 1) / whole; cell*whole < high; cell++ {
		row := p.scale.rows - 1 - cell
		glyph, on := p.g.stem, p.c.ground(x, row)
		if on == 0 && high < (cell+1)*whole {
			glyph = p.g.parts[high-cell*whole-1]
		}
		p.c.putOn(x, row, layer.Role(), glyph, on)
	}
}

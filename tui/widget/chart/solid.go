package chart

import "github.com/vramscope/vramscope/tui/theme"

// stack is what a column holds: where each layer ends, in eighths of a cell,
// from the narrowest to the widest. Filled is as far as it went all the time
// of the column, high as far as it went at its highest.
type stack struct{ filled, high [3]int }

// stackOf piles up the layers of a column. A layer that is lower than the one
// inside it, which happens where they were read at different moments, has no
// part of its own.
func (s *scale) stackOf(figures [3]figure) (out stack) {
	inner := 0
	for j, f := range figures {
		high := 0
		if f.known {
			high = s.eighths(f.high)
		}
		low := s.eighths(f.low)
		if high-low < rangeEighths {
			low = high
		}
		out.filled[j], out.high[j] = max(low, inner), max(high, inner)
		inner = out.filled[j]
	}
	return out
}

// solid draws a column with the layers' colours, exact to an eighth of a cell
// where at most two things meet in it.
func (p *plot) solid(x int, figures [3]figure) {
	st := p.scale.stackOf(figures)
	for cell := 0; cell*8 < st.filled[2]; cell++ {
		p.fill(x, p.scale.rows-1-cell, st.filled, cell*8)
	}
	for j := len(st.high) - 1; j >= 0; j-- {
		p.stems(x, inward()[j], st.filled[j], st.high[j])
	}
}

// fill draws one cell that begins that many eighths above zero. A cell has two
// colours: the lower is the innermost layer in it, the upper the larger of what
// is above. Where the terminal's own ground is above, only one is left: that of
// the layer which has most of the cell.
func (p *plot) fill(x, row int, ends [3]int, begin int) {
	var parts [3]int
	filled, most, first := 0, -1, -1
	for j, end := range ends {
		parts[j] = max(0, min(end-begin, 8)-filled)
		filled += parts[j]
		if parts[j] > 0 && first < 0 {
			first = j
		}
		if parts[j] > 0 && (most < 0 || parts[j] >= parts[most]) {
			most = j
		}
	}
	if filled < 8 {
		p.c.put(x, row, inward()[most].Role(), p.g.parts[filled-1])
		return
	}
	lower, upper := inward()[first], first
	for j := first + 1; j < len(parts); j++ {
		if parts[j] > 0 && (upper == first || parts[j] >= parts[upper]) {
			upper = j
		}
	}
	p.c.putOn(x, row, lower.Role(), p.g.parts[parts[first]-1], groundOf(inward()[upper]))
}

// stems draws how far a layer rose within the time of a column.
func (p *plot) stems(x int, layer theme.Layer, filled, high int) {
	for cell := (filled + 7) / 8; cell*8 < high; cell++ {
		row := p.scale.rows - 1 - cell
		glyph, on := p.g.stem, p.c.ground(x, row)
		if on == 0 && high < cell*8+8 {
			glyph = p.g.parts[high-cell*8-1]
		}
		p.c.putOn(x, row, layer.Role(), glyph, on)
	}
}

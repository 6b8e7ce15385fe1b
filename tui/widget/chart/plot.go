package chart

import (
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/stack"
)

type bucket = history.Bucket

// rangeEighths is how far lowest and highest value of a column lie apart, in
// eighths of a cell, before the range is shown as such.
const rangeEighths = 12

// plot draws the layers into the canvas.
type plot struct {
	c     *canvas
	d     *Data
	g     glyphs
	scale scale
	x     int // first column
	n     int // columns
}

// layers draws every column: filled with the layers' colours, or shaded where
// there are none or a cell cannot be filled in part.
func (p *plot) layers() {
	series := [...][]bucket{p.d.Allocated, p.d.Reserved, p.d.Used}
	for i := range p.n {
		var figures [3]figure
		for j := range series {
			figures[j] = figureAt(series[j], i)
		}
		if p.g.solid {
			p.solid(p.x+i, figures)
		} else {
			p.shaded(i, figures)
		}
	}
}

// shaded draws a column from the narrowest layer to the widest.
func (p *plot) shaded(column int, figures [3]figure) {
	widest := 0 // cells up to the highest edge of all
	for _, f := range figures {
		widest = max(widest, (p.scale.eighths(f.high)+7)/8)
	}
	drawn := 0 // cells, from below
	for j, layer := range stack.Layers() {
		if figures[j].known {
			drawn = p.layer(column, layer, figures[j], drawn, widest)
		}
	}
}

// layer draws what one layer is beyond the cells already drawn and returns how
// many are drawn then. The cell in which a layer ends shows how far it goes;
// when two layers end in one cell, the wider one is shown.
func (p *plot) layer(column int, layer theme.Layer, f figure, drawn, widest int) int {
	high := p.scale.eighths(f.high)
	if high == 0 {
		return drawn
	}
	low := p.scale.eighths(f.low)
	if high-low < rangeEighths {
		low = high
	}
	edge, part := (high-1)/8, (high-1)%8
	if edge < drawn-1 {
		return drawn // lower than the layer inside it: read at different moments
	}
	role, x := layer.Role(), p.x+column
	for cell := drawn; cell < edge; cell++ {
		glyph := p.g.fill[layer]
		if cell >= (low+7)/8 {
			glyph = p.g.stem
		}
		p.c.put(x, p.scale.rows-1-cell, role, glyph)
	}
	glyph, ok := p.edge(layer, part, edge+1 < widest)
	if !ok {
		return max(edge, drawn)
	}
	p.c.put(x, p.scale.rows-1-edge, role, glyph)
	return edge + 1
}

// edge returns the glyph for the cell in which a layer ends: a part of a block
// where nothing is above it; a line between allocated and the layer around it;
// else the layer's own where it has more of the cell than the layer above, and
// false where it has not.
func (p *plot) edge(layer theme.Layer, part int, inside bool) (rune, bool) {
	switch {
	case !inside && p.g.parts[part] != 0:
		return p.g.parts[part], true
	case !inside:
		return p.g.fill[layer], true
	case layer == theme.LayerAllocated && p.g.lines:
		return p.g.edges[part*len(p.g.edges)/len(p.g.parts)], true
	}
	return p.g.fill[layer], part >= len(p.g.parts)/2
}

// peaks marks where the job's own peak rose above what was sampled, of a rise
// over several columns the last.
func (p *plot) peaks() {
	p.peaksOf(p.d.PeakReserved, p.d.Reserved, theme.Reserved)
	p.peaksOf(p.d.PeakAllocated, p.d.Allocated, theme.Allocated)
}

func (p *plot) peaksOf(peak, sampled []bucket, role theme.Role) {
	n := min(p.n, len(peak))
	for i := 1; i < n; i++ {
		before, f := figureAt(peak, i-1), figureAt(peak, i)
		if !before.known || !f.known || f.high <= before.last {
			continue
		}
		if i+1 < n {
			if next := figureAt(peak, i+1); next.known && next.high > f.last {
				continue // still rising
			}
		}
		row := p.scale.row(f.high)
		if s := figureAt(sampled, i); !s.known || row < p.scale.row(s.high) {
			p.c.putOn(p.x+i, row, role, p.g.peak, p.c.ground(p.x+i, row))
		}
	}
}

// totalLine draws the total where nothing covers it.
func (p *plot) totalLine() {
	if p.scale.total <= 0 || p.scale.total > p.scale.top {
		return
	}
	row := p.scale.row(p.scale.total)
	for i := range p.n {
		p.c.putBlank(p.x+i, row, theme.Dim, p.g.total)
	}
}

// falls draws a line above every OOM.
func (p *plot) falls() {
	for i := range p.d.Marks {
		m := &p.d.Marks[i]
		if m.Kind != MarkOOM {
			continue
		}
		if column, ok := p.d.columnOf(m.Time, p.n); ok {
			for row := range p.scale.rows {
				p.c.putBlank(p.x+column, row, theme.Bad, p.g.fall)
			}
		}
	}
}

// cursor draws a line over a column; where a layer ends it crosses.
func (p *plot) cursor(column int) {
	for row := range p.scale.rows {
		p.over(p.x+column, row, p.g.rule)
	}
	for _, series := range [...][]bucket{p.d.Allocated, p.d.Reserved, p.d.Used} {
		if f := figureAt(series, column); f.known && f.high > 0 {
			p.over(p.x+column, p.scale.row(f.high), p.g.cross)
		}
	}
}

// over draws a glyph of the cursor's and leaves what is filled behind it.
func (p *plot) over(x, row int, glyph rune) {
	p.c.putOn(x, row, theme.Strong, glyph, p.c.ground(x, row))
}

// yAxis draws the figures left of the plot.
func (p *plot) yAxis() {
	if p.x == 0 {
		return
	}
	for row := range p.scale.rows {
		p.c.put(p.x-1, row, theme.Dim, p.g.yAxis)
	}
	for _, t := range p.scale.ticks() {
		role := theme.Dim
		if t.total {
			role = theme.Plain
		}
		p.c.text(0, t.row, role, gibText(t.bytes))
		p.c.put(p.x-1, t.row, theme.Dim, p.g.yTick)
	}
}

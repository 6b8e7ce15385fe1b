// Package meter draws bars: one layer against the whole card, or all three
// nested in one bar.
//
// It must not know where a value comes from, nor animate: a bar shows what was
// read and nothing in between.
package meter

import (
	"strings"

	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/stack"
)

// Bar is one layer to draw. An unknown value is not drawn at all, so that it
// cannot be taken for zero.
type Bar struct {
	Layer theme.Layer
	Value int64 // bytes
	Known bool
	Total int64 // bytes at the right edge; the bar stays empty when it is 0
	// Peak is the highest value so far, in bytes, drawn as a mark when HasPeak
	// is set and it lies beyond the bar.
	Peak      int64
	HasPeak   bool
	PeakLabel string // drawn behind the mark where there is room
}

// Draw appends exactly width columns to l: the bar, its peak mark, and the edge
// that stands for the total.
func (b Bar) Draw(l *line.Line, th *theme.Theme, width int) {
	start := l.Width()
	end := start + width
	track := width - 1
	if track < 1 {
		l.Pad(end)
		return
	}
	style := th.Style(b.Layer.Role())
	if b.Known {
		l.Add(style, fill(&th.Glyphs, b.Layer, b.Value, b.Total, track))
	}
	if b.HasPeak && b.Total > 0 {
		b.drawPeak(l, th, start, track)
	}
	l.Pad(end - 1)
	l.Add(th.Style(theme.Dim), th.Glyphs.Edge)
}

func (b Bar) drawPeak(l *line.Line, th *theme.Theme, start, track int) {
	column := start + min(cells(b.Peak, b.Total, track), track-1)
	if column < l.Width() || b.Known && cells(b.Peak, b.Total, track) == cells(b.Value, b.Total, track) {
		return // where the bar ends
	}
	style := th.Style(b.Layer.Role())
	label := b.PeakLabel
	if need := line.Width(label); need > 0 && need+1 > start+track-column {
		if column-l.Width() > need {
			l.Pad(column - need)
			l.Add(th.Style(theme.Dim), label)
		}
		label = ""
	}
	l.Pad(column)
	l.Add(style, th.Glyphs.Peak)
	l.Add(th.Style(theme.Dim), label)
}

// Nested appends exactly width columns to l: allocated, then what reserved is
// beyond it, then what used is beyond that: exact to an eighth of a column where
// the layers have colours and the glyphs parts, else in whole columns, each
// layer with its own glyph. Layers that are not known are left out.
func Nested(l *line.Line, th *theme.Theme, width int, bars [3]Bar) {
	end := l.Width() + width
	track := width - 1
	switch {
	case track < 1:
		l.Pad(end)
		return
	case th.Coloured() && !th.Glyphs.ASCII:
		filled(l, th, track, bars)
	default:
		shaded(l, th, track, bars)
	}
	l.Pad(end - 1)
	l.Add(th.Style(theme.Dim), th.Glyphs.Edge)
}

// filled draws the layers with their colours, two in a column where they meet.
func filled(l *line.Line, th *theme.Theme, track int, bars [3]Bar) {
	var lengths [3]int
	for i, layer := range stack.Layers() {
		for _, b := range bars {
			if b.Layer == layer && b.Known && b.Value > 0 && b.Total > 0 {
				share := min(float64(b.Value)/float64(b.Total), 1)
				lengths[i] = max(1, int(share*float64(track*stack.Eighths))) // rounded down, as fill does
			}
		}
	}
	ends := stack.EndsOf(lengths)
	run, of := "", theme.Style{} // columns of one style
	for begin := 0; begin < ends[2]; begin += stack.Eighths {
		glyph, style := column(th, ends.Cell(begin))
		if style != of {
			l.Add(of, run)
			run, of = "", style
		}
		run += glyph
	}
	l.Add(of, run)
}

// column returns how a column of a bar looks.
func column(th *theme.Theme, c stack.Cell) (glyph string, style theme.Style) {
	glyph, style = th.Glyphs.Full[theme.LayerUsed], th.Style(c.Layer.Role())
	if c.Part < stack.Eighths {
		glyph = th.Glyphs.Part[theme.LayerUsed][c.Part-1]
	}
	if c.Over {
		style = th.On(c.Upper, c.Layer.Role())
	}
	return glyph, style
}

// shaded draws each layer with its own glyph, in whole columns.
func shaded(l *line.Line, th *theme.Theme, track int, bars [3]Bar) {
	drawn := 0
	for i := len(bars) - 1; i >= 0; i-- {
		b := bars[i]
		if !b.Known || b.Total <= 0 {
			continue
		}
		n := min(cells(b.Value, b.Total, track), track)
		if n == 0 && drawn == 0 && b.Value > 0 && b.Layer == theme.LayerUsed {
			l.Add(th.Style(b.Layer.Role()), th.Glyphs.Sliver)
			return
		}
		if n > drawn {
			l.Add(th.Style(b.Layer.Role()), strings.Repeat(th.Glyphs.Full[b.Layer], n-drawn))
			drawn = n
		}
	}
}

// fill returns the bar without its track. It rounds down, so that of two values
// the smaller is never drawn longer.
func fill(g *theme.Glyphs, layer theme.Layer, value, total int64, track int) string {
	if total <= 0 || value <= 0 {
		return ""
	}
	whole := min(cells(value, total, track), track)
	part := ""
	if parts := g.Part[layer]; len(parts) > 0 && whole < track {
		fraction := float64(value)/float64(total)*float64(track) - float64(whole)
		if i := int(fraction * float64(len(parts)+1)); i > 0 {
			part = parts[min(i, len(parts))-1]
		}
	}
	if whole == 0 && part == "" {
		return g.Sliver
	}
	return strings.Repeat(g.Full[layer], whole) + part
}

// cells returns how many whole columns of track a value fills.
func cells(value, total int64, track int) int {
	if value <= 0 || total <= 0 {
		return 0
	}
	return int(min(float64(value)/float64(total), 1) * float64(track))
}

package chart

import "github.com/vramscope/vramscope/tui/theme"

// glyphs is what a chart is drawn with. Every one is one column wide.
type glyphs struct {
	solid bool    // whether the layers are told apart by their colours
	fill  [3]rune // by layer: what fills it
	parts [8]rune // the top of a layer, from one eighth of a cell; 0 is what fills it
	lines bool    // whether edges can be drawn
	edges [3]rune // the top of allocated inside another layer, from low to high in the cell
	stem  rune    // between lowest and highest value of a column
	peak  rune
	total rune // line at the total
	fall  rune // above an OOM
	rule  rune // cursor

	yAxis, yTick, origin rune
	axis, axisGap, xTick rune
	between              rune // axis between the two cursors
	cross                rune // cursor meets the top of a layer

	mark, oom          rune
	open, close        string // ends of a window
	bar, from, onwards string // its middle, and its ends where it goes on
	minus, cut         string
}

// glyphsOf returns the set that goes with a theme. ASCII cannot fill a cell in
// part, so that its layers are shaded in colour too.
func glyphsOf(th *theme.Theme) glyphs {
	switch {
	case th.Glyphs.ASCII:
		return asciiGlyphs()
	case th.Coloured():
		return solidGlyphs()
	}
	return unicodeGlyphs()
}

// solidGlyphs fill every layer alike.
func solidGlyphs() glyphs {
	g := unicodeGlyphs()
	g.solid, g.fill = true, [3]rune{'█', '█', '█'}
	return g
}

// unicodeGlyphs grow heavier with the layer: allocated is the lightest, what
// PyTorch does not account for the heaviest.
func unicodeGlyphs() glyphs {
	return glyphs{
		fill:  [3]rune{theme.LayerUsed: '█', theme.LayerReserved: '▒', theme.LayerAllocated: '░'},
		parts: [8]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'},
		lines: true, edges: [3]rune{'▁', '─', '▔'},
		stem: '┊', peak: '╵', total: '┄', fall: '╎', rule: '│',
		yAxis: '│', yTick: '┤', origin: '┼', axis: '─', axisGap: '╌', xTick: '┬', between: '━', cross: '┼',
		mark: '▲', oom: 'X', open: "└", close: "┘", bar: "─", from: "‹", onwards: "▸",
		minus: "−", cut: "…",
	}
}

func asciiGlyphs() glyphs {
	return glyphs{
		fill:  [3]rune{theme.LayerUsed: '#', theme.LayerReserved: '=', theme.LayerAllocated: '.'},
		parts: [8]rune{'_', '_', '_'},
		stem:  ':', peak: '|', total: '-', fall: '!', rule: '|',
		yAxis: '|', yTick: '+', origin: '+', axis: '-', axisGap: ' ', xTick: '+', between: '=', cross: '+',
		mark: '^', oom: 'X', open: "[", close: "]", bar: "-", from: "<", onwards: ">",
		minus: "-", cut: "~",
	}
}

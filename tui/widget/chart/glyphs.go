package chart

import "github.com/vramscope/vramscope/tui/theme"

// glyphs is what a chart is drawn with. Every one is one column wide.
type glyphs struct {
	fill  [3]rune // by layer: what fills it
	parts []rune  // the top of a layer, from one eighth of a cell; empty where only whole cells can be drawn
	edges []rune  // the top of a layer inside another one, from low to high in the cell
	stem  rune    // between lowest and highest value of a column
	peak  rune
	total rune // line at the total
	fall  rune // above an OOM
	rule  rune // cursor

	yAxis, yTick, origin rune
	axis, axisGap, xTick rune
	between              rune // axis between the two cursors
	cross                rune // cursor meets the top of a layer

	mark, oom           rune
	open, close         string // ends of a window
	bar, from, onwards  string // its middle, and its ends where it goes on
	minus, unknown, cut string
}

func glyphsOf(g *theme.Glyphs) *glyphs {
	if g.ASCII {
		return &asciiGlyphs
	}
	return &unicodeGlyphs
}

// The two sets. Shades grow with the layer: allocated is the lightest, what
// nobody accounts for the heaviest. They are read only.
var (
	unicodeGlyphs = glyphs{
		fill:  [3]rune{theme.LayerUsed: '█', theme.LayerReserved: '▒', theme.LayerAllocated: '░'},
		parts: []rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'},
		edges: []rune{'▁', '─', '▔'},
		stem:  '┊', peak: '╵', total: '┄', fall: '╎', rule: '│',
		yAxis: '│', yTick: '┤', origin: '┼', axis: '─', axisGap: '╌', xTick: '┬', between: '━', cross: '┼',
		mark: '▲', oom: 'X', open: "└", close: "┘", bar: "─", from: "‹", onwards: "▸",
		minus: "−", unknown: "–", cut: "…",
	}
	asciiGlyphs = glyphs{
		fill: [3]rune{theme.LayerUsed: '#', theme.LayerReserved: '=', theme.LayerAllocated: '.'},
		stem: ':', peak: '|', total: '-', fall: '!', rule: '|',
		yAxis: '|', yTick: '+', origin: '+', axis: '-', axisGap: ' ', xTick: '+', between: '=', cross: '+',
		mark: '^', oom: 'X', open: "[", close: "]", bar: "-", from: "<", onwards: ">",
		minus: "-", unknown: "-", cut: "~",
	}
)

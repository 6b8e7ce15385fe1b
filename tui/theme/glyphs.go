package theme

// Glyphs is a set of characters to draw with. Every string is one column wide
// but for those that say otherwise.
type Glyphs struct {
	// ASCII tells that outside text must be drawn in ASCII as well.
	ASCII bool

	// Full fills a bar of the layer; Part are its beginnings, from the
	// narrowest, for the last column of a bar. A layer without parts is drawn
	// in whole columns.
	Full [layerCount]string
	Part [layerCount][]string
	// Sliver stands for a value that is not zero and fills no column.
	Sliver string
	Peak   string // marks the highest value on a bar
	Edge   string // ends the track of a bar at the total

	Spark []string // the levels of a sparkline from lowest to highest

	Ellipsis string // something was cut here
	Unknown  string // there is no value
	Dot      string // between things of a list
	Rule     string // a line across the screen
	Pointer  string // before the selected row
	Mark     string // look here
	Live     string
	Partial  string
	Off      string
	Pause    string
	Play     string
	AtLeast  string // before a lower bound
	Times    string
	Degree   string // unit of temperature, two columns
	Up, Down string
	Folded   string // before what has more below it
	Unfolded string
}

// Unicode returns the glyphs for a terminal that draws Unicode. The layers'
// bars differ in height, so that the three stay apart without colour and
// without lines between them.
func Unicode() Glyphs {
	return Glyphs{
		Full: [layerCount]string{"█", "▆", "▄"},
		Part: [layerCount][]string{
			LayerUsed: {"▏", "▎", "▍", "▌", "▋", "▊", "▉"},
		},
		Sliver:   "▏",
		Peak:     "╵",
		Edge:     "▏",
		Spark:    []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		Ellipsis: "…",
		Unknown:  "–",
		Dot:      "·",
		Rule:     "─",
		Pointer:  "▸",
		Mark:     "▲",
		Live:     "●",
		Partial:  "◐",
		Off:      "○",
		Pause:    "‖",
		Play:     "▶",
		AtLeast:  "≥",
		Times:    "×",
		Degree:   "°C",
		Up:       "↑",
		Down:     "↓",
		Folded:   "▸",
		Unfolded: "▾",
	}
}

// ASCII returns the glyphs for a terminal that draws nothing else.
func ASCII() Glyphs {
	return Glyphs{
		ASCII:    true,
		Full:     [layerCount]string{"#", "=", "."},
		Sliver:   ":",
		Peak:     "|",
		Edge:     "]",
		Spark:    []string{".", ":", "-", "=", "+", "*", "#"},
		Ellipsis: "~",
		Unknown:  "-",
		Dot:      "|",
		Rule:     "-",
		Pointer:  ">",
		Mark:     "!",
		Live:     "*",
		Partial:  "%",
		Off:      "o",
		Pause:    "=",
		Play:     ">",
		AtLeast:  ">",
		Times:    "x",
		Degree:   " C",
		Up:       "^",
		Down:     "v",
		Folded:   "+",
		Unfolded: "-",
	}
}

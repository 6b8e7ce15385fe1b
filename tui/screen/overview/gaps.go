package overview

import (
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// gap is a named figure of the gap line. It goes when the line is too narrow:
// the highest drop first. Parts stand in brackets behind it.
type gap struct {
	name   string
	figure string // empty for words alone
	drop   int
	parts  []gap
}

// gapLine draws what lies between the layers.
func (d *drawing) gapLine(c *card, width int) string {
	l := line.New(width, d.th)
	l.Space(indent)
	gaps := d.gaps(c)
	limit := 5
	for limit > 0 && gapsWidth(gaps, limit) > width-indent {
		limit--
	}
	d.addGaps(l, gaps, limit, " "+d.th.Glyphs.Dot+" ")
	return l.String()
}

func (d *drawing) gaps(c *card) []gap {
	figure := func(r monitor.Reading[int64]) string {
		return chrome.Left(chrome.GiB(r, d.th.Glyphs.Unknown), figureWidth)
	}
	layers := &c.layers
	var gaps []gap
	if layers.Jobs > 0 {
		gaps = append(gaps, gap{name: "cache", figure: figure(layers.Cache), parts: []gap{
			{name: "split", figure: figure(layers.Split), drop: 3},
			{name: "releasable", figure: figure(layers.Releasable), drop: 4},
		}})
		if c.gpu != nil {
			gaps = append(gaps, gap{name: "non-torch", figure: figure(layers.NonTorch), parts: assumed(layers)})
		}
	}
	others := "others"
	if c.unread > 0 {
		others = "unread and others" // what an unread job uses is among it
	}
	if c.gpu != nil {
		of := gap{name: others, figure: figure(layers.Others), drop: 1, parts: assumed(layers)}
		if unseen, ok := chrome.Unseen(layers); ok {
			of.drop, of.parts = 0, append(of.parts, gap{name: chrome.NotVisible, figure: figure(unseen)})
			if layers.Jobs > 0 {
				gaps[0].drop = 1 // the bars show it anyway
			}
		}
		gaps = append(gaps, of,
			gap{name: "free", figure: figure(layers.Free), drop: 2},
			gap{name: "driver", figure: figure(layers.DriverReserved), drop: 5})
	}
	return gaps
}

// assumed marks a figure that follows from a rule.
func assumed(l *monitor.Layers) []gap {
	if !l.Assumed {
		return nil
	}
	return []gap{{name: "assumed", drop: 1}}
}

func (d *drawing) addGaps(l *line.Line, gaps []gap, limit int, separator string) {
	dim := d.style(theme.Dim)
	first := true
	for _, g := range gaps {
		if g.drop > limit {
			continue
		}
		if !first {
			l.Add(dim, separator)
		}
		first = false
		l.Add(dim, g.name)
		if g.figure != "" {
			l.Add(theme.Style{}, " "+g.figure)
		}
		if gapsWidth(g.parts, limit) > 0 {
			l.Add(dim, " (")
			d.addGaps(l, g.parts, limit, ", ")
			l.Add(dim, ")")
		}
	}
}

// gapsWidth returns the width of the gaps up to that drop with separators.
func gapsWidth(gaps []gap, limit int) int {
	n, separator := 0, 3
	for _, g := range gaps {
		if g.drop > limit {
			continue
		}
		if n > 0 {
			n += separator
		}
		n += line.Width(g.name)
		if g.figure != "" {
			n += 1 + line.Width(g.figure)
		}
		if parts := gapsWidth(g.parts, limit); parts > 0 {
			n += 3 + parts // the brackets; a comma is narrower than a dot, which leaves one column of reserve
		}
	}
	return n
}

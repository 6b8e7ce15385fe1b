package chart

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
)

// entry is a line of the legend.
type entry struct {
	swatch rune
	role   theme.Role
	name   string
	bytes  monitor.Reading[int64]
	source string
	need   int // lines of the plot from which on it is shown
}

// shown returns the moment whose figures stand beside the plot: that of the
// cursor, else now, else the right edge.
func (f *frame) shown() (m Moment, isNow bool) {
	if f.cursor >= 0 {
		if f.d.cursor.Equal(f.m.Cursor) {
			return f.d.moment(f.m.Cursor, f.d.atCursor), false
		}
		return f.d.Values(f.m.Cursor), false
	}
	now := f.d.now()
	if now.Before(f.d.To) {
		return f.d.Values(now), true
	}
	return f.d.Values(f.d.To.Add(-1)), !now.After(f.d.To)
}

// legend draws the names of the layers with how they are drawn, and their
// figures, right of the plot. It stands still whatever the figures are.
func (f *frame) legend(c *canvas) {
	if f.l.Legend == 0 {
		return
	}
	m, isNow := f.shown()
	x, y := f.l.PlotX+f.l.Columns+1, 0
	const roomy = 9
	if f.l.Rows >= roomy {
		title := "now"
		if !isNow {
			title = clockText(m.Time, time.Second)
		}
		c.text(x+2, y, theme.Strong, title)
		c.text(x+nameWidth+text.GiBWidth-1, y, theme.Dim, "GiB")
		y++
	}
	for _, e := range f.entries(&m) {
		if f.l.Rows < e.need || y >= f.l.Rows {
			continue
		}
		c.put(x, y, e.role, e.swatch)
		c.text(x+2, y, e.role, e.name)
		c.text(x+2+nameWidth, y, theme.Plain, gibOr(e.bytes, f.th))
		if f.l.Legend > legendWidth {
			c.text(x+2+nameWidth+text.GiBWidth+1, y, theme.Dim, short(e.source))
		}
		y++
	}
}

func (f *frame) entries(m *Moment) []entry {
	const layers, gaps, peak = 0, 6, 10
	all := []entry{
		{f.g.total, theme.Dim, "total", m.Total, "", layers},
		{f.g.fill[theme.LayerUsed], theme.Used, "used", m.Used.Bytes, m.Used.Source, layers},
		{0, theme.Dim, plain(m.outside()), m.Rest(), "", gaps},
		{f.g.fill[theme.LayerReserved], theme.Reserved, "reserved", m.Reserved.Bytes, m.Reserved.Source, layers},
		{0, theme.Dim, "cache", m.Cache(), "", gaps},
		{f.g.fill[theme.LayerAllocated], theme.Allocated, "allocated", m.Allocated.Bytes, m.Allocated.Source, layers},
	}
	if len(f.d.PeakAllocated) > 0 {
		all = append(all, entry{f.g.peak, theme.Allocated, "peak", m.PeakAllocated, "", peak})
	}
	return all
}

// plain returns a name that fits in the legend.
func plain(name string) string {
	if len(name) >= nameWidth || text.ASCII(name) != name {
		return "other"
	}
	return name
}

// short returns a source that fits in the legend.
func short(source string) string {
	if len(source) >= sourceWidth || text.ASCII(source) != source {
		return ""
	}
	return source
}

package overview

import (
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/meter"
)

// two draws a card in two lines: the device, and one bar with the figures.
func (d *drawing) two(c *card, width int) []string {
	return []string{d.cardHeader(c, width), d.twoFigures(c, width)}
}

func (d *drawing) twoFigures(c *card, width int) string {
	l := line.New(width, d.th)
	sparkW := 0
	if width >= 130 {
		sparkW = 10
	}
	layers := []theme.Layer{theme.LayerUsed, theme.LayerReserved, theme.LayerAllocated}
	need := 0
	for _, layer := range layers {
		need += 2 + len(layer.Name()) + 1 + figureWidth
		if sparkW > 0 {
			need += 1 + sparkW
		}
	}
	l.Space(indent)
	meter.Nested(l, d.th, max(0, width-indent-need), d.bars(c))
	for _, layer := range layers {
		value, metric, _ := d.layer(c, layer)
		l.Space(2)
		l.Add(d.style(layer.Role()), layer.Name())
		bound := " "
		if layer != theme.LayerUsed && c.unread > 0 && value.Known() {
			bound = d.th.Glyphs.AtLeast
		}
		l.Add(d.style(theme.Warn), bound)
		l.Add(d.style(theme.Strong), chrome.Left(chrome.GiB(value, d.th.Glyphs.Unknown), figureWidth))
		if sparkW > 0 {
			l.Space(1)
			d.sparkline(l, c, layer.Role(), sparkW, metric)
		}
	}
	return l.String()
}

// bars returns the three layers for a nested bar.
func (d *drawing) bars(c *card) (bars [3]meter.Bar) {
	for i, layer := range []theme.Layer{theme.LayerUsed, theme.LayerReserved, theme.LayerAllocated} {
		value, _, _ := d.layer(c, layer)
		v, known := value.Get()
		bars[i] = meter.Bar{Layer: layer, Value: v, Known: known, Total: c.scale}
	}
	return bars
}

// oneLine is where the pieces of a one-line card stand.
type oneLine struct {
	label, bar, status int
	tight              bool // no room for the total, nor for a mark at the end
}

func (d *drawing) newOneLine(width int) oneLine {
	o := oneLine{label: 2}
	for _, c := range d.cards {
		o.label = max(o.label, len(oneLabel(&c))+1)
	}
	rest := width - o.label - oneFiguresWidth - 2 // the mark
	o.tight = rest < 0
	if rest >= 22 {
		o.status = 12 // " 97%  62°C"
		rest -= o.status
	}
	if rest >= 8 {
		o.bar = rest - 1
	}
	return o
}

// oneFiguresWidth is that of "96.1/91.2/20.3 of 139.8".
const oneFiguresWidth = 4*figureWidth + 2 + 4

func oneLabel(c *card) string {
	if c.gpu == nil {
		return c.label
	}
	return itoa(c.gpu.Index)
}

// one draws a card in a single line.
func (d *drawing) one(c *card, width int) string {
	o := d.newOneLine(width)
	l := line.New(width, d.th)
	l.Add(d.style(theme.Strong), oneLabel(c))
	if c.problem != "" && o.tight {
		l.Add(d.style(c.role), d.th.Glyphs.Mark)
	}
	l.Pad(o.label)
	if o.bar > 0 {
		meter.Nested(l, d.th, o.bar, d.bars(c))
		l.Space(1)
	}
	d.oneFigures(l, c, o)
	if o.status > 0 && c.gpu != nil {
		l.Space(2)
		l.Add(theme.Style{}, chrome.Left(chrome.Whole(c.gpu.UtilPercent, "%", d.th.Glyphs.Unknown), 4))
		l.Add(theme.Style{}, chrome.Left(chrome.Whole(c.gpu.TemperatureC, "", d.th.Glyphs.Unknown), 4)+d.th.Glyphs.Degree)
	}
	if c.problem != "" && !o.tight {
		l.Space(1)
		l.Add(d.style(c.role), d.th.Glyphs.Mark)
	}
	return l.String()
}

func (d *drawing) oneFigures(l *line.Line, c *card, o oneLine) {
	for i, layer := range []theme.Layer{theme.LayerUsed, theme.LayerReserved, theme.LayerAllocated} {
		value, _, _ := d.layer(c, layer)
		if i > 0 {
			l.Add(d.style(theme.Dim), "/")
		}
		l.Add(d.style(layer.Role()), chrome.Left(chrome.GiB(value, d.th.Glyphs.Unknown), figureWidth))
	}
	if o.tight {
		return
	}
	l.Add(d.style(theme.Dim), " of ")
	total := c.layers.Total
	if c.gpu == nil {
		total = monitor.Unknown[int64](monitor.NotApplicable, "")
	}
	l.Add(theme.Style{}, chrome.Left(chrome.GiB(total, d.th.Glyphs.Unknown), figureWidth))
}

// oneCaption titles a column of one-line cards.
func (d *drawing) oneCaption(width int) string {
	o := d.newOneLine(width)
	l := line.New(width, d.th)
	heading := d.style(theme.Heading)
	l.Pad(o.label)
	if o.bar > 0 {
		l.Pad(o.label + o.bar + 1)
	}
	// In the widths of the figures below.
	l.Add(heading, " used/resvd/alloc")
	if !o.tight {
		l.Add(heading, " of total")
	}
	if o.status > 0 {
		l.Add(heading, "  util  temp")
	}
	return l.String()
}

// recent returns the newest value of a series in the last few seconds.
func (d *drawing) recent(key history.Key) (float64, bool) {
	at := d.st.Sample.Time
	return d.st.History.Newest(key, at.Add(-recentSpan), at)
}

package overview

import (
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/meter"
	"github.com/vramscope/vramscope/tui/widget/spark"
)

// barLine is where the pieces of a bar's line stand. It follows from the width
// alone.
type barLine struct {
	bar, spark, note int
}

const (
	indent     = 2
	labelWidth = 10 // "allocated" and a space
	percent    = 4
	// figureWidth is that of a figure in GiB.
	figureWidth = text.GiBWidth
)

func newBarLine(width int) barLine {
	var b barLine
	switch {
	case width >= 150:
		b.spark, b.note = 40, 16
	case width >= 110:
		b.spark, b.note = 28, 16
	case width >= 96:
		b.spark, b.note = 20, 12
	case width >= 76:
		b.spark, b.note = 12, 12
	default:
		b.spark = 8
	}
	b.bar = width - indent - labelWidth - 2 - figureWidth - percent - 2 - b.spark
	if b.note > 0 {
		b.bar -= 2 + b.note
	}
	return b
}

// full draws a card in five lines.
func (d *drawing) full(c *card, width int) []string {
	b := newBarLine(width)
	return []string{
		d.cardHeader(c, width),
		d.layerLine(c, b, width, theme.LayerUsed),
		d.layerLine(c, b, width, theme.LayerReserved),
		d.layerLine(c, b, width, theme.LayerAllocated),
		d.gapLine(c, width),
	}
}

// cardHeader draws what the device is and how it is.
func (d *drawing) cardHeader(c *card, width int) string {
	l := line.New(width, d.th)
	right, rightRole := d.cardNote(c)
	room := width - line.Width(right)
	if right != "" {
		room -= 2
	}
	l.Add(d.style(theme.Strong), c.label)
	if c.name != "" {
		l.Space(2)
		l.Add(d.style(theme.Strong), line.Cut(c.name, max(4, room/3), d.th.Glyphs.Ellipsis))
	}
	if c.gpu != nil {
		d.parts(l, room, []part{
			{text: chrome.GiB(c.layers.Total, d.th.Glyphs.Unknown) + " GiB", drop: 0},
			{text: "util " + chrome.Left(chrome.Whole(c.gpu.UtilPercent, "%", d.th.Glyphs.Unknown), 4), drop: 1, wide: true},
			{text: d.activity(c, "tensor", history.Tensor), drop: 4},
			{text: d.activity(c, "sm", history.SM), drop: 5},
			{text: chrome.Left(chrome.Whole(c.gpu.TemperatureC, "", d.th.Glyphs.Unknown), 3) + d.th.Glyphs.Degree, drop: 2},
			{text: d.power(c.gpu), drop: 3},
		})
	} else {
		l.Space(2)
		l.Add(d.style(theme.Dim), "no GPU here; the bars end at the highest figure")
	}
	if right != "" && l.Width()+2 <= width {
		l.Pad(max(l.Width()+2, width-line.Width(right)))
		l.Add(d.style(rightRole), right)
	}
	return l.String()
}

// part is a piece of a line that goes when the line is too narrow: the highest
// drop first. Empty parts are left out.
type part struct {
	text string
	drop int
	wide bool // more space before it
	role theme.Role
}

// parts appends those parts that fit into room columns of the whole line.
func (d *drawing) parts(l *line.Line, room int, all []part) {
	limit := 0
	for _, p := range all {
		limit = max(limit, p.drop)
	}
	need := func() int {
		n := l.Width()
		for _, p := range all {
			if p.text != "" && p.drop <= limit {
				n += 2 + 2*b2i(p.wide) + line.Width(p.text)
			}
		}
		return n
	}
	for limit > 0 && need() > room {
		limit--
	}
	for _, p := range all {
		if p.text == "" || p.drop > limit {
			continue
		}
		l.Space(2 + 2*b2i(p.wide))
		l.Add(d.style(p.role), p.text)
	}
}

// activity returns what the chip's counters said of the last seconds; empty on
// a chip that has none. They are not read with every sample.
func (d *drawing) activity(c *card, name string, metric history.Metric) string {
	v, ok := d.recent(history.Key{Metric: metric, GPU: c.series})
	if !ok {
		return ""
	}
	return name + " " + chrome.Left(chrome.Whole(monitor.Known(v), "%", ""), 4)
}

func (d *drawing) power(g *monitor.GPU) string {
	power := chrome.Left(chrome.Whole(g.PowerW, "", d.th.Glyphs.Unknown), 4)
	if limit, ok := g.PowerLimitW.Get(); ok {
		return power + "/" + chrome.Whole(monitor.Known(limit), "", "") + " W"
	}
	return power + " W"
}

// cardNote returns what stands at the right of a card's header.
func (d *drawing) cardNote(c *card) (string, theme.Role) {
	if c.problem != "" {
		return d.th.Glyphs.Mark + " " + c.problem, c.role
	}
	if c.gpu == nil && d.st.JobEnded {
		return "the job ended", theme.Warn
	}
	if c.layers.Jobs > 0 && c.gpu != nil {
		return chrome.Plural(c.layers.Jobs, "job", "jobs"), theme.Dim
	}
	return "", theme.Dim
}

// layerLine draws one layer: its bar, its figure, its share of the card, its
// course, and where the figure comes from.
func (d *drawing) layerLine(c *card, b barLine, width int, layer theme.Layer) string {
	l := line.New(width, d.th)
	role := layer.Role()
	l.Space(indent)
	l.Add(d.style(role), layer.Name())
	l.Pad(indent + labelWidth)
	value, metric, note := d.layer(c, layer)
	if v, known := value.Get(); known {
		bar := meter.Bar{Layer: layer, Value: v, Known: true, Total: c.scale}
		if peak, ok := c.peak(layer).Get(); ok {
			bar.Peak, bar.HasPeak, bar.PeakLabel = peak, true, strings.TrimSpace(text.GiB(peak))+" peak"
		}
		bar.Draw(l, d.th, b.bar)
	} else {
		d.missing(l, c, b.bar, layer, value)
	}
	d.figureColumns(l, c, layer, value)
	l.Space(2)
	d.sparkline(l, c, role, b.spark, metric)
	if b.note > 0 {
		l.Space(2)
		l.Add(d.style(theme.Dim), line.Cut(note, b.note, d.th.Glyphs.Ellipsis))
	}
	return l.String()
}

// missing draws, instead of a bar, why there is none.
func (d *drawing) missing(l *line.Line, c *card, width int, layer theme.Layer, value monitor.Reading[int64]) {
	end := l.Width() + width
	why := d.th.Outside(value.Why().String())
	if layer != theme.LayerUsed && c.layers.Jobs == 0 {
		why = chrome.OrElse(c.why, d.noJob(c))
		if d.st.Early {
			why = chrome.Looking
		}
	}
	if layer == theme.LayerAllocated && !c.layers.Reserved.Known() {
		why = "" // said one line above
	}
	l.Add(d.style(theme.Dim), line.Cut(why, width-1, d.th.Glyphs.Ellipsis))
	l.Pad(end)
}

// noJob says that there is no PyTorch job on a device, or none any more.
func (d *drawing) noJob(c *card) string {
	from, _ := d.st.History.Span()
	if _, had := d.st.History.Newest(history.Key{Metric: history.Reserved, GPU: c.series}, from, d.st.Sample.Time); had {
		return "the PyTorch job ended"
	}
	return "no PyTorch job seen"
}

// figureColumns draws the figure and the percentage in their columns.
func (d *drawing) figureColumns(l *line.Line, c *card, layer theme.Layer, value monitor.Reading[int64]) {
	bound := " "
	if layer != theme.LayerUsed && c.unread > 0 && value.Known() {
		bound = d.th.Glyphs.AtLeast
	}
	l.Add(d.style(theme.Warn), bound)
	l.Add(d.style(theme.Strong), chrome.Left(chrome.GiB(value, d.th.Glyphs.Unknown), figureWidth))
	share := ""
	if c.gpu != nil {
		share = chrome.PercentOf(value, c.layers.Total)
	}
	l.Space(1)
	l.Add(theme.Style{}, chrome.Left(share, percent))
}

// layer returns a layer's figure, its series, and its source.
func (d *drawing) layer(c *card, layer theme.Layer) (monitor.Reading[int64], history.Metric, string) {
	switch layer {
	case theme.LayerUsed:
		return c.layers.Used, history.Used, c.usedFrom
	case theme.LayerReserved:
		return c.layers.Reserved, history.Reserved, c.torchFrom
	case theme.LayerAllocated:
		return c.layers.Allocated, history.Allocated, c.torchFrom
	}
	return monitor.Reading[int64]{}, history.Used, ""
}

func (c *card) peak(layer theme.Layer) monitor.Reading[int64] {
	switch layer {
	case theme.LayerReserved:
		return c.layers.PeakReserved
	case theme.LayerAllocated:
		return c.layers.PeakAllocated
	default:
	}
	return monitor.Unknown[int64](monitor.NotApplicable, "")
}

// sparkline draws the course of a series over the window of all sparklines.
func (d *drawing) sparkline(l *line.Line, c *card, role theme.Role, columns int, metric history.Metric) {
	spark.Draw(l, d.th, role, columns, d.points(c, metric, columns), float64(c.scale))
}

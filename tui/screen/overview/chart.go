package overview

import (
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/widget/chart"
)

// chart draws the layers of the only GPU over the last minutes.
func (d *drawing) chart(width, height int) []string {
	size := chart.Size{Width: width, Height: height - 1, Bare: true}
	m := chart.Model{Span: d.window}
	data := chrome.ChartData(d.st, chart.Subject{GPU: d.cards[0].series, Process: d.cards[0].process}, &m, size)
	if d.cards[0].gpu != nil {
		data.Total = d.cards[0].layers.Total
	}
	return append(m.Render(&data, size, d.th), "")
}

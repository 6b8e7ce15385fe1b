package chart

import "time"

// Size is how much room a chart has, in columns and lines.
type Size struct {
	Width, Height int
	Bare          bool // without the legend, for a screen that shows the figures elsewhere
}

// The widths from which on there is room for more.
const (
	legendWidth   = 18 // " █ allocated  20.3"
	legendFrom    = 64 // columns of the whole chart
	sourceWidth   = 10 // " recording"
	sourcesFrom   = 100
	wideGutter    = 7 // "139.8 ┤"
	narrowGutter  = 6 // "139.8┤"
	wideFrom      = 40
	gutterFrom    = 20
	legendRows    = 4 // rows of the plot from which on a legend is drawn
	axisFrom      = 3 // lines from which on there is an axis
	timesFrom     = 6 // lines from which on times have a line of their own
	marksFrom     = 9
	windowsFrom   = 12
	secondWinFrom = 26
)

// Layout is where things of a chart of a size stand. It depends on the size
// alone, so that nothing jumps when data come.
type Layout struct {
	PlotX   int // first column of the plot
	Columns int // of the plot
	Rows    int // of the plot, from the top line on
	Legend  int // columns right of the plot, 0 when there is no room

	Axis    bool // a line under the plot
	Times   bool // a line with times under that, else they stand on the axis
	Marks   bool // a line with the names of marks
	Windows int  // lines for windows
}

// Layout returns where things stand.
func (s Size) Layout() Layout {
	l := Layout{Axis: s.Height >= axisFrom, Times: s.Height >= timesFrom, Marks: s.Height >= marksFrom}
	switch {
	case s.Height >= secondWinFrom:
		l.Windows = 2
	case s.Height >= windowsFrom:
		l.Windows = 1
	}
	l.Rows = max(s.Height, 0) - l.Windows
	for _, has := range []bool{l.Axis, l.Times, l.Marks} {
		if has {
			l.Rows--
		}
	}
	switch {
	case s.Width >= wideFrom:
		l.PlotX = wideGutter
	case s.Width >= gutterFrom:
		l.PlotX = narrowGutter
	}
	if !s.Bare && s.Width >= legendFrom && l.Rows >= legendRows {
		l.Legend = legendWidth
		if s.Width >= sourcesFrom {
			l.Legend += sourceWidth
		}
	}
	l.Columns = max(s.Width-l.PlotX-l.Legend, 0)
	return l
}

// Columns returns how many columns the plot of a chart of that size has, which
// is how many buckets each series of its Data needs.
func (s Size) Columns() int { return s.Layout().Columns }

// TimeAt returns the time in the middle of a column of the chart, counted from
// its left edge; false beside the plot.
func (s Size) TimeAt(d *Data, column int) (time.Time, bool) {
	l := s.Layout()
	i := column - l.PlotX
	if i < 0 || i >= l.Columns {
		return time.Time{}, false
	}
	width := float64(d.To.Sub(d.From)) / float64(l.Columns)
	return d.From.Add(time.Duration((float64(i) + 0.5) * width)), true
}

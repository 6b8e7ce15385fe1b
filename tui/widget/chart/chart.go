package chart

import (
	"time"

	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Render draws the data in exactly size.Height lines, none wider than
// size.Width columns. The series should have size.Columns() buckets; of others
// the last ones that fit are drawn at the right edge. The cursors of the model
// are drawn where they fall into the data.
func (m Model) Render(d *Data, size Size, th *theme.Theme) []string {
	if size.Width <= 0 || size.Height <= 0 {
		return nil
	}
	l := size.Layout()
	f := frame{m: m, d: d.fitted(l.Columns), th: th, g: glyphsOf(th), size: size, l: l}
	f.cursor, f.anchor = f.columnOf(m.Cursor), f.columnOf(m.Anchor)
	return f.draw()
}

// fitted returns the data with series of exactly n buckets or none.
func (d *Data) fitted(n int) *Data {
	same := true
	for _, s := range d.all() {
		same = same && (len(*s) == 0 || len(*s) == n)
	}
	if same {
		return d
	}
	out := *d
	for _, s := range out.all() {
		*s = fit(*s, n)
	}
	return &out
}

func (d *Data) all() [5]*[]bucket {
	return [...]*[]bucket{&d.Used, &d.Reserved, &d.Allocated, &d.PeakAllocated, &d.PeakReserved}
}

func fit(series []bucket, n int) []bucket {
	if len(series) == 0 || len(series) == n {
		return series
	}
	if extra := len(series) - n; extra > 0 {
		return series[extra:]
	}
	return append(make([]bucket, n-len(series)), series...)
}

// frame is what one picture is drawn with.
type frame struct {
	m              Model
	d              *Data
	th             *theme.Theme
	g              glyphs
	size           Size
	l              Layout
	cursor, anchor int // columns of the plot, -1 when there is none
}

// columnOf returns the column of a cursor, -1 when it is not on screen.
func (f *frame) columnOf(t time.Time) int {
	if t.IsZero() {
		return -1
	}
	if column, ok := f.d.columnOf(t, f.l.Columns); ok {
		return column
	}
	return -1
}

func (f *frame) draw() []string {
	rows := f.l.Rows
	if f.l.Axis {
		rows++
	}
	c := newCanvas(f.size.Width, rows)
	p := plot{c: &c, d: f.d, g: f.g, x: f.l.PlotX, n: f.l.Columns,
		scale: newScale(f.d, f.m.Fit, f.l.Rows)}
	p.layers()
	p.peaks()
	p.totalLine()
	p.falls()
	for _, column := range [...]int{f.anchor, f.cursor} {
		if column >= 0 {
			p.cursor(column)
		}
	}
	p.yAxis()
	f.legend(&c)
	ticks := f.ticks()
	if f.l.Axis {
		f.axis(&c, ticks)
	}
	out := c.lines(f.th)
	if f.l.Times {
		out = append(out, f.times(ticks))
	}
	if f.l.Marks {
		out = append(out, f.marks())
	}
	return append(out, f.windows()...)
}

// ticks returns the moments on the axis: counted from now, or times of day
// where they are wanted or now is far.
func (f *frame) ticks() []timeTick {
	if f.l.Columns == 0 || !f.d.To.After(f.d.From) {
		return nil
	}
	if f.m.Clock || f.d.now().Sub(f.d.To) > f.d.To.Sub(f.d.From) {
		return f.d.clockTicks(f.l.Columns)
	}
	return f.d.relativeTicks(f.l.Columns, &f.g)
}

// axis draws the line under the plot: solid where something was read, with
// moments and marks on it.
func (f *frame) axis(c *canvas, ticks []timeTick) {
	y := f.l.Rows
	if f.l.PlotX > 0 {
		c.put(4, y, theme.Dim, '0')
		c.put(f.l.PlotX-1, y, theme.Dim, f.g.origin)
	}
	for i := range f.l.Columns {
		c.put(f.l.PlotX+i, y, theme.Dim, f.axisGlyph(i))
	}
	for _, t := range ticks {
		c.put(f.l.PlotX+t.column, y, theme.Dim, f.g.xTick)
	}
	if !f.l.Times {
		for _, p := range f.timePieces(ticks) {
			c.over(p.column, y, p.role, p.text)
		}
	}
	f.axisMarks(c)
	if f.anchor >= 0 {
		c.put(f.l.PlotX+f.anchor, y, theme.Strong, 'A')
	}
	if f.cursor >= 0 {
		name := '+'
		if !f.m.Anchor.IsZero() {
			name = 'B'
		}
		c.put(f.l.PlotX+f.cursor, y, theme.Strong, name)
	}
}

// axisMarks draws the marks on the axis, those that matter most last.
func (f *frame) axisMarks(c *canvas) {
	for _, kind := range [...]MarkKind{MarkPhase, MarkUser, MarkOOM} {
		for i := range f.d.Marks {
			m := &f.d.Marks[i]
			if column, ok := f.d.columnOf(m.Time, f.l.Columns); ok && m.Kind == kind {
				role, glyph := f.markLook(kind)
				c.put(f.l.PlotX+column, f.l.Rows, role, glyph)
			}
		}
	}
}

// axisGlyph returns the axis at a column.
func (f *frame) axisGlyph(i int) rune {
	if f.anchor >= 0 && f.cursor >= 0 && i > min(f.anchor, f.cursor) && i < max(f.anchor, f.cursor) {
		return f.g.between
	}
	for _, series := range [...][]bucket{f.d.Used, f.d.Reserved, f.d.Allocated} {
		if figureAt(series, i).known {
			return f.g.axis
		}
	}
	return f.g.axisGap
}

// times returns the line with the moments.
func (f *frame) times(ticks []timeTick) string {
	all := f.timePieces(ticks)
	if f.l.PlotX > 0 && all.free(f.l.PlotX-5, 3) {
		all = append(all, piece{column: f.l.PlotX - 5, width: 3, role: theme.Dim, text: "GiB"})
	}
	return all.line(f.th, f.size.Width)
}

// timePieces returns the moments as texts: those of the cursors first, the
// others where there is room.
func (f *frame) timePieces(ticks []timeTick) pieces {
	var all pieces
	if !f.l.Times { // what stands on the axis itself must stay readable
		all = f.taken()
	}
	marks := len(all)
	add := func(column int, role theme.Role, s string) {
		w := line.Width(s)
		x := f.l.PlotX + min(max(column-w/2, 0), f.l.Columns-w)
		if x >= f.l.PlotX && all.free(x, w) {
			all = append(all, piece{x, w, role, s})
		}
	}
	if f.cursor >= 0 {
		add(f.cursor, theme.Strong, clockText(f.m.Cursor, time.Second))
	}
	if f.anchor >= 0 {
		add(f.anchor, theme.Strong, clockText(f.m.Anchor, time.Second))
	}
	for _, t := range ticks {
		add(t.column, theme.Dim, t.label)
	}
	return all[marks:]
}

// taken returns the places of marks and cursors on the axis.
func (f *frame) taken() (all pieces) {
	for i := range f.d.Marks {
		if column, ok := f.d.columnOf(f.d.Marks[i].Time, f.l.Columns); ok {
			all = append(all, piece{column: f.l.PlotX + column, width: 1})
		}
	}
	for _, column := range [...]int{f.anchor, f.cursor} {
		if column >= 0 {
			all = append(all, piece{column: f.l.PlotX + column, width: 1})
		}
	}
	return all
}

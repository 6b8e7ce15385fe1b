package gpu

import (
	"strconv"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/chart"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// The heights from which on there is room for more.
const (
	gapsFrom      = 16
	findingsFrom  = 20
	processesFrom = 28
	mostProcesses = 6
)

// View draws the screen.
func (g *GPU) View(st *screen.State, width, height int) []string {
	if st.Sample == nil {
		return chrome.Message(st, width, height, st.Waiting, st.Fault)
	}
	return chrome.Page(st, width, height, func(width, height int) []string {
		subject, device, ok := subjectOf(st)
		if !ok {
			return chrome.Message(st, width, height, "No GPU to show.")
		}
		return g.body(st, subject, device, width, height)
	})
}

func (g *GPU) body(st *screen.State, subject chart.Subject, device *monitor.GPU, width, height int) []string {
	lines := make([]string, 0, height)
	var layers monitor.Layers
	if device != nil {
		layers = monitor.LayersOf(st.Sample, device.Index)
		lines = append(lines, title(st, device, width))
	} else {
		lines = append(lines, st.Theme.Style(theme.Strong).Paint(line.Cut("What the job's log prints", width, st.Theme.Glyphs.Ellipsis)))
	}
	if height >= findingsFrom {
		lines = append(lines, findingLine(st, width))
	}
	var below []string
	if height >= processesFrom && device != nil {
		below = processLines(st, device, width, min(mostProcesses, height/6))
	}
	gaps := ""
	if height >= gapsFrom && device != nil {
		gaps = gapLine(st, &layers, width)
	}
	moment := 1
	if !g.model.Anchor.IsZero() && height > 8 {
		moment = 2
	}
	room := height - len(lines) - len(below) - moment
	if gaps != "" {
		room--
	}
	g.chartY = 1 + len(lines)
	g.size = chart.Size{Width: width, Height: max(1, room)}
	lines = append(lines, g.chart(st, subject, device, &layers)...)
	lines = append(lines, g.moment(st, subject, width, moment)...)
	if gaps != "" {
		lines = append(lines, gaps)
	}
	return append(lines, below...)
}

// chart reads and draws the layers.
func (g *GPU) chart(st *screen.State, subject chart.Subject, device *monitor.GPU, layers *monitor.Layers) []string {
	b := chrome.Bounds(st, g.size)
	g.model.Clock = st.Past || !g.model.Following()
	switch {
	case st.Past:
		if !g.model.Cursor.Equal(st.At) {
			g.model = g.looked(b).CursorTo(st.At, b)
		}
	case !g.model.Cursor.IsZero():
		g.model = g.model.Follow()
	}
	shown := g.looked(b)
	g.step = shown.Step(b)
	g.data = chrome.ChartData(st, subject, &shown, g.size)
	if device != nil {
		g.data.Total, g.data.Sources = layers.Total, chrome.DeviceSources(st, device, layers)
	}
	if !g.hover.IsZero() {
		shown.Cursor = g.hover
	}
	return shown.Render(&g.data, g.size, st.Theme)
}

// title says which device it is and how it is.
func title(st *screen.State, d *monitor.GPU, width int) string {
	th := st.Theme
	l := line.New(width, th)
	l.Add(th.Style(theme.Strong), "GPU "+strconv.Itoa(d.Index)+"  "+chrome.ShortName(st, d))
	if len(st.Sample.GPUs) > 1 && width >= 60 {
		l.Add(th.Style(theme.Dim), "  of "+strconv.Itoa(len(st.Sample.GPUs))+", tab for the next")
	}
	unknown := th.Glyphs.Unknown
	right := line.New(width, th)
	add := func(name, value string) {
		right.Add(th.Style(theme.Dim), "  "+name+" ")
		right.Add(theme.Style{}, value)
	}
	if d.State != monitor.StateOK {
		right.Add(th.Style(theme.Bad), th.Glyphs.Mark+" "+d.State.String()+" since "+d.ReadAt.Format("15:04:05"))
	}
	add("util", chrome.Left(chrome.Whole(d.UtilPercent, "%", unknown), 4))
	if width >= 60 {
		add("temp", chrome.Left(chrome.Whole(d.TemperatureC, "", unknown), 3)+th.Glyphs.Degree)
		add("power", chrome.Left(chrome.Whole(d.PowerW, "", unknown), 4)+" W")
	}
	if width >= 110 {
		add("tensor", chrome.Left(chrome.Whole(d.Activity.TensorPercent, "%", unknown), 4))
		add("sm", chrome.Left(chrome.Whole(d.SMClockMHz, "", unknown), 5)+" MHz")
	}
	text := right.String()
	if w := line.Width(text); l.Width()+w <= width {
		l.Pad(width - w)
		return l.String() + text
	}
	return l.String()
}

// findingLine says the most important finding about the device in one line.
func findingLine(st *screen.State, width int) string {
	if lines := chrome.FindingLines(st, width, 1); len(lines) > 0 {
		return lines[0]
	}
	text := chrome.Calm(st, "No cause for worry found.")
	return st.Theme.Style(theme.Dim).Paint(line.Cut(text, width, st.Theme.Glyphs.Ellipsis))
}

// moment says what the layers were at the cursor, and against the second one.
func (g *GPU) moment(st *screen.State, subject chart.Subject, width, lines int) []string {
	when := at(st)
	if !g.hover.IsZero() {
		when = g.hover
	}
	read := func(at time.Time) chart.Moment {
		if subject == (chart.Subject{}) {
			return g.data.Values(at)
		}
		return chart.ReadMoment(st.History, subject, at, &g.data)
	}
	now := read(when)
	out := []string{now.Line(st.Theme, width)}
	if lines < 2 {
		return out
	}
	diff := chart.Diff(read(g.model.Anchor), now)
	l := line.New(width, st.Theme)
	l.Add(st.Theme.Style(theme.Dim), diff.From.Format(time.TimeOnly)+" to "+diff.To.Format(time.TimeOnly)+"  ")
	return append(out, l.String()+diff.Line(st.Theme, max(0, width-l.Width())))
}

// gapLine says what lies between the layers at the moment on screen.
func gapLine(st *screen.State, layers *monitor.Layers, width int) string {
	th := st.Theme
	l := line.New(width, th)
	for i, gap := range gapsOf(layers, width) {
		figure := chrome.Left(chrome.GiB(gap.value, th.Glyphs.Unknown), chrome.FigureWidth)
		need := line.Width(gap.name) + 1 + line.Width(figure)
		if i > 0 {
			need += 3
		}
		if need > l.Left() {
			break
		}
		if i > 0 {
			l.Add(th.Style(theme.Dim), " "+th.Glyphs.Dot+" ")
		}
		l.Add(th.Style(theme.Dim), gap.name+" ")
		l.Add(theme.Style{}, figure)
	}
	return l.String()
}

// gap is a named part of a device's memory.
type gap struct {
	name  string
	value monitor.Reading[int64]
}

// gapsOf returns what lies between the layers, in the order in which it stands.
// What nobody here can be held to comes before what the bars show anyway.
func gapsOf(layers *monitor.Layers, width int) []gap {
	nonTorch, others := gap{"non-torch", layers.NonTorch}, gap{"others", layers.Others}
	if layers.Assumed {
		nonTorch.name, others.name = "non-torch (assumed)", "others (assumed)"
	}
	rest := []gap{{"free", layers.Free}, {"driver", layers.DriverReserved}}
	unseen, ok := chrome.Unseen(layers)
	if !ok {
		return append([]gap{{"cache", layers.Cache}, {"split", layers.Split}, {"releasable", layers.Releasable}, nonTorch, others}, rest...)
	}
	hidden := gap{"others: " + chrome.NotVisible, unseen}
	if width < 100 {
		return append([]gap{nonTorch, hidden}, rest...)
	}
	return append([]gap{{"cache", layers.Cache}, nonTorch, hidden}, rest...)
}

// processLines draws the largest processes on the device.
func processLines(st *screen.State, d *monitor.GPU, width, most int) []string {
	table := procs.Build(st.Sample)
	var rows []*procs.Row
	all := table.Rows()
	for i := range all {
		if on, ok := all[i].GPU.Get(); ok && on == d.Index {
			rows = append(rows, &all[i])
		}
	}
	note := chrome.Plural(len(rows), "process", "processes") + " on this GPU"
	if len(rows) > most {
		note = "the largest " + strconv.Itoa(most) + " of " + note
	}
	lines := []string{chrome.Title(st, width, "", note+", GiB")}
	for i := range min(most, len(rows)) {
		lines = append(lines, processLine(st, rows[i], width))
	}
	return lines
}

func processLine(st *screen.State, r *procs.Row, width int) string {
	th := st.Theme
	l := line.New(width, th)
	cell := func(id procs.ColumnID, width int, role theme.Role) {
		l.Add(th.Style(role), chrome.Left(th.Outside(r.Cell(id, th.Glyphs.Unknown)), width))
	}
	cell(procs.ColumnPID, 9, theme.Strong)
	for _, c := range []struct {
		name string
		id   procs.ColumnID
		role theme.Role
	}{{"alloc", procs.ColumnAllocated, theme.Allocated}, {"reserved", procs.ColumnReserved, theme.Reserved}, {"used", procs.ColumnUsed, theme.Used}} {
		l.Add(th.Style(theme.Dim), "  "+c.name)
		cell(c.id, chrome.FigureWidth+1, c.role)
	}
	l.Space(2)
	l.Add(theme.Style{}, th.Outside(r.Cell(procs.ColumnCommand, "")))
	return l.String()
}

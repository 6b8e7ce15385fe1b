package process

import (
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/chart"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Process is the screen's own state: how far it is scrolled.
type Process struct {
	offset int
	chart  chart.Model
}

// New returns the screen at its top.
func New() *Process { return &Process{} }

var _ screen.Screen = (*Process)(nil)

// Update goes to another process, scrolls, or asks for a signal.
func (p *Process) Update(st *screen.State, in screen.Input) screen.Ask {
	if st.Sample == nil {
		return nil
	}
	switch in.Mouse.Kind {
	case screen.MouseWheelUp:
		p.offset -= 3
	case screen.MouseWheelDown:
		p.offset += 3
	default:
	}
	switch in.Action {
	case keys.Up, keys.PreviousGPU:
		p.next(st, -1)
	case keys.Down, keys.NextGPU:
		p.next(st, 1)
	case keys.PageUp:
		p.offset -= 10
	case keys.PageDown:
		p.offset += 10
	case keys.Enter:
		return screen.Open{Screen: screen.GPU}
	case keys.Signal:
		if rows := rowsOf(st); len(rows) > 0 {
			return screen.AskSignal(st, rows[0])
		}
	case keys.Close:
		if st.Past {
			return screen.Travel{}
		}
		return screen.Open{Screen: screen.Overview}
	default:
	}
	p.offset = max(0, p.offset)
	return nil
}

// next puts the focus on another process.
func (p *Process) next(st *screen.State, by int) {
	table := procs.Build(st.Sample)
	rows := table.Rows()
	if len(rows) == 0 {
		return
	}
	at := 0
	for i := range rows {
		if st.Focus.HasProcess && rows[i].ID.Process == st.Focus.Process {
			at = i
			if by < 0 {
				break
			}
		}
	}
	if st.Focus.HasProcess {
		at = ((at+by)%len(rows) + len(rows)) % len(rows)
	}
	st.Focus.Process, st.Focus.HasProcess = rows[at].ID.Process, true
	if g, ok := st.Sample.GPU(rows[at].GPU.Or(-1)); ok {
		st.Focus.GPU = g.ID()
	}
	p.offset = 0
}

// rowsOf returns the rows of the process in focus, one a device; without a
// focus those of the process that holds most on the GPU in focus.
func rowsOf(st *screen.State) []*procs.Row {
	table := procs.Build(st.Sample)
	rows := table.Rows()
	want, known := st.Focus.Process, st.Focus.HasProcess
	if !known && len(rows) > 0 {
		want = rows[0].ID.Process
		if g := st.GPU(); g != nil {
			for i := range rows {
				if on, ok := rows[i].GPU.Get(); ok && on == g.Index {
					want = rows[i].ID.Process
					break
				}
			}
		}
	}
	var out []*procs.Row
	for i := range rows {
		if rows[i].ID.Process == want {
			out = append(out, &rows[i])
		}
	}
	return out
}

// View draws the screen.
func (p *Process) View(st *screen.State, width, height int) []string {
	if st.Sample == nil {
		return chrome.Message(st, width, height, st.Waiting, st.Fault)
	}
	return chrome.Page(st, width, height, func(width, height int) []string {
		rows := rowsOf(st)
		if len(rows) == 0 {
			return chrome.Message(st, width, height, "No process to show at this moment.", gone(st), chrome.WayBack(st))
		}
		return p.body(st, rows, width, height)
	})
}

func gone(st *screen.State) string {
	if table := procs.Build(st.Sample); st.Focus.HasProcess && len(table.Rows()) > 0 {
		return "The one selected is not there: up and down choose another."
	}
	return ""
}

// chartFrom is the height from which on the layers get a chart.
const chartFrom = 30

func (p *Process) body(st *screen.State, rows []*procs.Row, width, height int) []string {
	th := st.Theme
	lines := []string{head(st, rows[0], width)}
	for _, part := range line.Wrap(th.Outside(chrome.Explain(rows[0], st.Now)), width, 2, th.Glyphs.Ellipsis) {
		lines = append(lines, th.Style(theme.Dim).Paint(part))
	}
	if height >= chartFrom {
		lines = append(lines, p.drawChart(st, rows[0], width, height/3)...)
	}
	all := details(st, rows, width)
	room := height - len(lines)
	if room <= 0 {
		return lines
	}
	if len(all) > room && room > 1 {
		room--
	}
	p.offset = max(0, min(p.offset, len(all)-room))
	lines = append(lines, all[p.offset:min(len(all), p.offset+room)]...)
	if len(all) > room {
		more := th.Glyphs.Down + " more: page down"
		if p.offset+room >= len(all) {
			more = th.Glyphs.Up + " more: page up"
		}
		lines = append(lines, th.Style(theme.Dim).Paint(line.Cut(more, width, th.Glyphs.Ellipsis)))
	}
	return lines
}

// head names the process.
func head(st *screen.State, r *procs.Row, width int) string {
	th := st.Theme
	l := line.New(width, th)
	l.Add(th.Style(theme.Strong), "PID "+th.Outside(r.Cell(procs.ColumnPID, th.Glyphs.Unknown)))
	l.Space(2)
	l.Add(th.Style(theme.Strong), th.Outside(r.Cell(procs.ColumnCommand, "")))
	return l.String()
}

func (p *Process) drawChart(st *screen.State, r *procs.Row, width, height int) []string {
	subject := chart.Subject{Process: r.ID.Process}
	total := monitor.Unknown[int64](monitor.NotApplicable, "")
	if g, ok := st.Sample.GPU(r.GPU.Or(-1)); ok {
		subject.GPU, total = g.ID(), g.Memory.TotalBytes
	}
	size := chart.Size{Width: width, Height: height}
	m := p.chart
	if st.Past {
		m = m.CursorTo(st.At, chrome.Bounds(st, size))
	}
	d := chrome.ChartData(st, subject, &m, size)
	d.Total, d.Sources = total, chrome.ProcessSources(st, r)
	return m.Render(&d, size, st.Theme)
}

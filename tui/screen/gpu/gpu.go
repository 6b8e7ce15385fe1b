package gpu

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/widget/chart"
)

// GPU is the screen's own state: which stretch of time is looked at.
type GPU struct {
	model chart.Model

	// Of the last frame, for steps and the mouse.
	size   chart.Size
	data   chart.Data
	chartY int
	step   time.Duration
	hover  time.Time // what the mouse is over
}

// New returns the screen following the newest sample.
func New() *GPU { return &GPU{} }

var (
	_ screen.Screen  = (*GPU)(nil)
	_ screen.Hoverer = (*GPU)(nil)
	_ screen.Strider = (*GPU)(nil)
)

// Hovers says that the mouse shows values by moving over the chart.
func (*GPU) Hovers() {}

// Stride returns the time of one column of the chart.
func (g *GPU) Stride() time.Duration { return g.step }

// Update acts on keys and the mouse.
func (g *GPU) Update(st *screen.State, in screen.Input) screen.Ask {
	if st.Sample == nil {
		return nil
	}
	if in.Mouse.Kind != screen.MouseNone {
		return g.mouse(st, in.Mouse)
	}
	b := chrome.Bounds(st, g.size)
	g.hover = time.Time{}
	switch in.Action {
	case keys.ZoomIn:
		g.model = g.looked(b).ZoomIn(b)
	case keys.ZoomOut:
		g.model = g.looked(b).ZoomOut(b)
	case keys.PanBack:
		g.model = g.looked(b).Pan(-max(1, b.Columns/2), b)
	case keys.PanForward:
		g.model = g.looked(b).Pan(max(1, b.Columns/2), b)
	case keys.Cursor:
		g.setAnchor(st)
	case keys.Up, keys.PreviousGPU:
		g.next(st, -1)
	case keys.Down, keys.NextGPU:
		g.next(st, 1)
	case keys.Enter:
		return screen.Open{Screen: screen.Process}
	case keys.Close:
		return g.close(st)
	default:
	}
	return nil
}

// looked returns what is looked at: until somebody zooms, the shortest span
// that holds the history, up to the default.
func (g *GPU) looked(b chart.Bounds) chart.Model {
	m := g.model
	if m.Span == 0 {
		m.Span = min(chrome.SpanFor(b.Last.Sub(b.First)), chart.DefaultSpan)
	}
	return m
}

// setAnchor sets the second cursor at the moment on screen, or takes it away.
func (g *GPU) setAnchor(st *screen.State) {
	if !g.model.Anchor.IsZero() {
		g.model.Anchor = time.Time{}
		return
	}
	g.model.Anchor = at(st)
}

// at returns the moment on screen.
func at(st *screen.State) time.Time {
	if st.Past && !st.At.IsZero() {
		return st.At
	}
	return st.Sample.Time
}

// close takes away one thing after the other: the second cursor, the past, the
// stretch looked at, the screen.
func (g *GPU) close(st *screen.State) screen.Ask {
	switch {
	case !g.model.Anchor.IsZero():
		g.model.Anchor = time.Time{}
	case st.Past:
		g.model = g.model.Follow()
		return screen.Travel{}
	case !g.model.Following():
		g.model = g.model.Follow()
	default:
		return screen.Open{Screen: screen.Overview}
	}
	return nil
}

// next looks at another GPU.
func (g *GPU) next(st *screen.State, by int) {
	gpus := st.Sample.GPUs
	current := st.GPU()
	if current == nil {
		return
	}
	for i := range gpus {
		if gpus[i].ID() == current.ID() {
			st.Focus.GPU = gpus[((i+by)%len(gpus)+len(gpus))%len(gpus)].ID()
			return
		}
	}
}

// mouse shows the values under it, and goes to a moment with a click.
func (g *GPU) mouse(st *screen.State, m screen.Mouse) screen.Ask {
	b := chrome.Bounds(st, g.size)
	time1, over := g.size.TimeAt(&g.data, m.X)
	over = over && m.Y >= g.chartY && m.Y < g.chartY+g.size.Height
	switch m.Kind {
	case screen.MouseWheelUp:
		g.model = g.looked(b).ZoomIn(b)
	case screen.MouseWheelDown:
		g.model = g.looked(b).ZoomOut(b)
	case screen.MouseMove:
		g.hover = time.Time{}
		if over {
			g.hover = time1
		}
	case screen.MousePress, screen.MouseDrag:
		if over && !time1.After(b.Last) {
			g.hover = time.Time{}
			return screen.Travel{At: time1}
		}
	default:
	}
	return nil
}

// subjectOf returns what the chart shows: the device in focus, or without one
// the first process that has figures, or the job of a log, which is the zero
// subject. False when there is nothing at all.
func subjectOf(st *screen.State) (chart.Subject, *monitor.GPU, bool) {
	if g := st.GPU(); g != nil {
		return chart.Subject{GPU: g.ID()}, g, true
	}
	for i := range st.Sample.Torch {
		if a := &st.Sample.Torch[i]; a.State == monitor.AllocatorOK && a.PID != 0 {
			return chart.Subject{Process: a.Key()}, nil, true
		}
	}
	return chart.Subject{}, nil, len(chrome.MemoryReadings(st)) > 0
}

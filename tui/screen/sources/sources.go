// Package sources is the screen of where the figures come from: each source
// with its state, its reason and its age, and each PyTorch process with how its
// allocator was read or why it was not.
//
// It asks nothing itself: what a source says of itself comes with the sample.
package sources

import (
	"strconv"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Sources is the screen's own state: how far it is scrolled.
type Sources struct{ offset int }

// New returns the screen at its top.
func New() *Sources { return &Sources{} }

var _ screen.Screen = (*Sources)(nil)

// Update scrolls.
func (s *Sources) Update(st *screen.State, in screen.Input) screen.Ask {
	switch in.Mouse.Kind {
	case screen.MouseWheelUp:
		s.offset -= 3
	case screen.MouseWheelDown:
		s.offset += 3
	default:
	}
	switch in.Action {
	case keys.Up:
		s.offset--
	case keys.Down:
		s.offset++
	case keys.PageUp:
		s.offset -= 10
	case keys.PageDown:
		s.offset += 10
	case keys.Close:
		if st.Past {
			return screen.Travel{}
		}
		return screen.Open{Screen: screen.Overview}
	default:
	}
	s.offset = max(0, s.offset)
	return nil
}

// View draws the screen.
func (s *Sources) View(st *screen.State, width, height int) []string {
	if st.Sample == nil {
		return chrome.Message(st, width, height, st.Waiting, st.Fault)
	}
	return chrome.Page(st, width, height, func(width, height int) []string {
		all := content(st, width)
		room := height
		if len(all) > height && height > 1 {
			room--
		}
		s.offset = max(0, min(s.offset, len(all)-room))
		out := append([]string{}, all[s.offset:min(len(all), s.offset+room)]...)
		if len(all) > room {
			more := st.Theme.Glyphs.Down + " more"
			if s.offset+room >= len(all) {
				more = st.Theme.Glyphs.Up + " more"
			}
			out = append(out, st.Theme.Style(theme.Dim).Paint(line.Cut(more, width, "")))
		}
		return out
	})
}

func content(st *screen.State, width int) []string {
	lines := []string{chrome.Title(st, width, "Sources", "state, age and time of the last good answer")}
	if len(st.Sample.Sources) == 0 {
		what := "no source reports"
		if st.Position != nil {
			what = "a recording: its sources were not written down at this moment"
		}
		lines = append(lines, line.Cut("  "+what, width, st.Theme.Glyphs.Ellipsis))
	}
	for i := range st.Sample.Sources {
		lines = append(lines, sourceLines(st, &st.Sample.Sources[i], width)...)
	}
	lines = append(lines, deviceLines(st, width)...)
	lines = append(lines, allocatorLines(st, width)...)
	return append(lines, historyLines(st, width)...)
}

// Mark returns the sign of a state.
func mark(th *theme.Theme, s monitor.State) (string, theme.Role) {
	switch s {
	case monitor.StateOK:
		return th.Glyphs.Live, theme.Good
	case monitor.StatePartial:
		return th.Glyphs.Partial, theme.Warn
	case monitor.StateStale:
		return th.Glyphs.Mark, theme.Warn
	case monitor.StateUnavailable:
		return th.Glyphs.Off, theme.Bad
	}
	return th.Glyphs.Off, theme.Bad
}

// row lays out a line of a name, a state and notes, and the reason below.
func row(st *screen.State, width int, state monitor.State, name, word string, notes, reason string) []string {
	th := st.Theme
	l := line.New(width, th)
	sign, role := mark(th, state)
	l.Add(th.Style(role), "  "+sign+" ")
	l.Add(th.Style(theme.Strong), line.Cut(name, 14, th.Glyphs.Ellipsis))
	l.Pad(19)
	l.Add(th.Style(role), word)
	l.Pad(36)
	l.Add(th.Style(theme.Dim), notes)
	out := []string{l.String()}
	for _, part := range line.Wrap(th.Outside(reason), max(1, width-6), 4, th.Glyphs.Ellipsis) {
		out = append(out, "      "+part)
	}
	return out
}

func sourceLines(st *screen.State, s *monitor.SourceStatus, width int) []string {
	notes := "never answered well"
	if !s.GoodAt.IsZero() {
		notes = chrome.Left(chrome.Age(st.Now.Sub(s.GoodAt)), 7) + " ago"
	}
	if s.Took > 0 {
		notes += ", took " + took(s.Took)
	}
	return row(st, width, s.State, st.Theme.Outside(s.Name), s.State.String(), notes, s.Reason)
}

// took returns a short time: 412 us, 3.1 ms, 0.8 s.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return strconv.FormatInt(d.Microseconds(), 10) + " us"
	case d < time.Second:
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// deviceLines lists the devices that are not well.
func deviceLines(st *screen.State, width int) []string {
	var lines []string
	for i := range st.Sample.GPUs {
		g := &st.Sample.GPUs[i]
		if g.State == monitor.StateOK {
			continue
		}
		notes := ""
		if !g.ReadAt.IsZero() {
			notes = "last read " + chrome.Age(st.Now.Sub(g.ReadAt)) + " ago"
		}
		lines = append(lines, row(st, width, g.State, "GPU "+strconv.Itoa(g.Index), g.State.String(), notes, g.Reason)...)
	}
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", chrome.Title(st, width, "Devices", "")}, lines...)
}

// allocatorLines lists the PyTorch processes and how they were read.
func allocatorLines(st *screen.State, width int) []string {
	if len(st.Sample.Torch) == 0 {
		return nil
	}
	lines := []string{"", chrome.Title(st, width, "PyTorch processes", "how their allocator was read")}
	for i := range st.Sample.Torch {
		a := &st.Sample.Torch[i]
		state := monitor.StateOK
		switch {
		case a.State == monitor.AllocatorInherited || a.State == monitor.AllocatorNoCUDA || a.State == monitor.AllocatorStarting:
			state = monitor.StatePartial
		case a.State != monitor.AllocatorOK:
			state = monitor.StateUnavailable
		case a.Origin != monitor.OriginAttach:
			state = monitor.StatePartial
		}
		name := "PID " + strconv.Itoa(a.PID)
		if a.PID == 0 {
			name = "a log"
		}
		notes := "from " + string(a.Origin)
		if n, ok := a.GPU.Get(); ok {
			notes = "GPU " + strconv.Itoa(n) + ", " + notes
			if a.GPUAssumed {
				notes += ", the GPU is assumed"
			}
		}
		if !a.ReadAt.IsZero() {
			notes += ", " + chrome.Age(st.Now.Sub(a.ReadAt)) + " ago"
		}
		if a.Layout != "" {
			notes += ", layout " + st.Theme.Outside(a.Layout)
		}
		lines = append(lines, row(st, width, state, name, a.State.String(), notes, a.Reason)...)
	}
	return lines
}

// historyLines say what is kept.
func historyLines(st *screen.State, width int) []string {
	stats := st.History.Stats()
	from, to := st.History.Span()
	text := "from " + from.Format(time.TimeOnly) + " to " + to.Format(time.TimeOnly)
	if whole, _, ok := st.History.WholeSpan(); ok {
		text += ", sample by sample from " + whole.Format(time.TimeOnly)
	}
	text += "; " + strconv.FormatInt((stats.SeriesBytes+stats.WholeBytes)>>20, 10) + " MiB"
	lines := []string{"", chrome.Title(st, width, "History", "")}
	for _, part := range line.Wrap(text, max(1, width-2), 3, st.Theme.Glyphs.Ellipsis) {
		lines = append(lines, "  "+part)
	}
	if stats.NotKept > 0 || stats.ClockBack > 0 {
		lines = append(lines, line.Cut("  "+strconv.FormatUint(stats.NotKept, 10)+" series not kept for want of memory, the clock went back "+
			strconv.FormatUint(stats.ClockBack, 10)+" times", width, st.Theme.Glyphs.Ellipsis))
	}
	return lines
}

// Package advice is the screen of what is wrong: every finding, and of the
// selected one the evidence, what to change, what would speak for or against
// it, and the stretch of time it was found in.
//
// It judges nothing itself: findings come from package advisor.
package advice

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Advice is the screen's own state: how far the text is scrolled.
type Advice struct {
	offset int // of the text
	first  int // of the list
	listY  int
	listed int
}

// New returns the screen at its top.
func New() *Advice { return &Advice{} }

var _ screen.Screen = (*Advice)(nil)

// selected returns the place of the finding in focus, else the first.
func selected(st *screen.State) int {
	if st.Focus.HasFinding {
		i := slices.IndexFunc(st.Findings, func(f advisor.Tracked) bool { return f.Key() == st.Focus.Finding })
		return max(0, i)
	}
	return 0
}

// Update selects, scrolls, acknowledges, mutes and goes to the finding's time.
func (a *Advice) Update(st *screen.State, in screen.Input) screen.Ask {
	if in.Mouse.Kind != screen.MouseNone {
		return a.mouse(st, in.Mouse)
	}
	switch in.Action {
	case keys.PageUp:
		a.offset -= 10
	case keys.PageDown:
		a.offset += 10
	case keys.Close:
		if st.Past {
			return screen.Travel{}
		}
		return screen.Open{Screen: screen.Overview}
	default:
	}
	a.offset = max(0, a.offset)
	if len(st.Findings) == 0 {
		return nil
	}
	f := &st.Findings[selected(st)]
	switch in.Action {
	case keys.Up:
		a.choose(st, selected(st)-1)
	case keys.Down:
		a.choose(st, selected(st)+1)
	case keys.Acknowledge:
		st.Focus.Finding, st.Focus.HasFinding = f.Key(), true // it may go elsewhere in the list
		return screen.Judge{Finding: f.Key(), Acknowledge: true}
	case keys.Mute:
		st.Focus.Finding, st.Focus.HasFinding = f.Key(), true
		return screen.Judge{Finding: f.Key(), Mute: true}
	case keys.Enter:
		if f.GPUID != "" {
			st.Focus.GPU = f.GPUID
		}
		return screen.Open{Screen: screen.GPU}
	default:
	}
	return nil
}

func (a *Advice) choose(st *screen.State, i int) {
	i = max(0, min(i, len(st.Findings)-1))
	st.Focus.Finding, st.Focus.HasFinding = st.Findings[i].Key(), true
	a.offset = 0
}

func (a *Advice) mouse(st *screen.State, m screen.Mouse) screen.Ask {
	switch m.Kind {
	case screen.MouseWheelUp:
		a.offset = max(0, a.offset-3)
	case screen.MouseWheelDown:
		a.offset += 3
	case screen.MousePress:
		if i := m.Y - a.listY; i >= 0 && i < a.listed && a.first+i < len(st.Findings) {
			a.choose(st, a.first+i)
		}
	default:
	}
	return nil
}

// View draws the screen.
func (a *Advice) View(st *screen.State, width, height int) []string {
	if st.Sample == nil {
		return chrome.Message(st, width, height, st.Waiting, st.Fault)
	}
	return chrome.Page(st, width, height, func(width, height int) []string {
		if len(st.Findings) == 0 {
			text := chrome.Calm(st, "No cause for worry found in what was seen so far.")
			return chrome.Message(st, width, height, text, seen(st))
		}
		return a.body(st, width, height)
	})
}

// seen says how much was looked at.
func seen(st *screen.State) string {
	from, to := st.History.Span()
	if to.Sub(from) <= 0 {
		return ""
	}
	return "Looked at the last " + chrome.Age(to.Sub(from)) + "."
}

// chartFrom is the height from which on the window is drawn on a chart.
const chartFrom = 30

func (a *Advice) body(st *screen.State, width, height int) []string {
	i := selected(st)
	listH := min(len(st.Findings), max(1, min(height/4, 8)))
	a.first = max(0, min(a.first, len(st.Findings)-listH))
	a.first = max(min(a.first, i), i-listH+1)
	lines := []string{a.heading(st, listH, width)}
	a.listY, a.listed = 1+len(lines), listH
	for n := a.first; n < a.first+listH; n++ {
		lines = append(lines, item(st, &st.Findings[n], n == i, width))
	}
	f := &st.Findings[i]
	chartH := 0
	if height >= chartFrom {
		chartH = height / 3
	}
	room := height - len(lines) - chartH - 1
	if room > 0 {
		lines = append(lines, chrome.Title(st, width, string(f.ID), where(st, f)))
		lines = append(lines, a.text(st, f, width, room)...)
	}
	if chartH > 0 {
		for len(lines) < height-chartH {
			lines = append(lines, "")
		}
		lines = append(lines, window(st, f, width, chartH)...)
	}
	return lines
}

func (a *Advice) heading(st *screen.State, listH, width int) string {
	th := st.Theme
	text := chrome.Plural(len(st.Findings), "finding", "findings")
	if listH < len(st.Findings) {
		text = strconv.Itoa(a.first+1) + "-" + strconv.Itoa(a.first+listH) + " of " + text
	}
	l := line.New(width, th)
	l.Add(th.Style(theme.Heading), text)
	if hint := "x marks it seen, u mutes it"; l.Left() >= line.Width(hint)+2 {
		l.Pad(width - line.Width(hint))
		l.Add(th.Style(theme.Dim), hint)
	}
	return l.String()
}

// item draws a finding in one line of the list.
func item(st *screen.State, f *advisor.Tracked, selected bool, width int) string {
	th := st.Theme
	l := line.New(width, th)
	pointer, role := " ", chrome.SeverityRole(f.Severity)
	style := theme.Style{}
	if selected {
		pointer, style = th.Glyphs.Pointer, th.Style(theme.Selected)
	}
	note := f.Severity.String()
	switch {
	case f.Muted:
		note, role = "muted", theme.Dim
	case f.State == advisor.Resolved:
		note, role = "resolved", theme.Dim
	case st.HasEnded(f):
		note, role = "ended", theme.Dim
	case f.Acked:
		note, role = "seen", theme.Dim
	}
	l.Add(style, pointer)
	l.Space(1)
	l.Add(th.Style(role), note)
	l.Pad(12)
	l.Add(style, chrome.Claim(st, f, l.Left()))
	return l.String()
}

// where says what a finding is about.
func where(st *screen.State, f *advisor.Tracked) string {
	var parts []string
	if f.GPU != nil {
		parts = append(parts, "GPU "+strconv.Itoa(*f.GPU))
	}
	if f.PID != nil {
		parts = append(parts, "pid "+strconv.Itoa(*f.PID))
	}
	if f.Rank != nil {
		parts = append(parts, "rank "+strconv.Itoa(*f.Rank))
	}
	state := f.State.String()
	if st.HasEnded(f) {
		state = advisor.Ended.String()
	}
	parts = append(parts, f.Confidence.String(), state)
	if !f.From.IsZero() {
		parts = append(parts, f.From.Format(time.TimeOnly)+" to "+f.To.Format(time.TimeOnly))
	}
	return strings.Join(parts, ", ")
}

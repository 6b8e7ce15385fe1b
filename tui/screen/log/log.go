// Package log is the screen of the training log: the lines that were
// understood, beside what was read out of them.
//
// The lines come from outside: they pass the sanitiser before they are drawn.
// It parses nothing itself.
package log

import (
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Log is the screen's own state: how far it is scrolled back and what is looked
// for.
type Log struct {
	back   int // entries below the last line on screen; 0 follows the newest
	last   int // entries there were, to stay in place when more come
	search string
}

// New returns the screen following the newest line.
func New() *Log { return &Log{} }

var _ screen.Screen = (*Log)(nil)

// Update scrolls and searches.
func (l *Log) Update(st *screen.State, in screen.Input) screen.Ask {
	switch in.Mouse.Kind {
	case screen.MouseWheelUp:
		l.back += 3
	case screen.MouseWheelDown:
		l.back -= 3
	default:
	}
	switch in.Action {
	case keys.Up:
		l.back++
	case keys.Down:
		l.back--
	case keys.PageUp:
		l.back += 10
	case keys.PageDown:
		l.back -= 10
	case keys.Filter:
		return screen.Prompt{Label: "search:", Text: l.search, Changed: func(t string) { l.search, l.back = t, 0 }}
	case keys.Close:
		switch {
		case l.search != "":
			l.search = ""
		case l.back > 0:
			l.back = 0
		case st.Past:
			return screen.Travel{}
		default:
			return screen.Open{Screen: screen.Overview}
		}
	default:
	}
	l.back = max(0, l.back)
	return nil
}

// View draws the screen.
func (l *Log) View(st *screen.State, width, height int) []string {
	if st.Sample == nil {
		return chrome.Message(st, width, height, st.Waiting, st.Fault)
	}
	return chrome.Page(st, width, height, func(width, height int) []string {
		if len(st.Log) == 0 {
			return chrome.Message(st, width, height, "No line of a log was understood so far.", hint(st))
		}
		return l.body(st, width, height)
	})
}

// hint says what to do where no log is read.
func hint(st *screen.State) string {
	if st.Position != nil {
		return "The recording holds none up to this moment."
	}
	return "--log FILE follows a training log; without it the files that the jobs have open are looked through."
}

func (l *Log) body(st *screen.State, width, height int) []string {
	entries := l.matching(st)
	if l.back > 0 && len(entries) > l.last && l.last > 0 {
		l.back += len(entries) - l.last // what is read stays in place
	}
	l.last = len(entries)
	l.back = max(0, min(l.back, len(entries)-1))
	var shown []string
	first := len(entries) - l.back
	for i := len(entries) - 1 - l.back; i >= 0; i-- {
		drawn := draw(st, &entries[i], width)
		if len(shown)+len(drawn) > height-1 {
			break
		}
		shown = append(drawn, shown...)
		first = i
	}
	return append([]string{l.heading(st, width, first, len(entries))}, shown...)
}

func (l *Log) heading(st *screen.State, width, first, total int) string {
	note := "what was read out of it"
	if l.search != "" {
		note = "only what has " + st.Theme.Outside(l.search) + ", esc shows all"
	} else if l.back > 0 {
		note = "esc follows the newest"
	}
	title := "0 of " + strconv.Itoa(total) + " lines"
	if total > 0 {
		title = strconv.Itoa(min(first+1, total)) + "-" + strconv.Itoa(total-l.back) + " of " + chrome.Plural(total, "line", "lines") + " understood"
	}
	return chrome.Title(st, width, title, note)
}

func (l *Log) matching(st *screen.State) []screen.LogEntry {
	if l.search == "" {
		return st.Log
	}
	want := strings.ToLower(l.search)
	var out []screen.LogEntry
	for _, e := range st.Log {
		if strings.Contains(strings.ToLower(e.Line.Text+" "+words(e.Readings, "", st)), want) {
			out = append(out, e)
		}
	}
	return out
}

// besideFrom is the width from which on a line and its reading stand beside
// each other.
const besideFrom = 100

func draw(st *screen.State, e *screen.LogEntry, width int) []string {
	th := st.Theme
	when := e.Line.Time.Format(time.TimeOnly)
	read := words(e.Readings, th.Glyphs.Unknown, st)
	raw := th.Outside(strings.TrimSpace(e.Line.Text))
	if raw == "" {
		raw = "(line " + strconv.FormatInt(e.Line.Number, 10) + " of " + th.Outside(e.Line.Source) + ")"
	}
	role := theme.Plain
	for i := range e.Readings {
		if e.Readings[i].Kind == monitor.LogOOM {
			role = theme.Bad
		}
	}
	l := line.New(width, th)
	l.Add(th.Style(theme.Dim), when+" ")
	if width < besideFrom {
		l.Add(th.Style(role), raw)
		second := line.New(width, th)
		second.Space(9)
		second.Add(th.Style(theme.Key), read)
		return []string{l.String(), second.String()}
	}
	left := (width - l.Width()) * 11 / 20
	l.Add(th.Style(role), line.Cut(raw, left-2, th.Glyphs.Ellipsis))
	l.Pad(9 + left)
	l.Add(th.Style(theme.Key), read)
	return []string{l.String()}
}

// words says what was read out of a line.
func words(readings []monitor.LogReading, unknown string, st *screen.State) string {
	var out []string
	for i := range readings {
		out = append(out, reading(&readings[i], st))
	}
	if len(out) == 0 {
		return unknown
	}
	return strings.Join(out, "; ")
}

func reading(r *monitor.LogReading, st *screen.State) string {
	var parts []string
	add := func(name string, v monitor.Reading[int64]) {
		if n, ok := v.Get(); ok {
			parts = append(parts, name+" "+strings.TrimSpace(text.GiB(n)))
		}
	}
	if r.OOM != nil {
		parts = append(parts, "out of memory")
		add("asked", r.OOM.RequestedBytes)
		add("free", r.OOM.FreeBytes)
		add("allocated", r.OOM.AllocatedBytes)
		add("reserved", r.OOM.ReservedBytes)
		if r.OOM.Cause != "" {
			parts = append(parts, "in "+st.Theme.Outside(r.OOM.Cause))
		}
	}
	add("allocated", r.AllocatedBytes)
	add("reserved", r.ReservedBytes)
	add("max allocated", r.MaxAllocatedBytes)
	add("max reserved", r.MaxReservedBytes)
	add("device used", r.DeviceUsedBytes)
	if len(parts) > 0 {
		parts[len(parts)-1] += " GiB"
		if r.Unit != "" && r.Unit != monitor.UnitStated {
			parts = append(parts, "unit "+string(r.Unit))
		}
	}
	if n, ok := r.Rank.Get(); ok {
		parts = append(parts, "rank "+strconv.Itoa(n))
	}
	if n, ok := r.Step.Get(); ok {
		parts = append(parts, "step "+strconv.FormatInt(n, 10))
	}
	if v, ok := r.Epoch.Get(); ok {
		parts = append(parts, "epoch "+strconv.FormatFloat(v, 'g', 4, 64))
	}
	if r.Phase != "" {
		parts = append(parts, st.Theme.Outside(r.Phase))
	}
	if r.Producer != "" {
		parts = append(parts, "as "+st.Theme.Outside(r.Producer)+" prints")
	}
	return strings.Join(parts, " "+st.Theme.Glyphs.Dot+" ")
}

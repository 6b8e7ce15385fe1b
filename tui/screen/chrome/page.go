package chrome

import (
	"strings"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// KeysFrom is the height from which on the last line holds the keys.
const KeysFrom = 12

// Page draws a screen in exactly height lines: the top line, the body, the
// keys. The body gets the lines between and may return fewer.
func Page(st *screen.State, width, height int, body func(width, height int) []string) []string {
	if width <= 0 || height <= 0 {
		return nil
	}
	lines := make([]string, 0, height)
	lines = append(lines, Header(st, width))
	room := height - 1
	if height >= KeysFrom {
		room--
	}
	if room > 0 {
		inner := body(width, room)
		lines = append(lines, inner[:min(len(inner), room)]...)
	}
	for len(lines) < 1+room {
		lines = append(lines, "")
	}
	if height >= KeysFrom {
		lines = append(lines, Keys(st, width))
	}
	return lines
}

// Message draws sentences in the middle of an otherwise empty screen.
func Message(st *screen.State, width, height int, sentences ...string) []string {
	var text []string
	for _, s := range sentences {
		if s == "" {
			continue
		}
		text = append(text, line.Wrap(s, max(1, width-4), 3, st.Theme.Glyphs.Ellipsis)...)
	}
	lines := make([]string, max(0, (height-len(text))/2))
	for _, s := range text {
		l := line.New(width, st.Theme)
		l.Space((width - line.Width(s)) / 2)
		l.Add(theme.Style{}, s)
		lines = append(lines, l.String())
	}
	return lines[:min(len(lines), max(0, height))]
}

// Title draws a heading with a rule behind it.
func Title(st *screen.State, width int, text, note string) string {
	th := st.Theme
	l := line.New(width, th)
	l.Add(th.Style(theme.Heading), text)
	if note != "" {
		l.Space(2)
		l.Add(th.Style(theme.Dim), note)
	}
	if l.Left() > 2 {
		l.Space(1)
		rule := make([]byte, 0, l.Left()*len(th.Glyphs.Rule))
		for range l.Left() {
			rule = append(rule, th.Glyphs.Rule...)
		}
		l.Add(th.Style(theme.Dim), string(rule))
	}
	return l.String()
}

// SeverityRole returns how a finding of that severity is drawn.
func SeverityRole(s advisor.Severity) theme.Role {
	switch s {
	case advisor.Critical:
		return theme.Bad
	case advisor.Warning:
		return theme.Warn
	case advisor.Info:
		return theme.Plain
	}
	return theme.Plain
}

// Loudest returns the finding that belongs on the overview: the first that
// still holds, matters and was not dealt with; nil when there is none.
func Loudest(st *screen.State) *advisor.Tracked {
	for i := range st.Findings {
		f := &st.Findings[i]
		if !f.Acked && !f.Muted && f.State == advisor.Active && f.Severity >= advisor.Warning {
			return f
		}
	}
	return nil
}

// Looking stands where findings would, until the moment on screen is judged.
const Looking = "Looking..."

// Calm returns what to say where there is no finding: the sentence given, with
// its time where another moment than that on screen was judged, or Looking.
func Calm(st *screen.State, sentence string) string {
	switch {
	case !st.Judged:
		return Looking
	case st.JudgedOf.IsZero():
		return sentence
	}
	return strings.TrimSuffix(sentence, ".") + ", " + asOf(st) + "."
}

func asOf(st *screen.State) string { return "as of " + st.JudgedOf.Format(time.TimeOnly) }

// FindingLines draws the loudest finding in at most lines lines: its sentence,
// the first advice where there is room, and how sure it is.
func FindingLines(st *screen.State, width, lines int) []string {
	f := Loudest(st)
	if f == nil || lines <= 0 || width < 10 {
		return nil
	}
	th := st.Theme
	tail := f.Confidence.String()
	if st.HasEnded(f) {
		tail = "ended " + th.Glyphs.Dot + " " + tail
	}
	if !st.JudgedOf.IsZero() {
		tail = asOf(st) + " " + th.Glyphs.Dot + " " + tail
	}
	if width >= 60 {
		tail += " " + th.Glyphs.Dot + " a for advice"
	}
	text := Claim(st, f, (width-2)*lines-line.Width(tail))
	if len(f.Advice) > 0 && lines > 1 {
		text = strings.TrimSuffix(text, ".") + ". " + th.Outside(f.Advice[0].Do)
	}
	parts := line.Wrap(text, width-2, lines, th.Glyphs.Ellipsis)
	out := make([]string, 0, len(parts))
	for i, part := range parts {
		l := line.New(width, th)
		if i == 0 {
			l.Add(th.Style(SeverityRole(f.Severity)), th.Glyphs.Mark+" ")
		} else {
			l.Space(2)
		}
		last := i == len(parts)-1
		if room := width - 4 - line.Width(tail); last && width >= 60 {
			part = line.Cut(part, room, th.Glyphs.Ellipsis)
		}
		style := theme.Style{}
		if i == 0 {
			style = th.Style(theme.Strong)
		}
		l.Add(style, part)
		if last && width >= 60 {
			l.Pad(width - line.Width(tail))
			l.Add(th.Style(theme.Dim), tail)
		}
		out = append(out, l.String())
	}
	return out
}

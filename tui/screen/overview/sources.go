package overview

import (
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// sources draws what is live, stale or unavailable, and as much of the reasons
// as fits, but not what the sentence above says already.
func (d *drawing) sources(width int, said string) string {
	l := line.New(width, d.th)
	l.Add(d.style(theme.Dim), "sources")
	all := d.st.Sample.Sources
	if len(all) == 0 {
		what := "  none"
		if d.st.Position != nil {
			what = "  the recording"
		}
		l.Add(d.style(theme.Dim), what)
		return l.String()
	}
	need := l.Width()
	for i := range all {
		need += 4 + line.Width(d.sourceWord(&all[i]))
	}
	room := width - need
	for i := range all {
		s := &all[i]
		mark, role := d.sourceMark(s.State)
		l.Space(2)
		l.Add(d.style(role), mark)
		l.Space(1)
		l.Add(theme.Style{}, d.sourceWord(s))
		if s.State == monitor.StateOK || s.Reason == "" || room < 12 ||
			strings.Contains(said, d.th.Outside(s.Name+": "+s.Reason)) {
			continue
		}
		reason := line.Cut(d.th.Outside(s.Reason), room-2, d.th.Glyphs.Ellipsis)
		l.Add(d.style(theme.Dim), ": "+reason)
		room -= 2 + line.Width(reason)
	}
	return l.String()
}

func (d *drawing) sourceMark(s monitor.State) (string, theme.Role) {
	switch s {
	case monitor.StateOK:
		return d.th.Glyphs.Live, theme.Good
	case monitor.StatePartial:
		return d.th.Glyphs.Partial, theme.Warn
	case monitor.StateStale:
		return d.th.Glyphs.Mark, theme.Warn
	case monitor.StateUnavailable:
		return d.th.Glyphs.Off, theme.Bad
	}
	return d.th.Glyphs.Off, theme.Bad
}

// sourceWord returns the name of a source and how it is.
func (d *drawing) sourceWord(s *monitor.SourceStatus) string {
	name := d.th.Outside(s.Name)
	switch s.State {
	case monitor.StateOK:
		return name
	case monitor.StateStale:
		if !s.GoodAt.IsZero() {
			return name + " stale " + chrome.Age(d.st.Now.Sub(s.GoodAt))
		}
	default:
	}
	return name + " " + s.State.String()
}

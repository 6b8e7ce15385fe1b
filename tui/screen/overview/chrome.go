package overview

import (
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// header draws the top line: which machine at the left, which moment at the
// right. The right side stays, the left gives way.
func (d *drawing) header(width int) string {
	l := line.New(width, d.th)
	right := d.headerRight(width)
	rightW := line.Width(right)
	room := width - rightW - 2
	dot := " " + d.th.Glyphs.Dot + " "
	l.Add(d.style(theme.Strong), line.Cut("vramscope", max(0, room), d.th.Glyphs.Ellipsis))
	var items []string
	for _, item := range []string{d.st.Title, d.th.Outside(d.st.Sample.Host), d.devices(), d.driver()} {
		if item != "" {
			items = append(items, item)
		}
	}
	for i, item := range items {
		separator := dot
		if i == 0 {
			separator = "  "
		}
		left := room - l.Width() - line.Width(separator)
		if line.Width(item) > left && (i > 0 || left < 6) {
			break
		}
		l.Add(d.style(theme.Dim), separator)
		l.Add(theme.Style{}, line.Cut(item, left, d.th.Glyphs.Ellipsis))
	}
	l.Pad(width - rightW)
	return l.String() + right
}

// headerRight draws interval, clock and state, in at most width columns.
func (d *drawing) headerRight(width int) string {
	st := d.st
	mark, word, role := d.state()
	l := line.New(width, d.th)
	clock := st.Sample.Time.Format("15:04:05")
	dot := " " + d.th.Glyphs.Dot + " "
	if width >= 50 {
		if p := st.Position; p != nil {
			speed := strconv.FormatFloat(p.Speed, 'g', 4, 64)
			l.Add(d.style(theme.Dim), d.th.Glyphs.Times+speed+dot+elapsedText(p.At.Sub(p.Start))+" of "+elapsedText(p.End.Sub(p.Start))+dot)
		} else if st.Interval > 0 {
			l.Add(d.style(theme.Dim), "every "+intervalText(st.Interval)+dot)
		}
	}
	l.Add(theme.Style{}, clock)
	l.Add(d.style(theme.Dim), " ")
	l.Add(d.style(role), mark+" "+word)
	return l.String()
}

// state says in a sign and a word how current the screen is.
func (d *drawing) state() (mark, word string, role theme.Role) {
	st, g := d.st, &d.th.Glyphs
	switch {
	case st.Paused || st.Position != nil && st.Position.Paused:
		return g.Pause, "paused", theme.Warn
	case st.Ended, st.Position != nil && !st.Position.At.Before(st.Position.End):
		return g.Off, "end", theme.Warn
	case st.Stalled():
		return g.Mark, "no data for " + ageText(st.Now.Sub(st.Sample.Time)), theme.Bad
	case st.Position != nil:
		return g.Play, orElse(st.Mode, "replay"), theme.Good
	}
	return g.Live, orElse(st.Mode, "live"), theme.Good
}

func orElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// devices returns "2 × NVIDIA H200", or only a count when they differ.
func (d *drawing) devices() string {
	gpus := d.st.Sample.GPUs
	if len(gpus) == 0 {
		return "no GPU"
	}
	name, same := gpus[0].Name.Or(""), true
	for _, g := range gpus {
		same = same && g.Name.Or("") == name
	}
	if !same || name == "" {
		return plural(len(gpus), "GPU", "GPUs")
	}
	return itoa(len(gpus)) + " " + d.th.Glyphs.Times + " " + d.th.Outside(name)
}

func (d *drawing) driver() string {
	if d.st.Sample.Driver == "" {
		return ""
	}
	return "driver " + d.th.Outside(d.st.Sample.Driver)
}

// sources draws what is live, stale or unavailable, and as much of the reasons
// as fits.
func (d *drawing) sources(width int) string {
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
		if s.State == monitor.StateOK || s.Reason == "" || room < 12 {
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
			return name + " stale " + ageText(d.st.Now.Sub(s.GoodAt))
		}
	default:
	}
	return name + " " + s.State.String()
}

// hints draws the most useful keys.
func (d *drawing) hints(width int) string {
	l := line.New(width, d.th)
	for _, b := range d.st.Keys {
		if b.Hint == "" {
			continue
		}
		key, what, _ := strings.Cut(b.Hint, " ")
		need := len(b.Hint)
		if l.Width() > 0 {
			need += 3
		}
		if need > l.Left() {
			break
		}
		if l.Width() > 0 {
			l.Space(3)
		}
		l.Add(d.style(theme.Key), key)
		l.Add(d.style(theme.Dim), " "+what)
	}
	return l.String()
}

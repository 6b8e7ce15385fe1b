package overview

import (
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/table"
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

// rule draws the line between cards and processes and says what is not shown.
func (d *drawing) rule(width int, hidden, layoutHidden []string, total int) string {
	l := line.New(width, d.th)
	dim := d.style(theme.Dim)
	rule := d.th.Glyphs.Rule
	say := func(text string) {
		if line.Width(text)+4 > l.Left() {
			return
		}
		l.Add(dim, rule+rule+" "+text+" ")
	}
	for _, text := range hidden {
		say(text)
	}
	if len(hidden) == 0 || !strings.HasSuffix(hidden[len(hidden)-1], "processes") {
		say(plural(total, "process", "processes"))
	}
	say("GiB")
	if len(layoutHidden) > 0 {
		say("no room for " + strings.Join(layoutHidden, " "))
	}
	say("curves: last " + itoa(int(d.window.Minutes())) + " min")
	l.Add(dim, strings.Repeat(rule, max(0, l.Left())))
	return l.String()
}

// hidden says which cards and which processes are on screen when not all are.
func (d *drawing) hidden(p plan, firstRow int, w table.Window) []string {
	var out []string
	if shown := p.cardRows * p.across; shown < len(d.cards) {
		first := firstRow * p.across
		out = append(out, "GPUs "+itoa(first+1)+"-"+itoa(min(first+shown, len(d.cards)))+" of "+itoa(len(d.cards)))
	}
	switch {
	case w.End-w.First == w.Total:
	case w.End == w.First:
		out = append(out, "0 of "+itoa(w.Total)+" processes")
	default:
		out = append(out, itoa(w.First+1)+"-"+itoa(w.End)+" of "+itoa(w.Total)+" processes")
	}
	return out
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

package chrome

import (
	"strconv"

	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Header draws the top line: which machine at the left, which moment at the
// right. The right side stays, the left gives way.
func Header(st *screen.State, width int) string {
	th := st.Theme
	l := line.New(width, th)
	right := headerRight(st, width)
	rightW := line.Width(right)
	room := width - rightW - 2
	dot := " " + th.Glyphs.Dot + " "
	l.Add(th.Style(theme.Strong), line.Cut("vramscope", max(0, room), th.Glyphs.Ellipsis))
	var items []string
	for _, item := range []string{about(st), host(st), devices(st), driver(st)} {
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
		l.Add(th.Style(theme.Dim), separator)
		l.Add(theme.Style{}, line.Cut(item, left, th.Glyphs.Ellipsis))
	}
	l.Pad(width - rightW)
	return l.String() + right
}

// about says how the job is that runs under vramscope, and what is watched.
func about(st *screen.State) string {
	if st.Note == "" || st.Title == "" {
		return st.Note + st.Title
	}
	return st.Note + " " + st.Theme.Glyphs.Dot + " " + st.Title
}

// headerRight draws interval, clock and state, in at most width columns.
func headerRight(st *screen.State, width int) string {
	if st.Sample == nil {
		return ""
	}
	th := st.Theme
	mark, word, role := Moment(st)
	l := line.New(width, th)
	clock := st.Sample.Time.Format("15:04:05")
	dot := " " + th.Glyphs.Dot + " "
	if width >= 50 {
		if p := st.Position; p != nil {
			speed := strconv.FormatFloat(p.Speed, 'g', 4, 64)
			at := p.At
			if st.Past {
				at = st.Sample.Time
			}
			l.Add(th.Style(theme.Dim), th.Glyphs.Times+speed+dot+Elapsed(at.Sub(p.Start))+" of "+Elapsed(p.End.Sub(p.Start))+dot)
		} else if st.Interval > 0 {
			l.Add(th.Style(theme.Dim), "every "+Interval(st.Interval)+dot)
		}
	}
	l.Add(theme.Style{}, clock)
	l.Add(th.Style(theme.Dim), " ")
	l.Add(th.Style(role), mark+" "+word)
	return l.String()
}

// Moment says in a sign and a word how current the screen is.
func Moment(st *screen.State) (mark, word string, role theme.Role) {
	g := &st.Theme.Glyphs
	switch {
	case st.Past && st.Position == nil:
		_, newest := st.History.Span()
		return g.Pause, Age(newest.Sub(st.Sample.Time)) + " before now", theme.Warn
	case st.Paused || st.Past || st.Position != nil && st.Position.Paused:
		return g.Pause, "paused", theme.Warn
	case st.Ended, st.Position != nil && !st.Position.At.Before(st.Position.End):
		return g.Off, "end", theme.Warn
	case st.Stalled():
		return g.Mark, "no data for " + Age(st.Now.Sub(st.Sample.Time)), theme.Bad
	case st.Position != nil:
		return g.Play, OrElse(st.Mode, "replay"), theme.Good
	}
	return g.Live, OrElse(st.Mode, "live"), theme.Good
}

func host(st *screen.State) string {
	if st.Sample == nil {
		return ""
	}
	return st.Theme.Outside(st.Sample.Host)
}

// devices returns "2 × NVIDIA H200", or only a count when they differ.
func devices(st *screen.State) string {
	if st.Sample == nil {
		return ""
	}
	gpus := st.Sample.GPUs
	if len(gpus) == 0 {
		return "no GPU"
	}
	name, same := gpus[0].Name.Or(""), true
	for i := range gpus {
		same = same && gpus[i].Name.Or("") == name
	}
	if !same || name == "" {
		return Plural(len(gpus), "GPU", "GPUs")
	}
	return strconv.Itoa(len(gpus)) + " " + st.Theme.Glyphs.Times + " " + st.Theme.Outside(name)
}

func driver(st *screen.State) string {
	if st.Sample == nil || st.Sample.Driver == "" {
		return ""
	}
	return "driver " + st.Theme.Outside(st.Sample.Driver)
}

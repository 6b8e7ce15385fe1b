package advice

import (
	"strconv"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/chart"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// text draws the whole of a finding in at most height lines, from where it is
// scrolled to.
func (a *Advice) text(st *screen.State, f *advisor.Tracked, width, height int) []string {
	all := paragraphs(st, f, width)
	room := height
	if len(all) > height && height > 1 {
		room--
	}
	a.offset = max(0, min(a.offset, len(all)-room))
	out := append([]string{}, all[a.offset:min(len(all), a.offset+room)]...)
	if len(all) > room {
		more := st.Theme.Glyphs.Down + " more: page down"
		if a.offset+room >= len(all) {
			more = st.Theme.Glyphs.Up + " more: page up"
		}
		out = append(out, st.Theme.Style(theme.Dim).Paint(line.Cut(more, width, st.Theme.Glyphs.Ellipsis)))
	}
	return out
}

func paragraphs(st *screen.State, f *advisor.Tracked, width int) []string {
	th := st.Theme
	var out []string
	para := func(indent int, role theme.Role, first, text string) {
		for i, part := range line.Wrap(th.Outside(text), max(1, width-indent), 12, th.Glyphs.Ellipsis) {
			l := line.New(width, th)
			if i == 0 {
				l.Add(th.Style(theme.Key), first)
			}
			l.Pad(indent)
			l.Add(th.Style(role), part)
			out = append(out, l.String())
		}
	}
	para(0, theme.Strong, "", f.Sentence(st.HasEnded(f))+".")
	if len(f.Evidence) > 0 {
		out = append(out, th.Style(theme.Heading).Paint(line.Cut("Evidence", width, "")))
		for _, e := range f.Evidence {
			l := line.New(width, th)
			l.Space(2)
			l.Add(theme.Style{}, th.Outside(e.Name))
			l.Pad(min(44, width/2))
			l.Space(1)
			l.Add(th.Style(theme.Strong), th.Outside(e.Text()))
			if !e.From.IsZero() && width >= 100 {
				l.Add(th.Style(theme.Dim), "  "+e.From.Format(time.TimeOnly)+" to "+e.To.Format(time.TimeOnly))
			}
			out = append(out, l.String())
		}
	}
	if len(f.Advice) > 0 {
		out = append(out, th.Style(theme.Heading).Paint(line.Cut("What to change, the least effort first", width, "")))
	}
	for i, advice := range f.Advice {
		para(5, theme.Plain, "  "+strconv.Itoa(i+1)+".", advice.Do)
		if advice.Code != "" {
			para(5, theme.Key, "", advice.Code)
		}
		if advice.Cost != "" {
			para(5, theme.Dim, "", "Cost: "+advice.Cost)
		}
		if advice.Limits != "" {
			para(5, theme.Dim, "", "It will not: "+advice.Limits)
		}
	}
	if f.Confirm != "" {
		para(10, theme.Plain, "for it", f.Confirm)
	}
	if f.Refute != "" {
		para(10, theme.Plain, "against", f.Refute)
	}
	return out
}

// window draws the stretch of time of a finding on a chart of what it is about.
func window(st *screen.State, f *advisor.Tracked, width, height int) []string {
	subject := chart.Subject{GPU: f.GPUID}
	if subject.GPU == "" {
		if g := st.GPU(); g != nil {
			subject.GPU = g.ID()
		}
	}
	size := chart.Size{Width: width, Height: height}
	b := chrome.Bounds(st, size)
	m := chart.Model{Span: chrome.SpanFor(b.Last.Sub(f.From)), Clock: true}
	if !f.From.IsZero() && (f.State == advisor.Resolved || st.HasEnded(f)) {
		m.Span = chrome.SpanFor(f.To.Sub(f.From) * 3 / 2)
		m = m.CursorTo(f.To, b)
		m.Cursor = time.Time{}
	}
	if st.Past {
		m = m.CursorTo(st.At, b)
	}
	d := chrome.ChartData(st, subject, &m, size)
	d.Windows = nil
	if !f.From.IsZero() {
		d.Windows = []chart.Window{chrome.FindingWindow(st, f)}
	}
	for i := range st.Sample.GPUs {
		if g := &st.Sample.GPUs[i]; g.ID() == subject.GPU {
			d.Total = g.Memory.TotalBytes
		}
	}
	return m.Render(&d, size, st.Theme)
}

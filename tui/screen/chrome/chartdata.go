package chrome

import (
	"strings"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/widget/chart"
)

// Bounds returns what there is to look at on a chart of a size.
func Bounds(st *screen.State, size chart.Size) chart.Bounds {
	first, last := st.History.Span()
	return chart.Bounds{First: first, Last: last, Columns: size.Columns()}
}

// ChartData reads what a chart of that size shows of a subject, with its marks
// and the windows of the findings about it. The zero subject is the job of a
// log that belongs to no process here. The caller adds the total.
func ChartData(st *screen.State, subject chart.Subject, m *chart.Model, size chart.Size) chart.Data {
	d := chart.Read(st.History, subject, *m, Bounds(st, size))
	if subject == (chart.Subject{}) {
		fillFromLog(st, &d, size.Columns())
	}
	d.Marks = chartMarks(st, d.From, d.To)
	for i := range st.Findings {
		f := &st.Findings[i]
		if f.Muted || f.From.IsZero() || f.GPUID != "" && subject.GPU != "" && f.GPUID != subject.GPU {
			continue
		}
		d.Windows = append(d.Windows, FindingWindow(st, f))
	}
	return d
}

// FindingWindow returns the stretch of time that a finding holds in.
func FindingWindow(st *screen.State, f *advisor.Tracked) chart.Window {
	return chart.Window{From: f.From, To: f.To, Active: f.State == advisor.Active && !st.HasEnded(f), Role: SeverityRole(f.Severity), Text: string(f.ID)}
}

func chartMarks(st *screen.State, from, to time.Time) []chart.Mark {
	var out []chart.Mark
	add := func(at time.Time, kind chart.MarkKind, text string) {
		if !at.Before(from) && at.Before(to) {
			out = append(out, chart.Mark{Time: at, Kind: kind, Text: text})
		}
	}
	for _, k := range st.Marks {
		add(k.Time, chart.MarkUser, k.Text)
	}
	for _, r := range st.History.Readings() {
		switch {
		case r.Kind == monitor.LogOOM:
			add(r.Time, chart.MarkOOM, "OOM")
		case r.Phase != "":
			add(r.Time, chart.MarkPhase, r.Phase)
		}
	}
	return out
}

// ShortName returns the name of a device without the maker's.
func ShortName(st *screen.State, g *monitor.GPU) string {
	return strings.TrimPrefix(st.Theme.Outside(g.Name.Or("")), "NVIDIA ")
}

// SpanFor returns the shortest span of a chart that holds a stretch of time.
func SpanFor(need time.Duration) time.Duration {
	for _, s := range chart.Spans() {
		if need < s {
			return s
		}
	}
	return chart.All
}

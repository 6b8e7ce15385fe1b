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
		d.Windows = append(d.Windows, FindingWindow(f))
	}
	return d
}

// FindingWindow returns the stretch of time that a finding holds in.
func FindingWindow(f *advisor.Tracked) chart.Window {
	return chart.Window{From: f.From, To: f.To, Active: f.State == advisor.Active, Role: SeverityRole(f.Severity), Text: string(f.ID)}
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

// DeviceSources says where the figures of a device come from.
func DeviceSources(g *monitor.GPU, l *monitor.Layers) chart.Sources {
	used := ""
	switch g.Memory.Source {
	case monitor.MemoryV2, monitor.MemoryV1:
		used = string(monitor.OriginNVML)
	case monitor.MemorySystem:
		used = "estimate"
	case monitor.MemoryFile:
		used = "file"
	}
	return chart.Sources{Used: used, Reserved: string(l.Origin), Allocated: string(l.Origin)}
}

// ProcessSources says where the figures of a process come from.
func ProcessSources(a *monitor.Allocator) chart.Sources {
	if a == nil || a.State != monitor.AllocatorOK {
		return chart.Sources{Used: string(monitor.OriginNVML)}
	}
	return chart.Sources{Used: string(monitor.OriginNVML), Reserved: string(a.Origin), Allocated: string(a.Origin)}
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

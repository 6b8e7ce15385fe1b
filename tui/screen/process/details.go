package process

import (
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/meter"
)

// fact is a name and what is known under it.
type fact struct {
	name, value string
	role        theme.Role
	unknown     string // why there is no value
}

// details returns everything known of the process, section by section.
func details(st *screen.State, rows []*procs.Row, width int) []string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, layers(st, r, width)...)
		if r.Allocator != nil && r.Allocator.State == monitor.AllocatorOK {
			lines = append(lines, section(st, "Counters", "since the process started", counters(st, r.Allocator), width)...)
		}
	}
	if p := rows[0].Process; p != nil {
		lines = append(lines, section(st, "Process", "", surroundings(st, rows[0], p), width)...)
		lines = append(lines, section(st, "Environment at start", "", environment(st, p), width)...)
	}
	return lines
}

// layers draws the three layers on one device as bars, and the gaps.
func layers(st *screen.State, r *procs.Row, width int) []string {
	where := "device not known"
	total := monitor.Unknown[int64](monitor.NotApplicable, "")
	if n, ok := r.GPU.Get(); ok {
		where = "GPU " + strconv.Itoa(n)
		if g, ok := st.Sample.GPU(n); ok {
			total = g.Memory.TotalBytes
			where += " " + chrome.ShortName(st, &g)
		}
	}
	lines := []string{chrome.Title(st, width, "Layers on "+where, "GiB")}
	scale := total.Or(0)
	if scale <= 0 {
		scale = max(r.UsedBytes.Or(0), r.ReservedBytes.Or(0), r.AllocatedBytes.Or(0))
	}
	from := chrome.ProcessSources(st, r)
	peak := monitor.Reading[int64]{}
	if r.Allocator != nil {
		peak = r.Allocator.PeakAllocatedBytes
	}
	for _, l := range []struct {
		layer  theme.Layer
		value  monitor.Reading[int64]
		source string
		peak   monitor.Reading[int64]
	}{
		{theme.LayerUsed, r.UsedBytes, from.Used, monitor.Reading[int64]{}},
		{theme.LayerReserved, r.ReservedBytes, from.Reserved, monitor.Reading[int64]{}},
		{theme.LayerAllocated, r.AllocatedBytes, from.Allocated, peak},
	} {
		lines = append(lines, layerLine(st, l.layer, l.value, l.peak, scale, l.source, width))
	}
	return append(lines, facts(st, gapFacts(r), width)...)
}

// barFrom is the column where the bars begin, behind the longest origin.
const barFrom = 28

func layerLine(st *screen.State, layer theme.Layer, value, peak monitor.Reading[int64], scale int64, source string, width int) string {
	th := st.Theme
	l := line.New(width, th)
	l.Space(2)
	l.Add(th.Style(layer.Role()), layer.Name())
	l.Pad(12)
	l.Add(th.Style(theme.Strong), chrome.Left(chrome.GiB(value, th.Glyphs.Unknown), chrome.FigureWidth))
	l.Space(1)
	l.Add(th.Style(theme.Dim), source)
	l.Pad(barFrom)
	if v, ok := value.Get(); ok {
		bar := meter.Bar{Layer: layer, Value: v, Known: true, Total: scale}
		if p, ok := peak.Get(); ok {
			bar.Peak, bar.HasPeak, bar.PeakLabel = p, true, strings.TrimSpace(text.GiB(p))+" peak"
		}
		bar.Draw(l, th, max(0, width-barFrom))
	} else {
		l.Add(th.Style(theme.Dim), th.Outside(value.Why().String()))
	}
	return l.String()
}

func gapFacts(r *procs.Row) []fact {
	out := []fact{bytesFact("cache", r.CacheBytes), bytesFact("non-torch", r.NonTorchBytes)}
	if a := r.Allocator; a != nil && a.State == monitor.AllocatorOK {
		out = append(out, bytesFact("split", a.InactiveSplitBytes), bytesFact("releasable", a.ReleasableBytes()),
			bytesFact("active", a.ActiveBytes), bytesFact("requested", a.RequestedBytes), bytesFact("private pools", a.PrivatePoolBytes),
			bytesFact("peak reserved", a.PeakReservedBytes))
	}
	return out
}

func counters(st *screen.State, a *monitor.Allocator) []fact {
	count := func(name string, r monitor.Reading[int64], bad bool) fact {
		f := fact{name: name, value: chrome.Count(r, ""), unknown: r.Why().String()}
		if v, ok := r.Get(); ok && bad && v > 0 {
			f.role = theme.Warn
		}
		return f
	}
	return []fact{
		count("alloc retries", a.AllocRetryCount, true), count("OOMs", a.OOMCount, true),
		count("segments", a.SegmentCount, false), count("live blocks", a.AllocationCount, false),
		count("active blocks", a.ActiveCount, false), count("split blocks", a.InactiveSplitCount, false),
		{name: "layout read", value: st.Theme.Outside(a.Layout), unknown: "not told"},
	}
}

func surroundings(st *screen.State, r *procs.Row, p *monitor.Process) []fact {
	th := st.Theme
	plain := func(name, value string) fact {
		return fact{name: name, value: th.Outside(value), unknown: "not known"}
	}
	number := func(name string, n monitor.Reading[int]) fact {
		return fact{name: name, value: monitor.Map(n, strconv.Itoa).Or(""), unknown: n.Why().String()}
	}
	started := ""
	if !p.Started.IsZero() {
		started = p.Started.In(st.Sample.Time.Location()).Format(time.DateTime)
	}
	out := []fact{
		plain("user", p.User), plain("started", started), plain("running for", r.Cell(procs.ColumnTime, "")),
		plain("parent", positive(p.ParentPID)), plain("state", p.State), plain("threads", positive(p.Threads)),
		{name: "CPU", value: chrome.Whole(p.CPUPercent, " %", ""), unknown: p.CPUPercent.Why().String()},
		bytesFact("host memory", p.HostBytes), number("rank", p.Rank), number("local rank", p.LocalRank), number("world", p.World),
		number("PID inside", p.InnerPID), {name: "container", value: th.Outside(containerOf(&p.Container)), unknown: "none seen"}, bytesFact("memory limit", p.Container.LimitBytes),
	}
	if r.Job != nil {
		out = append(out, plain("job", r.Job.Summary()))
	}
	if r.Workers > 0 {
		out = append(out, plain("workers", strconv.Itoa(r.Workers)))
	}
	return out
}

// positive returns a number that is 0 only where it is not known.
func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func containerOf(c *monitor.Container) string {
	return strings.TrimSpace(strings.Join([]string{c.Runtime, c.ID, c.Pod}, " "))
}

func environment(st *screen.State, p *monitor.Process) []fact {
	word := func(name string, r monitor.Reading[string]) fact {
		v, ok := r.Get()
		if ok && v == "" {
			v = "(empty)"
		}
		return fact{name: name, value: st.Theme.Outside(v), unknown: r.Why().String()}
	}
	noCaching := fact{name: "no caching", unknown: p.NoCaching.Why().String()}
	if on, ok := p.NoCaching.Get(); ok {
		noCaching.value = map[bool]string{true: "on: every allocation goes to the driver", false: "off"}[on]
	}
	return []fact{
		word("torch", p.TorchVersion), word("alloc conf", p.AllocConf), word("visible", p.VisibleDevices), word("device order", p.DeviceOrder), noCaching,
	}
}

func bytesFact(name string, r monitor.Reading[int64]) fact {
	f := fact{name: name, unknown: r.Why().String()}
	if v, ok := r.Get(); ok {
		f.value = strings.TrimSpace(text.GiB(v))
	}
	return f
}

// section draws facts under a title.
func section(st *screen.State, title, note string, all []fact, width int) []string {
	return append([]string{chrome.Title(st, width, title, note)}, facts(st, all, width)...)
}

// The width of a column of facts and of the names in it.
const (
	factWidth = 40
	nameWidth = 15
)

// facts draws facts side by side; one that does not fit into its column takes
// the whole line.
func facts(st *screen.State, all []fact, width int) []string {
	across := max(1, width/factWidth)
	var lines []string
	l, n := line.New(width, st.Theme), 0
	flush := func() {
		if n > 0 {
			lines = append(lines, l.String())
		}
		l, n = line.New(width, st.Theme), 0
	}
	var why reasons
	for _, f := range all {
		value, role := f.value, f.role
		if value == "" {
			value, role = st.Theme.Glyphs.Unknown+" "+st.Theme.Outside(f.unknown), theme.Dim
			if line.Width(value) > factWidth-nameWidth-3 {
				value = st.Theme.Glyphs.Unknown
				why.add(f.name, st.Theme.Outside(f.unknown))
			}
		}
		long := line.Width(value) > factWidth-nameWidth-3
		if n == across || long && n > 0 && f.value != "" {
			flush()
		}
		l.Pad(n * factWidth)
		l.Space(2)
		l.Add(st.Theme.Style(theme.Dim), f.name)
		l.Pad(n*factWidth + 2 + nameWidth)
		if long && f.value != "" {
			l.Add(st.Theme.Style(role), value)
			n = across
			continue
		}
		l.Add(st.Theme.Style(role), line.Cut(value, min(factWidth-nameWidth-3, max(0, width-nameWidth-2)), st.Theme.Glyphs.Ellipsis))
		n++
	}
	flush()
	return append(lines, why.lines(st, width)...)
}

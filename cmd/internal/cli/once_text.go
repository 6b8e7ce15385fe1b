package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/tui/text"
)

// printSample writes a sample as plain text: a paragraph a GPU, a table of the
// processes, a line a source.
func printSample(w io.Writer, s *monitor.Sample, marks text.Marks) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  driver %s  %s\n", orDash(clean.Line(s.Host)), orDash(clean.Line(s.Driver)), s.Time.Format(time.RFC3339))
	for _, g := range s.GPUs {
		printGPU(&b, s, g)
	}
	printLogOnly(&b, s)
	printProcesses(&b, s, marks)
	printSources(&b, s)
	_, err := io.WriteString(w, b.String())
	return err
}

func printGPU(b *strings.Builder, s *monitor.Sample, g monitor.GPU) {
	l := monitor.LayersOf(s, g.Index)
	fmt.Fprintf(b, "\nGPU %d  %s  total %s GiB", g.Index, clean.Line(g.Name.Or("unknown")), gib(l.Total))
	fmt.Fprintf(b, "  util %s  %s W  %s C\n", figure(g.UtilPercent, "%.0f%%"), figure(g.PowerW, "%.0f"), figure(g.TemperatureC, "%.0f"))
	if g.State != monitor.StateOK {
		fmt.Fprintf(b, "  %s: %s\n", g.State, clean.Line(g.Reason))
	}
	rows := []struct {
		name, origin string
		value        monitor.Reading[int64]
	}{
		{"used", string(g.Memory.Source), l.Used},
		{"reserved", string(l.Origin), l.Reserved},
		{"allocated", string(l.Origin), l.Allocated},
	}
	for _, r := range rows {
		if !r.value.Known() {
			fmt.Fprintf(b, "  %-10s     -  %s\n", r.name, clean.Line(r.value.Why().String()))
			continue
		}
		fmt.Fprintf(b, "  %-10s %s  %s  %s\n", r.name, gib(r.value), share(r.value, l.Total), r.origin)
	}
	fmt.Fprintf(b, "  gaps       cache %s (split %s, releasable %s)  non-torch %s  others %s  free %s  driver %s\n",
		bare(l.Cache), bare(l.Split), bare(l.Releasable), bare(l.NonTorch), bare(l.Others), bare(l.Free), bare(l.DriverReserved))
	if n, ok := l.Unseen.Get(); ok && n >= monitor.UnseenFrom {
		fmt.Fprintf(b, "  others     %s  not visible from this PID namespace\n", gib(l.Unseen))
	}
	if l.Unread > 0 {
		fmt.Fprintf(b, "  note       the allocator of %d more PyTorch process(es) here could not be read\n", l.Unread)
	}
}

// printLogOnly writes the rows that belong to no device of this machine.
func printLogOnly(b *strings.Builder, s *monitor.Sample) {
	for _, a := range s.Torch {
		if gpu, known := a.GPU.Get(); known {
			if _, here := s.GPU(gpu); here {
				continue
			}
		}
		if a.Origin != monitor.OriginLog {
			continue
		}
		fmt.Fprintf(b, "\nlog  reserved %s  allocated %s  peak reserved %s  peak allocated %s GiB, printed %s ago or earlier\n",
			bare(a.ReservedBytes), bare(a.AllocatedBytes), bare(a.PeakReservedBytes), bare(a.PeakAllocatedBytes),
			strings.TrimSpace(text.Duration(s.Time.Sub(a.ReadAt))))
	}
}

// processRow is one line of the table: a process on a device.
type processRow struct {
	pid       int
	gpu       string
	used      monitor.Reading[int64]
	allocator monitor.Allocator
	outside   bool   // no process of that number can be seen here
	where     string // why not
	assumed   bool
}

// notes are what is to be said under the table of a row's figures.
func (r *processRow) notes() []string {
	var notes []string
	if r.allocator.State != monitor.AllocatorOK && r.allocator.Reason != "" {
		notes = append(notes, r.allocator.Reason)
	} else if r.allocator.Origin == monitor.OriginLog && r.allocator.Reason != "" {
		notes = append(notes, "from the log: "+r.allocator.Reason)
	}
	if why := r.used.Why(); !r.used.Known() && why.Detail != "" {
		notes = append(notes, why.Detail)
	}
	if r.outside {
		notes = append(notes, r.where)
	}
	if r.assumed {
		notes = append(notes, "used is assumed: the driver does not tell, and this is the only process here that has the GPU open")
	}
	return notes
}

func printProcesses(b *strings.Builder, s *monitor.Sample, marks text.Marks) {
	rows := processRows(s)
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%8s %-10s %4s %4s %9s %9s %9s %9s  %s\n", "PID", "USER", "GPU", "RANK", "ALLOC", "RESERVED", "USED", "NON-TORCH", "COMMAND")
	var notes footnotes
	for _, r := range rows {
		p, _ := s.Process(r.pid)
		nonTorch := monitor.Minus(r.used, r.allocator.ReservedBytes)
		if r.outside {
			p = monitor.Process{} // the number is another namespace's: a process here with it is a stranger
		}
		fmt.Fprintf(b, "%8d %s %4s %4s %9s %9s %9s %9s  %s", r.pid, text.Fit(orDash(p.User), 10, marks), r.gpu, rank(p),
			bare(r.allocator.AllocatedBytes), bare(r.allocator.ReservedBytes), bare(r.used), bare(nonTorch), clean.Line(orDash(p.Command)))
		for _, note := range r.notes() {
			fmt.Fprintf(b, "  [%d]", notes.number(note))
		}
		b.WriteByte('\n')
	}
	for i, reason := range notes {
		fmt.Fprintf(b, "%8s %s\n", fmt.Sprintf("[%d]", i+1), clean.Line(reason))
	}
}

// footnotes are reasons that several rows share, each said once.
type footnotes []string

// number returns the number, from 1, by which a reason is referred to.
func (f *footnotes) number(reason string) int {
	if i := slices.Index(*f, reason); i >= 0 {
		return i + 1
	}
	*f = append(*f, reason)
	return len(*f)
}

// processRows joins what the driver and what the allocators say of each
// process, in the order of the driver's list.
func processRows(s *monitor.Sample) []processRow {
	var rows []processRow
	taken := map[int]bool{}
	for _, h := range s.Holders {
		row := processRow{pid: h.PID, gpu: fmt.Sprint(h.GPU), used: h.UsedBytes, outside: !h.InNamespace, assumed: h.Assumed, where: outside(s, h.GPU)}
		for i, a := range s.Torch {
			on, known := a.GPU.Get()
			if !taken[i] && h.InNamespace && a.PID == h.PID && (!known || on == h.GPU) {
				row.allocator, taken[i] = a, known || a.State != monitor.AllocatorOK
				break
			}
		}
		rows = append(rows, row)
	}
	for i, a := range s.Torch {
		if !taken[i] && a.PID != 0 {
			gpu := "-"
			if n, known := a.GPU.Get(); known {
				gpu = fmt.Sprint(n)
			}
			rows = append(rows, processRow{pid: a.PID, gpu: gpu, used: monitor.Unknown[int64](monitor.NotRead, ""), allocator: a})
		}
	}
	return rows
}

// outside says why a process that the driver lists cannot be seen here.
func outside(s *monitor.Sample, gpu int) string {
	if g, ok := s.GPU(gpu); ok && !g.UnseenBytes.Known() && g.UnseenBytes.Why().Code == monitor.NotApplicable {
		return "no process of that number can be seen here: it is hidden (hidepid) or has just ended"
	}
	return "not visible from this PID namespace: the number is the host's"
}

func printSources(b *strings.Builder, s *monitor.Sample) {
	b.WriteByte('\n')
	for _, src := range s.Sources {
		fmt.Fprintf(b, "source %-6s %s", clean.Line(src.Name), src.State)
		if src.Reason != "" {
			fmt.Fprintf(b, ": %s", clean.Line(src.Reason))
		}
		b.WriteByte('\n')
	}
}

func rank(p monitor.Process) string {
	if n, ok := p.Rank.Get(); ok {
		return fmt.Sprint(n)
	}
	return "-"
}

func orDash(s string) string {
	if s = clean.Line(s); s == "" {
		return "-"
	}
	return s
}

func gib(r monitor.Reading[int64]) string {
	if v, ok := r.Get(); ok {
		return text.GiB(v)
	}
	return strings.Repeat(" ", text.GiBWidth-1) + "-"
}

func bare(r monitor.Reading[int64]) string { return strings.TrimSpace(gib(r)) }

func figure(r monitor.Reading[float64], format string) string {
	if v, ok := r.Get(); ok {
		return fmt.Sprintf(format, v)
	}
	return "-"
}

func share(part, whole monitor.Reading[int64]) string {
	p, ok := part.Get()
	w, known := whole.Get()
	if !ok || !known || w <= 0 {
		return strings.Repeat(" ", text.PercentWidth-1) + "-"
	}
	return text.Percent(100 * float64(p) / float64(w))
}

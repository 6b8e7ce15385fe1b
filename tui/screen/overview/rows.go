package overview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/table"
)

// rowID names a row of the process table: a process on a device. onGPU is false
// for a process whose device is not known.
type rowID struct {
	process monitor.ProcessKey
	gpu     int
	onGPU   bool
}

// procRow is a process on a device and what is known of it.
type procRow struct {
	id        rowID
	process   *monitor.Process
	holder    *monitor.Holder
	allocator *monitor.Allocator
	used      monitor.Reading[int64]
}

// processRows joins what the driver, the kernel and the allocators say of the
// processes, ordered by device, then by memory held, then by PID.
func processRows(s *monitor.Sample) []procRow {
	b := rowBuilder{sample: s, at: map[rowID]int{}, processes: map[int]*monitor.Process{}}
	for i := range s.Processes {
		b.processes[s.Processes[i].PID] = &s.Processes[i]
	}
	for i := range s.Holders {
		b.addHolder(&s.Holders[i])
	}
	for i := range s.Torch {
		b.addAllocator(&s.Torch[i])
	}
	slices.SortStableFunc(b.rows, compareRows)
	return b.rows
}

func compareRows(a, b procRow) int {
	// Whole GiB, so that two processes of about the same size do not change
	// places with every sample.
	size := func(r *procRow) int64 { return r.used.Or(0) / gib }
	if a.id.onGPU != b.id.onGPU {
		if a.id.onGPU {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.id.gpu, b.id.gpu), cmp.Compare(size(&b), size(&a)), cmp.Compare(a.id.process.PID, b.id.process.PID))
}

const gib = 1 << 30

type rowBuilder struct {
	sample    *monitor.Sample
	rows      []procRow
	at        map[rowID]int
	processes map[int]*monitor.Process
}

func (b *rowBuilder) addHolder(h *monitor.Holder) {
	key := monitor.ProcessKey{PID: h.PID}
	row := procRow{holder: h, used: h.UsedBytes}
	if p := b.processes[h.PID]; p != nil && h.InNamespace {
		row.process, key = p, p.Key()
	}
	row.id = rowID{process: key, gpu: h.GPU, onGPU: true}
	if _, twice := b.at[row.id]; twice {
		return
	}
	b.at[row.id] = len(b.rows)
	b.rows = append(b.rows, row)
}

// addAllocator gives an allocator to the row it belongs to. One without a
// device belongs to every row of its process; without any, it has a row of its
// own unless it says that the process uses no device.
func (b *rowBuilder) addAllocator(a *monitor.Allocator) {
	gpu, known := a.GPU.Get()
	found := false
	for i := range b.rows {
		r := &b.rows[i]
		if r.id.process.PID != a.PID || r.holder != nil && !r.holder.InNamespace || known && r.id.gpu != gpu {
			continue
		}
		found = true
		if r.allocator == nil || r.allocator.State != monitor.AllocatorOK {
			r.allocator = a
		}
	}
	if found {
		return
	}
	switch a.State {
	case monitor.AllocatorInherited, monitor.AllocatorNoCUDA, monitor.AllocatorGone:
		return
	default:
	}
	row := procRow{
		id: rowID{process: a.Key(), gpu: gpu, onGPU: known}, process: b.processes[a.PID], allocator: a,
		used: monitor.Unknown[int64](monitor.NotAvailable, "the driver does not list this process"),
	}
	if a.PID == 0 {
		row.used = monitor.Unknown[int64](monitor.NotApplicable, "a log does not tell what the whole process uses")
	}
	b.rows = append(b.rows, row)
}

// figures returns the layers of a row.
func (r *procRow) figures() (allocated, reserved, nonTorch monitor.Reading[int64]) {
	if r.allocator == nil {
		none := monitor.Unknown[int64](monitor.NotApplicable, "no PyTorch allocator found in this process")
		return none, none, none
	}
	if r.allocator.State != monitor.AllocatorOK {
		none := monitor.Unknown[int64](monitor.NotAvailable, reasonOf(r.allocator))
		return none, none, none
	}
	return r.allocator.AllocatedBytes, r.allocator.ReservedBytes, monitor.Minus(r.used, r.allocator.ReservedBytes)
}

// columns of the process table. On narrow terminals the highest Drop goes
// first; unit and order are those of the cards.
func columns() []table.Column {
	return []table.Column{
		{Title: "PID", Width: 7, Right: true},
		{Title: "USER", Width: 8, Drop: 4},
		{Title: "GPU", Width: 3, Right: true},
		{Title: "RANK", Width: 4, Right: true, Drop: 5},
		{Title: "ALLOC", Width: 6, Right: true},
		{Title: "RESERVED", Width: 8, Right: true},
		{Title: "USED", Width: 6, Right: true},
		{Title: "NON-TORCH", Width: 9, Right: true, Drop: 3},
		{Title: "HOST", Width: 6, Right: true, Drop: 6},
		{Title: "CPU", Width: 5, Right: true, Drop: 7},
		{Title: "TIME", Width: 6, Right: true, Drop: 8},
		{Title: "COMMAND", Width: 14, Grow: true, Drop: 2},
	}
}

// tableRow returns the cells of a row in the order of columns.
func (r *procRow) tableRow(now time.Time, th *theme.Theme) table.Row[rowID] {
	unknown := th.Glyphs.Unknown
	allocated, reserved, nonTorch := r.figures()
	user, rank, host, cpu, age := unknown, unknown, unknown, unknown, unknown
	if p := r.process; p != nil {
		if p.User != "" {
			user = th.Outside(p.User)
		}
		if n, ok := p.Rank.Get(); ok {
			rank = itoa(n)
		}
		host = gibOr(p.HostBytes, unknown)
		cpu = wholeOr(p.CPUPercent, "%", unknown)
		if !p.Started.IsZero() && !now.Before(p.Started) {
			age = strings.TrimSpace(text.Duration(now.Sub(p.Started)))
		}
	}
	pid := unknown
	if r.id.process.PID > 0 {
		pid = itoa(r.id.process.PID)
	}
	gpu := unknown
	if r.id.onGPU {
		gpu = strconv.Itoa(r.id.gpu)
	}
	return table.Row[rowID]{ID: r.id, Cells: []table.Cell{
		{Text: pid, Role: theme.Strong}, {Text: user}, {Text: gpu}, {Text: rank},
		{Text: gibOr(allocated, unknown), Role: theme.Allocated},
		{Text: gibOr(reserved, unknown), Role: theme.Reserved},
		{Text: gibOr(r.used, unknown), Role: theme.Used},
		{Text: gibOr(nonTorch, unknown)}, {Text: host}, {Text: cpu}, {Text: age},
		{Text: r.command(th)},
	}}
}

// command returns what to call the process, with why its layers are missing in
// a few words.
func (r *procRow) command(th *theme.Theme) string {
	name := ""
	switch {
	case r.process != nil && r.process.Command != "":
		name = th.Outside(r.process.Command)
	case r.process != nil && r.process.Name != "":
		name = th.Outside(r.process.Name)
	case r.holder != nil && r.holder.Name != "":
		name = th.Outside(r.holder.Name)
	case r.id.process.PID == 0 && r.allocator != nil && r.allocator.Origin == monitor.OriginLog:
		name = "the job of the log"
	}
	if r.holder != nil && !r.holder.InNamespace {
		return join(name, "(not in this PID namespace)")
	}
	if r.allocator != nil && r.allocator.State != monitor.AllocatorOK {
		return join("("+r.allocator.State.String()+")", name)
	}
	return name
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	if b == "" {
		return a
	}
	return a + " " + b
}

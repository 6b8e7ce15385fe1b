package procs

import (
	"cmp"
	"math"
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// Table is the rows of one sample, joined. It reads the sample and must not
// outlive it; it is not changed after Build and can be shown in several ways.
type Table struct {
	rows   []Row // processes on devices, in the order of Natural
	forest *forest
	sample *monitor.Sample
	jobs   []Job
}

// Build joins the rows of a sample. The sample must not change while the table
// is in use.
func Build(s *monitor.Sample) *Table { return new(Joiner).Join(s) }

// Joiner joins one sample after another in the same memory: a screen does so ten
// times a second. The zero Joiner is ready.
type Joiner struct {
	builder  builder
	rows     []Row
	forest   forest
	grouping grouping
}

// Join is Build. The table before is gone with it.
func (j *Joiner) Join(s *monitor.Sample) *Table {
	b := &j.builder
	b.begin(s)
	for i := range s.Holders {
		b.addHolder(&s.Holders[i])
	}
	for i := range s.Torch {
		b.addAllocator(&s.Torch[i])
	}
	j.rows = b.finish(j.rows)
	t := &Table{rows: j.rows, forest: &j.forest, sample: s}
	t.forest.plant(t, b)
	t.forest.countWorkers(t)
	t.findJobs(&j.grouping)
	return t
}

// renewed returns a slice of n empty values, in the memory of another.
func renewed[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// emptied returns n empty lists, in the memory of others.
func emptied(lists [][]int, n int) [][]int {
	lists = slices.Grow(lists[:0], n)[:n]
	for i := range lists {
		lists[i] = lists[i][:0]
	}
	return lists
}

// Rows returns all rows of the list: by device, then by whole GiB held, the
// most first, then by identity. They are read only.
func (t *Table) Rows() []Row { return t.rows }

// place is the part of a name that tells the rows of a list apart.
type place struct {
	process        monitor.ProcessKey
	gpu            int
	onGPU, outside bool
}

func (p place) id() ID { return ID{Process: p.process, GPU: p.gpu, OnGPU: p.onGPU, Outside: p.outside} }

// draft is what a row is made of.
type draft struct {
	place
	process   *monitor.Process
	holder    *monitor.Holder
	allocator *monitor.Allocator
	used      monitor.Reading[int64]
}

// builder joins the parts of a sample.
type builder struct {
	sample    *monitor.Sample
	drafts    []draft
	at        map[place]int
	on        map[monitor.ProcessKey][]int // rows of a process on devices
	processes map[int]*monitor.Process     // the first of each PID, as monitor.Sample has it
	starts    map[int]uint64               // start times that only the allocators know
	instances map[int][]int                // rows that add up several MIG instances
	elsewhere map[monitor.ProcessKey]bool  // has figures of a device that is not known
}

// begin takes up a sample with what memory there is.
func (b *builder) begin(s *monitor.Sample) {
	b.sample = s
	if b.at == nil {
		b.at, b.on, b.processes = map[place]int{}, map[monitor.ProcessKey][]int{}, map[int]*monitor.Process{}
		b.starts, b.instances, b.elsewhere = map[int]uint64{}, map[int][]int{}, map[monitor.ProcessKey]bool{}
	}
	clear(b.at)
	clear(b.on)
	clear(b.processes)
	clear(b.starts)
	clear(b.instances)
	clear(b.elsewhere)
	b.drafts = b.drafts[:0]
	for i := range s.Processes {
		p := &s.Processes[i]
		if b.processes[p.PID] == nil && p.PID > 0 {
			b.processes[p.PID] = p
		}
	}
	for i := range s.Torch {
		a := &s.Torch[i]
		if p := b.processes[a.PID]; (p == nil || p.StartTicks == 0) && b.starts[a.PID] == 0 {
			b.starts[a.PID] = a.StartTicks
		}
	}
}

// key returns the name of the process that a PID means in this sample.
func (b *builder) key(pid int) monitor.ProcessKey {
	k := monitor.ProcessKey{PID: pid}
	if p := b.processes[pid]; p != nil {
		k.StartTicks = p.StartTicks
	}
	if k.StartTicks == 0 {
		k.StartTicks = b.starts[pid]
	}
	return k
}

// keyOf returns the name of an allocator's process; the zero key for a log
// that does not tell it.
func (b *builder) keyOf(a *monitor.Allocator) monitor.ProcessKey {
	switch {
	case a.PID <= 0:
		return monitor.ProcessKey{}
	case a.StartTicks == 0:
		return b.key(a.PID)
	}
	return a.Key()
}

func (b *builder) add(d draft) {
	i := len(b.drafts)
	b.at[d.place] = i
	b.drafts = append(b.drafts, d)
	if d.onGPU && !d.outside {
		b.on[d.place.process] = append(b.on[d.place.process], i)
	}
}

func (b *builder) addHolder(h *monitor.Holder) {
	at := place{process: monitor.ProcessKey{PID: h.PID}, gpu: h.GPU, onGPU: true, outside: !h.InNamespace}
	if h.InNamespace {
		at.process = b.key(h.PID)
	}
	if i, again := b.at[at]; again {
		b.merge(i, h)
		return
	}
	b.add(draft{place: at, process: b.processOf(at), holder: h, used: h.UsedBytes})
}

// merge joins a second entry of the driver for a process and device. Memory of
// different MIG instances adds up; otherwise every entry tells of the whole
// process, and the largest counts.
func (b *builder) merge(i int, h *monitor.Holder) {
	d := &b.drafts[i]
	first, known := d.holder.Instance.Get()
	instance, told := h.Instance.Get()
	if known && told && instance != first {
		if !slices.Contains(b.instances[i], instance) {
			b.instances[i] = append(b.instances[i], instance)
			d.used = plus(d.used, h.UsedBytes)
		}
		return
	}
	if len(b.instances[i]) > 0 {
		return
	}
	if used, ok := h.UsedBytes.Get(); ok && (!d.used.Known() || used > d.used.Or(0)) {
		d.used = h.UsedBytes
	}
}

// plus is a+b; a sum that no machine can hold is no figure.
func plus(a, b monitor.Reading[int64]) monitor.Reading[int64] {
	av, bv := a.Or(0), b.Or(0)
	if av > 0 && bv > math.MaxInt64-av || av < 0 && bv < math.MinInt64-av {
		return monitor.Unknown[int64](monitor.Failed, "the figures are too large to be added up")
	}
	return monitor.Plus(a, b)
}

// processOf returns the process of a name; nil for one that the sample does not
// know, or when the number belongs to another process by now.
func (b *builder) processOf(at place) *monitor.Process {
	p := b.processes[at.process.PID]
	if p == nil || at.outside || p.StartTicks != 0 && p.StartTicks != at.process.StartTicks {
		return nil
	}
	return p
}

// addAllocator gives an allocator to the row it belongs to. One that tells why
// there are no figures, without a device, belongs to every row of its process.
// Figures of a device that is not known have a row of their own: given to a
// row they could be another device's.
func (b *builder) addAllocator(a *monitor.Allocator) {
	key := b.keyOf(a)
	gpu, onGPU := a.GPU.Get()
	at := place{process: key, gpu: gpu, onGPU: onGPU}
	if !onGPU {
		if a.State != monitor.AllocatorOK && len(b.on[key]) > 0 {
			for _, i := range b.on[key] {
				b.give(i, a)
			}
			return
		}
		at.gpu = a.Ordinal.Or(0)
		b.elsewhere[key] = b.elsewhere[key] || a.State == monitor.AllocatorOK
	}
	if i, ok := b.at[at]; ok {
		b.give(i, a)
		return
	}
	switch a.State {
	case monitor.AllocatorInherited, monitor.AllocatorNoCUDA, monitor.AllocatorGone:
		return // uses no device; a worker counts at its parent
	default:
	}
	b.add(draft{place: at, process: b.processOf(at), allocator: a})
}

// give keeps the better of two allocators for a row: figures before none, the
// process's own before a log's.
func (b *builder) give(i int, a *monitor.Allocator) {
	if old := b.drafts[i].allocator; old == nil || worth(a) > worth(old) {
		b.drafts[i].allocator = a
	}
}

func worth(a *monitor.Allocator) int {
	switch {
	case a.State != monitor.AllocatorOK:
		return 0
	case a.Origin == monitor.OriginLog:
		return 1
	}
	return 2
}

// finish makes the rows in their natural order, in the memory of others.
func (b *builder) finish(rows []Row) []Row {
	slices.SortFunc(b.drafts, func(x, y draft) int { return naturalOrder(x.id(), y.id(), x.used, y.used) })
	rows = renewed(rows, len(b.drafts))
	for i := range b.drafts {
		d := &b.drafts[i]
		r := &rows[i]
		r.ID, r.Process, r.Holder, r.Allocator, r.UsedBytes = d.id(), d.process, d.holder, d.allocator, d.used
		used, torch := whyNotListed, whyNoAllocator
		switch {
		case r.ID.Process.PID == 0:
			used = whyLog
		case !r.ID.OnGPU && len(b.on[r.ID.Process]) > 0:
			used = whyNoDevice
		}
		switch {
		case r.ID.Outside:
			torch = whyOutside
		case b.elsewhere[r.ID.Process]:
			torch = whyElsewhere
		}
		r.fill(b.sample.Time, used, torch)
	}
	return rows
}

const gib = 1 << 30

// natural is the order of a table that nobody sorted. Whole GiB decide, so
// that two processes of about the same size do not change places with every
// sample.
func natural(a, b *Row) int { return naturalOrder(a.ID, b.ID, a.UsedBytes, b.UsedBytes) }

func naturalOrder(a, b ID, usedA, usedB monitor.Reading[int64]) int {
	if a.OnGPU != b.OnGPU {
		return compareBool(!a.OnGPU, !b.OnGPU)
	}
	if c := cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(usedB.Or(0)/gib, usedA.Or(0)/gib)); c != 0 {
		return c
	}
	return a.Compare(b)
}

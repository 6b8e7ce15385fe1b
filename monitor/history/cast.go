package history

import (
	"reflect"
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// cast is a sample's rows with the numbers taken out: what seldom changes.
type cast struct {
	host, driver string
	gpus         []monitor.GPU
	holders      []monitor.Holder
	processes    []monitor.Process
	torch        []monitor.Allocator
	sources      []monitor.SourceStatus
}

// roster is a cast whose rows are shared between blocks.
type roster struct {
	host, driver string
	gpus         []*monitor.GPU
	holders      []*monitor.Holder
	processes    []*monitor.Process
	torch        []*monitor.Allocator
	sources      []*monitor.SourceStatus
}

// take copies the rows of a sample and moves their numbers to the packer.
func (c *cast) take(s *monitor.Sample, p *packer) {
	c.host, c.driver = s.Host, s.Driver
	c.gpus = append(c.gpus[:0], s.GPUs...)
	c.holders = append(c.holders[:0], s.Holders...)
	c.processes = append(c.processes[:0], s.Processes...)
	c.torch = append(c.torch[:0], s.Torch...)
	c.sources = append(c.sources[:0], s.Sources...)
	seq := int64(s.Seq)
	p.int(&seq)
	for i := range c.gpus {
		packGPU(&c.gpus[i], p)
	}
	for i := range c.holders {
		p.count(&c.holders[i].UsedBytes)
	}
	for i := range c.processes {
		packProcess(&c.processes[i], p)
	}
	for i := range c.torch {
		packAllocator(&c.torch[i], p)
	}
	for i := range c.sources {
		packSource(&c.sources[i], p)
	}
}

// restore builds the sample back from its rows and numbers.
func (r *roster) restore(p *packer) monitor.Sample {
	var seq int64
	p.int(&seq)
	s := monitor.Sample{Seq: uint64(seq), Host: r.host, Driver: r.driver}
	s.GPUs = unpackRows(r.gpus, p, packGPU)
	s.Holders = unpackRows(r.holders, p, func(h *monitor.Holder, p *packer) { p.count(&h.UsedBytes) })
	s.Processes = unpackRows(r.processes, p, packProcess)
	s.Torch = unpackRows(r.torch, p, packAllocator)
	s.Sources = unpackRows(r.sources, p, packSource)
	return s
}

func unpackRows[T any](rows []*T, p *packer, pack func(*T, *packer)) []T {
	if len(rows) == 0 {
		return nil
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = *row
		pack(&out[i], p)
	}
	return out
}

func packGPU(g *monitor.GPU, p *packer) {
	p.moment(&g.ReadAt)
	m := &g.Memory
	for _, r := range [...]*monitor.Reading[int64]{&m.TotalBytes, &m.UsedBytes, &m.FreeBytes, &m.DriverReservedBytes,
		&g.ECC.CorrectedCount, &g.ECC.UncorrectedCount, &g.ECC.RetiredPagesCount, &g.UnseenBytes} {
		p.count(r)
	}
	a := &g.Activity
	for _, r := range [...]*monitor.Reading[float64]{&g.UtilPercent, &g.MemUtilPercent, &g.TemperatureC, &g.PowerW,
		&g.PowerLimitW, &g.SMClockMHz, &g.MemClockMHz, &a.SMPercent, &a.TensorPercent, &a.FP32Percent, &a.DRAMPercent} {
		p.real(r)
	}
}

func packProcess(q *monitor.Process, p *packer) {
	threads := int64(q.Threads)
	p.int(&threads)
	q.Threads = int(threads)
	p.count(&q.HostBytes)
	p.real(&q.CPUPercent)
	// The letter changes with every look at a busy process.
	if len(q.State) == 1 && q.State[0] < 0x80 {
		letter := int64(q.State[0])
		p.int(&letter)
		q.State = "?"
		if p.putting {
			q.State = string(rune(letter))
		}
	}
}

func packAllocator(a *monitor.Allocator, p *packer) {
	p.moment(&a.ReadAt)
	for _, r := range [...]*monitor.Reading[int64]{&a.AllocatedBytes, &a.ReservedBytes, &a.PeakAllocatedBytes,
		&a.PeakReservedBytes, &a.ActiveBytes, &a.InactiveSplitBytes, &a.RequestedBytes, &a.PrivatePoolBytes,
		&a.AllocationCount, &a.SegmentCount, &a.ActiveCount, &a.InactiveSplitCount, &a.AllocRetryCount, &a.OOMCount} {
		p.count(r)
	}
}

func packSource(s *monitor.SourceStatus, p *packer) {
	p.moment(&s.GoodAt)
	took := int64(s.Took)
	p.int(&took)
	s.Took = time.Duration(took)
}

func sameGPU(a, b *monitor.GPU) bool {
	ta, oka := a.Throttle.Get()
	tb, okb := b.Throttle.Get()
	return a.Index == b.Index && a.UUID == b.UUID && a.Name == b.Name && a.ReadAt.Equal(b.ReadAt) && a.State == b.State &&
		a.Reason == b.Reason && a.Memory == b.Memory && a.UtilPercent == b.UtilPercent &&
		a.MemUtilPercent == b.MemUtilPercent && a.TemperatureC == b.TemperatureC && a.PowerW == b.PowerW &&
		a.PowerLimitW == b.PowerLimitW && a.SMClockMHz == b.SMClockMHz && a.MemClockMHz == b.MemClockMHz &&
		oka == okb && a.Throttle.Why() == b.Throttle.Why() && slices.Equal(ta, tb) &&
		a.ECC == b.ECC && a.MIG == b.MIG && a.Activity == b.Activity
}

func equal[T comparable](a, b *T) bool { return *a == *b }

// same reports whether the cast is the roster's.
func (r *roster) same(c *cast) bool {
	return r.host == c.host && r.driver == c.driver && sameRows(r.gpus, c.gpus, sameGPU) &&
		sameRows(r.holders, c.holders, equal) && sameRows(r.processes, c.processes, equal) &&
		sameRows(r.torch, c.torch, equal) && sameRows(r.sources, c.sources, equal)
}

func sameRows[T any](rows []*T, fresh []T, same func(a, b *T) bool) bool {
	if len(rows) != len(fresh) {
		return false
	}
	for i := range rows {
		if !same(rows[i], &fresh[i]) {
			return false
		}
	}
	return true
}

// roster makes the cast's rows lasting, using those of the roster before where
// they are the same, and returns the memory that took.
func (c *cast) roster(before *roster) (roster, int64) {
	if before == nil {
		before = &roster{}
	}
	r := roster{host: c.host, driver: c.driver}
	var sum, n int64
	r.gpus, n = lasting(c.gpus, before.gpus, sameGPU)
	sum += n
	r.holders, n = lasting(c.holders, before.holders, equal)
	sum += n
	r.processes, n = lasting(c.processes, before.processes, equal)
	sum += n
	r.torch, n = lasting(c.torch, before.torch, equal)
	sum += n
	r.sources, n = lasting(c.sources, before.sources, equal)
	return r, sum + n
}

func lasting[T any](fresh []T, before []*T, same func(a, b *T) bool) ([]*T, int64) {
	rows := make([]*T, len(fresh))
	rowBytes := int64(reflect.TypeFor[T]().Size())
	size := 8 * int64(len(rows))
	for i := range fresh {
		if i < len(before) && same(before[i], &fresh[i]) {
			rows[i] = before[i]
			continue
		}
		row := fresh[i]
		rows[i] = &row
		size += rowBytes
	}
	return rows, size
}

package history

import (
	"math"

	"github.com/vramscope/vramscope/monitor"
)

// scratch is reused from sample to sample so that appending allocates nothing.
type scratch struct {
	ticks   map[int]uint64 // PID → start, of this sample
	gpus    []gpuName
	byIndex map[int]int // NVML index → place in gpus
	many    bool        // so many rows that the layers are worth an index
	layers  monitor.LayerIndex
}

// fewRows is how many allocators times devices are looked through as they come.
const fewRows = 2048

type gpuName struct {
	id    string
	fresh bool // its figures are of this sample
}

func newScratch() scratch { return scratch{ticks: map[int]uint64{}, byIndex: map[int]int{}} }

func (w *scratch) prepare(s *monitor.Sample) {
	clear(w.ticks)
	for i := range s.Torch {
		w.ticks[s.Torch[i].PID] = s.Torch[i].StartTicks
	}
	for i := range s.Processes {
		w.ticks[s.Processes[i].PID] = s.Processes[i].StartTicks
	}
	w.gpus = w.gpus[:0]
	clear(w.byIndex)
	if w.many = len(s.Torch)*len(s.GPUs) > fewRows; w.many {
		w.layers.Index(s)
	}
	for i := range s.GPUs {
		g := &s.GPUs[i]
		if _, had := w.byIndex[g.Index]; !had {
			w.byIndex[g.Index] = i
		}
		fresh := g.State == monitor.StateOK || g.State == monitor.StatePartial
		w.gpus = append(w.gpus, gpuName{g.ID(), fresh})
	}
}

func (w *scratch) gpu(index int) (gpuName, bool) {
	if i, ok := w.byIndex[index]; ok {
		return w.gpus[i], true
	}
	return gpuName{}, false
}

// layersOf returns the layers of a device of the sample at hand.
func (w *scratch) layersOf(s *monitor.Sample, gpu int) monitor.Layers {
	if w.many {
		return w.layers.Layers(gpu)
	}
	return monitor.LayersOf(s, gpu)
}

// key names the process of a PID: its start is known when another part of the
// same sample tells it and the number is a local one.
func (w *scratch) key(pid int, local bool) monitor.ProcessKey {
	if !local {
		return monitor.ProcessKey{PID: pid}
	}
	return monitor.ProcessKey{PID: pid, StartTicks: w.ticks[pid]}
}

// put sets one figure of a row where it is known.
func put[T int64 | float64](row []float64, k kind, m Metric, r monitor.Reading[T]) {
	if v, ok := r.Get(); ok {
		if c, has := k.column(m); has {
			row[c] = float64(v)
		}
	}
}

// extract writes the figures of a sample into the rows of a slot.
func (s *Store) extract(sample *monitor.Sample, slot int, at int64) {
	s.work.prepare(sample)
	for i := range sample.GPUs {
		s.extractGPU(sample, i, slot, at)
	}
	for i := range sample.Holders {
		s.extractHolder(&sample.Holders[i], slot, at)
	}
	for i := range sample.Torch {
		s.extractTorch(&sample.Torch[i], slot, at)
	}
	for i := range sample.Processes {
		p := &sample.Processes[i]
		if row := s.row(thingKey{kind: kindHost, process: p.Key()}, slot, at); row != nil {
			put(row, kindHost, HostBytes, p.HostBytes)
			put(row, kindHost, CPU, p.CPUPercent)
		}
	}
}

func (s *Store) extractGPU(sample *monitor.Sample, i, slot int, at int64) {
	g, name := &sample.GPUs[i], s.work.gpus[i]
	row := s.row(thingKey{kind: kindDevice, gpu: name.id}, slot, at)
	if row == nil {
		return
	}
	l := s.work.layersOf(sample, g.Index)
	put(row, kindDevice, Reserved, l.Reserved)
	put(row, kindDevice, Allocated, l.Allocated)
	put(row, kindDevice, PeakAllocated, l.PeakAllocated)
	put(row, kindDevice, PeakReserved, l.PeakReserved)
	put(row, kindDevice, InactiveSplit, l.Split)
	if !name.fresh {
		return
	}
	put(row, kindDevice, Used, l.Used)
	put(row, kindDevice, Free, l.Free)
	put(row, kindDevice, DriverReserved, l.DriverReserved)
	put(row, kindDevice, NonTorch, l.NonTorch)
	put(row, kindDevice, Others, l.Others)
	put(row, kindDevice, Util, g.UtilPercent)
	put(row, kindDevice, MemUtil, g.MemUtilPercent)
	put(row, kindDevice, Power, g.PowerW)
	put(row, kindDevice, Temp, g.TemperatureC)
	put(row, kindDevice, SMClock, g.SMClockMHz)
	put(row, kindDevice, SM, g.Activity.SMPercent)
	put(row, kindDevice, Tensor, g.Activity.TensorPercent)
	put(row, kindDevice, FP32, g.Activity.FP32Percent)
	put(row, kindDevice, DRAM, g.Activity.DRAMPercent)
}

func (s *Store) extractHolder(h *monitor.Holder, slot int, at int64) {
	name, ok := s.work.gpu(h.GPU)
	if !ok || !name.fresh {
		return
	}
	key := thingKey{kind: kindProcess, gpu: name.id, process: s.work.key(h.PID, h.InNamespace)}
	row := s.row(key, slot, at)
	used, known := h.UsedBytes.Get()
	if row == nil || !known {
		return
	}
	// A process can hold memory on several MIG instances of one device.
	c, _ := kindProcess.column(Used)
	if math.IsNaN(row[c]) {
		row[c] = 0
	}
	row[c] += float64(used)
}

func (s *Store) extractTorch(a *monitor.Allocator, slot int, at int64) {
	if a.PID == 0 || a.State != monitor.AllocatorOK {
		return
	}
	key := thingKey{kind: kindProcess, process: a.Key()}
	index, onGPU := a.GPU.Get()
	if onGPU {
		name, _ := s.work.gpu(index)
		key.gpu = name.id
	}
	row := s.row(key, slot, at)
	if row == nil {
		return
	}
	put(row, kindProcess, Reserved, a.ReservedBytes)
	put(row, kindProcess, Allocated, a.AllocatedBytes)
	put(row, kindProcess, PeakAllocated, a.PeakAllocatedBytes)
	put(row, kindProcess, PeakReserved, a.PeakReservedBytes)
	put(row, kindProcess, InactiveSplit, a.InactiveSplitBytes)
	put(row, kindProcess, Active, a.ActiveBytes)
	put(row, kindProcess, Requested, a.RequestedBytes)
	put(row, kindProcess, PrivatePools, a.PrivatePoolBytes)
	put(row, kindProcess, Segments, a.SegmentCount)
	put(row, kindProcess, AllocRetries, a.AllocRetryCount)
	put(row, kindProcess, OOMs, a.OOMCount)
	used, _ := kindProcess.column(Used)
	if reserved, ok := a.ReservedBytes.Get(); ok && row[used] >= float64(reserved) {
		nonTorch, _ := kindProcess.column(NonTorch)
		row[nonTorch] = row[used] - float64(reserved)
	}
}

// row returns the row of a thing in a slot, making the thing when it is new;
// nil when there is no room for it.
func (s *Store) row(key thingKey, slot int, at int64) []float64 {
	t, ok := s.things[key]
	if !ok {
		if t = s.admit(key, at); t == nil {
			return nil
		}
	}
	t.touched = true
	return t.row(slot)
}

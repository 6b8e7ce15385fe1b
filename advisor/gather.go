package advisor

import (
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

func (s *scene) addGPUs() {
	for i := range s.w.GPUs {
		f := &s.w.GPUs[i]
		g := &gpu{s: s, id: f.GPU.ID(), index: f.GPU.Index, known: true, facts: &f.GPU}
		if total, ok := f.GPU.Memory.TotalBytes.Get(); ok && total > 0 {
			g.total = float64(total)
		}
		s.gpus = append(s.gpus, g)
		s.byID[g.id] = g
	}
}

// addHolders finds the processes on each device and the jobs among them.
func (s *scene) addHolders() {
	facts := make(map[monitor.ProcessKey]*history.ProcessFacts, len(s.w.Processes))
	for i := range s.w.Processes {
		facts[s.w.Processes[i].Process.Key()] = &s.w.Processes[i]
	}
	now := s.newest()
	series := seriesOf(s.w.Keys())
	started := startedHolders(series)
	for _, k := range series {
		g := s.gpu(k.gpu)
		if g == nil || !k.used && k.process.StartTicks == 0 && started[holderName{g.id, k.process}] {
			continue // what a log said last of a process that is gone is no other process
		}
		h := &holder{gpu: g, key: k.process, facts: facts[k.process], now: now[k.holderName], listed: k.used}
		g.holders = append(g.holders, h)
		s.holders[h.key.PID] = append(s.holders[h.key.PID], h)
		if k.tensors {
			s.addJob(h)
		}
	}
}

// addJob makes a job of a process whose tensors are known.
func (s *scene) addJob(h *holder) *job {
	h.job = &job{holder: h, gpu: h.gpu, total: h.gpu.total, rank: rankOf(h)}
	s.jobs = append(s.jobs, h.job)
	return h.job
}

// holderName names a process on a device.
type holderName struct {
	gpu     string
	process monitor.ProcessKey
}

// holderSeries is which series there are of a process on a device.
type holderSeries struct {
	holderName
	used, tensors bool
}

// seriesOf sorts keys by process and device. Those of one stand together.
func seriesOf(keys []history.Key) []holderSeries {
	var out []holderSeries
	for _, k := range keys {
		if k.Process == (monitor.ProcessKey{}) || k.Metric == history.HostBytes || k.Metric == history.CPU {
			continue
		}
		name := holderName{k.GPU, k.Process}
		if n := len(out); n == 0 || out[n-1].holderName != name {
			out = append(out, holderSeries{holderName: name})
		}
		last := &out[len(out)-1]
		switch k.Metric {
		case history.Used:
			last.used = true
		case history.Allocated, history.Reserved:
			last.tensors = true
		default:
		}
	}
	return out
}

// startedHolders returns the places of processes that the driver listed and
// whose start is known, without that start.
func startedHolders(series []holderSeries) map[holderName]bool {
	out := map[holderName]bool{}
	for _, k := range series {
		if k.used && k.process.StartTicks != 0 {
			out[holderName{k.gpu, monitor.ProcessKey{PID: k.process.PID}}] = true
		}
	}
	return out
}

// countDevices notes on how many devices each process holds memory, and what
// it holds now.
func (s *scene) countDevices() {
	on := map[monitor.ProcessKey]int{}
	for _, g := range s.gpus {
		for _, h := range g.holders {
			on[h.key]++
		}
	}
	byIndex := s.byIndex()
	type place struct{ pid, gpu int }
	now := map[place]monitor.Reading[int64]{}
	if !s.w.Latest.Time.After(s.w.To) {
		for _, g := range s.gpus {
			g.listedNow = monitor.Known[int64](0)
		}
		for _, h := range s.w.Latest.Holders {
			if g := byIndex[h.GPU]; g != nil {
				g.listedNow = monitor.Plus(g.listedNow, h.UsedBytes)
			}
			if h.InNamespace && !h.Instance.Known() {
				now[place{h.PID, h.GPU}] = h.UsedBytes
			}
		}
	}
	for _, g := range s.gpus {
		for _, h := range g.holders {
			h.spread, h.usedNow = on[h.key], now[place{h.key.PID, g.index}]
		}
	}
}

func (s *scene) byIndex() map[int]*gpu {
	out := make(map[int]*gpu, len(s.gpus))
	for _, g := range s.gpus {
		out[g.index] = g
	}
	return out
}

// newest returns the allocators of the newest sample by process and device.
func (s *scene) newest() map[holderName]*monitor.Allocator {
	out := make(map[holderName]*monitor.Allocator, len(s.w.Latest.Torch))
	byIndex := s.byIndex()
	for i := range s.w.Latest.Torch {
		a := &s.w.Latest.Torch[i]
		index, ok := a.GPU.Get()
		if !ok || a.State != monitor.AllocatorOK || s.w.Latest.Time.After(s.w.To) {
			continue
		}
		if g := byIndex[index]; g != nil {
			out[holderName{g.id, a.Key()}] = a
		}
	}
	return out
}

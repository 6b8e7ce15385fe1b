package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// ProcessFacts is what is known of a process and when it was seen. For one
// that only the driver lists, Process holds nothing but PID and Name.
type ProcessFacts struct {
	Process     monitor.Process // the newest facts
	First, Last time.Time
	// Origin is where its allocator's figures were last taken from; empty when
	// there were none.
	Origin monitor.Origin
	// Assumed says that, when last seen, its memory on a device or the device of
	// its allocator followed from a rule that may be wrong (monitor.Holder.Assumed,
	// monitor.Allocator.GPUAssumed).
	Assumed bool
}

// GPUFacts is what is known of a device and when it was seen.
type GPUFacts struct {
	GPU         monitor.GPU // as last read
	First, Last time.Time
}

// facts remembers who was there and from when to when.
type facts struct {
	processes map[monitor.ProcessKey]*ProcessFacts
	gpus      map[string]*GPUFacts
	known     map[int]*ProcessFacts // of this sample by PID; nil where there is no room
	limit     int                   // of processes, gone ones included
	full      time.Time             // the sample in which all of them were there
}

func newFacts(limit int) facts {
	return facts{processes: map[monitor.ProcessKey]*ProcessFacts{}, gpus: map[string]*GPUFacts{}, known: map[int]*ProcessFacts{}, limit: limit}
}

func (f *facts) see(s *monitor.Sample) {
	clear(f.known)
	for i := range s.Processes {
		p := &s.Processes[i]
		had := f.process(p.Key(), s.Time)
		f.known[p.PID] = had
		if had != nil {
			had.Process, had.Assumed = *p, false
		}
	}
	for i := range s.Torch {
		a := &s.Torch[i]
		if a.PID == 0 {
			continue
		}
		had, known := f.known[a.PID]
		if !known {
			had = f.bare(a.Key(), "", s.Time)
			f.known[a.PID] = had
		}
		if had != nil && a.State == monitor.AllocatorOK {
			had.Origin, had.Assumed = a.Origin, had.Assumed || a.GPUAssumed || a.Origin == monitor.OriginAssumed
		}
	}
	for i := range s.Holders {
		h := &s.Holders[i]
		had, known := f.known[h.PID]
		if !h.InNamespace || !known {
			had = f.bare(monitor.ProcessKey{PID: h.PID}, h.Name, s.Time)
		}
		if had != nil && h.Assumed {
			had.Assumed = true
		}
	}
	for i := range s.GPUs {
		g := &s.GPUs[i]
		had, ok := f.gpus[g.ID()]
		if !ok {
			had = &GPUFacts{First: s.Time}
			f.gpus[g.ID()] = had
		}
		had.GPU, had.Last = *g, s.Time
	}
}

// bare notes a process of which little more than its number is known; nil when
// there is no room.
func (f *facts) bare(key monitor.ProcessKey, name string, at time.Time) *ProcessFacts {
	had := f.process(key, at)
	if had == nil {
		return nil
	}
	had.Process.PID, had.Process.StartTicks, had.Assumed = key.PID, key.StartTicks, false
	if name != "" && had.Process.Name == "" {
		had.Process.Name = name
	}
	return had
}

// process returns the facts of a key, seen now; nil when there are too many.
func (f *facts) process(key monitor.ProcessKey, at time.Time) *ProcessFacts {
	had, ok := f.processes[key]
	if !ok {
		if len(f.processes) >= f.limit && (f.full.Equal(at) || !f.dropOldest(at)) {
			f.full = at
			return nil
		}
		had = &ProcessFacts{First: at}
		f.processes[key] = had
	}
	had.Last = at
	return had
}

func (f *facts) dropOldest(now time.Time) bool {
	var oldest monitor.ProcessKey
	at := now
	for key, had := range f.processes {
		if had.Last.Before(at) {
			oldest, at = key, had.Last
		}
	}
	delete(f.processes, oldest)
	return at.Before(now)
}

func (f *facts) evict(before time.Time) {
	for key, had := range f.processes {
		if had.Last.Before(before) {
			delete(f.processes, key)
		}
	}
}

// processList returns a copy of the facts of processes seen between two times,
// by first appearance.
func (f *facts) processList(from, to time.Time) []ProcessFacts {
	out := make([]ProcessFacts, 0, len(f.processes))
	for _, had := range f.processes {
		if !had.Last.Before(from) && !had.First.After(to) {
			out = append(out, *had)
		}
	}
	slices.SortFunc(out, func(a, b ProcessFacts) int {
		return cmp.Or(a.First.Compare(b.First), cmp.Compare(a.Process.PID, b.Process.PID),
			cmp.Compare(a.Process.StartTicks, b.Process.StartTicks))
	})
	return out
}

// gpuList returns a copy of the facts of devices seen between two times, by
// index.
func (f *facts) gpuList(from, to time.Time) []GPUFacts {
	out := make([]GPUFacts, 0, len(f.gpus))
	for _, had := range f.gpus {
		if !had.Last.Before(from) && !had.First.After(to) {
			out = append(out, *had)
		}
	}
	slices.SortFunc(out, func(a, b GPUFacts) int {
		return cmp.Or(cmp.Compare(a.GPU.Index, b.GPU.Index), cmp.Compare(a.GPU.ID(), b.GPU.ID()))
	})
	return out
}

package monitor

import (
	"context"
	"time"
)

// Sample is everything read of a machine at one moment.
type Sample struct {
	Seq    uint64 // counts samples taken, also those nobody saw
	Time   time.Time
	Host   string
	Driver string

	GPUs      []GPU
	Holders   []Holder
	Processes []Process
	Torch     []Allocator
	Lines     []LogLine    // log lines that were understood since the last sample
	Readings  []LogReading // what they say
	Marks     []Mark       // set since the last sample
	Sources   []SourceStatus
}

// GPU returns the device with that NVML index.
func (s *Sample) GPU(index int) (GPU, bool) {
	for i := range s.GPUs {
		if s.GPUs[i].Index == index {
			return s.GPUs[i], true
		}
	}
	return GPU{}, false
}

// Process returns the facts of a PID.
func (s *Sample) Process(pid int) (Process, bool) {
	for i := range s.Processes {
		if s.Processes[i].PID == pid {
			return s.Processes[i], true
		}
	}
	return Process{}, false
}

// Holder returns what a process holds on a device.
func (s *Sample) Holder(pid, gpu int) (Holder, bool) {
	for i := range s.Holders {
		if h := &s.Holders[i]; h.PID == pid && h.GPU == gpu && h.InNamespace {
			return *h, true
		}
	}
	return Holder{}, false
}

// Batch is what a feed hands over at once: the newest sample of a live feed,
// or the samples up to a point of a recording.
type Batch struct {
	Samples []Sample
	Reset   bool   // forget everything before: a replay went back
	More    bool   // the rest of a long way through a recording follows at once
	Dropped uint64 // samples taken and not handed over since the last batch
}

// Feed is where samples come from, live or replayed. Next waits for the next
// batch and returns io.EOF after the last.
type Feed interface {
	Next(ctx context.Context) (Batch, error)
	Close() error
}

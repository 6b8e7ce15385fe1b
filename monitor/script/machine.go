package script

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Machine describes a machine and what happens on it. Times are since Start.
type Machine struct {
	Start    time.Time     // 2026-11-30 14:00 UTC when zero
	Interval time.Duration // a second when zero
	Length   time.Duration // how long the script lasts; 0 is without end
	Host     string        // node07 when empty
	Driver   string        // 580.159.04 when empty
	GPUs     []GPU
	Jobs     []Job
	Events   []Event
	// Gaps are times in which no sample is taken.
	Gaps []Span
	// Down are the times in which a source does not answer.
	Down []Down
}

// Span is a time from From up to To; a zero To is without end. The zero Span is
// always for Job.Lives, and never for GPU.Lost and GPU.Missing.
type Span struct{ From, To time.Duration }

func (s Span) has(t time.Duration) bool { return t >= s.From && (s.To == 0 || t < s.To) }

// GPU describes one device. Its index is its place in Machine.GPUs.
type GPU struct {
	Name           string // NVIDIA H200 when empty
	TotalBytes     int64  // 139.8 GiB when zero
	DriverReserved int64  // 615 MiB when zero
	OtherBytes     Curve  // held by processes nobody may see; nothing when nil
	Lost           Span   // it does not answer: state stale with its last figures
	Missing        Span   // it has fallen off the bus: not there at all
}

// Job describes one process on one device.
type Job struct {
	PID      int
	GPU      int
	User     string // ann when empty
	Name     string // python when empty
	Command  string // python train.py when empty
	Rank     int    // counts when World is not zero
	World    int
	Lives    Span  // when the process exists
	Reserved Curve // nil: no PyTorch in this process
	// Allocated is cut at Reserved.
	Allocated Curve
	Split     Curve // inactive split; a tenth of the cache when nil
	NonTorch  Curve // used outside PyTorch; 500 MiB when nil
	Container monitor.Container
	// State and Reason of its allocator when it cannot be read.
	State  monitor.AllocatorState
	Reason string
	// OOMAt are the moments at which a request fails: retries and failures
	// count up, the log tells.
	OOMAt []time.Duration
	// FromLog is how often the job prints its figures; they come from the log
	// then, not from the process.
	FromLog time.Duration
}

// Event is something that happens at a moment: a log line, a mark.
type Event struct {
	At      time.Duration
	Line    string
	PID     int
	Reading *monitor.LogReading // what the line says
	Mark    string
}

// Down is a time in which a source (nvml, torch, proc or log) does not answer:
// its part is missing from the samples and its status says so. Devices stay,
// stale.
type Down struct {
	Source string
	Reason string // "no answer for …" when empty
	When   Span
}

const (
	defaultTotal          = 150754820096
	defaultDriverReserved = 615 * MiB
	defaultNonTorch       = 500 * MiB
)

package script

import (
	"fmt"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// age is how long the job has run at a time of the script.
func (j Job) age(t time.Duration) time.Duration { return t - j.Lives.From }

func (j Job) reserved(t time.Duration) int64 { return at(j.Reserved, j.age(t), 0) }

func (j Job) allocated(t time.Duration) int64 {
	return min(at(j.Allocated, j.age(t), 0), j.reserved(t))
}

func (j Job) used(t time.Duration) int64 {
	return j.reserved(t) + at(j.NonTorch, j.age(t), defaultNonTorch)
}

// peak is the highest value of a figure since the job began.
func (j Job) peak(figure func(time.Duration) int64, t time.Duration) int64 {
	return HighWater(func(age time.Duration) int64 { return figure(j.Lives.From + age) })(j.age(t))
}

func (j Job) ticks() uint64 { return uint64(10_000 + j.PID) }

func (m Machine) processes(s *monitor.Sample, t time.Duration) {
	if _, down := m.down("proc", t); down {
		return
	}
	for _, j := range m.alive(t) {
		p := monitor.Process{PID: j.PID, ParentPID: 1, StartTicks: j.ticks(), Started: m.start().Add(j.Lives.From), User: or(j.User, "ann"),
			Name: or(j.Name, "python"), Command: or(j.Command, "python train.py"), State: "R", Threads: 48,
			CPUPercent: monitor.Known(100 + float64(j.PID%3)), HostBytes: monitor.Known(14*GiB + int64(j.PID)*MiB), Container: j.Container}
		if j.World > 0 {
			p.Rank, p.LocalRank, p.World = monitor.Known(j.Rank), monitor.Known(j.GPU), monitor.Known(j.World)
		}
		s.Processes = append(s.Processes, p)
	}
}

func (m Machine) torch(s *monitor.Sample, t time.Duration) {
	if _, down := m.down("torch", t); down {
		return
	}
	for _, j := range m.alive(t) {
		if j.Reserved == nil {
			continue
		}
		a := monitor.Allocator{PID: j.PID, StartTicks: j.ticks(), GPU: monitor.Known(j.GPU), Ordinal: monitor.Known(0),
			Origin: monitor.OriginAttach, State: monitor.AllocatorOK, Layout: "2.6", ReadAt: s.Time}
		switch {
		case j.State != monitor.AllocatorUnread && j.State != monitor.AllocatorOK:
			a.State, a.Reason = j.State, or(j.Reason, "reading its memory is not permitted")
			a.Ordinal = monitor.Unknown[int](monitor.NoPermission, a.Reason)
		case j.FromLog > 0:
			printed := j.Lives.From + j.age(t).Truncate(j.FromLog)
			a.Origin, a.Layout, a.GPUAssumed, a.ReadAt = monitor.OriginLog, "", true, m.start().Add(printed)
			a.AllocatedBytes, a.ReservedBytes = monitor.Known(j.allocated(printed)), monitor.Known(j.reserved(printed))
		default:
			j.figures(&a, t)
		}
		s.Torch = append(s.Torch, a)
	}
}

// figures fills in what the allocator of a readable process says. The figures
// fit together as PyTorch's do: allocated ≤ active ≤ reserved, split within
// what is left.
func (j Job) figures(a *monitor.Allocator, t time.Duration) {
	reserved, allocated := j.reserved(t), j.allocated(t)
	idle := reserved - allocated
	split := min(at(j.Split, j.age(t), idle/10), idle)
	fails := j.fails(t)
	a.AllocatedBytes, a.ReservedBytes = monitor.Known(allocated), monitor.Known(reserved)
	a.PeakAllocatedBytes, a.PeakReservedBytes = monitor.Known(j.peak(j.allocated, t)), monitor.Known(j.peak(j.reserved, t))
	a.ActiveBytes, a.InactiveSplitBytes = monitor.Known(allocated), monitor.Known(split)
	a.RequestedBytes, a.PrivatePoolBytes = monitor.Known(allocated-allocated/200), monitor.Known[int64](0)
	a.AllocationCount, a.ActiveCount = monitor.Known(allocated/(8*MiB)), monitor.Known(allocated/(8*MiB))
	a.SegmentCount, a.InactiveSplitCount = monitor.Known(reserved/(20*MiB)), monitor.Known(split/(2*MiB))
	a.AllocRetryCount, a.OOMCount = monitor.Known(fails), monitor.Known(fails)
}

func (j Job) fails(t time.Duration) int64 {
	var n int64
	for _, at := range j.OOMAt {
		if at <= j.age(t) {
			n++
		}
	}
	return n
}

// log adds what happened since the sample before.
func (m Machine) log(s *monitor.Sample, t time.Duration) {
	if _, down := m.down("log", t); down {
		return
	}
	since := t - m.interval()
	now := func(at time.Duration) bool { return at > since && at <= t }
	for _, e := range m.Events {
		if !now(e.At) {
			continue
		}
		when := m.start().Add(e.At)
		if e.Line != "" {
			s.Lines = append(s.Lines, monitor.LogLine{Time: when, Source: "train.log", PID: e.PID, Text: e.Line})
		}
		if e.Reading != nil {
			r := *e.Reading
			r.Time, r.PID = when, e.PID
			s.Readings = append(s.Readings, r)
		}
		if e.Mark != "" {
			s.Marks = append(s.Marks, monitor.Mark{Time: when, Text: e.Mark})
		}
	}
	for _, j := range m.alive(t) {
		for _, at := range j.OOMAt {
			if now(j.Lives.From + at) {
				m.fail(s, j, j.Lives.From+at)
			}
		}
	}
}

// fail adds the text of a failed request, in the words of PyTorch 2.6, and
// what it says.
func (m Machine) fail(s *monitor.Sample, j Job, t time.Duration) {
	const asked = 2 * GiB
	dev := m.gpu(j.GPU, t)
	total, free := dev.Memory.TotalBytes.Or(0), dev.Memory.FreeBytes.Or(0)
	reserved, allocated := j.reserved(t), j.allocated(t)
	gib := func(b int64) string { return fmt.Sprintf("%.2f GiB", float64(b)/float64(GiB)) }
	text := fmt.Sprintf("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %s. GPU %d has a total capacity of %s of which %s is free."+
		" Of the allocated memory %s is allocated by PyTorch, and %s is reserved by PyTorch but unallocated.",
		gib(asked), j.GPU, gib(total), gib(free), gib(allocated), gib(reserved-allocated))
	when := m.start().Add(t)
	s.Lines = append(s.Lines, monitor.LogLine{Time: when, Source: "train.log", PID: j.PID, Text: text})
	s.Readings = append(s.Readings, monitor.LogReading{Time: when, Source: "train.log", PID: j.PID, Kind: monitor.LogOOM, Producer: "pytorch",
		Unit: monitor.UnitStated, GPU: monitor.Known(j.GPU), OOM: &monitor.LogOOMFigures{Exception: "torch.OutOfMemoryError", API: "cuda", Count: 1,
			RequestedBytes: monitor.Known(asked), TotalBytes: monitor.Known(total), FreeBytes: monitor.Known(free),
			AllocatedBytes: monitor.Known(allocated), ReservedBytes: monitor.Known(reserved), UnallocatedBytes: monitor.Known(reserved - allocated)}})
}

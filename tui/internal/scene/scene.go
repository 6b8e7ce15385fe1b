// Package scene makes up machines for the tests of the screen: the same samples
// every time, no clock, no randomness but a given one.
//
// Nothing outside tests imports it.
package scene

import (
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Scene is a made-up machine and what it did.
type Scene struct {
	Name     string
	Interval time.Duration
	Samples  []monitor.Sample
}

// Last returns the newest sample.
func (s *Scene) Last() *monitor.Sample { return &s.Samples[len(s.Samples)-1] }

// Start is the moment at which every scene begins.
func Start() time.Time { return time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC) }

const (
	gib        = 1 << 30
	totalBytes = 150_754_820_096 // an H200
	driver     = "580.159.04"
	host       = "node07"
)

// All returns every scene that is worth looking at.
func All() []Scene {
	return []Scene{
		ReservedGrowth(), DDP(), Full(), Denied(), Stale(), LogOnly(), Empty(),
	}
}

// build makes samples at one a second.
func build(name string, n int, fill func(s *monitor.Sample, i int)) Scene {
	sc := Scene{Name: name, Interval: time.Second}
	for i := range n {
		s := monitor.Sample{Seq: uint64(i + 1), Time: Start().Add(time.Duration(i) * time.Second), Host: host}
		fill(&s, i)
		sc.Samples = append(sc.Samples, s)
	}
	return sc
}

// live returns the status of sources that answer.
func live(s *monitor.Sample, names ...string) {
	for _, name := range names {
		s.Sources = append(s.Sources, monitor.SourceStatus{
			Name: name, State: monitor.StateOK, GoodAt: s.Time, Took: 400 * time.Microsecond,
		})
	}
}

func bytesOf(gibs float64) monitor.Reading[int64] { return monitor.Known(int64(gibs * gib)) }

// addGPU adds a busy device that holds so many GiB.
func addGPU(s *monitor.Sample, used float64) *monitor.GPU {
	i := len(s.GPUs)
	s.Driver = driver
	s.GPUs = append(s.GPUs, monitor.GPU{
		Index: i, UUID: monitor.Known("GPU-" + string(rune('a'+i))), Name: monitor.Known("NVIDIA H200"),
		ReadAt: s.Time, State: monitor.StateOK,
		Memory: monitor.DeviceMemory{
			TotalBytes: monitor.Known[int64](totalBytes), UsedBytes: bytesOf(used),
			FreeBytes:           monitor.Known(totalBytes - int64(used*gib) - 644_939_776),
			DriverReservedBytes: monitor.Known[int64](644_939_776), Source: monitor.MemoryV2,
		},
		UtilPercent: monitor.Known(97.0), TemperatureC: monitor.Known(62.0 - float64(i)),
		PowerW: monitor.Known(651.0), PowerLimitW: monitor.Known(700.0),
		Activity: monitor.Activity{
			SMPercent: monitor.Known(88.0), TensorPercent: monitor.Known(24.0),
		},
	})
	return &s.GPUs[i]
}

// job describes a PyTorch process on one device, in GiB.
type job struct {
	pid, gpu, rank                   int
	user, command                    string
	allocated, reserved, used, split float64
	peakAllocated                    float64
	world                            int
}

// addJob adds the process, what it holds, and its allocator.
func addJob(s *monitor.Sample, j job) {
	started := Start().Add(-64 * time.Minute)
	s.Holders = append(s.Holders, monitor.Holder{
		PID: j.pid, GPU: j.gpu, UsedBytes: bytesOf(j.used), Kinds: monitor.HolderCompute, Name: "python", InNamespace: true,
	})
	s.Processes = append(s.Processes, monitor.Process{
		PID: j.pid, StartTicks: uint64(j.pid), Started: started, User: j.user, Name: "python", Command: j.command,
		CPUPercent: monitor.Known(101.0), HostBytes: bytesOf(14.2), Rank: monitor.Known(j.rank),
	})
	if j.world > 0 {
		s.Processes[len(s.Processes)-1].World = monitor.Known(j.world)
	}
	s.Torch = append(s.Torch, monitor.Allocator{
		PID: j.pid, StartTicks: uint64(j.pid), GPU: monitor.Known(j.gpu), Ordinal: monitor.Known(0),
		Origin: monitor.OriginAttach, State: monitor.AllocatorOK, ReadAt: s.Time, Layout: "F",
		AllocatedBytes: bytesOf(j.allocated), ReservedBytes: bytesOf(j.reserved), ActiveBytes: bytesOf(j.allocated),
		InactiveSplitBytes: bytesOf(j.split), PeakAllocatedBytes: bytesOf(j.peakAllocated), PeakReservedBytes: bytesOf(j.reserved),
	})
}

// At returns the sample as if it had been taken at another time.
func At(s monitor.Sample, at time.Time) monitor.Sample {
	shift := at.Sub(s.Time)
	move := func(t *time.Time) {
		if !t.IsZero() {
			*t = t.Add(shift)
		}
	}
	s.GPUs, s.Processes, s.Torch = slices.Clone(s.GPUs), slices.Clone(s.Processes), slices.Clone(s.Torch)
	s.Sources, s.Readings = slices.Clone(s.Sources), slices.Clone(s.Readings)
	s.Time = at
	for i := range s.GPUs {
		move(&s.GPUs[i].ReadAt)
	}
	for i := range s.Processes {
		move(&s.Processes[i].Started)
	}
	for i := range s.Torch {
		move(&s.Torch[i].ReadAt)
	}
	for i := range s.Sources {
		move(&s.Sources[i].GoodAt)
	}
	for i := range s.Readings {
		move(&s.Readings[i].Time)
	}
	return s
}

package scene

import (
	"fmt"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// ReservedGrowth is one GPU whose job reserves more and more while the level of
// allocated stays.
func ReservedGrowth() Scene {
	return build("growth", 241, func(s *monitor.Sample, i int) {
		reserved := 53 + 38.2*float64(i)/240
		allocated := 18.3 + 2*float64(i%8)/7
		addGPU(s, reserved+4.9)
		addJob(s, job{
			pid: 446, user: "ann", command: "python train.py --config large.yaml",
			allocated: allocated, reserved: reserved, used: reserved + 0.7, split: 3.1, peakAllocated: 33.1,
		})
		addForeign(s, 901, 0, "bob", "jupyter-lab --no-browser", 4.2)
		live(s, "nvml", "proc", "torch")
	})
}

// DDP is a job of two ranks, one a GPU.
func DDP() Scene {
	return build("ddp", 61, func(s *monitor.Sample, i int) {
		for rank := range 2 {
			allocated := 20.3 - float64((i+rank)%5)
			g := addGPU(s, 21.9)
			g.UtilPercent = monitor.Known(97.0 - float64(rank))
			addJob(s, job{
				pid: 446 + rank, gpu: rank, rank: rank, world: 2, user: "ann", command: "python -m torch.distributed.run train.py",
				allocated: allocated, reserved: 21.1, used: 21.9, split: 0.2, peakAllocated: 20.4,
			})
		}
		live(s, "nvml", "proc", "torch")
	})
}

// Full is eight GPUs with eight processes each.
func Full() Scene {
	return build("full", 31, func(s *monitor.Sample, i int) {
		for g := range 8 {
			used := 0.0
			for p := range 8 {
				n := g*8 + p
				reserved := 4 + float64((n*7)%11)
				used += reserved + 0.5
				addJob(s, job{
					pid: 40_000 + n, gpu: g, rank: n, user: fmt.Sprintf("user%d", p%3), command: fmt.Sprintf("python worker.py --shard %d", n),
					allocated: reserved * (0.5 + float64((i+n)%5)/10), reserved: reserved, used: reserved + 0.5, split: 0.1, peakAllocated: reserved,
				})
			}
			addGPU(s, used+0.4)
		}
		live(s, "nvml", "proc", "torch")
	})
}

// Denied is a job of another user, whose allocator may not be read.
func Denied() Scene {
	return build("denied", 31, func(s *monitor.Sample, _ int) {
		addGPU(s, 96.6)
		addForeign(s, 446, 0, "ann", "python train.py", 96.2)
		s.Torch = append(s.Torch, monitor.Allocator{
			PID: 446, StartTicks: 446, Origin: monitor.OriginAttach, State: monitor.AllocatorDenied,
			Reason: "reading the memory of PID 446 is not permitted: it belongs to ann; run vramscope as ann or with CAP_SYS_PTRACE",
		})
		live(s, "nvml", "proc")
		s.Sources = append(s.Sources, monitor.SourceStatus{
			Name: "torch", State: monitor.StatePartial, GoodAt: s.Time,
			Reason: "1 of 1 PyTorch processes may not be read",
		})
	})
}

// Stale is a machine of two GPUs, one of which stopped answering.
func Stale() Scene {
	return build("stale", 61, func(s *monitor.Sample, i int) {
		addGPU(s, 21.9)
		addJob(s, job{
			pid: 446, user: "ann", command: "python train.py",
			allocated: 20.3, reserved: 21.1, used: 21.9, split: 0.2, peakAllocated: 20.4,
		})
		g := addGPU(s, 48.4)
		addJob(s, job{
			pid: 447, gpu: 1, rank: 1, user: "ann", command: "python train.py",
			allocated: 40.3, reserved: 44.1, used: 48.0, split: 0.2, peakAllocated: 42.4,
		})
		live(s, "nvml", "proc", "torch")
		if i > 40 {
			good := Start().Add(40 * time.Second)
			g.ReadAt, g.State = good, monitor.StateStale
			g.Reason = "GPU 1 has not answered the driver for 20 s; a kernel log line beginning with NVRM: Xid would say why"
			s.Sources[0].State, s.Sources[0].GoodAt, s.Sources[0].Reason = monitor.StateStale, good, "GPU 1 does not answer"
		}
	})
}

// LogOnly is a machine without a GPU that follows the log of a job elsewhere.
func LogOnly() Scene {
	return build("log", 91, func(s *monitor.Sample, i int) {
		at := i - i%15
		reserved := 5 + float64(at)/30
		s.Torch = append(s.Torch, monitor.Allocator{
			Origin: monitor.OriginLog, State: monitor.AllocatorOK, ReadAt: Start().Add(time.Duration(at) * time.Second),
			GPU:            monitor.Unknown[int](monitor.NotAvailable, "the log does not name a GPU"),
			AllocatedBytes: bytesOf(4.9), ReservedBytes: bytesOf(reserved),
			PeakReservedBytes:  bytesOf(reserved + 0.5),
			PeakAllocatedBytes: monitor.Unknown[int64](monitor.NotAvailable, "the log does not print it"),
			InactiveSplitBytes: monitor.Unknown[int64](monitor.NotAvailable, "the log does not print it"),
		})
		if i == at {
			s.Lines = append(s.Lines, monitor.LogLine{
				Time: s.Time, Source: "train.log", Number: int64(i),
				Text: fmt.Sprintf("step %d loss 2.31 | gpu mem alloc 4.9 GiB, reserved %.1f GiB", i*10, reserved),
			})
			s.Readings = append(s.Readings, monitor.LogReading{
				Time: s.Time, Source: "train.log", Line: int64(i), Kind: monitor.LogMemory, Unit: monitor.UnitStated,
				AllocatedBytes: bytesOf(4.9), ReservedBytes: bytesOf(reserved),
			})
		}
		s.Sources = append(s.Sources, monitor.SourceStatus{
			Name: "nvml", State: monitor.StateUnavailable, Reason: "libnvidia-ml.so.1 was not found: no NVIDIA driver on this machine",
		})
		live(s, "log")
	})
}

// Empty is a machine without a GPU, a driver or a log.
func Empty() Scene {
	return build("empty", 2, func(s *monitor.Sample, _ int) {
		s.Sources = append(s.Sources, monitor.SourceStatus{
			Name: "nvml", State: monitor.StateUnavailable, Reason: "libnvidia-ml.so.1 was not found: no NVIDIA driver on this machine",
		})
		live(s, "proc", "torch")
	})
}

// addForeign adds a process without a readable allocator.
func addForeign(s *monitor.Sample, pid, gpu int, user, command string, used float64) {
	s.Holders = append(s.Holders, monitor.Holder{
		PID: pid, GPU: gpu, UsedBytes: bytesOf(used), Kinds: monitor.HolderCompute, InNamespace: true,
	})
	s.Processes = append(s.Processes, monitor.Process{
		PID: pid, StartTicks: uint64(pid), Started: Start().Add(-73 * time.Hour), User: user, Command: command,
		CPUPercent: monitor.Known(0.3), HostBytes: bytesOf(2),
	})
}

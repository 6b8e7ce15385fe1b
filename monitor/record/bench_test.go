package record

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// BenchmarkWriteOf8GPUs64Processes writes a sample in which the figures move
// and the facts of the processes stay.
func BenchmarkWriteOf8GPUs64Processes(b *testing.B) {
	for _, torch := range []int{0, 64} {
		b.Run(fmt.Sprint(torch, " allocators"), func(b *testing.B) {
			s := busy(torch)
			w := NewWriter(io.Discard, Options{})
			b.ReportAllocs()
			for b.Loop() {
				s.Time = s.Time.Add(time.Second)
				if err := w.Write(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// busy is a machine of 8 GPUs with 8 processes each, of which so many have an
// allocator.
func busy(torch int) monitor.Sample {
	at := time.Unix(1700000000, 0)
	s := monitor.Sample{Time: at, Host: "host", Driver: "580.1"}
	for i := range 8 {
		s.GPUs = append(s.GPUs, monitor.GPU{Index: i, UUID: monitor.Known("GPU-1"), Name: monitor.Known("H200"), ReadAt: at.Add(-time.Millisecond),
			State: monitor.StateOK, Memory: monitor.DeviceMemory{UsedBytes: monitor.Known[int64](10 << 30), FreeBytes: monitor.Known[int64](70 << 30),
				TotalBytes: monitor.Known[int64](80 << 30), DriverReservedBytes: monitor.Known[int64](1 << 30), Source: monitor.MemoryV2},
			UtilPercent: monitor.Known(50.0), MemUtilPercent: monitor.Known(25.0), TemperatureC: monitor.Known(40.0), PowerW: monitor.Known(300.123),
			Throttle: monitor.Known[[]string](nil), ECC: monitor.ECC{Enabled: monitor.Known(true), CorrectedCount: monitor.Known[int64](0)}})
	}
	for i := range 64 {
		pid := 1000 + i
		s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: i % 8, UsedBytes: monitor.Known(int64(i) << 30), Kinds: monitor.HolderCompute,
			Name: "python", InNamespace: true})
		s.Processes = append(s.Processes, monitor.Process{PID: pid, ParentPID: 1, StartTicks: 77, Started: at, User: "ann", Name: "python",
			Command: "python train.py --lr 1e-4", State: "R", Threads: 12, CPUPercent: monitor.Known(99.5), HostBytes: monitor.Known[int64](5 << 30),
			Rank: monitor.Known(i), InnerPID: monitor.Known(pid)})
	}
	for i := range torch {
		known := monitor.Known(int64(i) << 20)
		s.Torch = append(s.Torch, monitor.Allocator{PID: 1000 + i, StartTicks: 77, GPU: monitor.Known(i % 8), Ordinal: monitor.Known(0),
			Origin: monitor.OriginAttach, State: monitor.AllocatorOK, ReadAt: at, Layout: "2.6", AllocatedBytes: known, ReservedBytes: known,
			PeakAllocatedBytes: known, PeakReservedBytes: known, ActiveBytes: known, InactiveSplitBytes: known, RequestedBytes: known,
			AllocationCount: known, SegmentCount: known, ActiveCount: known, InactiveSplitCount: known, AllocRetryCount: known, OOMCount: known})
	}
	return s
}

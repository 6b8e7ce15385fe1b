package history

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func TestProcessesWithoutEndNeverExceedTheMemory(t *testing.T) {
	s := New(Config{SeriesBytes: 2 << 20})
	for i := range 3000 {
		sample := one(at(float64(i)), gib, gib, gib)
		sample.Processes[0].PID, sample.Processes[0].StartTicks = i+10, uint64(i)
		sample.Torch[0].PID, sample.Torch[0].StartTicks = i+10, uint64(i)
		sample.Holders[0].PID = i + 10
		s.Append(sample)
	}
	st := s.Stats()
	if st.SeriesBytes > 2<<20 || st.Evicted == 0 {
		t.Errorf("stats %+v", st)
	}
	newest := Key{Metric: Reserved, GPU: "GPU-a", Process: monitor.ProcessKey{PID: 3009, StartTicks: 2999}}
	if got := s.Columns(newest, at(2999), at(3000), 1)[0]; got.Count == 0 {
		t.Error("the newest process was not kept")
	}
}

func TestAWholeFileTooLargeForItsMemoryIsFolded(t *testing.T) {
	cfg := WholeFile(20000, 20000*time.Second)
	cfg.SeriesBytes = 1 << 20
	s := New(cfg)
	fill(s, 20000, func(i int) int64 { return int64(i) })
	if st := s.Stats(); st.SeriesBytes > 1<<20 {
		t.Errorf("%d bytes used", st.SeriesBytes)
	}
	if got := s.Window(at(0), at(20000)).Series(deviceUsed); len(got) > 10000 || got[0].Min != 0 {
		t.Errorf("%d buckets from %+v", len(got), got[0])
	}
}

// busy is a sample of many devices and processes in which every figure moves.
func busy(rng *rand.Rand, at time.Time, gpus, procs int) monitor.Sample {
	s := monitor.Sample{Time: at, Host: "node", Driver: "580"}
	n := func() monitor.Reading[int64] { return monitor.Known(rng.Int64N(80*gib) &^ 511) }
	f := func() monitor.Reading[float64] { return monitor.Known(float64(rng.IntN(1000)) / 10) }
	for i := range gpus {
		s.GPUs = append(s.GPUs, monitor.GPU{Index: i, UUID: monitor.Known(fmt.Sprintf("GPU-%08d-aaaa-bbbb-cccc-123456789012", i)),
			Name: monitor.Known("NVIDIA H200"), ReadAt: at, State: monitor.StateOK,
			Memory:      monitor.DeviceMemory{TotalBytes: monitor.Known(140 * gib), UsedBytes: n(), FreeBytes: n(), DriverReservedBytes: monitor.Known(gib), Source: monitor.MemoryV2},
			UtilPercent: f(), MemUtilPercent: f(), TemperatureC: f(), PowerW: f(), PowerLimitW: monitor.Known(700.0), SMClockMHz: f(), MemClockMHz: f(),
			Throttle: monitor.Known([]string{"sw power cap"}),
			Activity: monitor.Activity{SMPercent: f(), TensorPercent: f(), FP32Percent: f(), DRAMPercent: f()}})
	}
	for i := range procs {
		gpu := i % gpus
		s.Holders = append(s.Holders, monitor.Holder{PID: 1000 + i, GPU: gpu, UsedBytes: n(), Kinds: monitor.HolderCompute, Name: "python", InNamespace: true})
		s.Processes = append(s.Processes, monitor.Process{PID: 1000 + i, StartTicks: uint64(i), Name: "python", Command: "python train.py", State: string("RSD"[rng.IntN(3)]),
			Threads: rng.IntN(90), CPUPercent: f(), HostBytes: n()})
		s.Torch = append(s.Torch, monitor.Allocator{PID: 1000 + i, StartTicks: uint64(i), GPU: monitor.Known(gpu), Ordinal: monitor.Known(0),
			Origin: monitor.OriginAttach, State: monitor.AllocatorOK, ReadAt: at, Layout: "2.6",
			AllocatedBytes: n(), ReservedBytes: n(), PeakAllocatedBytes: monitor.Known(70 * gib), PeakReservedBytes: monitor.Known(75 * gib),
			ActiveBytes: n(), InactiveSplitBytes: n(), RequestedBytes: n(), PrivatePoolBytes: monitor.Known[int64](0),
			AllocationCount: monitor.Known(rng.Int64N(1000)), SegmentCount: monitor.Known[int64](40), ActiveCount: monitor.Known(rng.Int64N(1000)),
			InactiveSplitCount: monitor.Known(rng.Int64N(100)), AllocRetryCount: monitor.Known[int64](3), OOMCount: monitor.Known[int64](0)})
	}
	s.Sources = []monitor.SourceStatus{{Name: "nvml", State: monitor.StateOK, GoodAt: at, Took: time.Duration(rng.IntN(1e6))}}
	return s
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestADayOfEightDevicesAnd64ProcessesFitsIn12MiB(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	samples := make([]monitor.Sample, 50)
	for i := range samples {
		samples[i] = busy(rng, start, 8, 64)
	}
	before := heap()
	s := New(Config{})
	// Every ring is full long before the end at this pace too.
	const pace = 4 * time.Second
	for i := range int(24 * time.Hour / pace) {
		sample := samples[i%len(samples)]
		sample.Time = start.Add(time.Duration(i) * pace)
		s.Append(sample)
	}
	grown := heap() - before
	st := s.Stats()
	t.Logf("heap %.2f MiB, series %.2f MiB, whole samples %.2f MiB (%d)", float64(grown)/(1<<20),
		float64(st.SeriesBytes)/(1<<20), float64(st.WholeBytes)/(1<<20), s.whole.count)
	if grown > 12<<20 {
		t.Errorf("a day takes %d bytes, more than 12 MiB", grown)
	}
	if st.NotKept != 0 || st.Evicted != 0 {
		t.Errorf("series were lost: %+v", st)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(samples)
}

func BenchmarkAppend8GPUs64Processes(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	samples := make([]monitor.Sample, 50)
	for i := range samples {
		samples[i] = busy(rng, start, 8, 64)
	}
	s := New(Config{})
	i := 0
	step := func() {
		sample := samples[i%len(samples)]
		sample.Time = at(float64(i))
		s.Append(sample)
		i++
	}
	for range 700 {
		step()
	}
	b.ReportAllocs()
	for b.Loop() {
		step()
	}
}

func BenchmarkWindow8GPUs64Processes(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := New(Config{})
	for i := range 1000 {
		s.Append(busy(rng, at(float64(i)), 8, 64))
	}
	b.ReportAllocs()
	for b.Loop() {
		s.Window(at(0), at(1000))
	}
}

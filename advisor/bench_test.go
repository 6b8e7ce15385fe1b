package advisor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// fleet is a sample of a machine with that many GPUs and processes, each with
// an allocator.
func fleet(r *rand.Rand, i int, at time.Time, gpus, perGPU int) monitor.Sample {
	s := monitor.Sample{Time: at}
	const total = 141 << 30
	for g := range gpus {
		card := monitor.GPU{Index: g, UUID: monitor.Known(fmt.Sprintf("GPU-%d", g)), State: monitor.StateOK, UtilPercent: monitor.Known(90.0)}
		card.Activity.SMPercent, card.Activity.TensorPercent, card.Activity.FP32Percent = monitor.Known(80.0), monitor.Known(40.0), monitor.Known(5.0)
		used := int64(0)
		for p := range perGPU {
			pid := 1000 + g*perGPU + p
			reserved := int64(total / perGPU / 3 * 2)
			a := reserved/2 + r.Int64N(reserved/3)
			used += reserved + 1<<29
			s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: g, InNamespace: true, UsedBytes: monitor.Known(reserved + 1<<29)})
			s.Processes = append(s.Processes, monitor.Process{PID: pid, ParentPID: 7, StartTicks: 5, Command: "python train.py"})
			s.Torch = append(s.Torch, monitor.Allocator{PID: pid, StartTicks: 5, GPU: monitor.Known(g), State: monitor.AllocatorOK, AllocatedBytes: monitor.Known(a),
				ReservedBytes: monitor.Known(reserved), PeakAllocatedBytes: monitor.Known(reserved - 1<<28), PeakReservedBytes: monitor.Known(reserved), InactiveSplitBytes: monitor.Known[int64](1 << 28),
				AllocRetryCount: monitor.Known[int64](0), OOMCount: monitor.Known[int64](0), PrivatePoolBytes: monitor.Known[int64](0)})
		}
		card.Memory.TotalBytes, card.Memory.UsedBytes, card.Memory.FreeBytes = monitor.Known[int64](total), monitor.Known(used), monitor.Known(total-used)
		s.GPUs = append(s.GPUs, card)
	}
	if i%10 == 0 {
		s.Readings = []monitor.LogReading{{Time: at, Source: "log", Kind: monitor.LogMemory, AllocatedBytes: monitor.Known[int64](1 << 34), Step: monitor.Known(int64(i))}}
	}
	return s
}

func BenchmarkLivePassOver8GPUsAnd64Processes(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	store := history.New(history.Config{})
	at := start
	for i := range 3600 {
		at = start.Add(time.Duration(i) * time.Second)
		store.Append(fleet(r, i, at, 8, 8))
	}
	w := store.Window(at.Add(-5*time.Minute), at)
	b.ReportAllocs()
	for b.Loop() {
		advisor.Advise(advisor.Input{Window: w})
	}
}

func BenchmarkADayOf8GPUsAtOneSecond(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 24 * 3600
	store := history.New(history.WholeFile(n, 24*time.Hour))
	at := start
	for i := range n {
		at = start.Add(time.Duration(i) * time.Second)
		store.Append(fleet(r, i, at, 8, 1))
	}
	w := store.Window(start, at)
	b.ReportAllocs()
	for b.Loop() {
		advisor.Advise(advisor.Input{Window: w})
	}
}

// BenchmarkLivePassOverAWholeDay copies and judges all that a live history of
// the largest machine holds after a day, as the screen does.
func BenchmarkLivePassOverAWholeDay(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	store := history.New(history.Config{})
	for i := range 24 * 720 {
		store.Append(fleet(r, i, start.Add(time.Duration(i)*5*time.Second), 8, 8))
	}
	store.SetInterval(5 * time.Second)
	b.ReportAllocs()
	for b.Loop() {
		from, to := store.Span()
		advisor.Advise(advisor.Input{Window: store.Window(from, to)})
	}
}

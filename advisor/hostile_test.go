package advisor_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
)

// hostile makes machines as no machine should be: readings that are unknown,
// negative, as large as a number gets or not a number, and processes on
// devices that are not there.
type hostile struct{ *rand.Rand }

func (h hostile) bytes() monitor.Reading[int64] {
	switch h.IntN(8) {
	case 0:
		return monitor.Unknown[int64](monitor.Failed, "made up")
	case 1:
		return monitor.Known[int64](0)
	case 2:
		return monitor.Known(int64(math.MaxInt64 - h.IntN(3)))
	case 3:
		return monitor.Known(-h.Int64N(1 << 40))
	}
	return monitor.Known(h.Int64N(200 * gib))
}

func (h hostile) number() monitor.Reading[float64] {
	return []monitor.Reading[float64]{monitor.Unknown[float64](monitor.Failed, "made up"), monitor.Known(math.NaN()),
		monitor.Known(math.Inf(1)), monitor.Known(math.Inf(-1)), monitor.Known(1e18 * h.Float64()), monitor.Known(1000 * h.Float64())}[h.IntN(6)]
}

func (h hostile) allocator(pid, gpu int) monitor.Allocator {
	return monitor.Allocator{PID: pid, StartTicks: uint64(h.IntN(3)), GPU: monitor.Known(gpu), State: monitor.AllocatorOK,
		Origin:         []monitor.Origin{monitor.OriginAttach, monitor.OriginLog, monitor.OriginAssumed}[h.IntN(3)],
		AllocatedBytes: h.bytes(), ReservedBytes: h.bytes(), InactiveSplitBytes: h.bytes(), PrivatePoolBytes: h.bytes(),
		PeakAllocatedBytes: h.bytes(), PeakReservedBytes: h.bytes(), AllocRetryCount: h.bytes(), OOMCount: h.bytes()}
}

func (h hostile) reading(at time.Time) monitor.LogReading {
	r := monitor.LogReading{Time: at, Source: "log", Kind: monitor.LogMemory, AllocatedBytes: h.bytes(), ReservedBytes: h.bytes(),
		DeviceTotalBytes: h.bytes(), MaxAllocatedBytes: h.bytes(), Step: h.bytes()}
	if h.IntN(3) == 0 {
		r.Rank = monitor.Known(h.IntN(3))
	}
	if h.IntN(4) == 0 {
		r.Kind = monitor.LogOOM
		r.OOM = &monitor.LogOOMFigures{RequestedBytes: h.bytes(), TotalBytes: h.bytes(), FreeBytes: h.bytes(), AllocatedBytes: h.bytes(),
			ReservedBytes: h.bytes(), ProcessBytes: h.bytes(), AllowedBytes: h.bytes(), PrivatePoolBytes: h.bytes()}
		r.GPU = monitor.Known(h.IntN(9) - 1)
	}
	return r
}

func (h hostile) sample(at time.Time, gpus, processes int) monitor.Sample {
	s := monitor.Sample{Time: at}
	for i := range gpus {
		g := monitor.GPU{Index: i, State: monitor.StateOK, UtilPercent: h.number()}
		g.Memory.TotalBytes, g.Memory.UsedBytes, g.Memory.FreeBytes = h.bytes(), h.bytes(), h.bytes()
		s.GPUs = append(s.GPUs, g)
	}
	for range processes {
		pid, gpu := h.IntN(2*processes), h.IntN(gpus+1)
		if h.IntN(4) > 0 {
			s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: gpu, UsedBytes: h.bytes(), InNamespace: h.IntN(5) > 0})
		}
		if h.IntN(3) > 0 {
			s.Processes = append(s.Processes, monitor.Process{PID: pid, StartTicks: uint64(h.IntN(3)), ParentPID: h.IntN(4), CPUPercent: h.number(),
				HostBytes: h.bytes(), Rank: monitor.Known(h.IntN(100_000))})
		}
		if h.IntN(3) > 0 {
			s.Torch = append(s.Torch, h.allocator(pid, gpu))
		}
	}
	for range h.IntN(3) {
		s.Readings = append(s.Readings, h.reading(at))
	}
	return s
}

func TestNoFiguresHoweverHostileStopTheAdvisor(t *testing.T) {
	for seed := range uint64(100) {
		h := hostile{rand.New(rand.NewPCG(seed, 11))}
		gpus, processes, n := 1+h.IntN(8), 1+h.IntN(40), 1+h.IntN(40)
		var samples []monitor.Sample
		for i := range n {
			samples = append(samples, h.sample(start.Add(time.Duration(i)*time.Second), gpus, processes))
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("seed %d: %v", seed, r)
				}
			}()
			for _, f := range advisor.Advise(inputOf(samples)) {
				if f.Title == "" {
					t.Errorf("seed %d: %s has no title", seed, f.ID)
				}
			}
		}()
	}
}

// TestRanksWithoutAnyMemoryAreNotUneven has ranks whose used is zero or, as no
// driver should say, less.
func TestRanksWithoutAnyMemoryAreNotUneven(t *testing.T) {
	for _, used := range [][2]int64{{0, 0}, {0, -5 * gib}, {-gib, -20 * gib}} {
		b := newBench(t)
		b.gpus = 2
		for rank, v := range used {
			b.hold(100+rank, rank, v).tensors(100+rank, rank, gib, 2*gib)
			b.procs = append(b.procs, monitor.Process{PID: 100 + rank, Rank: monitor.Known(rank)})
		}
		for _, f := range b.advise() {
			if f.ID == "rank-imbalance" {
				t.Errorf("%v: %s", used, f.Title)
			}
		}
	}
}

package advisor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// working gives each sample of a bench the chip's own counters.
func working(b *bench, sm, tensor, fp32 func(i int) float64) *bench {
	b.each = func(i int, s *monitor.Sample) {
		for g := range s.GPUs {
			a := &s.GPUs[g].Activity
			a.SMPercent, a.TensorPercent, a.FP32Percent = monitor.Known(sm(i)), monitor.Known(tensor(i)), monitor.Known(fp32(i))
		}
	}
	return b
}

func steady(v float64) func(int) float64 { return func(int) float64 { return v } }

func TestFullPrecisionIsFoundBesideALittleTensorWorkAndNotInMixedPrecision(t *testing.T) {
	for _, c := range []struct {
		sm, tensor, fp32 float64
		want             bool
	}{
		{94, 0.02, 68, true},
		{95, 3.2, 59, true}, // a library's kernel uses the tensor pipe a little
		{90, 3.5, 40, true},
		{95, 12, 59, false}, // so much that some of the matrices go there
		{55, 15, 1.7, false},
		{64, 5.7, 1.5, false}, // a small convolution in half precision
		{85, 4, 12, false},
		{80, 2.9, 20, false},
		{8, 1, 0.2, false},
		{20, 0, 9, false}, // not busy
	} {
		wave := func(v float64) func(int) float64 { return func(i int) float64 { return v * (1 + 0.03*float64(i%3-1)) } }
		b := working(newBench(t).hold(10, 0, 6*gib).tensors(10, 0, 5*gib, 5*gib), wave(c.sm), wave(c.tensor), wave(c.fp32))
		found := advisor.Advise(inputOf(b.samples()))
		got := len(found) > 0 && found[0].ID == catalog.FP32 && found[0].Severity == advisor.Warning
		if got != c.want {
			t.Errorf("SM %g, tensor %g, fp32 %g: found %s, want it: %v", c.sm, c.tensor, c.fp32, list(found, 2), c.want)
		}
	}
}

func TestOneTurnInLowPrecisionSaysThatTheTensorPipeIsInUse(t *testing.T) {
	b := working(newBench(t).hold(10, 0, 6*gib).tensors(10, 0, 5*gib, 5*gib), steady(95), func(i int) float64 {
		if i == 12 {
			return 35
		}
		return 0.1
	}, steady(60))
	b.nothing()
}

// loops is a job that trains and evaluates in turn, without a line about
// either: its log counts the steps of each loop anew.
func loops(card int64, interval time.Duration, keeps, counts bool) []monitor.Sample {
	const perTurn, stepsPerSample = 12, 4
	var out []monitor.Sample
	floor, need := card/30, card/50
	for i := range 5 * perTurn {
		at := start.Add(time.Duration(i) * interval)
		in, eval := int64(i%perTurn), i/perTurn%2 == 1
		a, peak := floor, floor+need
		switch {
		case eval && keeps:
			a = floor + (in+1)*stepsPerSample*need/2
			peak = a + need/20
		case i%3 == 1:
			a = floor + need/2
		}
		most := peak
		if i >= perTurn && keeps {
			most = floor + perTurn*stepsPerSample*need/2 + need/20
		}
		if eval && keeps && i < 2*perTurn {
			most = peak
		}
		s := monitor.Sample{Time: at, GPUs: []monitor.GPU{{Index: 0, State: monitor.StateOK}}}
		s.GPUs[0].Memory.TotalBytes, s.GPUs[0].Memory.UsedBytes = monitor.Known(card), monitor.Known(most)
		s.GPUs[0].Memory.FreeBytes = monitor.Known(card - most)
		s.Holders = []monitor.Holder{{PID: 10, GPU: 0, InNamespace: true, UsedBytes: monitor.Known(most + card/200), Name: "python3"}}
		s.Torch = []monitor.Allocator{{PID: 10, GPU: monitor.Known(0), Origin: monitor.OriginAttach, State: monitor.AllocatorOK,
			AllocatedBytes: monitor.Known(a), ReservedBytes: monitor.Known(most), PeakAllocatedBytes: monitor.Known(most),
			AllocRetryCount: monitor.Known[int64](0), OOMCount: monitor.Known[int64](0)}}
		if n := in * stepsPerSample; i%2 == 1 {
			if !counts {
				n = int64(i) * stepsPerSample
			}
			s.Readings = []monitor.LogReading{{Time: at, Source: "train.log", Kind: monitor.LogMemory, AllocatedBytes: monitor.Known(a),
				ReservedBytes: monitor.Known(most), Step: monitor.Known(n)}}
		}
		out = append(out, s)
	}
	return out
}

func TestALoopThatKeepsWhatItsStepsNeedIsAnEvaluationWithGradients(t *testing.T) {
	for _, card := range []int64{16 * gib, 80 * gib, 141 * gib} {
		for _, interval := range []time.Duration{200 * time.Millisecond, time.Second, 5 * time.Second} {
			found := advisor.Advise(inputOf(loops(card, interval, true, true)))
			if len(found) == 0 || found[0].ID != catalog.EvalWithoutNoGrad || found[0].Severity != advisor.Warning {
				t.Errorf("%d GiB every %v: %s", card/gib, interval, list(found, 3))
			}
			for _, f := range advisor.Advise(inputOf(loops(card, interval, true, false))) {
				if f.ID == catalog.EvalWithoutNoGrad && f.Severity >= advisor.Warning {
					t.Errorf("%d GiB every %v: one count through all loops says nothing of evaluation: %s", card/gib, interval, f.Title)
				}
			}
			for _, f := range advisor.Advise(inputOf(loops(card, interval, false, true))) {
				if f.Severity >= advisor.Warning {
					t.Errorf("%d GiB every %v, nothing kept: %s", card/gib, interval, f.Title)
				}
			}
		}
	}
}

func TestALineWithNothingButThePhaseMarksIt(t *testing.T) {
	for line, want := range map[string]advisor.Severity{
		"validation": advisor.Warning, "=== Validation ===": advisor.Warning, "Epoch 3/10 eval": advisor.Warning, "[val]": advisor.Warning,
		"val loss 0.31": advisor.Info, "train": advisor.Info, "validation_split=0.1": advisor.Info,
	} {
		samples := each(loops(80*gib, time.Second, true, false), func(*monitor.Sample) {})
		for _, i := range []int{12, 36} {
			samples[i].Lines = []monitor.LogLine{{Time: samples[i].Time, Source: "train.log", Text: line}}
		}
		found := advisor.Advise(inputOf(samples))
		got := advisor.Info
		for _, f := range found {
			if f.ID == catalog.EvalWithoutNoGrad {
				got = f.Severity
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", line, list(found, 3), want)
		}
	}
}

func TestAFailureWithoutATextIsLaidToTheProcessThatHoldsTheCard(t *testing.T) {
	for _, held := range []int64{18, 1} {
		b := newBench(t).hold(20, 0, held*gib).tensors(20, 0, held*gib, held*gib)
		b.procs = []monitor.Process{{PID: 20, ParentPID: 1, Name: "python3", CPUPercent: monitor.Known(0.0)}}
		b.each = func(i int, s *monitor.Sample) {
			if i < 10 || i > 16 {
				return
			}
			own := (23 - held) * gib * min(int64(i-9), 4) / 4
			failed := int64(0)
			if i >= 14 {
				failed = 1
			}
			s.Holders = append([]monitor.Holder{{PID: 30, GPU: 0, UsedBytes: monitor.Known(own), InNamespace: true, Name: "python3"}}, s.Holders...)
			s.Processes = append([]monitor.Process{{PID: 30, ParentPID: 29, Name: "python3", State: "R"}}, s.Processes...)
			s.Torch = append([]monitor.Allocator{{PID: 30, GPU: monitor.Known(0), State: monitor.AllocatorOK, Origin: monitor.OriginAttach,
				AllocatedBytes: monitor.Known(own), ReservedBytes: monitor.Known(own), PeakAllocatedBytes: monitor.Known(own),
				OOMCount: monitor.Known(failed)}}, s.Torch...)
			s.GPUs[0].Memory.UsedBytes, s.GPUs[0].Memory.FreeBytes = monitor.Known(held*gib+own), monitor.Known((24-held)*gib-own)
		}
		found := b.advise()
		blamed := len(found) > 0 && found[0].ID == catalog.OtherProcess && found[0].Severity == advisor.Critical && found[0].PID != nil && *found[0].PID == 20
		if blamed != (held > 10) {
			t.Errorf("%d GiB held by another: %s", held, list(found, 3))
		}
		for _, f := range found {
			if f.ID == catalog.ZombieProcess && *f.PID == 30 {
				t.Errorf("the job that failed is called left over: %s", f.Title)
			}
		}
	}
}

func TestALimitComesBeforeACacheAsIdleAsAny(t *testing.T) {
	text := "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %s GiB. GPU 0 has a total capacity of 79.10 GiB of which 60.00 GiB is free. 8.00 GiB allowed; Of the allocated memory %s GiB is allocated by PyTorch, and %s GiB is reserved by PyTorch but unallocated."
	for _, c := range []struct {
		tried, allocated, idle string
		want                   catalog.ID
	}{
		{"0.60", "6.60", "0.90", catalog.MemoryFractionLimit},
		{"1.00", "2.00", "5.50", catalog.Fragmentation}, // most of what it holds is idle
		{"1.00", "7.40", "0.10", catalog.MemoryFractionLimit},
	} {
		found := advisor.Advise(pasted(fmt.Sprintf(text, c.tried, c.allocated, c.idle)))
		if len(found) == 0 || found[0].ID != c.want || found[0].Severity != advisor.Critical {
			t.Errorf("%+v: %s", c, list(found, 3))
		}
	}
}

// standing is a job that took much, freed nearly all and stands still.
func standing(card, idle int64, interval time.Duration, moves bool) []monitor.Sample {
	var out []monitor.Sample
	small := idle / 30
	for i := range 24 {
		a := small
		if moves && i%2 == 1 {
			a += small / 50
		}
		held := small + idle
		s := monitor.Sample{Time: start.Add(time.Duration(i) * interval), GPUs: []monitor.GPU{{Index: 0, State: monitor.StateOK}}}
		s.GPUs[0].Memory.TotalBytes, s.GPUs[0].Memory.UsedBytes = monitor.Known(card), monitor.Known(held)
		s.GPUs[0].Memory.FreeBytes = monitor.Known(card - held)
		s.Holders = []monitor.Holder{{PID: 10, GPU: 0, InNamespace: true, UsedBytes: monitor.Known(held), Name: "python3"}}
		s.Torch = []monitor.Allocator{{PID: 10, GPU: monitor.Known(0), Origin: monitor.OriginAttach, State: monitor.AllocatorOK,
			AllocatedBytes: monitor.Known(a), ReservedBytes: monitor.Known(held), PeakAllocatedBytes: monitor.Known(held),
			AllocRetryCount: monitor.Known[int64](0), OOMCount: monitor.Known[int64](0)}}
		out = append(out, s)
	}
	return out
}

func TestAnIdleCacheIsNamedWhereTheJobStandsStill(t *testing.T) {
	for _, card := range []int64{24 * gib, 141 * gib} {
		for _, ends := range []bool{false, true} {
			for _, c := range []struct {
				idle  float64
				moves bool
				want  advisor.Severity
			}{{0.2, false, advisor.Warning}, {0.12, false, advisor.Warning}, {0.06, false, advisor.Info}, {0.2, true, advisor.Info}, {0.4, true, advisor.Warning}} {
				samples := standing(card, int64(c.idle*float64(card)), 200*time.Millisecond, c.moves)
				if ends {
					samples = after(tornDown(before(samples, 8), 3), 3, false)
				}
				found := advisor.Advise(inputOf(samples))
				if len(found) == 0 || found[0].ID != catalog.CacheRetention || found[0].Severity != c.want {
					t.Errorf("%d GiB, %+v, ends %v: %s", card/gib, c, ends, list(found, 3))
				}
			}
		}
	}
}

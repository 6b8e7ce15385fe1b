package advisor_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
)

// shape is a finding without its figures, names of things left out.
type shape struct {
	ID         string
	Severity   advisor.Severity
	Confidence advisor.Confidence
	State      advisor.State
}

func shapes(found []advisor.Finding) []shape {
	var out []shape
	for _, f := range found {
		out = append(out, shape{string(f.ID), f.Severity, f.Confidence, f.State})
	}
	return out
}

func shapesAndTitles(found []advisor.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, string(f.ID)+f.Severity.String()+f.Title)
	}
	return out
}

// eachRecording calls f with every recording.
func eachRecording(t *testing.T, f func(t *testing.T, name string, samples []monitor.Sample)) {
	t.Helper()
	for _, e := range manifest(t) {
		t.Run(e.File, func(t *testing.T) { f(t, e.File, samplesOf(t, shared(t, "recordings", e.File))) })
	}
}

func TestScalingAllBytesChangesOnlyTheFigures(t *testing.T) {
	slow(t)
	eachRecording(t, func(t *testing.T, _ string, samples []monitor.Sample) {
		want := shapes(advisor.Advise(inputOf(samples)))
		for _, by := range []float64{0.25, 0.5, 2, 8} {
			if diff := cmp.Diff(want, shapes(advisor.Advise(inputOf(scaled(samples, by))))); diff != "" {
				t.Errorf("by %g (-as recorded +scaled):\n%s", by, diff)
			}
		}
	})
}

func TestShiftingTimeChangesOnlyTheTimes(t *testing.T) {
	slow(t)
	eachRecording(t, func(t *testing.T, _ string, samples []monitor.Sample) {
		want := advisor.Advise(inputOf(samples))
		const by = 3*365*24*time.Hour + 7*time.Millisecond
		got := advisor.Advise(inputOf(shifted(samples, by)))
		if diff := cmp.Diff(shapes(want), shapes(got)); diff != "" {
			t.Fatalf("(-as recorded +shifted):\n%s", diff)
		}
		for i := range want {
			if want[i].Title != got[i].Title {
				t.Errorf("%q became %q", want[i].Title, got[i].Title)
			}
			if d := got[i].From.Sub(want[i].From); !want[i].From.IsZero() && d.Round(time.Microsecond) != by {
				t.Errorf("%s begins %v later", want[i].ID, d)
			}
		}
	})
}

func shifted(in []monitor.Sample, by time.Duration) []monitor.Sample {
	return each(in, func(s *monitor.Sample) {
		s.Time = s.Time.Add(by)
		s.Lines, s.Readings, s.Marks = slices.Clone(s.Lines), slices.Clone(s.Readings), slices.Clone(s.Marks)
		for i := range s.Lines {
			s.Lines[i].Time = s.Lines[i].Time.Add(by)
		}
		for i := range s.Readings {
			s.Readings[i].Time = s.Readings[i].Time.Add(by)
		}
		for i := range s.Marks {
			s.Marks[i].Time = s.Marks[i].Time.Add(by)
		}
	})
}

func TestOtherNumbersForGPUsAndProcessesChangeOnlyThoseNumbers(t *testing.T) {
	eachRecording(t, func(t *testing.T, _ string, samples []monitor.Sample) {
		want := shapes(advisor.Advise(inputOf(samples)))
		if diff := cmp.Diff(want, shapes(advisor.Advise(inputOf(renumbered(samples))))); diff != "" {
			t.Errorf("(-as recorded +renumbered):\n%s", diff)
		}
	})
}

// renumbered gives devices the indices from 7 down, and processes other
// numbers, in another order.
func renumbered(in []monitor.Sample) []monitor.Sample {
	gpu := func(i int) int { return 7 - i }
	pid := func(p int) int { return 100000 - p }
	return each(in, func(s *monitor.Sample) {
		s.GPUs, s.Holders, s.Torch = slices.Clone(s.GPUs), slices.Clone(s.Holders), slices.Clone(s.Torch)
		for i := range s.GPUs {
			s.GPUs[i].Index = gpu(s.GPUs[i].Index)
		}
		for i := range s.Holders {
			s.Holders[i].GPU, s.Holders[i].PID = gpu(s.Holders[i].GPU), pid(s.Holders[i].PID)
		}
		for i := range s.Torch {
			s.Torch[i].PID = pid(s.Torch[i].PID)
			if g, ok := s.Torch[i].GPU.Get(); ok {
				s.Torch[i].GPU = monitor.Known(gpu(g))
			}
		}
		s.Readings = slices.Clone(s.Readings)
		for i := range s.Readings {
			if o := s.Readings[i].OOM; o != nil {
				other := *o
				other.Others = slices.Clone(o.Others)
				for n := range other.Others {
					other.Others[n].PID = pid(other.Others[n].PID)
				}
				s.Readings[i].OOM = &other
			}
		}
		slices.Reverse(s.GPUs)
		slices.Reverse(s.Holders)
		slices.Reverse(s.Torch)
	})
}

func TestTheSameInputGivesTheSameFindings(t *testing.T) {
	slow(t)
	eachRecording(t, func(t *testing.T, _ string, samples []monitor.Sample) {
		in := inputOf(samples)
		first := advisor.Advise(in)
		for range 5 {
			if diff := cmp.Diff(shapesAndTitles(first), shapesAndTitles(advisor.Advise(in))); diff != "" {
				t.Fatalf("another time:\n%s", diff)
			}
		}
	})
}

// FuzzAdvise plays nonsense: figures that jump, vanish and contradict each
// other.
func FuzzAdvise(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, uint16(40), "CUDA out of memory. Tried to allocate 2.00 GiB", int64(1<<33))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, text string, big int64) {
		r := rand.New(rand.NewPCG(seed, 7))
		in := inputOf(nonsense(r, int(n%300), big))
		p := pasted(text)
		in.Lines, in.Readings = append(in.Lines, p.Lines...), append(in.Readings, p.Readings...)
		in.Total = big
		for _, f := range advisor.Advise(in) {
			if f.Title == "" || len(f.Advice) == 0 {
				t.Errorf("%s has no words", f.ID)
			}
		}
	})
}

func nonsense(r *rand.Rand, n int, big int64) []monitor.Sample {
	some := func() monitor.Reading[int64] {
		switch r.IntN(6) {
		case 0:
			return monitor.Unknown[int64](monitor.Failed, "")
		case 1:
			return monitor.Known(big)
		case 2:
			return monitor.Known(-r.Int64N(1 << 40))
		}
		return monitor.Known(r.Int64N(1 << 38))
	}
	var out []monitor.Sample
	at := start
	for range n {
		at = at.Add(time.Duration(1 + r.IntN(1_000_000_000)))
		s := monitor.Sample{Time: at}
		for g := range 1 + r.IntN(3) {
			card := monitor.GPU{Index: g, State: monitor.StateOK, UtilPercent: monitor.Known(r.Float64() * 100)}
			card.Memory.TotalBytes, card.Memory.UsedBytes, card.Memory.FreeBytes = some(), some(), some()
			card.Activity.SMPercent, card.Activity.TensorPercent, card.Activity.FP32Percent = monitor.Known(r.Float64()*100), monitor.Known(r.Float64()*100), monitor.Known(r.Float64()*100)
			s.GPUs = append(s.GPUs, card)
		}
		for range r.IntN(4) {
			pid := 1 + r.IntN(5)
			s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: r.IntN(4), UsedBytes: some(), InNamespace: r.IntN(4) > 0})
			s.Processes = append(s.Processes, monitor.Process{PID: pid, ParentPID: r.IntN(6), Command: "python train.py", HostBytes: some(),
				AllocConf: monitor.Known("a:b,expandable_segments:[True"), Container: monitor.Container{ID: "x", LimitBytes: some()}})
			s.Torch = append(s.Torch, monitor.Allocator{PID: pid, GPU: monitor.Known(r.IntN(4)), State: monitor.AllocatorOK, AllocatedBytes: some(), ReservedBytes: some(),
				PeakAllocatedBytes: some(), InactiveSplitBytes: some(), OOMCount: some(), AllocRetryCount: some(), PrivatePoolBytes: some()})
		}
		if r.IntN(3) == 0 {
			s.Readings = append(s.Readings, monitor.LogReading{Time: at, Kind: monitor.LogMemory, AllocatedBytes: some(), ReservedBytes: some(),
				MaxAllocatedBytes: some(), Step: monitor.Known(r.Int64N(1000)), Phase: "eval"})
		}
		if r.IntN(20) == 0 {
			s.Readings = append(s.Readings, monitor.LogReading{Time: at, Kind: monitor.LogOOM, OOM: &monitor.LogOOMFigures{RequestedBytes: some(), TotalBytes: some(),
				FreeBytes: some(), AllocatedBytes: some(), ReservedBytes: some(), AllowedBytes: some(), ProcessBytes: some(),
				Others: []monitor.LogOOMProcess{{PID: 3, UsedBytes: big}, {PID: 4, UsedBytes: -big}}}})
		}
		out = append(out, s)
	}
	return out
}

func TestNothingAtAllGivesNothing(t *testing.T) {
	if found := advisor.Advise(advisor.Input{}); len(found) != 0 {
		t.Errorf("found %d", len(found))
	}
}

package advisor_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// firstEvaluation is a job that trains for two minutes and is then in its first
// evaluation, in which allocated climbs by a fifth of the card in 40 s.
func firstEvaluation(says bool) []monitor.Sample {
	w := newWorld(7)
	w.card, w.interval, w.length = 80*gib, time.Second, 160*time.Second
	w.load, w.weights, w.floor, w.peak, w.period, w.idle = 5, 0.05, 0.1, 0.1, 0.7, 0.3
	w.evalEvery, w.evalLength, w.evalRamp, w.evalMarks = 115, 100, 0.6, says
	samples := w.samples()
	for i := range samples {
		if i > 120 && i%2 == 0 { // a batch that is on its way when the sample is taken
			a := &samples[i].Torch[0]
			a.AllocatedBytes = monitor.Known(a.AllocatedBytes.Or(0) + 3*gib/2)
			a.PeakAllocatedBytes = monitor.Known(max(a.PeakAllocatedBytes.Or(0), a.AllocatedBytes.Or(0)))
		}
	}
	return samples
}

func loud(found []advisor.Finding) []catalog.ID {
	var out []catalog.ID
	for _, f := range found {
		if f.Severity >= advisor.Warning {
			out = append(out, f.ID)
		}
	}
	return out
}

func TestAClimbInAnEvaluationThatStillRunsIsNoLeak(t *testing.T) {
	samples := firstEvaluation(true)
	for _, length := range []int{156, 160} {
		found := advisor.Advise(inputOf(samples[:length]))
		got := loud(found)
		if slices.Contains(got, catalog.Leak) || !slices.Contains(got, catalog.EvalWithoutNoGrad) {
			t.Errorf("after %d s: %v", length, got)
			continue
		}
		if f := found[slices.IndexFunc(found, func(f advisor.Finding) bool { return f.ID == catalog.EvalWithoutNoGrad })]; f.Confidence != advisor.Possible || !strings.Contains(f.Title, "still runs") {
			t.Errorf("after %d s: %v %s", length, f.Confidence, f.Title)
		}
	}
	// The same figures without a line are a rise like any other.
	if got := loud(advisor.Advise(inputOf(firstEvaluation(false)))); !slices.Contains(got, catalog.Leak) {
		t.Errorf("without a line: %v", got)
	}
}

// Two jobs on one machine each write a log; what one announces says nothing of
// the other, while the log of a launcher, which is no job, may speak of any.
func TestTheLinesOfOneJobSayNothingOfAnother(t *testing.T) {
	for name, c := range map[string]struct {
		pid  int
		leak bool
	}{"its own log": {4711, false}, "another job's log": {9000, true}, "a launcher's log": {4000, false}} {
		samples := firstEvaluation(true)
		for i := range samples {
			s := &samples[i]
			for k := range s.Lines {
				s.Lines[k].PID = c.pid
			}
			second := s.Torch[0]
			second.PID = 9000
			second.AllocatedBytes, second.ReservedBytes = monitor.Known[int64](gib), monitor.Known[int64](2*gib)
			second.PeakAllocatedBytes, second.PeakReservedBytes = second.AllocatedBytes, second.ReservedBytes
			s.Torch = append(s.Torch, second)
			s.Holders = append(s.Holders, monitor.Holder{PID: 9000, InNamespace: true, UsedBytes: monitor.Known[int64](3 * gib), Name: "python"})
		}
		if got := loud(advisor.Advise(inputOf(samples))); slices.Contains(got, catalog.Leak) != c.leak {
			t.Errorf("%s: %v", name, got)
		}
	}
}

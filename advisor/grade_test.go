package advisor_test

import (
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// leaking is a job that works in steps and keeps a little of each, until it ends
// after so many samples.
func leaking(perStep int64, until, samples int) []monitor.Sample {
	var out []monitor.Sample
	for i := range samples {
		s := monitor.Sample{Time: start.Add(time.Duration(i) * time.Second)}
		used := int64(0)
		if i < until {
			allocated := 4*gib + int64(i)*perStep + int64(i%3)*gib
			reserved := 6*gib + int64(i)*perStep
			used = reserved + gib/2
			s.Holders = []monitor.Holder{{PID: 10, UsedBytes: monitor.Known(used), InNamespace: true, Name: "python"}}
			s.Processes = []monitor.Process{{PID: 10, ParentPID: 2}}
			s.Torch = []monitor.Allocator{{PID: 10, GPU: monitor.Known(0), State: monitor.AllocatorOK, Origin: monitor.OriginAttach,
				AllocatedBytes: monitor.Known(allocated), ReservedBytes: monitor.Known(reserved), PeakAllocatedBytes: monitor.Known(reserved)}}
		}
		card := monitor.GPU{State: monitor.StateOK}
		card.Memory.TotalBytes, card.Memory.UsedBytes, card.Memory.FreeBytes = monitor.Known[int64](80*gib), monitor.Known(used), monitor.Known(80*gib-used)
		s.GPUs = []monitor.GPU{card}
		out = append(out, s)
	}
	return out
}

func TestAGrowthIsNoLessGraveOnceItsProcessEnded(t *testing.T) {
	for perStep, want := range map[int64]advisor.Severity{gib / 5: advisor.Critical, gib / 40: advisor.Warning} {
		live := named(t, advisor.Advise(inputOf(leaking(perStep, 120, 120))), catalog.Leak)
		ended := named(t, advisor.Advise(inputOf(leaking(perStep, 120, 140))), catalog.Leak)
		if live.Severity != want || ended.Severity != want {
			t.Errorf("%d bytes a step: %s while it runs, %s once it ended, want %s", perStep, live.Severity, ended.Severity, want)
		}
	}
}

func TestTheSameWindowHasTheSameGradesLiveAndRecorded(t *testing.T) {
	in := inputOf(leaking(gib/5, 120, 120))
	live := advisor.Advise(in)
	in.Over = true
	named(t, live, catalog.ForecastFull)
	for _, f := range live {
		if got := named(t, advisor.Advise(in), f.ID); got.Severity != f.Severity || got.Confidence != f.Confidence {
			t.Errorf("%s: live %s, recorded %s", f.ID, f.Severity, got.Severity)
		}
	}
}

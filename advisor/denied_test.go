package advisor_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// drifting are samples that meet the same step at ever later points of it, from
// its floor to its peak, or of steps on a floor that rises with the peak.
func drifting(moves bool) []monitor.Sample {
	const card = 141 * gib
	var out []monitor.Sample
	for i := range 48 {
		a := int64(24*gib) + int64(i)*gib
		if i%3 == 1 {
			a -= 3 * gib
		}
		if i%4 == 2 && i < 24 {
			a += 8 * gib
		}
		peak := int64(72 * gib)
		if moves {
			peak = int64(33*gib) + int64(i)*gib
		}
		s := monitor.Sample{Time: start.Add(time.Duration(i) * time.Second), Processes: []monitor.Process{{PID: 7, ParentPID: 1}}}
		k := monitor.Known[int64]
		s.GPUs = []monitor.GPU{{State: monitor.StateOK, UUID: monitor.Known("GPU-a"), Memory: monitor.DeviceMemory{TotalBytes: k(card), UsedBytes: k(80 * gib), FreeBytes: k(61 * gib)}}}
		s.Holders = []monitor.Holder{{PID: 7, InNamespace: true, UsedBytes: k(80 * gib)}}
		s.Torch = []monitor.Allocator{{PID: 7, GPU: monitor.Known(0), State: monitor.AllocatorOK, Origin: monitor.OriginAttach,
			AllocatedBytes: k(a), ReservedBytes: k(78 * gib), PeakAllocatedBytes: k(peak), PeakReservedBytes: k(78 * gib)}}
		out = append(out, s)
	}
	return out
}

func TestAPeakThatStandsStillDeniesAFloorThatRisesToIt(t *testing.T) {
	if found := advisor.Advise(inputOf(drifting(false))); has(found, catalog.Leak) {
		t.Errorf("one step, seen later and later: %s", list(found, 3))
	}
	if found := advisor.Advise(inputOf(drifting(true))); !has(found, catalog.Leak) {
		t.Errorf("a peak that rises along: %s", list(found, 3))
	}
}

// A job that announced one more stage has no two models beside its first, in
// whatever rises the state of its optimizer came.
func TestNoMoreStagesAreFoundThanWereAnnounced(t *testing.T) {
	for seed := uint64(720_030); seed < 720_045; seed++ {
		r := rand.New(rand.NewPCG(100*seed+29, 81))
		m := newSim(r, 120+r.IntN(140))
		unfreezes(m)
		if found := advisor.Advise(inputOf(before(m.samples(), 12))); has(found, catalog.SecondStage) {
			t.Errorf("seed %d: %s", seed, found[0].Title)
		}
	}
}

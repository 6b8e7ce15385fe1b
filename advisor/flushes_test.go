package advisor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// flushing is a job whose cache climbs in many rises up to a level and is
// flushed there, again and again. Two samples fall into each flush, and the
// counter goes up in the second, by as much as is given.
func flushing(t *testing.T, level, counted int64) *bench {
	b := newBench(t)
	b.each = func(i int, s *monitor.Sample) {
		const turn = 15
		reserved := 2*gib + int64(i%turn)*(level-2*gib)/(turn-3)
		switch i % turn {
		case turn - 2:
			reserved = level / 2
		case turn - 1:
			reserved = 2 * gib
		}
		count := int64(i / turn)
		if i%turn == turn-1 {
			count++
		}
		s.Holders = []monitor.Holder{{PID: 10, UsedBytes: monitor.Known(reserved), InNamespace: true, Name: "python"}}
		s.Torch = []monitor.Allocator{{PID: 10, GPU: monitor.Known(0), State: monitor.AllocatorOK, Origin: monitor.OriginAttach,
			AllocatedBytes: monitor.Known[int64](gib), ReservedBytes: monitor.Known(reserved), PeakAllocatedBytes: monitor.Known[int64](gib),
			AllocRetryCount: monitor.Known(count * counted)}}
		s.GPUs[0].Memory.UsedBytes, s.GPUs[0].Memory.FreeBytes = monitor.Known(reserved), monitor.Known(b.total-reserved)
	}
	return b
}

func named(t *testing.T, found []advisor.Finding, id catalog.ID) advisor.Finding {
	t.Helper()
	for _, f := range found {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("no %s in %s", id, list(found, 5))
	return advisor.Finding{}
}

func TestALimitIsNamedOnlyWhereTheCardHadRoomBeforeTheFlush(t *testing.T) {
	for level, limit := range map[int64]bool{23 * gib: false, 12 * gib: true} {
		f := named(t, flushing(t, level, 1).advise(), catalog.AllocRetries)
		if got := strings.Contains(f.Advice[0].Do, "limit of the process"); got != limit {
			t.Errorf("flushed at %d GiB of 24: %s", level/gib, f.Advice[0].Do)
		}
		if !strings.Contains(f.Title, " "+map[bool]string{false: "23", true: "12"}[limit]+" GiB reserved") {
			t.Error(f.Title)
		}
	}
}

func TestAFlushThatSamplesFallIntoIsCountedOnceAndAsTheAllocatorDoes(t *testing.T) {
	for _, counted := range []int64{1, 3} {
		found := flushing(t, 23*gib, counted).advise()
		want := float64(2 * counted)
		f := named(t, found, catalog.ReservedGrowth)
		if got := evidence(f)["cache flushed"]; got != want || !strings.Contains(f.Title, fmt.Sprintf("flushed %v times", want)) {
			t.Errorf("flushed %v times, want %v: %s", got, want, f.Title)
		}
		if got := evidence(named(t, found, catalog.AllocRetries))["flushes and retries"]; got != want {
			t.Errorf("%v retries, want %v", got, want)
		}
	}
}

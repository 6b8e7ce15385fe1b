package advisor_test

import (
	"strings"
	"testing"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// A process that keeps nothing between two requests has no usual step that its
// work could be compared with.
func TestWorkOfAProcessThatKeepsNothingIsNoPeakOfItsSteps(t *testing.T) {
	b := newBench(t).hold(10, 0, 12*gib).tensors(10, 0, 0, 11*gib)
	top := int64(0)
	b.each = func(i int, s *monitor.Sample) {
		a := int64(0)
		if i > 8 && i%6 == 0 {
			a = 8 * gib
		}
		top = max(top, a)
		x := &s.Torch[0]
		x.AllocatedBytes, x.ReservedBytes, x.PeakAllocatedBytes = monitor.Known(a), monitor.Known(a+gib/8), monitor.Known(top)
	}
	for _, f := range b.advise() {
		if f.ID == catalog.TransientPeak || strings.Contains(f.Title, "Inf") {
			t.Errorf("found %s", f.Title)
		}
	}
}

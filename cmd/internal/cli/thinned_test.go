package cli

import (
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

// A log may consist of lines of one kind alone; what is kept of it is bounded
// all the same, and making room is not needed again at once.
func TestReadingsOfOneKindAreThinnedToo(t *testing.T) {
	for name, r := range map[string]monitor.LogReading{"memory": {Kind: monitor.LogMemory}, "phase": {Phase: "train"}, "failure": {Kind: monitor.LogOOM}} {
		all := make([]monitor.LogReading, maxReadings)
		for i := range all {
			all[i] = r
		}
		if got := len(thinned(all)); got != maxReadings/2 {
			t.Errorf("%s: %d of %d readings stay", name, got, maxReadings)
		}
	}
}

func TestFailuresStayWhileThereIsAnythingElseToLeaveOut(t *testing.T) {
	all := make([]monitor.LogReading, maxReadings)
	for i := range all {
		all[i].Kind = monitor.LogMemory
		if i%10 == 0 {
			all[i].Kind = monitor.LogOOM
		}
	}
	failures := 0
	for _, r := range thinned(all) {
		if r.Kind == monitor.LogOOM {
			failures++
		}
	}
	if failures != maxReadings/10 {
		t.Errorf("%d failures of %d stay", failures, maxReadings/10)
	}
}

package advisor_test

import (
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
)

const maxReadings = 100_000

// A log may consist of lines of one kind alone; what is kept of it is bounded
// all the same, and making room is not needed again at once.
func TestReadingsOfOneKindAreThinnedToo(t *testing.T) {
	for name, r := range map[string]monitor.LogReading{"memory": {Kind: monitor.LogMemory}, "phase": {Phase: "train"}, "failure": {Kind: monitor.LogOOM}} {
		all := make([]monitor.LogReading, maxReadings)
		for i := range all {
			all[i] = r
		}
		if got := len(advisor.Thinned(all, maxReadings)); got != maxReadings/2 {
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
	for _, r := range advisor.Thinned(all, maxReadings) {
		if r.Kind == monitor.LogOOM {
			failures++
		}
	}
	if failures != maxReadings/10 {
		t.Errorf("%d failures of %d stay", failures, maxReadings/10)
	}
}

// Two ranks that print in turn both stay.
func TestEachRankKeepsHalfOfItsLines(t *testing.T) {
	all := make([]monitor.LogReading, maxReadings)
	for i := range all {
		all[i] = monitor.LogReading{Kind: monitor.LogMemory, Rank: monitor.Known(i % 2)}
	}
	ranks := map[int]int{}
	for _, r := range advisor.Thinned(all, maxReadings) {
		ranks[r.Rank.Or(-1)]++
	}
	if ranks[0] != maxReadings/4 || ranks[1] != maxReadings/4 {
		t.Errorf("%v", ranks)
	}
}

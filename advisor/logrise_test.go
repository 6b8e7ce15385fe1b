package advisor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

func evidence(f advisor.Finding) map[string]float64 {
	e := map[string]float64{}
	for _, v := range f.Evidence {
		e[v.Name] = v.Value
	}
	return e
}

func TestARiseInALogIsToldFromItsFirstLineToItsLast(t *testing.T) {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("step %d loss 1.0 allocated %d MiB reserved %d MiB", i, 1100+100*i, 1400+100*i))
	}
	f := first(t, strings.Join(lines, "\n"))
	e := evidence(f)
	if f.ID != catalog.Leak || e["allocated floor at the start"] != 1100<<20 || e["allocated floor at the end"] != 5000<<20 ||
		e["steps"] != 39 || e["rise a step"] != 100<<20 || !strings.Contains(f.Title, "over 40 lines") {
		t.Errorf("%s: %v", f.Title, e)
	}
}

func TestTheRiseAStepIsThatOfTheLogHoweverManyLinesCameTogether(t *testing.T) {
	for _, together := range []int{1, 2, 5, 7} {
		var in advisor.Input
		at := start
		for i := range 60 {
			if i%together == 0 {
				at = at.Add(time.Second)
			}
			in.Readings = append(in.Readings, monitor.LogReading{Time: at, Line: int64(i + 1), Source: "train.log", Kind: monitor.LogMemory,
				AllocatedBytes: monitor.Known(int64(i+1) * 100 << 20), Step: monitor.Known(int64(i))})
		}
		in.Window.From, in.Window.To = start, at
		f := named(t, advisor.Advise(in), catalog.Leak)
		if got := evidence(f)["rise a step"]; got != 100<<20 || !strings.Contains(f.Title, " 100 MiB a step") {
			t.Errorf("%d lines at once: %v a step: %s", together, got/(1<<20), f.Title)
		}
	}
}

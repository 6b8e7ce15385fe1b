package chrome

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
)

func TestTheAgeOfWhatALogPrintedIsTheLeastItCanBe(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)
	for origin, want := range map[monitor.Origin]bool{monitor.OriginLog: true, monitor.OriginAttach: false} {
		row := procs.Row{Allocator: &monitor.Allocator{State: monitor.AllocatorOK, Origin: origin, ReadAt: now.Add(-8 * time.Minute)}}
		if got := Explain(&row, now); strings.Contains(got, " ago or earlier") != want || !strings.Contains(got, " ago") {
			t.Errorf("%s: %s", origin, got)
		}
	}
}

package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestAFindingEndsWithItsProcess(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	last := *m.newest
	last.Time = last.Time.Add(time.Second)
	last.Holders, last.Torch, last.Processes = nil, nil, nil
	found := m.judge.shown
	if len(found) == 0 || found[0].PID == nil || found[0].State != advisor.Active {
		t.Fatalf("no finding about a process: %+v", found)
	}
	m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{last}}})
	for page, want := range map[string]string{"1": "ended ·", "4": "ended with its process"} {
		press(m, page)
		if got := plain(m.frame()); !strings.Contains(got, want) || strings.Contains(got, ", active") {
			t.Errorf("screen %s: no %q in\n%s", page, want, got)
		}
	}
}

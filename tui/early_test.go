package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
)

func TestWhatTheDriverSaidFirstIsDrawnUntilTheSampleComesAndNotKept(t *testing.T) {
	sc := scene.DDP()
	first := sc.Samples[0]
	first.Torch, first.Processes = nil, nil
	m := New(Options{First: &first, Interval: sc.Interval, Environ: []string{"TERM=xterm", "LANG=C.UTF-8"}})
	defer m.Close()
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 48})
	got := plain(m.frame())
	for _, want := range []string{"GPU 1", "Looking..."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q before the first sample in\n%s", want, got)
		}
	}
	for _, never := range []string{"no PyTorch job seen", "others  21", "No cause for worry", "Waiting for"} {
		if strings.Contains(got, never) {
			t.Errorf("%q before anybody looked, in\n%s", never, got)
		}
	}
	for _, key := range []string{"1", "2", "3", "4", "5", "6", "space", "left", "home", "end", "w", "m", "y", "enter", "space"} {
		press(m, key)
		m.frame()
	}
	if _, ok := m.store.Latest(); ok {
		t.Error("it was kept")
	}
	m.Update(batchMsg{batch: monitor.Batch{Samples: sc.Samples[:1]}})
	press(m, "1", "end")
	if got := plain(m.frame()); !strings.Contains(got, "allocated") || strings.Contains(got, "Looking... ") {
		t.Errorf("the sample came, and still\n%s", got)
	}
}

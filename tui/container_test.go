package tui

import (
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/theme"
)

// inContainer changes the last sample of a scene to what a container sees.
func inContainer(change func(s *monitor.Sample)) scene.Scene {
	sc := scene.ReservedGrowth()
	sc.Samples = append([]monitor.Sample{}, sc.Samples...)
	for i := range sc.Samples {
		s := &sc.Samples[i]
		s.GPUs = append([]monitor.GPU{}, s.GPUs...)
		s.Holders = append([]monitor.Holder{}, s.Holders...)
		change(s)
	}
	return sc
}

func TestMemoryOfAnotherNamespaceIsSaidToBeNotVisible(t *testing.T) {
	sc := inContainer(func(s *monitor.Sample) { s.GPUs[0].UnseenBytes = monitor.Known[int64](12 << 30) })
	for _, width := range []int{80, 120} {
		m := modelOf(t, sc, theme.Mono, false, width, 40)
		for _, page := range []string{"1", "2"} {
			press(m, page)
			if got := plain(m.frame()); !strings.Contains(got, "not visible from this PID namespace") || !strings.Contains(got, "12.0") {
				t.Errorf("screen %s, %d columns:\n%s", page, width, got)
			}
		}
	}
	few := inContainer(func(s *monitor.Sample) { s.GPUs[0].UnseenBytes = monitor.Known[int64](monitor.UnseenFrom - 1) })
	if got := plain(modelOf(t, few, theme.Mono, false, 120, 40).frame()); strings.Contains(got, "not visible") {
		t.Errorf("too little to be anybody's:\n%s", got)
	}
}

func TestAnAssumedHolderIsMarkedEverywhere(t *testing.T) {
	sc := inContainer(func(s *monitor.Sample) {
		for i := range s.Holders {
			s.Holders[i].Assumed = true
		}
	})
	m := modelOf(t, sc, theme.Mono, false, 120, 40)
	if got := plain(m.frame()); !strings.Contains(got, "91.9?") || !strings.Contains(got, "(assumed)") {
		t.Errorf("the overview:\n%s", got)
	}
	press(m, "down")
	for _, page := range []string{"1", "2", "3"} {
		press(m, page)
		if got := plain(m.frame()); !strings.Contains(got, "assumed") {
			t.Errorf("screen %s:\n%s", page, got)
		}
	}
}

func TestANumberOfTheHostHasNoName(t *testing.T) {
	sc := inContainer(func(s *monitor.Sample) {
		s.Holders = append(s.Holders, monitor.Holder{PID: 99999, UsedBytes: monitor.Known[int64](3 << 30), Name: "misleading"})
	})
	got := plain(modelOf(t, sc, theme.Mono, false, 120, 40).frame())
	if strings.Contains(got, "misleading") || !strings.Contains(got, "the number is the host's") {
		t.Errorf("got\n%s", got)
	}
}

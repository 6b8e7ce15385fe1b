package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/theme"
)

// stillPlayback is a replay that stands still.
type stillPlayback struct{ at time.Time }

func (stillPlayback) Pause(bool)                        {}
func (stillPlayback) Paused() bool                      { return true }
func (stillPlayback) Step(int)                          {}
func (stillPlayback) Seek(time.Time)                    {}
func (stillPlayback) SetSpeed(float64)                  {}
func (stillPlayback) Speed() float64                    { return 1 }
func (p stillPlayback) Span() (from, to time.Time)      { return p.at, p.at }
func (p stillPlayback) Position() (n int, at time.Time) { return 1, p.at }

func TestTheDriverHasOneNameOnAllScreens(t *testing.T) {
	live := scene.ReservedGrowth()
	replayed := inContainer(func(s *monitor.Sample) { s.GPUs[0].Memory.Source = monitor.MemoryFile })
	for _, page := range []string{"1", "2", "3"} {
		for _, height := range []int{24, 40} {
			m := modelOf(t, live, theme.Mono, false, 120, height)
			press(m, "down", page)
			if got := plain(m.frame()); !strings.Contains(got, "nvml") || strings.Contains(got, "recording") {
				t.Errorf("live, screen %s:\n%s", page, got)
			}
			m = modelOf(t, replayed, theme.Mono, false, 120, height)
			m.opts.Playback = stillPlayback{m.newest.Time}
			press(m, "down", page)
			got := strings.ReplaceAll(plain(m.frame()), "sources  ● nvml", "")
			if !strings.Contains(got, "recording") || strings.Contains(got, "nvml") {
				t.Errorf("replay, screen %s:\n%s", page, got)
			}
		}
	}
}

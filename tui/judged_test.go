package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestAMomentThatIsNotJudgedYetIsNeverCalledFreeOfWorry(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	if strings.Contains(plain(m.frame()), "Looking...") {
		t.Fatalf("judged, and still\n%s", plain(m.frame()))
	}
	m.judge.running = true // it takes its time
	press(m, "home")
	for _, page := range []string{"1", "2", "4"} {
		press(m, page)
		if got := plain(m.frame()); !strings.Contains(got, "Looking...") || strings.Contains(got, "No cause") || strings.Contains(got, "Reserved rose") {
			t.Errorf("screen %s:\n%s", page, got)
		}
	}
	m.judge.running = false
	judgeNow(m)
	if got := plain(m.frame()); strings.Contains(got, "Looking...") {
		t.Errorf("judged, and still\n%s", got)
	}
}

func TestAFastReplayShowsWhatWasFoundLastWithItsTime(t *testing.T) {
	sc := scene.ReservedGrowth()
	m := modelOf(t, sc, theme.Mono, false, 120, 40)
	m.opts.Playback = &deck{at: screen.Position{Start: sc.Samples[0].Time, End: sc.Last().Time.Add(time.Hour)}, speed: 64}
	m.judge.took = 10 * time.Millisecond
	m.judge.running = true // the next pass is on its way
	found := sc.Last().Time
	m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{scene.At(*sc.Last(), found.Add(20*time.Second))}}})
	for _, page := range []string{"1", "2"} {
		press(m, page)
		if got := plain(m.frame()); strings.Contains(got, "Looking...") || !strings.Contains(got, "as of "+found.Format("15:04:05")) {
			t.Errorf("screen %s:\n%s", page, got)
		}
	}
	m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{scene.At(*sc.Last(), found.Add(20*time.Minute))}}})
	if got := plain(m.frame()); !strings.Contains(got, "Looking...") {
		t.Errorf("twenty minutes on it still says\n%s", got)
	}
}

func TestTheWayToAMomentOfARecordingIsNotJudged(t *testing.T) {
	sc := scene.ReservedGrowth()
	m := modelOf(t, sc, theme.Mono, false, 120, 40)
	m.judge.started = time.Time{} // it is time
	further := func(d time.Duration) []monitor.Sample {
		return []monitor.Sample{scene.At(*sc.Last(), sc.Last().Time.Add(d))}
	}
	m.opts.Playback = &deck{at: screen.Position{Start: sc.Samples[0].Time, End: sc.Last().Time.Add(2 * time.Second), At: sc.Last().Time.Add(2 * time.Second)}, speed: 1}
	m.take(batchMsg{batch: monitor.Batch{Samples: further(time.Second), More: true}})
	if p := m.state().Position; !p.At.Equal(sc.Last().Time.Add(time.Second)) {
		t.Errorf("the screen says %v, its figures are of %v", p.At, m.newest.Time)
	}
	if m.judgeSoon() != nil {
		t.Error("a moment on the way was judged")
	}
	m.take(batchMsg{batch: monitor.Batch{Samples: further(2 * time.Second)}})
	if m.judgeSoon() == nil {
		t.Error("the moment at its end was not judged")
	}
}

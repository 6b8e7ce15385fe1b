package tui

import (
	"strings"
	"testing"

	"github.com/vramscope/vramscope/tui/internal/scene"
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

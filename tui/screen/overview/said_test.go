package overview

import (
	"strings"
	"testing"

	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestTheLineOfSourcesDoesNotRepeatTheSentenceAboveIt(t *testing.T) {
	const reason = "libnvidia-ml.so.1 was not found"
	got := plain(New().View(stateOf(t, scene.LogOnly(), theme.Mono, false), 120, 40))
	if n := strings.Count(got, reason); n != 1 || !strings.Contains(got, "nvml unavailable") {
		t.Errorf("it is said %d times:\n%s", n, got)
	}
}

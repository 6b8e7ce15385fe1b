package chrome_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
)

const idleClaim = "60 GiB of this card are idle"

func finding(gpu, pid int) advisor.Tracked {
	return advisor.Tracked{Finding: advisor.Finding{
		ID: "reserved-idle", Severity: advisor.Warning, Title: idleClaim, GPU: &gpu, GPUID: string(rune('a' + gpu)), PID: &pid,
	}, Shown: true}
}

func stateOf(t *testing.T, gpus int, findings ...advisor.Tracked) *screen.State {
	t.Helper()
	th, err := theme.New(theme.Mono, true)
	if err != nil {
		t.Fatal(err)
	}
	return &screen.State{Sample: &monitor.Sample{GPUs: make([]monitor.GPU, gpus)}, Theme: &th, Findings: findings, Judged: true}
}

func TestAClaimNamesItsCardWhereThereAreSeveral(t *testing.T) {
	one, other, twin := finding(3, 446), finding(1, 447), finding(3, 448)
	named := finding(3, 446)
	named.Title = "Process 446 (python) holds much of this card"
	for _, c := range []struct {
		name string
		st   *screen.State
		f    *advisor.Tracked
		room int
		want string
	}{
		{"one card", stateOf(t, 1, one), &one, 200, idleClaim},
		{"room for the card", stateOf(t, 4, one), &one, 40, "GPU 3: " + idleClaim},
		{"room for the process", stateOf(t, 4, one), &one, 60, "GPU 3, process 446: " + idleClaim},
		{"two processes of one card", stateOf(t, 4, one, twin), &twin, 40, "GPU 3, process 448: " + idleClaim},
		{"two cards of a log alone", stateOf(t, 0, one, other), &other, 40, "GPU 1: " + idleClaim},
		{"one card of a log alone", stateOf(t, 0, one), &one, 40, idleClaim},
		{"a sentence with its process", stateOf(t, 4, named), &named, 200, "GPU 3: " + named.Title},
	} {
		if got := chrome.Claim(c.st, c.f, c.room); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

func TestTheBannerNamesTheCard(t *testing.T) {
	got := strings.Join(chrome.FindingLines(stateOf(t, 4, finding(3, 446)), 80, 1), "")
	if got = ansi.Strip(got); !strings.Contains(got, "! GPU 3: "+idleClaim) {
		t.Errorf("%q", got)
	}
}

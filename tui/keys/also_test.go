package keys

import (
	"slices"
	"strings"
	"testing"
)

func TestTheHelpListsEachKeyOnce(t *testing.T) {
	for _, b := range Default() {
		if slices.Contains(strings.Fields(b.AlsoKeys()), b.Label) {
			t.Errorf("%s (also %s)", b.Label, b.AlsoKeys())
		}
		if n := len(strings.Fields(b.AlsoKeys())); n != len(b.Keys)-1 {
			t.Errorf("%s: %d other keys of %q", b.Label, n, b.Keys)
		}
	}
}

func TestTheKeyThatOpensAdviceNeverAcknowledges(t *testing.T) {
	for _, place := range []Place{OnOverview, OnGPU, OnProcess, OnAdvice, OnLog, OnSources, OnOutput, OnSettings, OnHelp} {
		if got := Default().Action("a", Live, place); got != ShowAdvice {
			t.Errorf("place %d: a does %d", place, got)
		}
	}
	if Default().Action("x", Live, OnAdvice) != Acknowledge {
		t.Error("x does not acknowledge")
	}
}

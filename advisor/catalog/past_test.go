package catalog

import (
	"regexp"
	"slices"
	"testing"
)

var (
	wordsOf = regexp.MustCompile(`\{[a-z0-9]+\}`)
	present = regexp.MustCompile(`\b(is|are|has|holds?|takes?|rises (by|from)|climbs|falls|stays?|uses|runs|works|looks|needs?)\b`)
)

func TestWhatIsOverIsToldInThePast(t *testing.T) {
	for _, e := range All() {
		for _, name := range e.ClaimNames() {
			text, told := past[e.ID][name]
			if !told {
				continue
			}
			want, got := wordsOf.FindAllString(e.claims[name], -1), wordsOf.FindAllString(text, -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) && e.ID != ForecastFull {
				t.Errorf("%s, %s: the words %v became %v", e.ID, name, want, got)
			}
			if e.Told(name, false, nil) != e.claims[name] || e.Told(name, true, nil) != text {
				t.Errorf("%s, %s: the wrong sentence is told", e.ID, name)
			}
		}
		for name := range past[e.ID] {
			if _, ok := e.claims[name]; !ok {
				t.Errorf("%s has no sentence %s to tell in the past", e.ID, name)
			}
		}
	}
}

// A text says what stood in it when it was written, and a failure was one
// moment: both are told alike at any time.
func TestSentencesAboutAStateHaveAPast(t *testing.T) {
	for _, e := range All() {
		for _, name := range e.ClaimNames() {
			text := regexp.MustCompile(`: .*$`).ReplaceAllString(wordsOf.ReplaceAllString(e.claims[name], "…"), "") // what follows explains
			ofText := slices.Contains([]string{"oom", "text", "log", "giant", "alloc", "pinned", "killed", "stack", "bare", "short", "counters", "contradict",
				"beside", "capture", "overflow", "free", "named", "hidden", "outside", "unknown", "misspelt"}, name)
			if _, told := past[e.ID][name]; !told && !ofText && present.MatchString(text) && e.ID != ModelTooBigAtLoad && e.ID != OptimizerStateFirstStep {
				t.Errorf("%s, %s: %q", e.ID, name, e.claims[name])
			}
		}
	}
}

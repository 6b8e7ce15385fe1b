package advisor

import "testing"

func TestATimeIsToldAsPeopleTellIt(t *testing.T) {
	for sec, want := range map[float64]string{
		-1: "an unknown time", 0.4: "under a second", 1: "1 s", 5.24: "5.2 s", 9.96: "10 s", 47.7: "48 s", 59.7: "1 min",
		80.4: "1.3 min", 197: "3.3 min", 240: "4 min", 605: "10 min", 7100: "118 min", 7190: "2 h", 30600: "8.5 h", 170_000: "47 h", 200_000: "2.3 days", 1e6: "12 days",
	} {
		if got := duration(sec); got != want {
			t.Errorf("%v s is %q, want %q", sec, got, want)
		}
	}
}

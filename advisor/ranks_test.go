package advisor_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestEveryRankThatFailsIsNamedTheFirstFirst(t *testing.T) {
	for name, free := range map[string]func(rank int) string{
		"the same figures":   func(int) string { return "0.30 GiB" },
		"figures of its own": func(rank int) string { return fmt.Sprintf("0.3%d GiB", rank) },
	} {
		var lines []string
		for _, rank := range []int{2, 0, 1, 2} {
			lines = append(lines, fmt.Sprintf("[rank%d]: %s", rank, message("2.00 GiB", fmt.Sprint(rank), "24.00 GiB", "22.50 GiB", free(rank), "23.00 GiB")))
		}
		f := first(t, strings.Join(lines, "\n"))
		if f.Rank == nil || *f.Rank != 2 || f.GPU == nil || *f.GPU != 2 {
			t.Errorf("%s: GPU %v, rank %v", name, f.GPU, f.Rank)
		}
		if want := "; ranks 2, 0 and 1 tell of it, rank 2 first"; !strings.HasSuffix(f.Title, want) || !strings.HasSuffix(f.Past, want) {
			t.Errorf("%s: %s", name, f.Title)
		}
	}
}

func TestOneRankThatFailsTwiceIsNotCountedAsSeveral(t *testing.T) {
	line := "[rank3]: " + message("2.00 GiB", "3", "24.00 GiB", "22.50 GiB", "0.30 GiB", "23.00 GiB")
	if f := first(t, line+"\n"+line); strings.Contains(f.Title, "ranks") || f.Rank == nil || *f.Rank != 3 {
		t.Errorf("rank %v: %s", f.Rank, f.Title)
	}
}

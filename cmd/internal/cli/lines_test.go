package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor/logtail"
)

func linesOf(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	if err := eachLine(strings.NewReader(text), func(number int64, line string) {
		out = append(out, fmt.Sprintf("%d:%s", number, line))
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLinesHaveTheNumbersOfAnEditor(t *testing.T) {
	got := strings.Join(linesOf(t, "a\r\nb\n\nc"), "|")
	if got != "1:a|2:b|3:|4:c" {
		t.Errorf("%s", got)
	}
}

func TestWhatStandsAfterALongRowOfProgressBarsIsRead(t *testing.T) {
	bars := strings.Repeat("step 1 of 5000 done\r", 20*logtail.MaxLine/20)
	got := linesOf(t, bars+"torch.OutOfMemoryError\nnext\n")
	last := got[len(got)-2]
	if !strings.HasPrefix(last, "1:") || !strings.HasSuffix(last, "torch.OutOfMemoryError") {
		t.Errorf("the last part of line 1 is %.80q", last)
	}
	if got[len(got)-1] != "2:next" {
		t.Errorf("then comes %q", got[len(got)-1])
	}
	total := 0
	for _, l := range got {
		total += strings.Count(l, "step 1 of 5000 done")
		if len(l) > 2*logtail.MaxLine {
			t.Errorf("a part of %d bytes", len(l))
		}
	}
	if total != logtail.MaxLine {
		t.Errorf("%d bars of %d were read", total, logtail.MaxLine)
	}
}

func TestALineWithoutEndIsCutWithANote(t *testing.T) {
	got := linesOf(t, strings.Repeat("x", 10*logtail.MaxLine)+"\nnext\n")
	if len(got) != 2 || !strings.HasSuffix(got[0], logtail.CutNote) || len(got[0]) > logtail.MaxLine+100 || got[1] != "2:next" {
		t.Errorf("%d lines, the first of %d bytes, then %q", len(got), len(got[0]), got[1:])
	}
}

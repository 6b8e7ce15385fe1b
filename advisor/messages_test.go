package advisor_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
)

// oomCase is a public case with its cause.
type oomCase struct {
	ID          string `json:"id"`
	Message     string `json:"message"`
	Cause       string `json:"cause"`
	Established bool   `json:"established"`
	Numbers     string `json:"distinguishable_from_numbers_alone"`
}

func cases(t testing.TB) []oomCase {
	t.Helper()
	f, err := os.Open(shared(t, "corpus", "oom-cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []oomCase
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		var c oomCase
		if err := json.Unmarshal(scan.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// pasted makes an input of a text alone, as somebody pastes it.
func pasted(text string) advisor.Input {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	var in advisor.Input
	p := formats.NewParser(formats.Config{})
	for i, line := range strings.Split(text, "\n") {
		l := monitor.LogLine{Time: at, Source: "stdin", Number: int64(i + 1), Text: line}
		in.Lines = append(in.Lines, l)
		in.Readings = append(in.Readings, slices.Clone(p.Line(l))...)
	}
	in.Readings = append(in.Readings, p.Flush(at)...)
	return in
}

func TestTheCauseOfMostPublicMessagesIsNamed(t *testing.T) {
	answers := map[string][]string{}
	readJSON(t, shared(t, "corpus", "cause-map.json"), &answers)
	right, scored := 0, 0
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, c := range cases(t) {
		if c.Message == "" {
			continue
		}
		found := advisor.Advise(pasted(c.Message))
		ok := len(found) > 0 && slices.Contains(answers[c.Cause], string(found[0].ID))
		counts := c.Established && !strings.HasPrefix(c.Numbers, "no")
		mark := "listed"
		if counts {
			scored++
			mark = "WRONG"
			if ok {
				right++
				mark = "ok"
			}
		} else if ok {
			mark = "listed ok"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.ID, c.Cause, mark, list(found, 3))
	}
	w.Flush()
	t.Logf("%d of %d right\n%s", right, scored, table.String())
	if 100*right < 85*scored {
		t.Errorf("%d of %d right, want 85 %%", right, scored)
	}
}

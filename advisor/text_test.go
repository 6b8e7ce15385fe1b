package advisor_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

var placeholder = regexp.MustCompile(`[{}]|an unknown (amount|share|time)|NaN|Inf`)

func TestEveryTitleIsASentenceWithItsFiguresFilledIn(t *testing.T) {
	slow(t)
	said := map[catalog.ID]bool{}
	look := func(name string, found []advisor.Finding) {
		for _, f := range found {
			said[f.ID] = true
			if bad := placeholder.FindString(f.Title); bad != "" {
				t.Errorf("%s: %s: %q in %q", name, f.ID, bad, f.Title)
			}
			if len(f.Title) > 240 || len(f.Advice) == 0 || f.Confirm == "" || f.Refute == "" {
				t.Errorf("%s: %s: %d bytes of title, %d advice", name, f.ID, len(f.Title), len(f.Advice))
			}
		}
	}
	for _, e := range manifest(t) {
		all := samplesOf(t, shared(t, "recordings", e.File))
		for _, v := range variants() {
			look(e.File+" "+v.name, advisor.Advise(inputOf(v.apply(all))))
		}
		look(e.File+" log", advisor.Advise(logAlone(inputOf(all).Lines)))
	}
	for _, c := range cases(t) {
		if c.Message != "" {
			look(c.ID, advisor.Advise(pasted(c.Message)))
		}
	}
	for _, kind := range sickKinds {
		for seed := range uint64(10) {
			w := newWorld(3000 + seed)
			kind.turn(w, w.rng)
			look(kind.name, advisor.Advise(inputOf(w.samples())))
		}
	}
	t.Logf("%d causes were named", len(said))
}

func TestTheTextForATerminalIsWrappedAndHasNoControls(t *testing.T) {
	in := inputOf(newSick("reserved grows", 1).samples())
	var b bytes.Buffer
	if err := advisor.WriteText(&b, advisor.Advise(in), advisor.TextOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"reserved-growth", "evidence:", "what to do:", "it is this if:"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
			t.Errorf("control character in %q", line)
		}
		if n := len([]rune(line)); n > 80 && !strings.HasPrefix(line, "        ") {
			t.Errorf("%d columns: %q", n, line)
		}
	}
}

func newSick(name string, seed uint64) *world {
	w := newWorld(1000 + seed)
	for _, k := range sickKinds {
		if k.name == name {
			k.turn(w, w.rng)
		}
	}
	return w
}

func TestNothingToReportIsSaid(t *testing.T) {
	var b bytes.Buffer
	if err := advisor.WriteText(&b, nil, advisor.TextOptions{}); err != nil || !strings.HasPrefix(b.String(), "Nothing to report") {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestTheJSONHasItsKeysAndIntegersForBytes(t *testing.T) {
	in := inputOf(newSick("leak of 10 % a minute", 2).samples())
	sources := []monitor.SourceStatus{{Name: "nvml", State: monitor.StateOK, GoodAt: in.Window.To.Add(-time.Second)}, {Name: "log", Reason: "none"}}
	var b bytes.Buffer
	if err := advisor.WriteJSON(&b, advisor.Advise(in), sources, in.Window.To); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format   int
		Findings []map[string]any
		Sources  []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != 1 || len(got.Findings) == 0 || len(got.Sources) != 2 {
		t.Fatalf("%s", b.String())
	}
	for _, key := range []string{"id", "severity", "confidence", "state", "title", "gpu", "pid", "rank", "from", "to", "evidence", "advice"} {
		if _, ok := got.Findings[0][key]; !ok {
			t.Errorf("no key %q", key)
		}
	}
	if _, err := time.Parse(time.RFC3339, got.Findings[0]["from"].(string)); err != nil {
		t.Error(err)
	}
	for _, e := range got.Findings[0]["evidence"].([]any) {
		item := e.(map[string]any)
		if v, ok := item["value"].(float64); item["unit"] == "bytes" && (!ok || v != float64(int64(v))) {
			t.Errorf("%v is no whole number of bytes", item)
		}
	}
	if got.Sources[0]["age_ms"] != 1000.0 || got.Sources[1]["age_ms"] != nil {
		t.Errorf("sources: %v", got.Sources)
	}
}

func TestAnEmptyJSONHasEmptyLists(t *testing.T) {
	var b bytes.Buffer
	if err := advisor.WriteJSON(&b, nil, nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(b.String()); got != `{"format":1,"findings":[],"sources":[]}` {
		t.Error(got)
	}
}

func TestEveryCauseCanBeExplained(t *testing.T) {
	for _, e := range catalog.All() {
		text, ok := advisor.Explain(string(e.ID), 80)
		if !ok || !strings.Contains(text, e.Name) || !strings.Contains(text, "what to do") {
			t.Errorf("%s: %q", e.ID, text)
		}
	}
	if _, ok := advisor.Explain("no-such-cause", 80); ok {
		t.Error("explained what is not there")
	}
}

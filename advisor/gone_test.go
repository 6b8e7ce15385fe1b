package advisor_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

func nobody(int) bool  { return false }
func anybody(int) bool { return true }

func TestAFindingWhoseProcessIsGoneEndsAndOneWhoseProcessIsThereResolves(t *testing.T) {
	f := finding(catalog.OtherProcess, advisor.Critical, "Process 7 holds 9 GiB")
	f.Past = "Process 7 held 9 GiB"
	for _, c := range []struct {
		lives func(int) bool
		want  advisor.State
	}{{nobody, advisor.Ended}, {anybody, advisor.Resolved}, {nil, advisor.Resolved}} {
		x := pass(advisor.Tracker{}, 0, f)
		for i := 1; i < 15; i++ {
			x = x.Update(start.Add(time.Duration(i)*time.Second), nil, c.lives)
		}
		if got := x.Findings(); len(got) != 1 || got[0].State != c.want || got[0].Title != f.Past {
			t.Errorf("want %s in the past tense, have %+v", c.want, got)
		}
	}
}

func TestAnEndedFindingGoesOnceNothingTellsOfIt(t *testing.T) {
	f := finding(catalog.Leak, advisor.Critical, "a leak")
	f.State = advisor.Ended
	x := pass(pass(advisor.Tracker{}, 0, f), 1, f)
	for i := 2; i < 300; i++ {
		x = x.Update(start.Add(time.Duration(i)*time.Second), nil, nobody)
	}
	if got := x.Findings(); len(got) != 0 {
		t.Errorf("after five minutes: %+v", got)
	}
}

func TestASampleThatListsNobodyWhileASourceFailedTellsOfNoEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		s    monitor.Sample
		want bool
	}{
		{"nobody is listed", monitor.Sample{}, false},
		{"the driver is silent", monitor.Sample{Sources: []monitor.SourceStatus{{Name: "nvml", State: monitor.StateStale}}}, true},
		{"another is listed", monitor.Sample{Holders: []monitor.Holder{{PID: 8}}, Sources: []monitor.SourceStatus{{Name: "torch"}}}, false},
		{"it holds memory", monitor.Sample{Holders: []monitor.Holder{{PID: 7}}}, true},
		{"its figures are gone", monitor.Sample{Torch: []monitor.Allocator{{PID: 7, State: monitor.AllocatorGone}}}, false},
		{"it is there", monitor.Sample{Processes: []monitor.Process{{PID: 7}}}, true},
	} {
		if got := advisor.Lives(&c.s)(7); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A leak, then the end of its process, then a while without it.
func endedLeak() []monitor.Sample {
	m := newSim(rand.New(rand.NewPCG(4, 614)), 200, 24)
	n, carry := m.net(60), 0.0
	perStep := float64(m.share(0.2)) * (n.step + n.wait) / m.span
	growing(m, n, 0, func(p *proc, _ *trainer, k int64) { kept(p, perStep*float64(k), &carry) })
	return after(tornDown(m.samples(), 2), 30, false)
}

func TestWhatEndedWithItsProcessIsNotCalledResolved(t *testing.T) {
	found := advisor.Advise(inputOf(endedLeak()))
	if len(found) == 0 || found[0].ID != catalog.Leak || found[0].State != advisor.Ended {
		t.Fatalf("%s", list(found, 5))
	}
	if word := presentTense.FindString(found[0].Title); word != "" {
		t.Errorf("says %q of what is over: %s", word, found[0].Title)
	}
	var text, data bytes.Buffer
	if err := advisor.WriteText(&text, found, advisor.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "its process has ended") || strings.Contains(text.String(), "resolved") {
		t.Errorf("%s", text.String())
	}
	if err := advisor.WriteJSON(&data, found, nil, start); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Findings []struct {
			State string `json:"state"`
			Ended bool   `json:"ended"`
		} `json:"findings"`
	}
	if err := json.Unmarshal(data.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	if f := report.Findings[0]; f.State != "resolved" || !f.Ended {
		t.Errorf("%+v", f)
	}
}

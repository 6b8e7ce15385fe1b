package advisor_test

import (
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
)

func finding(id catalog.ID, s advisor.Severity, title string) advisor.Finding {
	pid := 7
	return advisor.Finding{ID: id, Severity: s, Confidence: advisor.Likely, Title: title, PID: &pid, GPUID: "GPU-a", From: start}
}

// pass is one pass of the advisor, a second after the other.
func pass(t advisor.Tracker, second int, found ...advisor.Finding) advisor.Tracker {
	return t.Update(start.Add(time.Duration(second)*time.Second), found, nil)
}

func TestAWarningAppearsWithItsSecondPass(t *testing.T) {
	f := finding(catalog.CacheRetention, advisor.Warning, "one")
	x := pass(advisor.Tracker{}, 0, f)
	if n := len(x.Findings()); n != 0 {
		t.Fatalf("%d on show after one pass", n)
	}
	if n := len(pass(x, 1, f).Findings()); n != 1 {
		t.Errorf("%d on show after two passes", n)
	}
	if n := len(pass(pass(x, 1), 2, f).Findings()); n != 0 {
		t.Errorf("%d on show after passes that were not in a row", n)
	}
}

func TestACriticalFindingAppearsAtOnce(t *testing.T) {
	x := pass(advisor.Tracker{}, 0, finding(catalog.OtherProcess, advisor.Critical, "now"))
	if n := len(x.Findings()); n != 1 {
		t.Errorf("%d on show", n)
	}
}

func TestAFindingUpdatesItsFiguresAndStaysOne(t *testing.T) {
	var x advisor.Tracker
	for i, title := range []string{"1 GiB", "2 GiB", "3 GiB"} {
		x = pass(x, i, finding(catalog.Leak, advisor.Critical, title))
	}
	got := x.Findings()
	if len(got) != 1 || got[0].Title != "3 GiB" || !got[0].Since.Equal(start) {
		t.Errorf("%+v", got)
	}
}

func TestAFindingResolvesVisiblyAndThenGoes(t *testing.T) {
	x := pass(advisor.Tracker{}, 0, finding(catalog.Leak, advisor.Critical, "a leak"))
	states := map[int]advisor.State{}
	gone := 0
	for i := 1; i < 300; i++ {
		x = pass(x, i)
		got := x.Findings()
		if len(got) == 0 {
			gone = i
			break
		}
		states[i] = got[0].State
	}
	if states[2] != advisor.Active || states[20] != advisor.Resolved {
		t.Errorf("after 2 s %v, after 20 s %v", states[2], states[20])
	}
	if gone < 60 || gone > 200 {
		t.Errorf("gone after %d s", gone)
	}
}

func TestAFindingThatComesAndGoesDoesNotFlap(t *testing.T) {
	f := finding(catalog.Leak, advisor.Critical, "a leak")
	x := pass(advisor.Tracker{}, 0, f)
	for i := 1; i < 100; i++ {
		if i%4 == 0 {
			x = pass(x, i, f)
		} else {
			x = pass(x, i)
		}
		got := x.Findings()
		if len(got) != 1 || got[0].State != advisor.Active || !got[0].Since.Equal(start) {
			t.Fatalf("after %d s: %+v", i, got)
		}
	}
}

func TestSeverityDoesNotFlicker(t *testing.T) {
	var x advisor.Tracker
	for i := range 40 {
		s := advisor.Critical
		if i%2 == 1 {
			s = advisor.Warning
		}
		x = pass(x, i, finding(catalog.Leak, s, "a leak"))
		if got := x.Findings(); got[0].Severity != advisor.Critical {
			t.Fatalf("after %d s it is %s", i, got[0].Severity)
		}
	}
	for i := 40; i < 50; i++ {
		x = pass(x, i, finding(catalog.Leak, advisor.Warning, "a leak"))
	}
	if got := x.Findings(); got[0].Severity != advisor.Warning {
		t.Errorf("after ten passes as a warning it is %s", got[0].Severity)
	}
}

func TestTheUpdateLeavesTheOldStateAlone(t *testing.T) {
	f := finding(catalog.Leak, advisor.Critical, "a leak")
	before := pass(advisor.Tracker{}, 0, f)
	pass(before, 1, finding(catalog.Leak, advisor.Critical, "another"))
	before.Mute(f.Key(), true)
	if got := before.Findings(); len(got) != 1 || got[0].Title != "a leak" {
		t.Errorf("%+v", got)
	}
}

func TestAcknowledgedFindingsLeaveTheTopAndMutedOnesTheList(t *testing.T) {
	a, b := finding(catalog.Leak, advisor.Critical, "a leak"), finding(catalog.OtherProcess, advisor.Critical, "a stranger")
	x := pass(advisor.Tracker{}, 0, a, b)
	top, _ := x.Top()
	if top.ID != catalog.OtherProcess {
		t.Fatalf("top is %s", top.ID)
	}
	x = x.Acknowledge(top.Key(), true)
	if top, _ = x.Top(); top.ID != catalog.Leak {
		t.Errorf("then top is %s", top.ID)
	}
	x = x.Mute(a.Key(), true)
	x = pass(x, 1, a, b)
	if got := x.Findings(); len(got) != 1 || got[0].ID != catalog.OtherProcess || !got[0].Acked {
		t.Errorf("%+v", got)
	}
	if _, ok := x.Top(); ok {
		t.Error("there is still a top")
	}
}

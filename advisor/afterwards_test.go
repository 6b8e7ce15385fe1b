package advisor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
)

func saveNow(f advisor.Finding) bool {
	for _, a := range f.Advice {
		if strings.Contains(a.Do, "checkpoint now") {
			return true
		}
	}
	return false
}

func TestNobodyIsToldToSaveACheckpointNowOnceThatIsTooLate(t *testing.T) {
	in := inputOf(leaking(gib/5, 120, 120))
	live := named(t, advisor.Advise(in), catalog.ForecastFull)
	if !saveNow(live) {
		t.Errorf("while it runs: %v", live.Advice)
	}
	in.Over = true
	if f := named(t, advisor.Advise(in), catalog.ForecastFull); saveNow(f) || len(f.Advice) == 0 {
		t.Errorf("of a recording: %v", f.Advice)
	}
	x := pass(pass(advisor.Tracker{}, 0, live), 1, live).Update(start.Add(2*time.Second), nil, nobody)
	if got := x.Findings(); len(got) != 1 || got[0].State != advisor.Ended || got[0].Title != live.Past || saveNow(got[0].Finding) {
		t.Errorf("the process has ended: %+v", got)
	}
}

func TestAForecastGoesWhereAProcessMetALimitOfItsOwn(t *testing.T) {
	forecast, limit := finding(catalog.ForecastFull, advisor.Critical, "full soon"), finding(catalog.MemoryFractionLimit, advisor.Critical, "a limit")
	x := pass(pass(pass(advisor.Tracker{}, 0, forecast), 1, forecast), 2, limit)
	if got := x.Findings(); len(got) != 1 || got[0].ID != catalog.MemoryFractionLimit {
		t.Errorf("%+v", got)
	}
	elsewhere := limit
	elsewhere.GPUID = "another"
	x = pass(pass(pass(advisor.Tracker{}, 0, forecast), 1, forecast), 2, elsewhere)
	if got := x.Findings(); len(got) != 2 {
		t.Errorf("a limit on another card: %+v", got)
	}
}

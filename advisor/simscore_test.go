package advisor_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
)

// seeing are the ways in which less than everything is known, or less than the
// whole was seen.
var seeing = []struct {
	name string
	turn func(m *sim)
	cut  func(all []monitor.Sample) []monitor.Sample
}{
	{"all of it", nil, nil},
	{"no log", func(m *sim) { m.noLog = true }, nil},
	{"no allocator", func(m *sim) { m.noTorch = true }, nil},
	{"no parents", func(m *sim) { m.noParents = true }, nil},
	{"from the middle", nil, func(all []monitor.Sample) []monitor.Sample { return all[len(all)/2:] }},
	{"from before its start", nil, func(all []monitor.Sample) []monitor.Sample { return before(all, 12) }},
	{"to after its end", nil, func(all []monitor.Sample) []monitor.Sample { return after(tornDown(all, 3), 5, false) }},
}

// simSeeds is how many seeds are played: those of the test, or more for looking
// around.
func simSeeds(n int) int {
	if v, err := strconv.Atoi(os.Getenv("VRAMSCOPE_SIMS")); err == nil {
		return v
	}
	return n
}

// firstSeed is the first seed that is played: that of the test, or one that was
// never looked at, to try what was mended.
func firstSeed() uint64 {
	v, _ := strconv.ParseUint(os.Getenv("VRAMSCOPE_FIRST"), 10, 32) // 0 where it is not set
	return v
}

// healthySims is how many seeds of each kind are judged.
const healthySims = 7

func TestHealthyJobsThatReallyAllocateRaiseNoAlarm(t *testing.T) {
	judged, alarms := 0, 0
	began := time.Now()
	for k, job := range healthyJobs {
		wrong, example := 0, ""
		for seed := range uint64(simSeeds(healthySims)) {
			r := rand.New(rand.NewPCG(100*(firstSeed()+seed)+uint64(k), 81))
			how := seeing[(int(seed)+k)%len(seeing)]
			m := newSim(r, 120+r.IntN(140))
			if how.turn != nil {
				how.turn(m)
			}
			job.play(m)
			all := m.samples()
			if how.cut != nil {
				all = how.cut(all)
			}
			for _, part := range []float64{0.35, 0.7, 1} {
				judged++
				for _, f := range advisor.Advise(inputOf(all[:int(part*float64(len(all)))])) {
					if f.Severity >= advisor.Warning {
						wrong++
						example += fmt.Sprintf("\n      seed %d at %.0f %%, %s, %d GiB every %gs: %s: %s", seed, 100*part, how.name, m.card/gib, m.every, f.ID, f.Title)
						break
					}
				}
			}
		}
		alarms += wrong
		t.Logf("%-45s %d alarms %s", job.name, wrong, example)
	}
	t.Logf("%d alarms in %d windows of %d kinds of healthy jobs, %v", alarms, judged, len(healthyJobs), time.Since(began))
	if alarms > 0 {
		t.Errorf("%d alarms", alarms)
	}
}

// sickSims is how many seeds of each cause are judged.
const sickSims = 12

func TestTheCauseOfJobsThatReallyAllocateComesFirst(t *testing.T) {
	right, all := 0, 0
	began := time.Now()
	for k, c := range causes() {
		ok, missed := 0, ""
		seeds := simSeeds(sickSims)
		for seed := range uint64(seeds) {
			r := rand.New(rand.NewPCG(100*(firstSeed()+seed)+uint64(k), 82))
			m := newSim(r, 120+r.IntN(140), c.cards...)
			c.play(m)
			found := advisor.Advise(inputOf(m.samples()))
			if c.named(found) {
				ok++
				continue
			}
			title := ""
			if len(found) > 0 {
				title = oneLine(found[0].Title)
			}
			missed += fmt.Sprintf("\n      seed %d, %d GiB every %gs: %s  %s", seed, m.card/gib, m.every, list(found, 4), title)
		}
		right, all = right+ok, all+seeds
		t.Logf("%-45s %d of %d%s", c.name, ok, seeds, missed)
		if float64(ok) < c.least*float64(seeds)-0.5 {
			t.Errorf("%s: %d of %d", c.name, ok, seeds)
		}
	}
	t.Logf("%d of %d right, %v", right, all, time.Since(began))
}

// named reports whether the first finding is one of those that are right.
func (c simCause) named(found []advisor.Finding) bool {
	return len(found) > 0 && (c.info || found[0].Severity >= advisor.Warning) && slices.Contains(c.want, found[0].ID)
}

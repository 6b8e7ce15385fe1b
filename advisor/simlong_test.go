package advisor_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// looks plays samples into a live history and judges all that it holds at so
// many moments.
func looks(all []monitor.Sample, times int, look func(at time.Time, found []advisor.Finding)) {
	store := history.New(history.Config{})
	for i, s := range all {
		store.Append(s)
		if (i+1)*times/len(all) != i*times/len(all) {
			from, _ := store.Span()
			look(s.Time, advisor.Advise(advisor.Input{Window: store.Window(from, s.Time)}))
		}
	}
}

// longSpans are how many samples, one a second, long jobs are watched for.
func longSpans() []int {
	if os.Getenv("VRAMSCOPE_LONG") != "" {
		return []int{600, 3600, 8 * 3600}
	}
	return []int{600, 2400}
}

func TestHealthyJobsStaySilentForHours(t *testing.T) {
	slow(t)
	judged, alarms := 0, 0
	for _, n := range longSpans() {
		for k, job := range healthyJobs {
			r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
			m := newSim(r, 1)
			m.every = 1
			m.stretch(n)
			job.play(m)
			all := m.samples()
			hit := ""
			note := func(what string, found []advisor.Finding) {
				judged++
				for _, f := range found {
					if f.Severity >= advisor.Warning {
						alarms++
						hit += fmt.Sprintf("\n      %s: %s: %s", what, f.ID, f.Title)
						return
					}
				}
			}
			looks(all, 24, func(at time.Time, found []advisor.Finding) { note("live after "+at.Sub(all[0].Time).String(), found) })
			note("as a recording", advisor.Advise(inputOf(all)))
			if hit != "" {
				t.Errorf("%s, %v, %d GiB: %s", job.name, time.Duration(n)*time.Second, m.card/gib, hit)
			}
		}
	}
	t.Logf("%d alarms in %d looks at %d kinds of healthy jobs", alarms, judged, len(healthyJobs))
}

// TestASlowLeakIsFoundInTheEnd plays leaks of 0.1 % of the card a minute.
func TestASlowLeakIsFoundInTheEnd(t *testing.T) {
	slow(t)
	found, worst, seeds := 0, time.Duration(0), 6
	for seed := range uint64(seeds) {
		m := newSim(rand.New(rand.NewPCG(seed, 77)), 1)
		m.every = 1
		m.stretch(2 * 3600)
		n, carry := m.net(2000), 0.0
		perStep := 0.001 / 60 * float64(m.card) * (n.step + n.wait)
		growing(m, n, 0, func(p *proc, _ *trainer, k int64) { kept(p, perStep*float64(k), &carry) })
		all := m.samples()
		took := time.Duration(-1)
		looks(all, 60, func(at time.Time, got []advisor.Finding) {
			for _, f := range got {
				if f.ID == catalog.Leak && f.Severity >= advisor.Warning && took < 0 {
					took = at.Sub(all[0].Time)
				}
			}
		})
		if took >= 0 {
			found++
			worst = max(worst, took)
		}
		t.Logf("seed %d: found after %v (step %.1f s, weights %.1f %%, activations %.0f %%)", seed, took, n.step,
			100*float64(n.weights)*float64(n.layers)/float64(m.card), 100*float64(n.acts)*float64(n.layers)/float64(m.card))
	}
	t.Logf("%d of %d found within two hours, the slowest after %v", found, seeds, worst)
	if found < seeds-1 {
		t.Errorf("%d of %d", found, seeds)
	}
}

package advisor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// simNotices are troubles of jobs that really allocate, beginning after three
// minutes of health at one sample a second.
var simNotices = []struct {
	name   string
	want   catalog.ID
	within time.Duration
	least  float64 // share of the seeds
	play   func(m *sim, began float64)
}{
	{"a leak of 2 % of the card a minute", catalog.Leak, time.Minute, 0.9, func(m *sim, began float64) {
		n, carry := m.net(25), 0.0
		n.step, n.load = math.Min(n.step, 2), 10
		perStep := 0.02 / 60 * float64(m.card) * (n.step + n.wait)
		growing(m, n, began, func(p *proc, _ *trainer, k int64) { kept(p, perStep*float64(k), &carry) })
	}},
	{"sizes that no longer repeat", catalog.ReservedGrowth, 30 * time.Second, 0.9, func(m *sim, began float64) {
		n := m.net(25)
		n.step, n.wait, n.load = m.between(0.2, 1), 0, 10
		n.weights, n.acts = m.share(0.02)/int64(n.layers), m.share(m.between(0.03, 0.08))/int64(n.layers)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			t.steps(began, one, nil)
			first := p.steps
			t.steps(forever, func(s int64) float64 { return 1 + 0.012*float64(s-first) }, nil)
		})
	}},
	{"another process", catalog.OtherProcess, 5 * time.Second, 1, func(m *sim, began float64) {
		n := m.net(25)
		n.acts, n.load = min(n.acts, m.share(0.1)/int64(n.layers)), 10
		m.others = []stranger{{Process: monitor.Process{PID: 9000, ParentPID: 8999, Name: "python", Command: "python other.py"},
			from: began, to: forever, bytes: m.share(m.between(0.08, 0.3))}}
		m.train(n, one)
	}},
}

func TestTroubleOfJobsThatReallyAllocateIsNoticedInTime(t *testing.T) {
	slow(t)
	const began = 180.0
	for k, c := range simNotices {
		var took []float64
		seeds, in := simSeeds(12), 0
		for seed := range uint64(seeds) {
			m := newSim(rand.New(rand.NewPCG(firstSeed()+seed, 90+uint64(k))), 1)
			m.every = 1
			m.stretch(180 + 150)
			c.play(m, began)
			after, ok := noticed(t, m.samples(), time.Duration(began*float64(time.Second)), c.want)
			if !ok {
				after = time.Hour
			}
			if after <= c.within {
				in++
			}
			took = append(took, after.Seconds())
		}
		slices.Sort(took)
		t.Logf("%s: %d of %d within %v; half within %.0f s, nine in ten within %.0f s", c.name, in, seeds, c.within, took[seeds/2], took[seeds*9/10])
		if float64(in) < c.least*float64(seeds)-0.5 {
			t.Errorf("%s: %d of %d within %v", c.name, in, seeds, c.within)
		}
	}
}

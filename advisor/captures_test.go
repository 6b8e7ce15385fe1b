package advisor_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// capturing is a job that captures a CUDA graph again and again: each leaves an
// output in a pool of its own, in which most is idle and for nobody else.
func capturing(seed uint64, spare int64) []monitor.Sample {
	m := newSim(rand.New(rand.NewPCG(seed, 615)), 160, 80, 141)
	n := m.net(60)
	n.weights, n.acts = m.share(0.02)/int64(n.layers), m.share(0.03)/int64(n.layers)
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		each := m.span / 24
		next := p.now + each
		t.steps(forever, one, func(int64) {
			for ; p.now >= next; next += each {
				tmp := p.h.take(spare*m.share(0.004), true)
				p.h.take(m.share(0.004), true)
				p.h.give(tmp)
				p.h.free[poolPrivate] = nil // the next graph has another pool
			}
		})
	})
	return each(m.samples(), func(s *monitor.Sample) {
		s.Torch = append([]monitor.Allocator(nil), s.Torch...)
		for i := range s.Torch { // as from a running process
			s.Torch[i].PrivatePoolBytes = monitor.Unknown[int64](monitor.NotSupported, "not read")
		}
	})
}

// namesGraphs reports whether advice and checks of a finding speak of graphs.
func namesGraphs(f advisor.Finding) bool {
	return len(f.Advice) > 0 && strings.Contains(f.Advice[0].Do, "CUDA graphs") && strings.Contains(f.Confirm, "segment_pool_id") && strings.Contains(f.Refute, "stays 0")
}

func TestGrowthThatMayBeGraphsSaysHowToFindOut(t *testing.T) {
	right := 0
	for seed := range uint64(10) {
		found := advisor.Advise(inputOf(capturing(seed, 8)))
		if len(found) > 0 && (found[0].ID == catalog.Leak || found[0].ID == catalog.ReservedGrowth) && namesGraphs(found[0]) {
			right++
		} else {
			t.Logf("seed %d: %s", seed, list(found, 4))
		}
	}
	if right < 8 {
		t.Errorf("%d of 10", right)
	}
}

func TestGrowthOfAnotherShapeDoesNotSpeakOfGraphs(t *testing.T) {
	wrong, all := 0, 0
	for _, c := range growthCauses {
		for seed := range uint64(10) {
			m := newSim(rand.New(rand.NewPCG(seed, 616)), 200, c.cards...)
			c.play(m)
			for _, f := range advisor.Advise(inputOf(m.samples())) {
				if f.ID == catalog.Leak || f.ID == catalog.ReservedGrowth {
					all++
					if namesGraphs(f) {
						wrong++
						t.Logf("%s, seed %d: %s", c.name, seed, f.Title)
					}
				}
			}
		}
	}
	if all < 50 || 20*wrong > all {
		t.Errorf("%d of %d", wrong, all)
	}
}

func TestALogThatSpeaksOfCapturesLeadsToThem(t *testing.T) {
	m := newSim(rand.New(rand.NewPCG(5, 617)), 200, 24)
	n, carry := m.net(60), 0.0
	perStep := float64(m.share(0.2)) * (n.step + n.wait) / m.span
	growing(m, n, 0, func(p *proc, _ *trainer, k int64) {
		kept(p, perStep*float64(k), &carry)
		if p.steps%20 == 0 {
			p.say("Capturing CUDA graph for batch size 8")
		}
	})
	found := advisor.Advise(inputOf(m.samples()))
	if len(found) == 0 || found[0].ID != catalog.Leak || !namesGraphs(found[0]) {
		t.Errorf("%s", list(found, 3))
	}
}

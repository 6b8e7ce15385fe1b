package advisor_test

import (
	"github.com/vramscope/vramscope/advisor"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// small is a model of which several fit, with steps that samples see.
func (m *sim) small(steps float64) net {
	n := m.net(steps)
	n.weights = min(n.weights, m.share(m.between(0.02, 0.05))/int64(n.layers))
	n.acts = min(n.acts, m.share(0.1)/int64(n.layers))
	n.load = math.Min(n.load, 0.04*m.span)
	return n
}

// drop frees all that a trainer holds.
func (t *trainer) drop() {
	for _, b := range t.held {
		t.p.h.give(b)
	}
	t.held = nil
	t.p.h.empty()
}

// stages trains one model after the other, each announced.
func stages(m *sim, releases bool) {
	n := m.small(80)
	word := []string{"Stage ", "=== stage ", "Fold ", "Starting trial "}[m.r.IntN(4)]
	m.run(0, m.job(), func(p *proc) {
		for k := range 2 {
			p.say(word + strconv.Itoa(k+1))
			t := p.trains(n)
			t.steps(m.span*float64(k+1)/2, one, nil)
			if releases {
				t.drop()
			}
		}
	})
}

// unfreezes trains more and more layers of one model, in announced stages.
func unfreezes(m *sim) {
	n := m.small(80)
	n.frozen = m.between(0.5, 0.95)
	last := m.between(0, n.frozen)
	m.run(0, m.job(), func(p *proc) {
		p.say("Stage 1")
		t := p.trains(n)
		t.steps(m.span*m.between(0.3, 0.6), one, nil)
		p.say("Stage 2")
		for i := range t.layers {
			if before := t.trainable(i); !before && float64(i) >= last*float64(t.layers) {
				t.held = append(t.held, p.take(t.state*t.weights, "adamw.py"))
			}
		}
		t.frozen = last
		t.steps(forever, one, nil)
	})
}

// resumes loads the state of an optimizer, for a while beside a copy of what it
// reads.
func resumes(m *sim) {
	n := m.small(60)
	n.state = int64(m.pick(1, 1, 2, 4))
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		p.wait(m.span * m.pick(0, 0.02, 0.05))
		p.say("loading checkpoint /data/ckpt.pt")
		var read []*piece
		if m.r.IntN(2) == 0 {
			for range t.layers {
				read = append(read, p.take(t.weights, "serialization.py"))
			}
			p.wait(m.span * m.pick(0.01, 0.03))
		}
		for range t.layers {
			t.held = append(t.held, p.take(t.state*t.weights, "adamw.py"))
		}
		t.built = true
		for _, b := range read {
			p.h.give(b)
		}
		p.say("resumed from step 1200")
		p.wait(m.span * m.pick(0, 0.05, 0.1))
		t.steps(forever, one, nil)
	})
}

// copied keeps the checkpoint that it loaded, and generates or trains.
func copied(m *sim, trains bool) {
	n := m.small(60)
	n.weights = m.share(m.between(0.03, 0.1)) / int64(n.layers)
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		p.wait(6 * m.every)
		p.say("loading checkpoint")
		for range t.layers {
			p.take(t.weights, "serialization.py")
		}
		p.wait(6 * m.every)
		p.say("checkpoint loaded")
		p.wait(m.span * m.pick(0, 0.02, 0.04, 0.08)) // workers start
		if trains {
			t.steps(forever, one, nil)
		}
		for {
			t.look(0.2, t.step)
			p.wait(t.wait + 0.1*t.step)
		}
	})
}

var stageCauses = []simCause{
	{name: "a second stage beside the first", want: ids(catalog.SecondStage), info: true, least: 0.6, play: func(m *sim) { stages(m, false) }},
	{name: "a checkpoint kept beside a model that generates", want: ids(catalog.CheckpointLoadDoubling), info: true, least: 0.8, play: func(m *sim) { copied(m, false) }},
	{name: "a checkpoint kept beside a model that trains", want: ids(catalog.CheckpointLoadDoubling), info: true, least: 0.5, play: func(m *sim) { copied(m, true) }},
}

// TestNoCopyIsSeenInHealthyJobs counts what is said of copies and stages, also
// as an info.
func TestNoCopyIsSeenInHealthyJobs(t *testing.T) {
	wrong, judged := 0, 0
	for k, job := range healthyJobs {
		for seed := range uint64(simSeeds(healthySims)) {
			m := newSim(rand.New(rand.NewPCG(100*(firstSeed()+seed)+uint64(k), 83)), 120+int(seed*37%140))
			job.play(m)
			all := m.samples()
			for _, part := range []float64{0.35, 0.7, 1} {
				judged++
				for _, f := range advisor.Advise(inputOf(all[:int(part*float64(len(all)))])) {
					if f.ID == catalog.CheckpointLoadDoubling || f.ID == catalog.SecondStage {
						wrong++
						t.Logf("%s, seed %d at %.0f %%: %s %s: %s", job.name, seed, 100*part, f.Severity, f.ID, f.Title)
					}
				}
			}
		}
	}
	t.Logf("%d of %d windows", wrong, judged)
	if 100*wrong > judged {
		t.Errorf("%d of %d windows", wrong, judged)
	}
}

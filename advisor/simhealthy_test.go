package advisor_test

import (
	"math"
	"math/rand/v2"

	"github.com/vramscope/vramscope/monitor"
)

// simJob is a kind of job. What it is like otherwise comes from the machine's
// randomness.
type simJob struct {
	name string
	play func(m *sim)
}

// job starts a process whose log may tell of its memory.
func (m *sim) job() *proc {
	p := &proc{rank: -1}
	if m.r.IntN(2) == 0 {
		p.logEvery = int64(m.pick(1, 5, 10, 50))
	}
	return p
}

// train plays a training loop whose steps have those sizes.
func (m *sim) train(n net, size func(step int64) float64) {
	m.run(0, m.job(), func(p *proc) { p.trains(n).steps(forever, size, nil) })
}

// lengths gives each step a size of its own, the same each time it is asked.
func lengths(seed uint64, kind int) func(int64) float64 {
	return func(step int64) float64 {
		r := rand.New(rand.NewPCG(seed, uint64(step)))
		switch kind {
		case 0:
			return 0.2 + 0.8*r.Float64()
		case 1:
			return math.Min(1, 0.15*math.Exp(0.6*r.NormFloat64()))
		}
		return float64(1+r.IntN(8)) / 8 // buckets
	}
}

var healthyJobs = []simJob{
	{"plain training", func(m *sim) { m.train(m.net(25), one) }},
	{"varying lengths", func(m *sim) { m.train(m.net(25), lengths(m.r.Uint64(), m.r.IntN(3))) }},
	{"gradient accumulation", accumulates},
	{"evaluation every N steps", func(m *sim) { evaluates(m, true) }},
	{"evaluation nobody announces", func(m *sim) { evaluates(m, false) }},
	{"checkpoints saved", savesCheckpoints},
	{"batch size warmed up", func(m *sim) {
		n := m.net(25)
		last := 0.4 * m.span / (n.step + n.wait)
		m.train(n, func(s int64) float64 { return math.Min(1, math.Exp2(math.Floor(4*float64(s)/last)-3)) })
	}},
	{"lengths by curriculum", func(m *sim) {
		n := m.net(25)
		last := 0.9 * m.span / (n.step + n.wait)
		m.train(n, func(s int64) float64 { return 0.25 * math.Min(4, 1+math.Floor(4*float64(s)/last)) })
	}},
	{"lengths sorted in each epoch", func(m *sim) {
		n := m.net(60)
		epoch := math.Max(8, m.between(0.2, 0.4)*m.span/(n.step+n.wait))
		m.train(n, func(s int64) float64 { return (1 + math.Floor(8*math.Mod(float64(s), epoch)/epoch)) / 8 })
	}},
	{"ranks of one job", ranksOfOneJob},
	{"restarted", func(m *sim) {
		n := m.net(60)
		for i := range 2 {
			from := float64(i) * m.span * 0.5
			m.run(from, m.job(), func(p *proc) { p.trains(n).steps(from+0.45*m.span, one, nil) })
		}
	}},
	{"CUDA graphs", func(m *sim) {
		n := m.net(25)
		n.acts = min(n.acts, m.share(0.1)/int64(n.layers))
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			t.private = true
			t.steps(forever, one, nil)
		})
	}},
	{"compiled, tuned at the start", compiled},
	{"host memory that grows", func(m *sim) {
		n := m.net(25)
		m.run(0, m.job(), func(p *proc) {
			p.trains(n).steps(forever, one, func(k int64) { p.host += k * 3 * mib })
		})
	}},
	{"server with a planned cache", plannedServer},
	{"generation, request by request", func(m *sim) { generates(m, false) }},
	{"generation and training in turn", func(m *sim) { generates(m, true) }},
	{"LoRA", func(m *sim) {
		n := m.net(25)
		n.weights, n.frozen = m.share(m.between(0.2, 0.5))/int64(n.layers), 0.9
		n.acts = min(n.acts, m.share(0.2)/int64(n.layers))
		m.train(n, lengths(m.r.Uint64(), m.r.IntN(3)))
	}},
	{"several processes of one launcher on a card", func(m *sim) {
		n := m.net(25)
		n.weights, n.acts = n.weights/4, n.acts/4
		for i := range 2 + m.r.IntN(2) {
			p := m.job()
			p.info.ParentPID = 2500
			m.run(float64(i)*m.every, p, func(p *proc) { p.trains(n).steps(forever, one, nil) })
		}
	}},
	{"loading all the time", func(m *sim) {
		n := m.net(25)
		n.weights, n.load = m.share(m.between(0.2, 0.7))/int64(n.layers), 1.2*m.span
		n.layers, n.weights = 40, n.weights*int64(n.layers)/40
		m.train(n, one)
	}},
	{"an average of the weights from later on", func(m *sim) {
		n := m.net(40)
		n.weights = min(n.weights, m.share(0.06)/int64(n.layers))
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			t.steps(m.span*m.between(0.2, 0.6), one, nil)
			for range n.layers {
				p.take(n.weights, "ema.py")
			}
			t.steps(forever, one, nil)
		})
	}},
	{"a metric that is reset each epoch", func(m *sim) {
		n := m.net(60)
		epoch, each := int64(m.between(8, 20)), m.share(m.between(0.0002, 0.002))/10
		m.run(0, m.job(), func(p *proc) {
			var kept []*piece
			t := p.trains(n)
			t.steps(forever, one, func(int64) {
				if p.steps%epoch == 0 || int64(len(kept)) >= epoch {
					for _, b := range kept {
						p.h.give(b)
					}
					kept = nil
				}
				kept = append(kept, p.take(each, "metric.py"))
			})
		})
	}},
	{"a model spread over two cards", func(m *sim) {
		n := m.net(25)
		m.gpus = 2
		p := m.job()
		p.extra = map[int]int64{1: m.share(0.4)}
		m.run(0, p, func(p *proc) { p.trains(n).steps(forever, one, nil) })
	}},
	{"a notebook whose cells load things", func(m *sim) {
		m.run(0, m.job(), func(p *proc) {
			for range 6 {
				p.take(m.share(m.between(0.01, 0.12)), "cell")
				p.wait(m.span * m.between(0.08, 0.2))
			}
			p.wait(forever)
		})
	}},
	{"images, decoded at the end of each", func(m *sim) {
		n := m.net(40)
		n.weights, n.acts, n.state = m.share(m.between(0.1, 0.3))/int64(n.layers), m.share(0.02)/int64(n.layers), 0
		high := m.between(1, 3)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			for {
				t.look(1, 20*n.step)
				b := p.take(int64(high*0.1*float64(m.card)), "vae.py")
				p.wait(n.step)
				p.h.give(b)
			}
		})
	}},
	{"checkpointed activations", func(m *sim) {
		n := m.net(25)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			for {
				p.steps += p.jump(n.step + n.wait)
				var kept []*piece
				for range n.layers {
					kept = append(kept, p.take(n.acts/8, "ckpt.py"))
					p.wait(0.3 * n.step / float64(n.layers))
				}
				for i := range n.layers {
					b := p.take(n.acts, "ckpt.py")
					p.wait(0.6 * n.step / float64(n.layers))
					p.h.give(b)
					p.h.give(kept[i])
				}
				t.apply()
			}
		})
	}},
	{"near the edge of the card", func(m *sim) {
		n := m.net(25)
		n.weights = m.share(m.between(0.03, 0.1)) / int64(n.layers)
		n.acts = (m.card*94/100 - 4*n.weights*int64(n.layers) - gib) / int64(n.layers) * 8 / 10
		m.train(n, one)
	}},
	{"features first, training then", func(m *sim) {
		n := m.net(60)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			for p.now < 0.4*m.span {
				t.look(0.5, 4*n.step)
			}
			t.steps(forever, one, nil)
		})
	}},
	{"stages that release what was before", func(m *sim) { stages(m, true) }},
	{"layers unfrozen stage by stage", unfreezes},
	{"resumed from a checkpoint", resumes},
}

func accumulates(m *sim) {
	n := m.net(40)
	every := 2 + m.r.IntN(7)
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		for {
			p.steps += p.jump(float64(every) * n.step)
			for range every {
				t.micro(1)
			}
			t.apply()
		}
	})
}

func evaluates(m *sim, says bool) {
	n := m.net(60)
	every, f, takes := m.span*m.between(0.12, 0.3), m.between(0.4, 2), m.between(0.1, 0.5)
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		for {
			t.steps(p.now+every*(1-takes), one, nil)
			if says {
				p.say("Validating ...")
			}
			t.look(f, every*takes)
			if says {
				p.say("validation done")
			}
		}
	})
}

func savesCheckpoints(m *sim) {
	n := m.net(60)
	every, copies := m.span*m.between(0.1, 0.3), m.r.IntN(2) == 0
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		for {
			t.steps(p.now+every, one, nil)
			p.say("saving checkpoint to /data/ckpt")
			if copies {
				b := p.take(n.weights*int64(n.layers)/2, "save.py")
				p.wait(2 * n.step)
				p.h.give(b)
			} else {
				p.wait(4 * n.step)
			}
		}
	})
}

func ranksOfOneJob(m *sim) {
	n := m.net(25)
	m.gpus = 2 + 2*m.r.IntN(3)
	nccl := int64(m.between(0.2, 0.9) * gib)
	for g := range m.gpus {
		p := &proc{gpu: g, rank: g, outside: nccl}
		p.info.ParentPID, p.info.Rank, p.info.World = 2500, monitor.Known(g), monitor.Known(m.gpus)
		if g == 0 {
			p.logEvery = 10
		}
		m.run(0, p, func(p *proc) { p.trains(n).steps(forever, one, nil) })
	}
}

func compiled(m *sim) {
	n := m.net(25)
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		for range 3 {
			for range 4 { // candidates of a kernel
				b := p.take(int64(m.between(0.2, 1)*float64(n.acts)*float64(n.layers)), "autotune.py")
				p.wait(n.step)
				p.h.give(b)
			}
			t.micro(1)
			t.apply()
		}
		t.steps(forever, one, nil)
	})
}

func plannedServer(m *sim) {
	n := m.net(25)
	n.weights = m.share(m.between(0.1, 0.4)) / int64(n.layers)
	p := &proc{rank: -1}
	p.info.Name, p.info.Command = "python3", "python3 -m vllm.entrypoints.openai.api_server"
	m.run(0, p, func(p *proc) {
		t := p.trains(n)
		p.take(m.share(0.9)-p.h.reserved-p.context, "cache_engine.py")
		for {
			t.look(0.1, 5*n.step)
			p.wait(m.between(0, 20) * n.step)
		}
	})
}

// generates plays caches that grow token by token and are dropped, perhaps
// with steps of training between them.
func generates(m *sim, trains bool) {
	n := m.net(80)
	empties := m.r.IntN(2) == 0
	each := m.share(m.between(0.0005, 0.004)) // of a token
	if !trains {
		n.state = 0
	}
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		for {
			tokens := 10 + m.r.IntN(40)
			var cache []*piece
			for range tokens {
				cache = append(cache, p.take(each, "cache_utils.py"))
				p.wait(n.step / 4)
			}
			for _, b := range cache {
				p.h.give(b)
			}
			if empties {
				p.h.empty()
			}
			if trains {
				t.steps(p.now+m.between(5, 12)*n.step, one, nil)
			}
			p.wait(m.between(0, 3) * n.step)
		}
	})
}

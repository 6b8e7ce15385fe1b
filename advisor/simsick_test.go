package advisor_test

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// simCause is a kind of trouble, and what may be said of it first.
type simCause struct {
	name  string
	want  []catalog.ID
	info  bool    // it is worth no warning
	least float64 // share of the seeds in which it must be right
	cards []float64
	play  func(m *sim)
}

func ids(all ...catalog.ID) []catalog.ID { return all }

// growing is a training loop to which something is added.
func growing(m *sim, n net, from float64, each func(p *proc, t *trainer, steps int64)) {
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		t.steps(from, one, nil)
		t.steps(forever, one, func(k int64) { each(p, t, k) })
	})
}

// kept is a leak: each step leaves that much behind.
func kept(p *proc, bytes float64, carry *float64) {
	for *carry += bytes; *carry >= 512; {
		size := int64(*carry)
		p.take(size, "train.py\", line 40, in train\n    losses.append(loss)")
		*carry -= float64(size)
	}
}

var growthCauses = []simCause{
	{name: "leak of losses", want: ids(catalog.Leak), least: 0.85, play: func(m *sim) {
		n, carry := m.net(40), 0.0
		perStep := float64(m.share(m.between(0.06, 0.25))) * (n.step + n.wait) / m.span
		growing(m, n, 0, func(p *proc, _ *trainer, k int64) { kept(p, perStep*float64(k), &carry) })
	}},
	{name: "leak of outputs that begins late", want: ids(catalog.Leak), least: 0.85, play: func(m *sim) {
		n, carry := m.net(80), 0.0
		perStep := float64(m.share(m.between(0.08, 0.25))) * (n.step + n.wait) / m.span
		growing(m, n, m.between(0.2, 0.5)*m.span, func(p *proc, _ *trainer, k int64) { kept(p, perStep*float64(k), &carry) })
	}},
	{name: "leak in every tenth step", want: ids(catalog.Leak), least: 0.85, play: func(m *sim) {
		n, carry, due := m.net(150), 0.0, 0.0
		perStep := float64(m.share(m.between(0.1, 0.25))) * (n.step + n.wait) / m.span
		growing(m, n, 0, func(p *proc, _ *trainer, k int64) {
			due += perStep * float64(k)
			if p.steps/10 != (p.steps-k)/10 {
				kept(p, due, &carry)
				due = 0
			}
		})
	}},
	{name: "leak until it fails", want: ids(catalog.Leak), least: 0.85, play: func(m *sim) {
		n, carry := m.net(60), 0.0
		perStep := float64(m.share(1.2)) * (n.step + n.wait) / m.span
		growing(m, n, 0, func(p *proc, _ *trainer, k int64) { kept(p, perStep*float64(k), &carry) })
	}},
	{name: "leak under varying lengths", want: ids(catalog.Leak), least: 0.8, play: func(m *sim) {
		n, carry := m.net(60), 0.0
		perStep := float64(m.share(m.between(0.1, 0.25))) * (n.step + n.wait) / m.span
		m.run(0, m.job(), func(p *proc) {
			p.trains(n).steps(forever, lengths(m.r.Uint64(), m.r.IntN(3)), func(k int64) { kept(p, perStep*float64(k), &carry) })
		})
	}},
	{name: "leak in one rank of several", want: ids(catalog.Leak), least: 0.85, play: func(m *sim) {
		n := m.net(40)
		m.gpus = 4
		perStep := float64(m.share(m.between(0.08, 0.25))) * (n.step + n.wait) / m.span
		for g := range m.gpus {
			p, carry := &proc{gpu: g, rank: g}, 0.0
			p.info.ParentPID, p.info.Rank, p.info.World = 2500, monitor.Known(g), monitor.Known(m.gpus)
			m.run(0, p, func(p *proc) {
				p.trains(n).steps(forever, one, func(k int64) {
					if g == 2 {
						kept(p, perStep*float64(k), &carry)
					}
				})
			})
		}
	}},
	{name: "sizes that never repeat", want: ids(catalog.ReservedGrowth, catalog.Fragmentation, catalog.AllocRetries), least: 0.8, play: func(m *sim) {
		n := m.net(60)
		n.step = math.Min(n.step, 2*m.every)
		n.weights, n.acts = m.share(0.02)/int64(n.layers), m.share(m.between(0.05, 0.1))/int64(n.layers)
		all := m.span / (n.step + n.wait)
		m.train(n, func(s int64) float64 { return 0.2 + 1.3*float64(s)/all })
	}},
	{name: "growth outside torch", want: ids(catalog.NonTorchLeak), least: 0.9, play: func(m *sim) {
		n := m.net(25)
		perSecond := float64(m.share(m.between(0.08, 0.3))) / m.span
		growing(m, n, 0, func(p *proc, _ *trainer, _ int64) { p.outside = int64(perSecond * p.now) })
	}},
	{name: "flushed again and again", want: ids(catalog.AllocRetries, catalog.ReservedGrowth), least: 0.8, play: func(m *sim) {
		n := m.net(80)
		n.step = math.Min(n.step, 3*m.every)
		m.run(0, m.job(), func(p *proc) {
			for i := 0; ; i++ {
				count, size := 8, m.share(0.085)
				p.h.stream = i%2 == 1 // which cannot use the blocks of the first
				var pieces []*piece
				for range count {
					pieces = append(pieces, p.take(size, "pack.py"))
					p.wait(0.5 * n.step / float64(count))
				}
				for _, b := range pieces {
					p.h.give(b)
				}
				p.wait(0.5 * n.step)
				p.steps++
				p.print()
			}
		})
	}},
	{name: "little room left", want: ids(catalog.HeadroomLow), info: true, least: 0.9, play: func(m *sim) {
		n := m.net(25)
		n.weights, n.acts = m.share(0.05)/int64(n.layers), m.share(0.1)/int64(n.layers)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			p.take(p.roomLeft()-3*n.weights*int64(n.layers)-m.share(0.14), "buffer.py")
			t.steps(m.span*0.2, one, nil)
			p.outside = max(0, p.roomLeft()-m.share(0.02))
			t.steps(forever, one, nil)
		})
	}},
	{name: "short peaks", want: ids(catalog.TransientPeak, catalog.LengthSpike), least: 0.8, play: func(m *sim) {
		n := m.net(60)
		n.step, n.wait = math.Min(n.step, 2*m.every), 0
		n.weights, n.acts = m.share(0.015)/int64(n.layers), m.share(0.03)/int64(n.layers)
		every, high := m.span/m.between(8, 14), m.between(0.45, 0.7)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			for {
				t.steps(p.now+0.85*every, one, nil)
				b := p.take(m.share(high), "metrics.py")
				p.wait(0.15 * every)
				p.h.give(b)
			}
		})
	}},
	{name: "a phase that is over", want: ids(catalog.CacheRetention), least: 0.8, play: func(m *sim) {
		n := m.net(60)
		n.step = math.Min(n.step, 4*m.every)
		n.weights, n.acts = m.share(0.01)/int64(n.layers), m.share(0.02)/int64(n.layers)
		m.run(0, m.job(), func(p *proc) {
			var phase []*piece
			high := m.between(0.3, 0.7)
			for range 25 {
				phase = append(phase, p.take(m.share(high/25), "embed.py"))
			}
			p.wait(m.between(0.08, 0.2) * m.span)
			for _, b := range phase {
				p.h.give(b)
			}
			p.trains(n).steps(forever, one, nil)
		})
	}},
	{name: "a notebook that idles", want: ids(catalog.CacheRetention), least: 0.8, play: func(m *sim) {
		n := m.net(60)
		n.weights, n.acts = min(n.weights, m.share(0.02)/int64(n.layers)), m.share(m.between(0.2, 0.4))/int64(n.layers)
		m.run(0, m.job(), func(p *proc) {
			p.trains(n).steps(m.between(0.15, 0.35)*m.span, one, nil)
			p.wait(forever)
		})
	}},
	{name: "graphs for many shapes", want: ids(catalog.PrivatePools), least: 0.8, play: func(m *sim) {
		n := m.net(40)
		n.weights, n.acts = min(n.weights, m.share(0.03)/int64(n.layers)), m.share(0.02)/int64(n.layers)
		shapes := 8 + m.r.IntN(8)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			for range shapes {
				p.h.take(m.share(0.5)/int64(shapes), true)
				p.wait(0.01 * m.span)
			}
			t.steps(forever, one, nil)
		})
	}},
	{name: "gradients on in evaluation", want: ids(catalog.EvalWithoutNoGrad, catalog.Leak, catalog.EvalPredictions), least: 0.8, play: func(m *sim) {
		keepsInEval(m, true)
	}},
	{name: "predictions kept on the device", want: ids(catalog.EvalPredictions, catalog.EvalWithoutNoGrad, catalog.Leak), least: 0.8, play: func(m *sim) {
		keepsInEval(m, false)
	}},
	{name: "a second model beside the first", want: ids(catalog.SecondStage, catalog.Leak), info: true, least: 0.8, play: func(m *sim) {
		n := m.net(100)
		n.step, n.load = math.Min(n.step, 4*m.every), 0.03*m.span
		n.weights, n.acts = m.share(m.between(0.02, 0.045))/int64(n.layers), min(n.acts, m.share(0.1)/int64(n.layers))
		m.run(0, m.job(), func(p *proc) {
			for k := range 4 {
				p.say("=== stage " + string(rune('1'+k)) + " ===")
				p.trains(n).steps(m.span*float64(k+1)/4, one, nil)
			}
		})
	}},
	{name: "held after a failure", want: ids(catalog.OOMRecovery), least: 0.8, play: func(m *sim) {
		n := m.net(80)
		n.step = math.Min(n.step, 3*m.every)
		n.weights, n.acts = m.share(0.03)/int64(n.layers), m.share(0.12)/int64(n.layers)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			t.steps(0.4*m.span, one, nil)
			p.try(func() { p.take(m.card, "search.py\", line 12, in try_batch") })
			p.take(m.share(m.between(0.1, 0.25)), "search.py") // what the traceback holds
			t.steps(forever, one, nil)
		})
	}},
}

// keepsInEval evaluates in turn with training; what each batch leaves is its
// activations, or its outputs alone.
func keepsInEval(m *sim, graphs bool) {
	n := m.net(80)
	n.step, n.wait = math.Min(n.step, 3*m.every), 0
	n.weights, n.acts = min(n.weights, m.share(0.06)/int64(n.layers)), m.share(m.between(0.02, 0.06))/int64(n.layers)
	every, batches := m.span/m.between(4.5, 7), 16
	top := m.share(m.between(0.25, 0.4)) / int64(batches)
	m.run(0, m.job(), func(p *proc) {
		t := p.trains(n)
		for {
			t.steps(p.now+0.6*every, one, nil)
			p.say("Validating ...")
			var kept []*piece
			for range batches {
				if graphs {
					kept = append(kept, p.take(top, "eval.py"))
					p.wait(0.4 * every / float64(batches))
					continue
				}
				b := p.take(n.acts, "eval.py")
				p.wait(0.2 * every / float64(batches))
				kept = append(kept, p.take(top, "eval.py"))
				p.h.give(b)
				p.wait(0.2 * every / float64(batches))
			}
			for _, b := range kept {
				p.h.give(b)
			}
			p.say("validation done")
		}
	})
}

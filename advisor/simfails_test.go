package advisor_test

import (
	"math"
	"strings"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// fitCauses are jobs that fail.
var fitCauses = []simCause{
	{name: "a model that does not fit", want: ids(catalog.ModelTooBigAtLoad, catalog.Capacity), least: 0.9, play: func(m *sim) {
		n := m.net(25)
		n.layers = 20
		n.weights, n.load = m.share(m.between(1.1, 2))/20, 0.5*m.span
		m.train(n, one)
	}},
	{name: "the optimizer's state does not fit", want: ids(catalog.OptimizerStateFirstStep), least: 0.9, play: func(m *sim) {
		n := m.net(25)
		n.weights, n.acts = m.share(m.between(0.28, 0.4))/int64(n.layers), m.share(0.03)/int64(n.layers)
		m.train(n, one)
	}},
	{name: "activations do not fit", want: ids(catalog.ActivationsTooLarge, catalog.Capacity), least: 0.9, play: func(m *sim) {
		n := m.net(25)
		n.weights, n.acts = m.share(m.between(0.02, 0.05))/int64(n.layers), m.share(m.between(1.2, 2))/int64(n.layers)
		m.train(n, one)
	}},
	{name: "batches that grow until it fails", want: ids(catalog.ActivationsTooLarge, catalog.LengthSpike, catalog.Capacity), least: 0.85, play: func(m *sim) {
		n := m.net(60)
		n.weights, n.acts = m.share(m.between(0.02, 0.05))/int64(n.layers), m.share(0.3)/int64(n.layers)
		all := 0.9 * m.span / (n.step + n.wait)
		m.train(n, func(s int64) float64 { return math.Exp2(math.Floor(5*float64(s)/all) - 2) })
	}},
	{name: "one batch much larger", want: ids(catalog.LengthSpike, catalog.ActivationsTooLarge), least: 0.9, play: func(m *sim) {
		n := m.net(60)
		n.weights, n.acts = min(n.weights, m.share(0.06)/int64(n.layers)), m.share(m.between(0.06, 0.15))/int64(n.layers)
		at := int64(m.between(0.6, 0.9) * m.span / (n.step + n.wait))
		m.train(n, func(s int64) float64 {
			if s >= at {
				return 16
			}
			return 1
		})
	}},
	{name: "logits over a large vocabulary", want: ids(catalog.LogitsLargeVocab, catalog.ActivationsTooLarge), least: 0.9, play: func(m *sim) {
		n := m.net(40)
		growing(m, n, 0.4*m.span, func(p *proc, _ *trainer, _ int64) {
			p.take(m.card-p.h.allocated, "torch/nn/functional.py\", line 3494, in cross_entropy")
		})
	}},
	{name: "a generation cache that does not fit", want: ids(catalog.KVCacheGrowth), least: 0.9, play: func(m *sim) {
		n := m.net(60)
		n.state = 0
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			for {
				t.look(0.1, n.step)
				var cache []*piece
				for tokens := 20 + m.r.IntN(90); tokens > 0; tokens-- {
					cache = append(cache, p.take(m.share(0.011), "transformers/cache_utils.py\", line 120, in update"))
					p.wait(0.1 * n.step)
				}
				for _, b := range cache {
					p.h.give(b)
				}
			}
		})
	}},
	{name: "a second copy from the checkpoint", want: ids(catalog.CheckpointLoadDoubling), least: 0.9, play: func(m *sim) {
		n := m.net(40)
		n.weights = m.share(m.between(0.35, 0.48)) / int64(n.layers)
		m.run(0, m.job(), func(p *proc) {
			p.trains(n)
			p.say("loading checkpoint /data/ckpt")
			for range 3 * n.layers {
				p.take(n.weights, "torch/serialization.py\", line 1309, in _load")
				p.wait(0.02 * m.span)
			}
		})
	}},
	{name: "a limit of its own", want: ids(catalog.MemoryFractionLimit), least: 0.9, play: func(m *sim) {
		n := m.net(40)
		n.weights, n.acts = m.share(0.02)/int64(n.layers), m.share(0.05)/int64(n.layers)
		p := m.job()
		p.cap = m.share(m.between(0.3, 0.5))
		m.run(0, p, func(p *proc) {
			t := p.trains(n)
			for f := 1.5; ; f *= 1.2 {
				t.steps(p.now+0.1*m.span, func(int64) float64 { return f * f }, nil)
			}
		})
	}},
	{name: "idle memory in pieces", want: ids(catalog.Fragmentation, catalog.ReservedGrowth), least: 0.8, play: func(m *sim) {
		n := m.net(60)
		n.weights, n.acts = m.share(0.01)/int64(n.layers), m.share(0.02)/int64(n.layers)
		m.run(0, m.job(), func(p *proc) {
			t := p.trains(n)
			t.steps(0.5*m.span, one, nil)
			// Pairs of a large and a small block in one segment each; the large go.
			size := m.share(0.6) / 40
			var large []*piece
			for range 40 {
				b := p.take(size+2*mib, "index.py")
				p.h.give(b)
				large = append(large, p.take(size, "index.py"))
				p.take(2*mib, "index.py")
			}
			for _, b := range large {
				p.h.give(b)
			}
			t.steps(0.6*m.span, one, nil)
			p.take(m.share(0.43), "index.py\", line 9, in build")
		})
	}},
}

// holderCauses are about who holds the card.
var holderCauses = []simCause{
	{name: "another process comes", want: ids(catalog.OtherProcess), least: 0.95, play: func(m *sim) {
		n := m.net(25)
		n.acts = min(n.acts, m.share(0.1)/int64(n.layers))
		m.others = []stranger{{Process: monitor.Process{PID: 9000, ParentPID: 8999, Name: "python", Command: "python other.py"},
			from: m.span * m.between(0.1, 0.7), to: forever, bytes: m.share(m.between(0.1, 0.3))}}
		m.train(n, one)
	}},
	{name: "another process fills the card", want: ids(catalog.OtherProcess), least: 0.9, play: func(m *sim) {
		n := m.net(25)
		m.others = []stranger{{Process: monitor.Process{PID: 900, ParentPID: 899, Name: "python", Command: "python other.py"},
			to: forever, bytes: m.share(m.between(0.85, 0.95)) - gib/2}}
		n.weights = m.share(0.1) / int64(n.layers)
		m.train(n, one)
	}},
	{name: "left behind by a dead run", want: ids(catalog.ZombieProcess, catalog.OtherProcess), least: 0.9, play: func(m *sim) {
		n := m.net(25)
		n.acts = min(n.acts, m.share(0.1)/int64(n.layers))
		m.others = []stranger{{Process: monitor.Process{PID: 900, ParentPID: 1, Name: "python", Command: "python train.py", CPUPercent: monitor.Known(0.0)},
			to: forever, bytes: m.share(m.between(0.1, 0.3))}}
		m.train(n, one)
	}},
	{name: "memory of somebody who is not listed", want: ids(catalog.OtherProcess), least: 0.9, cards: []float64{24, 40, 80, 141}, play: func(m *sim) {
		n := m.net(25)
		n.acts = min(n.acts, m.share(0.1)/int64(n.layers))
		m.unlisted = m.share(m.between(0.12, 0.3))
		m.train(n, one)
	}},
	{name: "another library in the process", want: ids(catalog.OtherLibrary, catalog.NonTorchMemory), least: 0.9, cards: []float64{24, 40, 80, 141}, play: func(m *sim) {
		n := m.net(25)
		p := m.job()
		p.info.Command = []string{"python jax_train.py", "python train.py --renderer egl"}[m.r.IntN(2)]
		p.outside = m.share(m.between(0.15, 0.4))
		n.acts, n.weights = min(n.acts, m.share(0.1)/int64(n.layers)), min(n.weights, m.share(0.06)/int64(n.layers))
		m.run(0, p, func(p *proc) { p.trains(n).steps(forever, one, nil) })
	}},
	{name: "the context on a small card", want: ids(catalog.LibraryWorkspace), info: true, least: 0.9, cards: []float64{4, 6, 8}, play: func(m *sim) {
		n := m.net(25)
		n.acts = min(n.acts, m.share(0.1)/int64(n.layers))
		p := m.job()
		p.outside = 512 * mib
		m.run(0, p, func(p *proc) { p.trains(n).steps(forever, one, nil) })
	}},
	{name: "contexts of other ranks on GPU 0", want: ids(catalog.DDPRankContexts), least: 0.9, play: func(m *sim) {
		n := m.net(25)
		m.gpus = 4
		for g := range m.gpus {
			p := &proc{gpu: g, rank: g}
			p.info.ParentPID, p.info.Rank, p.info.World = 2500, monitor.Known(g), monitor.Known(m.gpus)
			if g > 0 {
				p.extra = map[int]int64{0: int64(m.between(0.3, 0.6) * gib)}
			}
			m.run(0, p, func(p *proc) { p.trains(n).steps(forever, one, nil) })
		}
	}},
	{name: "loader workers with contexts", want: ids(catalog.DataloaderWorkers), least: 0.9, cards: []float64{8, 16, 24, 40, 80}, play: func(m *sim) {
		n := m.net(25)
		n.acts = min(n.acts, m.share(0.1)/int64(n.layers))
		m.train(n, one)
		for w := range 6 + m.r.IntN(6) {
			m.others = append(m.others, stranger{Process: monitor.Process{PID: 5000 + w, ParentPID: m.procs[0].info.PID, Name: "python", Command: "python train.py"},
				to: forever, bytes: 400 * mib})
		}
	}},
	{name: "one rank far fuller", want: ids(catalog.RankImbalance), least: 0.9, info: true, play: func(m *sim) {
		m.gpus = 4
		for g := range m.gpus {
			n := m.net(25)
			n.weights, n.acts = m.share(0.03)/int64(n.layers), m.share(0.1)/int64(n.layers)
			if g == 0 {
				n.acts = m.share(0.6) / int64(n.layers)
			}
			p := &proc{gpu: g, rank: g}
			p.info.ParentPID, p.info.Rank, p.info.World = 2500, monitor.Known(g), monitor.Known(m.gpus)
			m.run(0, p, func(p *proc) { p.trains(n).steps(forever, one, nil) })
		}
	}},
}

// told is a healthy job whose log says that line.
func told(lines ...string) func(m *sim) {
	return func(m *sim) {
		n := m.net(25)
		m.run(0, m.job(), func(p *proc) {
			p.trains(n).steps(m.span*m.between(0.4, 0.9), one, nil)
			p.say(lines[m.r.IntN(len(lines))])
			p.wait(2 * m.every)
		})
	}
}

// aroundCauses lie outside the three layers.
var aroundCauses = []simCause{
	{name: "full precision", want: ids(catalog.FP32), least: 0.9, cards: []float64{80, 141}, play: func(m *sim) {
		fp := m.between(35, 75)
		m.gpm = func(t float64, _ int) monitor.Activity {
			wave := 1 + 0.05*math.Sin(7*t)
			return monitor.Activity{SMPercent: monitor.Known(90 * wave), TensorPercent: monitor.Known(0.05 * wave), FP32Percent: monitor.Known(fp * wave)}
		}
		m.train(m.net(25), one)
	}},
	{name: "killed by the host", want: ids(catalog.HostRAM), least: 0.9, play: told("torch.distributed.elastic: Signal 9 (SIGKILL) received by PID 77", "Out of memory: Killed process 77 (python)", "DefaultCPUAllocator: can't allocate memory: you tried to allocate 64000000000 bytes")},
	{name: "shared memory", want: ids(catalog.DevShmTooSmall), least: 0.9, play: told("RuntimeError: DataLoader worker (pid 88) is killed by signal: Bus error.", "RuntimeError: unable to open shared memory object </torch_77>")},
	{name: "limit of the container", want: ids(catalog.ContainerLimit), least: 0.9, play: func(m *sim) {
		p, n := m.job(), m.net(25)
		p.info.Container = monitor.Container{Runtime: "docker", ID: "0123456789ab", LimitBytes: monitor.Known[int64](32 * gib)}
		m.run(0, p, func(p *proc) {
			p.trains(n).steps(forever, one, func(k int64) { p.host = min(31*gib, 4*gib+int64(60*gib*p.now/m.span)) })
		})
	}},
	{name: "NCCL without room", want: ids(catalog.NCCLOverhead), least: 0.9, play: told("node7: [12] NCCL WARN Failed to CUDA calloc 4194304 bytes", "NCCL WARN Cuda failure 'out of memory'")},
	{name: "a setting that does not exist", want: ids(catalog.AllocConf), least: 0.9, play: func(m *sim) {
		p, n := m.job(), m.net(25)
		p.info.AllocConf = monitor.Known([]string{"expandable_segment:True", "max_split_size:128", "expandable_segments:True,max_split_size_mb:64"}[m.r.IntN(3)])
		p.info.TorchVersion = monitor.Known("2.6.0")
		m.run(0, p, func(p *proc) { p.trains(n).steps(forever, one, nil) })
	}},
	{name: "an error of the GPU", want: ids(catalog.GPUError), least: 0.9, play: func(m *sim) {
		from := m.span * 0.6
		m.gpuTurn = func(t float64, g *monitor.GPU) {
			if t > from {
				g.ECC.UncorrectedCount = monitor.Known[int64](2)
			}
		}
		m.train(m.net(25), one)
	}},
}

// causes are all of them.
func causes() []simCause {
	var all []simCause
	for _, group := range [][]simCause{growthCauses, fitCauses, holderCauses, aroundCauses, stageCauses} {
		all = append(all, group...)
	}
	return all
}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

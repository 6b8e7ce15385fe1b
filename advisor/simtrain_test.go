package advisor_test

import (
	"fmt"
	"math"

	"github.com/vramscope/vramscope/monitor"
)

// net is what a model needs.
type net struct {
	layers  int
	weights int64   // bytes a layer
	acts    int64   // bytes of activations a layer at size 1
	frozen  float64 // share of the layers that do not train
	state   int64   // of the optimizer, in weights
	step    float64 // seconds of one pass forward and backward
	wait    float64 // seconds between steps
	load    float64 // seconds
}

func (m *sim) pick(values ...float64) float64 { return values[m.r.IntN(len(values))] }

func (m *sim) between(low, high float64) float64 { return low + (high-low)*m.r.Float64() }

// net returns a model of a random size that fits, with steps of which the
// window holds at least so many.
func (m *sim) net(steps float64) net {
	n := net{layers: 4 + m.r.IntN(7), state: 2}
	n.weights = m.share(m.pick(0.004, 0.01, 0.03, 0.06, 0.12)) / int64(n.layers)
	n.acts = m.share(m.pick(0.01, 0.03, 0.1, 0.2, 0.35)) / int64(n.layers)
	n.acts = min(n.acts, (m.card*8/10-4*n.weights*int64(n.layers)-gib)/int64(n.layers)*8/10)
	n.step = m.pick(0.1, 0.25, 0.6, 1.3, 3, 8, 30)
	n.step = math.Min(n.step, 0.8*m.span/steps) * m.between(0.8, 1.2)
	n.wait = n.step * m.pick(0, 0, 0.02, 0.1, 0.4)
	n.load = m.span * m.pick(0.01, 0.04, 0.1)
	return n
}

func (m *sim) share(s float64) int64 { return int64(s * float64(m.card)) }

// trainer is a training loop.
type trainer struct {
	net
	p       *proc
	held    []*piece
	grads   []*piece
	built   bool
	private bool // activations of a CUDA graph
}

// trains loads a model.
func (p *proc) trains(n net) *trainer {
	t := &trainer{net: n, p: p, grads: make([]*piece, n.layers)}
	p.wait(0.2 * n.load) // imports
	for range n.layers {
		t.held = append(t.held, p.take(n.weights, "modeling.py\", line 88, in _apply\n    return fn(t)"))
		p.wait(0.8 * n.load / float64(n.layers))
	}
	return t
}

// take allocates, or fails as torch does.
func (p *proc) take(size int64, doing string) *piece {
	b := p.h.take(size, false)
	if b == nil {
		p.fail(size, doing)
	}
	return b
}

func (t *trainer) trainable(i int) bool { return float64(i) >= t.frozen*float64(t.layers) }

// size is what a layer keeps for a batch of that size.
func (t *trainer) size(i int, f float64) int64 {
	return int64(f * float64(t.acts) * (0.7 + 0.6*float64((i*7)%t.layers)/float64(t.layers)))
}

// forward keeps the activations of all layers.
func (t *trainer) forward(f, seconds float64) []*piece {
	var kept []*piece
	for i := range t.layers {
		b := t.p.h.take(t.size(i, f), t.private)
		if b == nil {
			t.p.fail(t.size(i, f), "model.py\", line 120, in forward\n    x = self.mlp(x)")
		}
		kept = append(kept, b)
		half := t.p.take(t.size(i, f)/3+int64(i), "model.py\", line 121, in forward\n    x = self.act(x)")
		t.p.wait(seconds / float64(t.layers))
		t.p.h.give(half)
	}
	return kept
}

func (t *trainer) backward(kept []*piece, f, seconds float64) {
	for i := t.layers - 1; i >= 0; i-- {
		if t.trainable(i) && t.grads[i] == nil {
			t.grads[i] = t.p.take(t.weights, "torch/autograd/graph.py\", line 70, in _engine_run_backward")
		}
		half := t.p.take(t.size(i, f)/3, "torch/autograd/graph.py\", line 70, in _engine_run_backward")
		t.p.wait(seconds / float64(t.layers))
		t.p.h.give(half)
		t.p.h.give(kept[i])
	}
}

// micro is one pass forward and backward.
func (t *trainer) micro(f float64) {
	kept := t.forward(f, 0.35*t.step)
	t.backward(kept, f, 0.55*t.step)
}

// apply is the optimizer's step.
func (t *trainer) apply() {
	if !t.built && t.state > 0 {
		for i := range t.layers {
			if t.trainable(i) {
				t.held = append(t.held, t.p.take(t.state*t.weights, "torch/optim/adamw.py\", line 130, in _init_group"))
			}
		}
		t.built = true
	}
	t.p.wait(0.1 * t.step)
	t.zero()
	t.p.steps++
	t.p.print()
	t.p.wait(t.wait)
}

func (t *trainer) zero() {
	for i, g := range t.grads {
		t.p.h.give(g)
		t.grads[i] = nil
	}
}

// steps makes steps of the sizes that size gives until time until, and calls
// each after every one with how many passed.
func (t *trainer) steps(until float64, size func(step int64) float64, each func(n int64)) {
	for t.p.now < until {
		n := t.p.jump(t.step + t.wait)
		t.p.steps += n
		t.micro(size(t.p.steps))
		t.apply()
		if each != nil {
			each(n + 1)
		}
	}
}

func one(int64) float64 { return 1 }

// forever is a time beyond any window.
const forever = 1e12

// look is an evaluation under no_grad: activations of two layers at a time.
func (t *trainer) look(f, seconds float64) {
	batches := int(math.Max(2, math.Min(12, seconds/t.step)))
	for range batches {
		var last *piece
		for i := range t.layers {
			b := t.p.take(t.size(i, f), "eval.py\", line 20, in evaluate\n    y = model(x)")
			t.p.wait(seconds / float64(batches*t.layers))
			t.p.h.give(last)
			last = b
		}
		t.p.h.give(last)
	}
}

// fail is torch's error: its text, and the end of the job unless it is caught.
func (p *proc) fail(size int64, doing string) {
	m := p.m
	known := monitor.Known[int64]
	free := max(0, p.roomLeft())
	o := &monitor.LogOOMFigures{Exception: "torch.OutOfMemoryError", API: "CUDA", RequestedBytes: known(size), TotalBytes: known(m.card), FreeBytes: known(free),
		AllocatedBytes: known(p.h.allocated), ReservedBytes: known(p.h.reserved), UnallocatedBytes: known(p.h.reserved - p.h.allocated),
		ProcessBytes: known(p.h.reserved + p.context + p.outside)}
	if p.cap > 0 {
		o.FreeBytes, o.AllowedBytes = known(m.card-p.h.reserved-p.context), known(p.cap)
	}
	for i := range m.others {
		if s := &m.others[i]; s.gpu == p.gpu && s.at(p.now) > 0 {
			o.Others = append(o.Others, monitor.LogOOMProcess{PID: s.PID, UsedBytes: s.at(p.now)})
		}
	}
	text := fmt.Sprintf("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %.2f GiB.", float64(size)/gib)
	p.say("Traceback (most recent call last):")
	p.say("  File \"/home/u/" + doing)
	p.say(text)
	r := monitor.LogReading{Time: m.time(p.now), Source: p.source(), PID: p.info.PID, Kind: monitor.LogOOM, OOM: o}
	p.readings = append(p.readings, r)
	if p.catches {
		panic(caught{})
	}
	p.wait(2 * m.every)
	p.end()
}

// caught is a failure that the job survives.
type caught struct{}

// try reports whether f came through without a failure.
func (p *proc) try(f func()) (ok bool) {
	p.catches = true
	defer func() {
		p.catches = false
		if x := recover(); x != nil {
			if _, is := x.(caught); !is {
				panic(x)
			}
			ok = false
		}
	}()
	f()
	return true
}

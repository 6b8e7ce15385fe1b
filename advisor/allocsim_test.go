package advisor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
)

// cachingAllocator is PyTorch's large pool in small: segments taken from the
// driver, best fit among free blocks, splitting, merging of neighbours, and the
// flush of whole free segments when the card is full.
type cachingAllocator struct {
	card, allocated, reserved, peak int64
	retries, ooms                   int64
	segments                        [][]block
}

type block struct {
	size int64
	free bool
	id   int
}

func (c *cachingAllocator) malloc(id int, size int64) bool {
	size = (size + 511) &^ 511
	if c.place(id, size) {
		return true
	}
	want := (size + 2<<20 - 1) &^ (2<<20 - 1)
	if size < 10<<20 {
		want = 20 << 20
	}
	if c.reserved+want > c.card {
		c.retries++
		c.segments = slices.DeleteFunc(c.segments, func(s []block) bool {
			if len(s) == 1 && s[0].free {
				c.reserved -= s[0].size
				return true
			}
			return false
		})
		if c.reserved+want > c.card {
			c.ooms++
			return false
		}
	}
	c.reserved += want
	c.segments = append(c.segments, []block{{size: want, free: true}})
	return c.place(id, size)
}

func (c *cachingAllocator) place(id int, size int64) bool {
	best, at := -1, -1
	for i, s := range c.segments {
		for n, b := range s {
			if b.free && b.size >= size && (best < 0 || b.size < c.segments[best][at].size) {
				best, at = i, n
			}
		}
	}
	if best < 0 {
		return false
	}
	s := c.segments[best]
	rest := s[at].size - size
	if rest > 1<<20 {
		s[at].size = size
		s = slices.Insert(s, at+1, block{size: rest, free: true})
	}
	s[at].free, s[at].id = false, id
	c.segments[best] = s
	c.allocated += s[at].size
	c.peak = max(c.peak, c.allocated)
	return true
}

func (c *cachingAllocator) release(id int) {
	for i, s := range c.segments {
		for n, b := range s {
			if b.free || b.id != id {
				continue
			}
			c.allocated -= b.size
			s[n].free = true
			if n+1 < len(s) && s[n+1].free {
				s[n].size += s[n+1].size
				s = slices.Delete(s, n+1, n+2)
			}
			if n > 0 && s[n-1].free {
				s[n-1].size += s[n].size
				s = slices.Delete(s, n, n+1)
			}
			c.segments[i] = s
			return
		}
	}
}

func (c *cachingAllocator) split() int64 {
	idle := int64(0)
	for _, s := range c.segments {
		for _, b := range s {
			if b.free && len(s) > 1 {
				idle += b.size
			}
		}
	}
	return idle
}

// transformer plays a model of some layers whose steps have the lengths that
// length gives, and samples its allocator every few operations.
type transformer struct {
	card     int64
	layers   int
	weights  int64 // bytes a layer
	perToken int64 // bytes of activations a layer and token
	every    int   // operations between samples
	steps    int
	leak     int64 // bytes kept each step
	length   func(step int) int64
}

func (m transformer) samples() []monitor.Sample {
	c := &cachingAllocator{card: m.card}
	var out []monitor.Sample
	ops, id := 0, 0
	tick := func() {
		if ops++; ops%m.every == 0 {
			out = append(out, c.sample(start.Add(time.Duration(len(out))*200*time.Millisecond)))
		}
	}
	alloc := func(size int64) int {
		id++
		c.malloc(id, size)
		tick()
		return id
	}
	free := func(id int) { c.release(id); tick() }
	for range m.layers {
		alloc(m.weights)
	}
	for step := range m.steps {
		tokens := m.length(step)
		var kept, grads []int
		for l := range m.layers {
			kept = append(kept, alloc(tokens*m.perToken), alloc(tokens*m.perToken/3))
			free(alloc(tokens*m.perToken/2 + int64(l)))
		}
		logits := alloc(tokens * m.perToken * 2)
		free(alloc(tokens * m.perToken * 2))
		for l := m.layers - 1; l >= 0; l-- {
			grads = append(grads, alloc(m.weights))
			t := alloc(tokens * m.perToken / 2)
			free(kept[2*l+1])
			free(kept[2*l])
			free(t)
		}
		free(logits)
		if step == 0 {
			for range m.layers {
				alloc(2 * m.weights)
			}
		}
		for _, g := range grads {
			free(g)
		}
		for range m.layers { // optimizer, data, logging
			tick()
		}
		if m.leak > 0 {
			alloc(m.leak)
		}
	}
	return out
}

func (c *cachingAllocator) sample(at time.Time) monitor.Sample {
	s := monitor.Sample{Time: at}
	context := int64(600 << 20)
	g := monitor.GPU{Index: 0, State: monitor.StateOK}
	g.Memory.TotalBytes, g.Memory.UsedBytes = monitor.Known(c.card+context), monitor.Known(c.reserved+context)
	g.Memory.FreeBytes = monitor.Known(c.card - c.reserved)
	s.GPUs = []monitor.GPU{g}
	s.Holders = []monitor.Holder{{PID: 1, InNamespace: true, UsedBytes: monitor.Known(c.reserved + context)}}
	s.Torch = []monitor.Allocator{{PID: 1, GPU: monitor.Known(0), State: monitor.AllocatorOK, Origin: monitor.OriginAttach, AllocatedBytes: monitor.Known(c.allocated),
		ReservedBytes: monitor.Known(c.reserved), PeakAllocatedBytes: monitor.Known(c.peak), InactiveSplitBytes: monitor.Known(c.split()),
		AllocRetryCount: monitor.Known(c.retries), OOMCount: monitor.Known(c.ooms)}}
	return s
}

// newTransformer returns a model of random size on a card that holds it.
func newTransformer(r *rand.Rand) transformer {
	m := transformer{layers: 3 + r.IntN(8), weights: (8 + r.Int64N(60)) << 20, steps: 60 + r.IntN(200), every: 7 + r.IntN(60)}
	m.perToken = (4 + r.Int64N(20)) << 10
	need := int64(m.layers)*(4*m.weights) + 2048*m.perToken*int64(2*m.layers+6)
	m.card = need * (12 + r.Int64N(40)) / 10
	return m
}

func TestLengthsThatVaryAreNoGrowthOfTheCache(t *testing.T) {
	slow(t)
	alarms, windows := 0, 0
	for seed := range uint64(48) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := newTransformer(r)
		if seed%2 == 1 { // blocks of hundreds of MiB, each a segment of its own
			m.perToken, m.card = m.perToken*40, 0
			m.card = (int64(m.layers)*4*m.weights + 2048*m.perToken*int64(2*m.layers+6)) * (3 + r.Int64N(3))
		}
		kind := seed % 3
		m.length = func(step int) int64 {
			q := rand.New(rand.NewPCG(seed, uint64(step)))
			switch kind {
			case 0:
				return 64 + q.Int64N(1984)
			case 1:
				return min(2048, 64+int64(200*math.Exp(0.8*q.NormFloat64())))
			}
			return 128 * (1 + q.Int64N(16)) // buckets
		}
		all := m.samples()
		for _, part := range []float64{0.3, 0.6, 1} {
			windows++
			for _, f := range advisor.Advise(inputOf(all[:int(part*float64(len(all)))])) {
				if f.Severity >= advisor.Warning && f.ID != "alloc-retries" {
					alarms++
					t.Logf("seed %d (%d) at %.0f %%: %s: %s", seed, kind, 100*part, f.ID, f.Title)
				}
			}
		}
	}
	t.Logf("%d alarms in %d windows", alarms, windows)
	if alarms > 2 {
		t.Error("too many")
	}
}

func TestLengthsThatOnlyGrowMakeTheCacheGrow(t *testing.T) {
	right, scored := 0, 0
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := newTransformer(r)
		m.steps, m.perToken = 150, m.perToken*40
		m.length = func(step int) int64 { return 256 + int64(step)*int64(3+seed%5) }
		m.card = (int64(m.layers)*4*m.weights + m.length(m.steps)*m.perToken*int64(2*m.layers+6)) * (3 + r.Int64N(8))
		all := m.samples()
		last, most := all[len(all)-1].Torch[0], int64(0)
		for _, s := range all {
			most = max(most, s.Torch[0].ReservedBytes.Or(0))
		}
		over := float64(most-last.PeakAllocatedBytes.Or(0)) / float64(m.card)
		found := advisor.Advise(inputOf(all))
		name := list(found, 3)
		grew := over >= 0.05 && over*float64(m.card) > float64(last.PeakAllocatedBytes.Or(0))
		if grew {
			scored++
		}
		if ok := len(found) > 0 && in(string(found[0].ID), []string{"reserved-growth", "fragmentation", "alloc-retries"}); ok && grew {
			right++
		} else if len(found) > 0 && found[0].Severity >= advisor.Warning && !grew && !ok {
			t.Errorf("seed %d: %s", seed, found[0].Title)
		}
		t.Logf("seed %d: reserved up to %.0f %% of the card above need, %d retries, %d OOMs: %s", seed, 100*over, last.AllocRetryCount.Or(0), last.OOMCount.Or(0), name)
	}
	t.Logf("%d of %d", right, scored)
	if right < scored-1 {
		t.Error("too few")
	}
}

func TestALeakUnderRealAllocationIsFound(t *testing.T) {
	right := 0
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := newTransformer(r)
		m.leak = m.card / 100 / int64(10+r.IntN(30))
		m.length = func(step int) int64 {
			return 512 + rand.New(rand.NewPCG(seed, uint64(step))).Int64N(1+int64(seed%4)*300)
		}
		found := advisor.Advise(inputOf(m.samples()))
		if len(found) > 0 && found[0].ID == "leak" {
			right++
		} else {
			t.Logf("seed %d: leak of %.2f %% a step over %d steps: %s", seed, 100*float64(m.leak)/float64(m.card), m.steps, list(found, 3))
		}
	}
	if right < 13 {
		t.Errorf("%d of 16", right)
	}
}

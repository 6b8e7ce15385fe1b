package advisor

import (
	"math"
	"strings"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/history"
)

// Bounds of the rules about memory outside torch's allocator.
const (
	outsideOfCard  = 0.1
	outsideOfSmall = 0.05 // worth knowing on a small card
	outsideLeak    = 0.004
)

// libraries are the names by which other users of CUDA in a process are known
// from its command line.
var libraries = []struct{ piece, name string }{
	{"vllm", "vLLM"}, {"sglang", "SGLang"}, {"jax", "JAX"}, {"tensorflow", "TensorFlow"}, {"cupy", "CuPy"}, {"rapids", "RAPIDS"},
	{"tritonserver", "Triton Inference Server"}, {"onnxruntime", "ONNX Runtime"}, {"trtllm", "TensorRT-LLM"}, {"deepstream", "DeepStream"},
}

// outsideTorch needs what the driver says of a process and what its allocator
// (or its log) says that it reserved.
func outsideTorch(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		k := s.outsideOf(j)
		if k.len() < 10 && (j.attached() || k.len() < 5) || j.total == 0 {
			continue
		}
		if d := s.outsideGrows(j, k); d != nil {
			out = append(out, d)
			continue
		}
		late := k.slice(k.len()/2, k.len())
		held := quantile(late.last, 0.25)
		if d := s.outsideHeld(j, k, held); d != nil {
			out = append(out, d)
		}
	}
	return out
}

// outsideOf is the process's memory outside torch's allocator over time. The
// first samples of a process, in which the two are read at different moments
// of a steep rise, do not count, nor do the last.
func (s *scene) outsideOf(j *job) track {
	if j.holder == nil {
		return track{}
	}
	// What a log printed last is no measure of what is reserved now.
	if k := j.track(history.NonTorch); k.len() > 0 && !j.printed() {
		return k
	}
	if j.log == nil || j.log.reserved.len() < 3 || j.spread > 1 {
		return track{}
	}
	used := j.track(history.Used)
	var k track
	for i := range j.log.reserved.t {
		t, r := j.log.reserved.t[i], j.log.reserved.last[i]
		if most, ok := j.log.maxRes.valueAt(t); ok {
			r = math.Max(r, most)
		}
		before, ok := used.valueAt(t - s.every)
		after, ok2 := used.valueAt(t + s.every)
		if ok && ok2 && math.Abs(after-before) < 0.01*j.total {
			k.add(t, math.Max(0, math.Min(before, after)-r))
		}
	}
	return k
}

func (s *scene) outsideHeld(j *job, k track, held float64) *draft {
	if held < outsideOfSmall*j.total {
		return nil
	}
	r, ok := j.reserved().end()
	if !ok && j.log != nil {
		r, _ = j.log.reserved.end()
	}
	w := words{"held": size(held), "share": percent(held / j.total), "reserved": size(r)}
	from, to := k.t[0], k.t[k.len()-1]
	for i := range k.t {
		if k.last[i] >= 0.8*held {
			from = k.t[i]
			break
		}
	}
	if held < outsideOfCard*j.total || held < 1.25*contextBytes {
		if held > 0.75*contextBytes && j.total > 8*contextBytes {
			return nil
		}
		d := s.draft(catalog.LibraryWorkspace, "run", w).on(j).span(from, to).grade(Info, Fact)
		return d.during("outside torch", held, Bytes, from, to)
	}
	id := catalog.NonTorchMemory
	p := j.process()
	command := strings.ToLower(p.Command + " " + p.Name)
	for _, l := range libraries {
		if strings.Contains(command, l.piece) {
			id, w["library"] = catalog.OtherLibrary, l.name
			break
		}
	}
	d := s.draft(id, "run", w).on(j).span(from, to).grade(Warning, Likely)
	return d.during("outside torch", held, Bytes, from, to).bytes("reserved by torch", r)
}

// outsideGrows finds growth outside torch that goes on while torch is flat.
func (s *scene) outsideGrows(j *job, k track) *draft {
	rule := growthRule{points: 30, perBlock: 3, maxBlocks: 10, supported: true, minBytes: outsideLeak * j.total, share: 0.1, large: 0.05 * j.total}
	if !j.attached() {
		rule.points, rule.perBlock, rule.supported = 12, 2, false
	}
	n := k.len()
	k = k.slice(min(n, 2), n)
	g, ok := findGrowth(k, rule)
	if !ok || g.points < n/3 {
		return nil
	}
	// What torch itself took meanwhile, loading left aside.
	r := j.reserved().between(g.from+0.25*(g.to-g.from), g.to)
	if r.len() > 1 && r.max()-r.min() > 0.4*g.bytes() {
		return nil
	}
	w := words{"rate": rate(g.rate()), "from": size(g.start), "to": size(g.end), "time": duration(g.endAt - g.startAt)}
	severity := Warning
	if left, ok := s.left(j); ok && left/g.slope < soonSeconds {
		severity = Critical
	}
	d := s.draft(catalog.NonTorchLeak, "run", w).on(j).span(g.from, g.to).grade(severity, Likely)
	d.Line = Line{Metric: history.NonTorch.String(), From: s.time(g.startAt), To: s.time(g.endAt), FromBytes: g.start, ToBytes: g.end, SlopeLow: g.low, SlopeHigh: g.high}
	return d.during("outside torch at the start", g.start, Bytes, g.from, g.to).during("and at the end", g.end, Bytes, g.from, g.to).
		during("slope", g.rate(), BytesPerSecond, g.from, g.to)
}

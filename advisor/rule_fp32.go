package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/history"
)

// Bounds of the precision rule, in percent of the chip's peak.
const (
	busySM      = 30.0 // streaming multiprocessors at work
	busyFP32    = 10.0 // arithmetic in fp32
	heavyFP32   = 30.0 // so much that it must be matrix products
	idleTensor  = 0.05 // tensor pipe, as a share of the fp32 pipe
	quietTensor = 3.0  // more than this in any busy sample, and it is in use
	// Beside so much arithmetic in fp32 a little work of the tensor pipe is some
	// kernel of a library. Elementwise work waits for memory and never keeps the
	// fp32 pipe as busy, and where matrices go through the tensor pipe it is the
	// busier of the two.
	idleBesideHeavy  = 0.1
	quietBesideHeavy = 0.2
	busySamples      = 4
)

// fullPrecision needs the chip's own counters (Hopper or newer). A busy chip
// whose arithmetic is all fp32 and whose tensor pipe stands still multiplies
// matrices in full fp32. Without the counters it is never guessed.
func fullPrecision(s *scene) []*draft {
	var out []*draft
	for _, g := range s.gpus {
		if g.tensorsNow() {
			continue
		}
		sm, tensor, fp := g.track(history.SM), g.track(history.Tensor), g.track(history.FP32)
		var busyTensor, busyFP, busyAll []float64
		from, to := math.NaN(), math.NaN()
		for i := range sm.t {
			a, ok1 := tensor.valueAt(sm.t[i])
			b, ok2 := fp.valueAt(sm.t[i])
			if !ok1 || !ok2 || sm.last[i] < busySM {
				continue
			}
			if math.IsNaN(from) {
				from = sm.t[i]
			}
			to = sm.t[i]
			busyTensor, busyFP, busyAll = append(busyTensor, a), append(busyFP, b), append(busyAll, sm.last[i])
		}
		if len(busyFP) < busySamples || len(busyFP) < working(sm)/2 {
			continue
		}
		t, f := quantile(busyTensor, 0.75), median(busyFP)
		idle, quiet := idleTensor*f, quietTensor
		if f >= heavyFP32 {
			idle, quiet = idleBesideHeavy*f, max(quiet, quietBesideHeavy*f)
		}
		if f < busyFP32 || t > idle || quantile(busyTensor, 1) > quiet {
			continue
		}
		severity := Info
		if f >= heavyFP32 {
			severity = Warning
		}
		w := words{"sm": digits(median(busyAll)), "tensor": digits(t), "fp32": digits(f), "count": number(len(busyFP))}
		d := s.draft(catalog.FP32, "run", w).onGPU(g).span(from, to).grade(severity, Likely)
		if h := s.mainOf(g); h != nil {
			d.pid(h.key.PID)
			d.Rank = rankOf(h)
		}
		d.during("SM activity, median", median(busyAll), Percent, from, to).during("tensor pipe, 75 % of the time below", t, Percent, from, to).
			during("fp32 pipe, median", f, Percent, from, to).figure("busy samples", float64(len(busyFP)), Count)
		out = append(out, d)
	}
	return out
}

// tensorsNow reports whether the newest sample shows the tensor pipe at work.
func (g *gpu) tensorsNow() bool {
	a := g.facts.Activity
	quiet := quietTensor
	if fp := a.FP32Percent.Or(0); fp >= heavyFP32 {
		quiet = max(quiet, quietBesideHeavy*fp)
	}
	return a.SMPercent.Or(0) >= busySM && a.TensorPercent.Or(0) > quiet
}

// working counts the counter samples in which the device did anything.
func working(sm track) int {
	n := 0
	for i := range sm.t {
		if sm.last[i] >= 5 {
			n++
		}
	}
	return n
}

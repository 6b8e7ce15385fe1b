package advisor

import (
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/history"
)

// capped judges a failure that the process's own limit caused.
func (s *scene) capped(o *oom) *draft {
	f := o.figure
	if !o.text && f.free >= roomLeast*f.total && s.flushedBefore(o) {
		return s.oomDraft(o, catalog.MemoryFractionLimit, "counters", Critical, Possible)
	}
	if !has(f.allowed) || !(f.allowed < 0.98*orInf(f.total)) {
		return nil
	}
	if has(f.free) && has(f.tried) && f.free < f.tried {
		return nil
	}
	held := firstOf(f.reserved, f.allocated)
	if !has(held) || held+orZero(f.tried) < 0.95*f.allowed {
		return nil
	}
	return s.oomDraft(o, catalog.MemoryFractionLimit, "oom", Critical, Fact)
}

// flushedBefore reports whether the cache was flushed well before a failure at
// nearly as much reserved: a limit was met there already. One request that is
// too large for what is free flushes it but once.
func (s *scene) flushedBefore(o *oom) bool {
	if o.job == nil {
		return false
	}
	k := o.job.metric(history.AllocRetries)
	for i := 1; i < k.len() && k.t[i] < o.t-3*s.every; i++ {
		held, ok := o.job.reserved().valueAt(k.t[i-1])
		if k.last[i] > k.last[i-1] && ok && held >= 0.8*o.figure.reserved {
			return true
		}
	}
	return false
}

// byStack judges by what the traceback says it was doing.
func (s *scene) byStack(o *oom) *draft {
	f, fr := o.figure, o.frames
	switch {
	case fr[frameOptimizer] && !s.stepsDone(o):
		return s.oomDraft(o, catalog.OptimizerStateFirstStep, "stack", Critical, Likely)
	case fr[frameLogits] && f.tried >= 0.02*f.total:
		return s.oomDraft(o, catalog.LogitsLargeVocab, "oom", Critical, Likely)
	case fr[frameCapture]:
		return s.oomDraft(o, catalog.PrivatePools, "capture", Critical, Likely)
	case fr[frameCache]:
		return s.oomDraft(o, catalog.KVCacheGrowth, "oom", Critical, Likely)
	case fr[frameCheckpoint] && !fr[frameForward] && !fr[frameBackward]:
		return s.oomDraft(o, catalog.CheckpointLoadDoubling, "oom", Critical, Possible)
	case fr[frameLoad] && !fr[frameForward] && !fr[frameBackward] && !fr[frameOptimizer] && !s.stepsDone(o):
		return s.oomDraft(o, catalog.ModelTooBigAtLoad, "oom", Critical, Likely)
	case fr[frameEval] && !fr[frameBackward] && s.stepsDone(o):
		return s.oomDraft(o, catalog.EvalWithoutNoGrad, "oom", Critical, Possible)
	}
	return nil
}

// plainCapacity is the honest rest.
func (s *scene) plainCapacity(o *oom) *draft {
	f := o.figure
	if f.pools >= 0.1*f.total {
		return s.oomDraft(o, catalog.PrivatePools, "oom", Critical, Likely)
	}
	claim, c := "oom", Likely
	switch {
	case !o.text:
		claim, c = "counters", Possible
	case !has(f.allocated) && !has(f.tried):
		claim, c = "bare", Possible
	case !has(f.allocated):
		claim, c = "short", Possible
	case f.allocated < 0.7*f.usable():
		c = Possible
		if f.outside() >= 0.1*f.total {
			claim = "beside"
		}
	}
	d := s.oomDraft(o, catalog.Capacity, claim, Critical, c)
	if !has(f.allocated) && !has(f.tried) {
		d.tag(catalog.NoFigures)
	}
	if claim == "short" {
		d.tag(catalog.NoHolder)
	}
	return d
}

package advisor

import (
	"math"
	"slices"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// Bounds of the rule about isolated peaks.
const (
	peakOfCard  = 0.1 // height of the gap under the peaks
	peakTimes   = 4.0 // peaks over what is usual
	peakShare   = 0.4 // most of the samples that may lie in peaks
	peakSamples = 24
)

// transientPeaks needs allocated of a process, read. Most samples lie in the
// usual range of the steps, a few far above it with nothing in between, in
// several turns. A step whose every turn is high is no transient.
func transientPeaks(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		if !j.attached() || j.total == 0 || s.failureOf(j) != nil {
			continue
		}
		k := j.alloc()
		p, ok := s.peaksOf(j, k)
		if !ok {
			continue
		}
		w := words{"usual": size(p.usual), "peak": size(p.top), "times": digits(p.top / p.usual), "count": number(p.turns),
			"share": percent(p.top / j.total)}
		id, claim := catalog.TransientPeak, "run"
		d := s.draft(id, claim, w).on(j).span(p.from, p.to).grade(Warning, Likely)
		d.during("usual, at most", p.usual, Bytes, p.from, p.to).during("peak", p.top, Bytes, p.from, p.to).
			figure("peaks", float64(p.turns), Count).figure("share of the samples in peaks", 100*p.share, Percent)
		out = append(out, d)
	}
	return out
}

type peaks struct {
	usual, top, share float64
	turns             int
	from, to          float64
}

// peaksOf splits the samples at the widest gap between them.
func (s *scene) peaksOf(j *job, k track) (peaks, bool) {
	if k.max()-k.min() < peakOfCard*j.total {
		return peaks{}, false
	}
	k = training(k)
	if k.len() < peakSamples && !(k.len() >= 6 && s.every >= 0.5) {
		return peaks{}, false
	}
	sorted := slices.Clone(k.hi)
	slices.Sort(sorted)
	gap, at := 0.0, 0
	for i := 1; i < len(sorted); i++ {
		if d := sorted[i] - sorted[i-1]; d > gap {
			gap, at = d, i
		}
	}
	share := float64(len(sorted)-at) / float64(len(sorted))
	p := peaks{usual: sorted[max(0, at-1)], top: sorted[len(sorted)-1], share: share, from: k.t[0], to: k.t[k.len()-1]}
	// Where nothing is kept between them, each is work of its own and no step.
	if gap < peakOfCard*j.total || p.usual <= 0 || p.top < peakTimes*p.usual || share > peakShare || share == 0 {
		return peaks{}, false
	}
	up, since, highs := false, 0, 0
	for i := range k.t {
		high := k.hi[i] > p.usual+gap/2
		if high && !up {
			p.turns++
		}
		if up = high; high {
			if highs == 0 {
				since = i
			}
			highs++
		}
	}
	// A phase whose steps need more is no peak, however long the one before was.
	if float64(highs) > peakShare*float64(k.len()-since) {
		return peaks{}, false
	}
	return p, p.turns >= 2 && (s.lowBefore(j, k, p) || s.givenBack(j, k, p))
}

// lowBefore reports whether the allocator's peak stood at the usual height for
// a while, over steps, before the first high one. Samples alone do not show
// that: their times may be out of step with the job's.
func (s *scene) lowBefore(j *job, k track, p peaks) bool {
	low := 0
	peak := j.peak().between(k.t[0], k.t[k.len()-1])
	for i := range peak.t {
		if peak.last[i] > 0.9*p.top {
			break
		}
		if peak.last[i] <= 1.5*p.usual {
			low++
		}
	}
	return low >= 4 || low >= 3 && s.every >= 0.5
}

// givenBack reports whether reserved fell below the height of the peaks between
// them, so that the steps there cannot have reached it.
func (s *scene) givenBack(j *job, k track, p peaks) bool {
	low, turns := 0, 0
	high := false
	r := j.reserved()
	for i := range k.t {
		held, ok := r.valueAt(k.t[i])
		switch {
		case !ok:
		case held > 0.8*p.top:
			high = true
		case held < 0.7*p.top:
			low++
			if high {
				turns++
			}
			high = false
		}
	}
	return turns >= 2 && low >= k.len()/4
}

// training cuts off the part of a track before allocated first moved up and
// down: loading and start-up.
func training(k track) track {
	for i := 1; i < k.len(); i++ {
		if k.cameDown(i) {
			return k.slice(i-1, k.len())
		}
	}
	return track{}
}

// headroom needs what is free on a card.
func headroom(s *scene) []*draft {
	var out []*draft
	for _, g := range s.gpus {
		free := g.track(freeMetric)
		if free.len() < 10 || g.total == 0 || len(g.holders) == 0 {
			continue
		}
		late := free.slice(free.len()-min(free.len(), max(10, free.len()/4)), free.len())
		least, usual := late.min(), median(late.last)
		if usual > 0.03*g.total || math.IsInf(least, 0) {
			continue
		}
		idle := 0.0
		for _, h := range g.holders {
			if h.job == nil || !h.job.attached() {
				continue
			}
			r, _ := h.job.reserved().end()
			if p, ok := h.job.peak().end(); ok && r > p {
				idle += r - p
			}
		}
		w := words{"free": size(usual), "share": percent(usual / g.total), "total": size(g.total), "idle": size(idle)}
		claim := "run"
		if idle > 0.05*g.total {
			claim = "cache"
		}
		d := s.draft(catalog.HeadroomLow, claim, w).onGPU(g).span(late.t[0], late.t[late.len()-1]).grade(Info, Fact)
		if h := s.mainOf(g); h != nil {
			d.pid(h.key.PID)
		}
		out = append(out, d.during("free, median", usual, Bytes, late.t[0], late.t[late.len()-1]).during("free, least", least, Bytes, late.t[0], late.t[late.len()-1]))
	}
	return out
}

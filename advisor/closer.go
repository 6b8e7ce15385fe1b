package advisor

import (
	"sort"
	"time"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/history"
)

// A job that has run for hours is judged as a whole, and what only just began
// in it is too small a part of the whole to be seen there. So the newest part
// is looked at again, ever closer: a quarter of the window, a sixteenth, down to
// the newest samples. What is found close by counts when the longer view does
// not show that it came and went before.

// Bounds of the closer looks.
const (
	closerBy    = 4   // times shorter than the one before
	closestLook = 100 // samples of the closest
	closeEnough = 150 // samples of a window that needs no closer look
)

// closeRules are those whose findings speak of what goes on now.
var closeRules = []rule{
	{"leaks", leaks},
	{"reserved growth", reservedGrowth},
	{"outside torch", outsideTorch},
	{"other processes", otherProcesses},
}

// closer returns the newest part of a scene, ever shorter.
func (s *scene) closer() []*scene {
	n := len(s.w.Times)
	if s.rest || n < closeEnough {
		return nil
	}
	closest := s.w.Times[n-closestLook]
	var out []*scene
	for span := s.w.To.Sub(s.w.From) / closerBy; ; span /= closerBy {
		from := s.w.To.Add(-span)
		if s.w.To.Sub(closest)*2 > span {
			return append(out, s.since(closest))
		}
		out = append(out, s.since(from))
	}
}

// since returns the scene from a later time on.
func (s *scene) since(from time.Time) *scene {
	in := Input{Window: s.w.Since(from), Total: s.in.Total, Over: s.in.Over}
	in.Lines = s.in.Lines[firstSince(len(s.in.Lines), from, func(i int) time.Time { return s.in.Lines[i].Time }):]
	for _, r := range s.in.Readings {
		if !r.Time.Before(from) {
			in.Readings = append(in.Readings, r)
		}
	}
	closer := newScene(&in)
	for _, g := range closer.gpus {
		for _, h := range g.holders {
			for _, longer := range s.holders[h.key.PID] {
				if longer.key == h.key && longer.gpu.id == g.id {
					h.longer = longer
				}
			}
		}
	}
	return closer
}

// still reports, from what was read for the longer view already, that a figure
// did not go up by so much in a closer one.
func (h *holder) still(m history.Metric, least float64) bool {
	if h == nil || h.longer == nil {
		return false
	}
	k := h.longer.track(m)
	k = k.slice(k.at(h.longer.gpu.s.seconds(h.gpu.s.w.From)), k.len())
	if m == history.Allocated {
		return k.cannotRise(least)
	}
	return k.len() >= 10 && k.max()-k.min() < least
}

func firstSince(n int, from time.Time, at func(int) time.Time) int {
	return sort.Search(n, func(i int) bool { return !at(i).Before(from) })
}

// lookCloser adds what only the newest part shows.
func (s *scene) lookCloser(found []*draft) []*draft {
	known := map[Key]bool{}
	for _, d := range found {
		known[d.Key()] = true
	}
	longer := []*scene{s}
	for _, r := range s.closer() {
		for _, rule := range closeRules {
			for _, d := range rule.find(r) {
				if k := d.Key(); !known[k] && d.Severity >= Warning && d.isNow() && !repeats(longer, d) {
					known[k] = true
					found = append(found, d)
				}
			}
		}
		longer = append(longer, r)
	}
	return found
}

// isNow reports whether a finding speaks of what goes on, and not of what a
// whole window has to show.
func (d *draft) isNow() bool {
	switch d.ID {
	case catalog.Leak, catalog.ReservedGrowth, catalog.NonTorchLeak, catalog.OtherProcess, catalog.ZombieProcess:
		return true
	default:
		return false
	}
}

// repeats reports whether a longer view shows that a growth is one more turn of
// something that came and went before, or belongs to the youth of a job.
func repeats(longer []*scene, d *draft) bool {
	if d.Line.Metric == "" || d.PID == nil {
		return false
	}
	for _, s := range longer {
		for _, h := range s.holders[*d.PID] {
			if h.gpu.id == d.GPUID && (h.showed(d) || h.young(d)) {
				return true
			}
		}
	}
	return false
}

// showed reports whether the process stood as high before as a growth ends.
func (h *holder) showed(d *draft) bool {
	s := h.gpu.s
	metric := history.Allocated
	switch d.ID {
	case catalog.ReservedGrowth:
		metric = history.Reserved
	case catalog.NonTorchLeak:
		metric = history.NonTorch
	default:
	}
	k := h.track(metric)
	at := k.at(s.seconds(d.Line.From))
	before := k.slice(0, at)
	g := growth{start: d.Line.FromBytes, end: d.Line.ToBytes}
	switch {
	case before.len() == 0:
		return false
	case metric != history.Allocated:
		return before.max() >= g.end-0.1*g.bytes()
	}
	width := max(2, k.at(s.seconds(d.Line.To))-at)
	return growthRule{}.seenBefore(before, g, min(width, before.len()))
}

// young reports whether a growth of the cache lies in the first half of the life
// of a job, in which a cache finds its size.
func (h *holder) young(d *draft) bool {
	k := h.track(history.Reserved)
	if d.ID != catalog.ReservedGrowth || !k.bornHere() {
		return false
	}
	s := h.gpu.s
	return s.seconds(d.Line.From) < (k.t[0]+s.seconds(d.Line.To))/2
}

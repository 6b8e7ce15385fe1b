package history

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Window is an immutable copy of a stretch of history. Any goroutine may read
// it; its slices and samples must not be changed.
type Window struct {
	From, To  time.Time
	Interval  time.Duration // between samples, 0 when there are fewer than two
	Times     []time.Time   // of the samples kept singly
	Latest    monitor.Sample
	Readings  []monitor.LogReading // by time of reading, oldest first
	Marks     []monitor.Mark
	Processes []ProcessFacts // by first appearance
	GPUs      []GPUFacts     // by index

	rings  rings
	things map[thingKey]*thing
	keys   []Key
	origin *time.Location
}

// Window returns a copy of what happened from from to to, both included.
func (s *Store) Window(from, to time.Time) Window {
	fromNS, toNS := from.UnixNano(), to.UnixNano()
	w := Window{From: from, To: to, Interval: s.Interval(), Latest: s.latest, origin: s.origin,
		Processes: s.facts.processList(from, to), GPUs: s.facts.gpuList(from, to),
		things: make(map[thingKey]*thing, len(s.order))}
	for _, r := range s.readings.all() {
		if !r.Time.Before(from) && !r.Time.After(to) {
			w.Readings = append(w.Readings, r)
		}
	}
	for _, m := range s.marks.all() {
		if !m.Time.Before(from) && !m.Time.After(to) {
			w.Marks = append(w.Marks, m)
		}
	}
	first, last := s.rings.singles.find(fromNS), s.rings.singles.find(toNS+1)
	w.rings = s.rings.clone(fromNS, first, last)
	for _, ns := range w.rings.singles.timeNS {
		w.Times = append(w.Times, s.time(ns))
	}
	for _, t := range s.order {
		if t.lastNS < fromNS {
			continue
		}
		copied := t.clone(&s.rings, fromNS, first, last)
		w.things[t.key] = copied
		for column, m := range kindMetrics[t.key.kind] {
			if w.rings.any(copied, column, fromNS, toNS) {
				w.keys = append(w.keys, Key{Metric: m, GPU: t.key.gpu, Process: t.key.process})
			}
		}
	}
	return w
}

// Series returns what one figure did, at the best resolution there is: single
// samples where they are kept (Min, Max and Last the same, Count 1), buckets
// before that. A bucket with Count 0 stands where a gap begins. Nil when the
// key is not known or has no value in the window.
func (w Window) Series(key Key) []Bucket {
	t, column, ok := find(w.things, key)
	if !ok {
		return nil
	}
	return w.rings.series(t, column, w.From.UnixNano(), w.To.UnixNano(), func(ns int64) time.Time {
		return time.Unix(0, ns).In(w.origin)
	})
}

// Keys returns the keys that have at least one value, devices and processes in
// the order in which they were first seen.
func (w Window) Keys() []Key { return w.keys }

// Columns returns the series pooled into n columns, as Store.Columns does.
func (w Window) Columns(key Key, from, to time.Time, n int) []Bucket {
	t, column, _ := find(w.things, key)
	return w.rings.columns(t, column, from.UnixNano(), to.UnixNano(), max(n, 0), func(ns int64) time.Time {
		return time.Unix(0, ns).In(w.origin)
	})
}

// Columns pools a series into n columns of equal width between two times, both
// included, for a chart. A column holds the minimum, maximum and last value in
// it. One that no sample falls into repeats the value before it as long as no
// sample was overdue (three intervals); beyond that Count is 0: a gap.
func (s *Store) Columns(key Key, from, to time.Time, n int) []Bucket {
	t, column, _ := find(s.things, key)
	return s.rings.columns(t, column, from.UnixNano(), to.UnixNano(), max(n, 0), s.time)
}

func find(things map[thingKey]*thing, key Key) (*thing, int, bool) {
	name := key.thing()
	t, ok := things[name]
	if !ok {
		return nil, 0, false
	}
	column, ok := name.kind.column(key.Metric)
	if !ok {
		return nil, 0, false
	}
	return t, column, true
}

// reach tells which of the coarser resolutions a look back to that time reads:
// neither where single samples go back as far, and those are most of what there
// is to copy.
func (r *rings) reach(fromNS int64) (mid, coarse bool) {
	midNS, singleNS := r.borders()
	return fromNS < singleNS, fromNS < midNS
}

// clone copies the axes as far as a look back to that time reads them, with the
// single samples from first up to last.
func (r *rings) clone(fromNS int64, first, last int) rings {
	c := *r
	mid, coarse := r.reach(fromNS)
	midNS, singleNS := r.borders()
	c.fixed = &borders{midNS, singleNS}
	n := max(last-first, 0)
	c.singles = singles{limit: n + 1, timeNS: make([]int64, n), holdNS: make([]int64, n), fromNS: r.singles.fromNS}
	for i := range n {
		slot := r.singles.slot(first + i)
		c.singles.timeNS[i], c.singles.holdNS[i] = r.singles.timeNS[slot], r.singles.holdNS[slot]
	}
	c.mid, c.coarse = r.mid.clone(mid), r.coarse.clone(coarse)
	return c
}

// clone copies the axis, or makes one that has nothing.
func (b *buckets) clone(wanted bool) buckets {
	if !wanted {
		return buckets{widthNS: b.widthNS}
	}
	c := *b
	c.number, c.holdNS = append([]int64(nil), b.number...), append([]int64(nil), b.holdNS...)
	return c
}

// clone copies the figures as far as a look back to that time reads them, with
// the single samples from first up to last.
func (t *thing) clone(r *rings, fromNS int64, first, last int) *thing {
	c := &thing{key: t.key, width: t.width, lastNS: t.lastNS}
	mid, coarse := r.reach(fromNS)
	if mid {
		c.mid = t.mid.clone()
	}
	if coarse {
		c.coarse = t.coarse.clone()
	}
	c.singles = make([]float64, 0, max(last-first, 0)*t.width)
	for i := first; i < last; i++ {
		c.singles = append(c.singles, t.row(r.singles.slot(i))...)
	}
	return c
}

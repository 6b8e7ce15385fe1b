package history

import (
	"math"
	"slices"
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
	w.rings = s.rings.clone(first, last)
	for i := range w.rings.singles.len() {
		w.Times = append(w.Times, s.time(w.rings.singles.timeNS[w.rings.singles.slot(i)]))
	}
	copies, pages := make([]thing, len(s.order)), 0
	for _, t := range s.order {
		pages += t.pages()
	}
	room := make([]page, 0, pages)
	for i, t := range s.order {
		if t.lastNS < fromNS {
			continue
		}
		copied := &copies[i]
		room = t.cloneInto(copied, room)
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
	out := make([]Bucket, max(n, 0))
	w.rings.columns(out, t, column, from.UnixNano(), to.UnixNano(), func(ns int64) time.Time {
		return time.Unix(0, ns).In(w.origin)
	})
	return out
}

// Columns pools a series into n columns of equal width between two times, both
// included, for a chart. A column holds the minimum, maximum and last value in
// it. One that no sample falls into repeats the value before it as long as no
// sample was overdue (three intervals); beyond that Count is 0: a gap.
func (s *Store) Columns(key Key, from, to time.Time, n int) []Bucket {
	out := make([]Bucket, max(n, 0))
	s.FillColumns(out, key, from, to)
	return out
}

// FillColumns is Columns into memory of the caller, as many as it has room for.
func (s *Store) FillColumns(out []Bucket, key Key, from, to time.Time) {
	t, column, _ := find(s.things, key)
	s.rings.columns(out, t, column, from.UnixNano(), to.UnixNano(), s.time)
}

// Newest returns the newest value of a series between two times, both included;
// false when none was read there. Of buckets it is the last value of the newest.
func (s *Store) Newest(key Key, from, to time.Time) (float64, bool) {
	t, column, ok := find(s.things, key)
	if !ok {
		return 0, false
	}
	r, fromNS := &s.rings.singles, from.UnixNano()
	for i := r.find(to.UnixNano()+1) - 1; i >= 0; i-- {
		slot := r.slot(i)
		if r.timeNS[slot] < fromNS {
			return 0, false
		}
		if v := t.single(slot, column); !math.IsNaN(v) {
			return v, true
		}
	}
	var older [1]Bucket // single samples do not reach that far
	s.FillColumns(older[:], key, from, to)
	return older[0].Last, older[0].Count > 0
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

// clone copies the axes as a window reads them: of the single samples those from
// first up to last.
func (r *rings) clone(first, last int) rings {
	c := *r
	c.singles.timeNS, c.singles.holdNS = slices.Clone(r.singles.timeNS), slices.Clone(r.singles.holdNS)
	c.singles.start, c.singles.n = r.singles.slot(first), max(last-first, 0)
	c.mid, c.coarse = r.mid.clone(), r.coarse.clone()
	return c
}

func (b *buckets) clone() buckets {
	c := *b
	c.number, c.holdNS = slices.Clone(b.number), slices.Clone(b.holdNS)
	return c
}

package history

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Singles returns the values of one figure at each of the window's Times, NaN
// where there is none; nil when the key is not known. It is the cheap way to
// read a whole series where all of a window is kept singly.
func (w Window) Singles(key Key) []float64 {
	t, column, ok := find(w.things, key)
	if !ok {
		return nil
	}
	out := make([]float64, len(w.Times))
	skip := w.rings.singles.len() - len(w.Times) // of a narrowed window
	for i := 0; i < len(out); {
		slot := w.rings.singles.slot(skip + i)
		n := min(pageSlots-slot%pageSlots, len(out)-i) // slots that follow on one page
		if last := w.rings.singles.slot(skip + i + n - 1); last != slot+n-1 {
			n = 1
		}
		t.singleRun(out[i:i+n], slot, column)
		i += n
	}
	return out
}

// singleRun reads slots of one page that follow each other.
func (t *thing) singleRun(into []float64, slot, column int) {
	b, number, first := &t.singles, slot/pageSlots, slot%pageSlots
	var p page
	switch {
	case number == b.open:
		for i := range into {
			into[i] = b.rows[(first+i)*b.width+column]
		}
		return
	case number < len(b.pages):
		p = b.pages[number]
	}
	if p == nil {
		fillAll(into, math.NaN())
		return
	}
	at, form := place(p[column])
	switch form {
	case formSame:
		fillAll(into, wide(p[at], p[at+1]))
	case formNarrow:
		for i := range into {
			into[i] = float64(math.Float32frombits(p[at+first+i]))
		}
	case formWide:
		for i := range into {
			into[i] = wide(p[at+2*(first+i)], p[at+2*(first+i)+1])
		}
	default:
		fillAll(into, math.NaN())
	}
}

func fillAll(into []float64, v float64) {
	for i := range into {
		into[i] = v
	}
}

// Since returns the window from a later time on. It shares its figures with the
// whole one and holds the series of what was there since.
func (w Window) Since(from time.Time) Window {
	if !from.After(w.From) {
		return w
	}
	w.From = from
	w.Times = w.Times[sort.Search(len(w.Times), func(i int) bool { return !w.Times[i].Before(from) }):]
	w.Readings = w.Readings[sort.Search(len(w.Readings), func(i int) bool { return !w.Readings[i].Time.Before(from) }):]
	w.Marks = slices.DeleteFunc(slices.Clone(w.Marks), func(m monitor.Mark) bool { return m.Time.Before(from) })
	w.Processes = slices.DeleteFunc(slices.Clone(w.Processes), func(p ProcessFacts) bool { return p.Last.Before(from) })
	fromNS := from.UnixNano()
	keys := make([]Key, 0, len(w.keys))
	var name thingKey
	there := false
	for i, k := range w.keys { // those of one thing stand together
		if now := k.thing(); i == 0 || now != name {
			name, there = now, w.things[now] != nil && w.things[now].lastNS >= fromNS
		}
		if there {
			keys = append(keys, k)
		}
	}
	w.keys = keys
	return w
}

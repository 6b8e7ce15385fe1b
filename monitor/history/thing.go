package history

import "math"

// thing holds all series of one device or process, slot after slot, so that a
// sample touches few cache lines.
type thing struct {
	key     thingKey
	width   int       // metrics
	singles []float64 // slot·width + column; NaN where there is nothing
	mid     folded
	coarse  folded
	lastNS  int64 // when it was last seen
	touched bool  // in the sample being appended
	dropped bool  // forgotten, and to be taken out of the order
}

// folded holds the bucketed figures of a thing.
type folded struct {
	low, high, last []float32
	count           []uint16
}

func newFolded(n int) folded {
	all := make([]float32, 3*n)
	return folded{low: all[:n:n], high: all[n : 2*n : 2*n], last: all[2*n:], count: make([]uint16, n)}
}

const foldedBytes = 3*4 + 2

func (f *folded) clear(slot, width int) { clear(f.count[slot*width : (slot+1)*width]) }

// add folds one row of single values into a bucket.
func (f *folded) add(slot int, row []float64) {
	base := slot * len(row)
	for c, v := range row {
		if math.IsNaN(v) {
			continue
		}
		i, v32 := base+c, float32(v)
		if f.count[i] == 0 {
			f.low[i], f.high[i] = v32, v32
		} else {
			f.low[i], f.high[i] = min(f.low[i], v32), max(f.high[i], v32)
		}
		f.last[i] = v32
		if f.count[i] < math.MaxUint16 {
			f.count[i]++
		}
	}
}

func (f *folded) clone() folded {
	n := len(f.low)
	c := newFolded(n)
	copy(c.low, f.low)
	copy(c.high, f.high)
	copy(c.last, f.last)
	copy(c.count, f.count)
	return c
}

func newThing(key thingKey, r *rings) *thing {
	w := len(kindMetrics[key.kind])
	t := &thing{key: key, width: w}
	t.singles = make([]float64, r.singles.len()*w, r.room*w)
	for i := range t.singles {
		t.singles[i] = math.NaN()
	}
	t.mid = newFolded(len(r.mid.number) * w)
	t.coarse = newFolded(len(r.coarse.number) * w)
	return t
}

// blank empties the row of a slot, making room where the slot is new.
func (t *thing) blank(slot int) {
	t.touched = false
	if need := (slot + 1) * t.width; need > len(t.singles) {
		for len(t.singles) < need {
			t.singles = append(t.singles, math.NaN())
		}
		return
	}
	for i := slot * t.width; i < (slot+1)*t.width; i++ {
		t.singles[i] = math.NaN()
	}
}

func (t *thing) row(slot int) []float64 { return t.singles[slot*t.width : (slot+1)*t.width] }

const thingBytes = 256

func (t *thing) bytes() int64 {
	return int64(cap(t.singles))*8 + int64(len(t.mid.low)+len(t.coarse.low))*foldedBytes + thingBytes
}

// bytesOf is what a new thing of a kind takes.
func (r *rings) bytesOf(k kind) int64 {
	width := int64(len(kindMetrics[k]))
	return width*(int64(r.room)*8+int64(len(r.mid.number)+len(r.coarse.number))*foldedBytes) + thingBytes
}

// reserve makes room for that many single samples.
func (t *thing) reserve(room int) {
	grown := make([]float64, len(t.singles), room*t.width)
	copy(grown, t.singles)
	t.singles = grown
}

// keep reduces the single samples to those of the given slots, in that order.
func (t *thing) keep(slots []int, room int) {
	kept := make([]float64, 0, room*t.width)
	for _, slot := range slots {
		kept = append(kept, t.row(slot)...)
	}
	t.singles = kept
}

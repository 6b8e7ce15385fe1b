package history

import "math"

// thing holds all series of one device or process, slot after slot, so that a
// sample touches few cache lines.
type thing struct {
	key     thingKey
	width   int // metrics
	singles book[float64]
	mid     book[figure]
	coarse  book[figure]
	lastNS  int64 // when it was last seen
	touched bool  // in the sample being appended
	dropped bool  // forgotten, and to be taken out of the order
}

func newThing(key thingKey) *thing {
	t := &thing{key: key, width: len(kindMetrics[key.kind])}
	t.singles = book[float64]{kind: singleRows{}, width: t.width, open: -1}
	t.mid = book[figure]{kind: bucketRows{}, width: t.width, open: -1}
	t.coarse = book[figure]{kind: bucketRows{}, width: t.width, open: -1}
	return t
}

// single returns the value of a column in a slot, NaN when there is none.
func (t *thing) single(slot, column int) float64 { return t.singles.at(slot, column) }

// blank empties the row of a slot.
func (t *thing) blank(slot int) {
	t.touched = false
	t.singles.clear(slot)
}

// row returns the single values of a slot, to be written.
func (t *thing) row(slot int) []float64 { return t.singles.row(slot) }

// fold adds one row of single values to a bucket.
func fold(bucket []figure, row []float64) {
	for c, v := range row {
		if math.IsNaN(v) {
			continue
		}
		f, v32 := &bucket[c], float32(v)
		if f.count == 0 {
			f.low, f.high = v32, v32
		} else {
			f.low, f.high = min(f.low, v32), max(f.high, v32)
		}
		f.last = v32
		if f.count < math.MaxUint16 {
			f.count++
		}
	}
}

// keep reduces the single samples to those of the given slots, in that order.
func (t *thing) keep(slots []int) {
	kept := book[float64]{kind: singleRows{}, width: t.width, open: -1}
	for to, from := range slots {
		row := kept.row(to)
		for c := range row {
			row[c] = t.single(from, c)
		}
	}
	t.singles = kept
}

// pages is how many pages there are, closed or open.
func (t *thing) pages() int { return len(t.singles.pages) + len(t.mid.pages) + len(t.coarse.pages) }

// cloneInto makes c what a window reads, which what follows does not change. The
// pages are listed in room, of which it returns the rest.
func (t *thing) cloneInto(c *thing, room []page) []page {
	c.key, c.width, c.lastNS = t.key, t.width, t.lastNS
	c.singles, room = t.singles.clone(room)
	c.mid, room = t.mid.clone(room)
	c.coarse, room = t.coarse.clone(room)
	return room
}

// bytes is the memory in use.
func (t *thing) bytes() int64 {
	return thingBytes + t.singles.bytes() + t.mid.bytes() + t.coarse.bytes()
}

const thingBytes = 512

// most is the memory that a thing takes when each of its figures changes with
// each sample and that many single samples are kept.
func (r *rings) most(k kind, room int) int64 {
	const single, bucket, head = 9, 15, 24 // bytes; the pages' first words included
	buckets := len(r.mid.number) + len(r.coarse.number)
	pages := (room+buckets)/pageSlots + 3
	open := pageSlots * (8 + 2*16)
	return thingBytes + int64(len(kindMetrics[k]))*int64(room*single+buckets*bucket+open) + int64(pages)*head
}

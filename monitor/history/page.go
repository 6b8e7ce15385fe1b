package history

import (
	"math"
	"slices"
)

// pageSlots is how many slots a page holds.
const pageSlots = 16

// page is the figures of one thing in pageSlots slots, closed: most figures of a
// process stay what they are for minutes, and such a column takes one value
// instead of sixteen. It is never changed, so that a window can share it. Nil
// means that nothing was read in any of its slots.
//
// It begins with one word a column of single samples, two of a bucketed one:
// where its values begin (and its counts), with their form in the lowest bits.
type page []uint32

// The forms of a column.
const (
	formNone   = iota // nothing was read
	formSame          // one value for all slots
	formNarrow        // a value a slot, in 32 bits
	formWide          // single samples: 64 bits a slot; buckets: minimum, maximum and last a slot
	formBits   = 2
)

// empty tells whether nothing was read in the column with this head.
func (p page) empty(head int) bool {
	if p == nil {
		return true
	}
	_, form := place(p[head])
	return form == formNone
}

func head(at, form int) uint32     { return uint32(at<<formBits | form) }
func place(word uint32) (int, int) { return int(word >> formBits), int(word & (1<<formBits - 1)) }

// closeSingles makes a page of rows of single samples.
func closeSingles(rows []float64, width int) page {
	var space [1024]uint32
	words := space[:width:len(space)]
	var values [pageSlots]float64
	empty := true
	for c := range width {
		for i := range values {
			values[i] = rows[i*width+c]
		}
		form := formOf(&values)
		words[c] = head(len(words), form)
		empty = empty && form == formNone
		switch form {
		case formSame:
			words = appendWide(words, values[0])
		case formNarrow:
			for _, v := range values {
				words = append(words, math.Float32bits(float32(v)))
			}
		case formWide:
			for _, v := range values {
				words = appendWide(words, v)
			}
		}
	}
	if empty {
		return nil
	}
	return slices.Clone(words)
}

func appendWide(words []uint32, v float64) []uint32 {
	b := math.Float64bits(v)
	return append(words, uint32(b), uint32(b>>32))
}

// formOf is the smallest form that keeps single samples exactly.
func formOf(values *[pageSlots]float64) int {
	same, narrow := true, true
	first := values[0]
	for _, v := range values {
		same = same && (v == first || v != v && first != first)
	}
	for i := 0; i < len(values) && !same && narrow; i++ {
		v := values[i]
		narrow = v != v || float64(float32(v)) == v
	}
	switch {
	case same && first != first:
		return formNone
	case same:
		return formSame
	case narrow:
		return formNarrow
	}
	return formWide
}

// single returns the value of a column in the i-th slot, NaN when there is none.
func (p page) single(i, column int) float64 {
	if p == nil {
		return math.NaN()
	}
	at, form := place(p[column])
	switch form {
	case formSame:
		return wide(p[at], p[at+1])
	case formNarrow:
		return float64(math.Float32frombits(p[at+i]))
	case formWide:
		return wide(p[at+2*i], p[at+2*i+1])
	}
	return math.NaN()
}

func wide(low, high uint32) float64 {
	return math.Float64frombits(uint64(high)<<32 | uint64(low))
}

// figure is what one column did in one bucket; count 0 means that nothing was
// read.
type figure struct {
	low, high, last float32
	count           uint16
}

// closeBuckets makes a page of rows of buckets.
func closeBuckets(rows []figure, width int) page {
	var space [1536]uint32
	words := space[: 2*width : len(space)]
	var column [pageSlots]figure
	var shared [pageSlots / 2]uint32 // counts of the column before, which most have too
	sharedAt := 0
	empty := true
	for c := range width {
		if nothing(rows, c, width) {
			words[2*c] = head(len(words), formNone)
			continue
		}
		for i := range column {
			column[i] = rows[i*width+c]
		}
		first, form := bucketForm(&column)
		words[2*c] = head(len(words), form)
		empty = false
		words = appendFigures(words, &column, first, form)
		if counts := countsOf(&column); sharedAt == 0 || counts != shared {
			sharedAt, shared = len(words), counts
			words = append(words, counts[:]...)
		}
		words[2*c+1] = uint32(sharedAt)
	}
	if empty {
		return nil
	}
	return slices.Clone(words)
}

// nothing tells whether nothing was read in a column.
func nothing(rows []figure, column, width int) bool {
	for i := column; i < len(rows); i += width {
		if rows[i].count != 0 {
			return false
		}
	}
	return true
}

func appendFigures(words []uint32, column *[pageSlots]figure, first figure, form int) []uint32 {
	switch form {
	case formSame:
		return append(words, math.Float32bits(first.last))
	case formNarrow:
		for _, f := range column {
			words = append(words, math.Float32bits(f.last))
		}
	case formWide:
		for _, f := range column {
			words = append(words, math.Float32bits(f.low), math.Float32bits(f.high), math.Float32bits(f.last))
		}
	}
	return words
}

// countsOf packs two counts into a word.
func countsOf(column *[pageSlots]figure) (out [pageSlots / 2]uint32) {
	for i := range out {
		out[i] = uint32(column[2*i].count) | uint32(column[2*i+1].count)<<16
	}
	return out
}

// bucketForm is the smallest form that keeps a column, and its first bucket in
// which something was read.
func bucketForm(column *[pageSlots]figure) (first figure, form int) {
	form = formNone
	for _, f := range column {
		switch {
		case f.count == 0:
			continue
		case f.low != f.last || f.high != f.last:
			return f, formWide
		case form == formNone:
			first, form = f, formSame
		case f.last != first.last:
			form = formNarrow
		}
	}
	return first, form
}

// figure returns what a column did in the i-th slot.
func (p page) figure(i, column int) figure {
	if p == nil {
		return figure{}
	}
	at, form := place(p[2*column])
	if form == formNone {
		return figure{}
	}
	f := figure{count: uint16(p[int(p[2*column+1])+i/2] >> (16 * (i % 2)))}
	switch form {
	case formSame:
		f.last = math.Float32frombits(p[at])
	case formNarrow:
		f.last = math.Float32frombits(p[at+i])
	default:
		f.low, f.high = math.Float32frombits(p[at+3*i]), math.Float32frombits(p[at+3*i+1])
		f.last = math.Float32frombits(p[at+3*i+2])
		return f
	}
	f.low, f.high = f.last, f.last
	return f
}

package history

import "math"

// book is the rows of a thing at one resolution: closed pages, and one that is
// open for writing.
type book[T any] struct {
	kind  rowKind[T]
	width int
	pages []page
	open  int // number of the open page, −1 for none
	rows  []T // of the open page, slot after slot
}

// rowKind is what single samples and buckets do differently.
type rowKind[T any] interface {
	close(rows []T, width int) page
	read(p page, i, column int) T
	empty(p page, column int) bool
	none() T
}

type singleRows struct{}

func (singleRows) close(rows []float64, width int) page { return closeSingles(rows, width) }
func (singleRows) read(p page, i, column int) float64   { return p.single(i, column) }
func (singleRows) empty(p page, column int) bool        { return p.empty(column) }
func (singleRows) none() float64                        { return math.NaN() }

type bucketRows struct{}

func (bucketRows) close(rows []figure, width int) page { return closeBuckets(rows, width) }
func (bucketRows) read(p page, i, column int) figure   { return p.figure(i, column) }
func (bucketRows) empty(p page, column int) bool       { return p.empty(2 * column) }
func (bucketRows) none() figure                        { return figure{} }

// at returns what a column holds in a slot.
func (b *book[T]) at(slot, column int) T {
	number, i := slot/pageSlots, slot%pageSlots
	switch {
	case number == b.open:
		return b.rows[i*b.width+column]
	case number < len(b.pages):
		return b.kind.read(b.pages[number], i, column)
	}
	return b.kind.none()
}

// barren tells how many slots from an empty one on hold nothing in a column, as
// far as its page tells: most figures of a process without PyTorch are never
// known.
func (b *book[T]) barren(slot, column int) int {
	number := slot / pageSlots
	if number == b.open || number < len(b.pages) && !b.kind.empty(b.pages[number], column) {
		return 1
	}
	return pageSlots - slot%pageSlots
}

// row returns the columns of a slot, to be written, until another slot is asked
// for.
func (b *book[T]) row(slot int) []T {
	number, i := slot/pageSlots, slot%pageSlots
	if number != b.open {
		b.turn(number)
	}
	return b.rows[i*b.width : (i+1)*b.width]
}

// clear empties a slot.
func (b *book[T]) clear(slot int) {
	row := b.row(slot)
	for c := range row {
		row[c] = b.kind.none()
	}
}

// turn closes the open page and opens another.
func (b *book[T]) turn(number int) {
	if b.open >= 0 {
		b.pages[b.open] = b.kind.close(b.rows, b.width)
	} else {
		b.rows = make([]T, pageSlots*b.width)
	}
	for number >= len(b.pages) {
		b.pages = append(b.pages, nil)
	}
	p := b.pages[number]
	for i := range b.rows {
		b.rows[i] = b.kind.read(p, i/b.width, i%b.width)
	}
	b.open, b.pages[number] = number, nil
}

// clone returns the book as it is now, all pages closed and listed in room, and
// the rest of that.
func (b *book[T]) clone(room []page) (book[T], []page) {
	n := copy(room[:cap(room)], b.pages)
	c := book[T]{kind: b.kind, width: b.width, open: -1, pages: room[:n:n]}
	if b.open >= 0 {
		c.pages[b.open] = b.kind.close(b.rows, b.width)
	}
	return c, room[n:n:cap(room)]
}

func (b *book[T]) bytes() int64 {
	const wordBytes, headBytes, rowBytes = 4, 24, 16
	n := int64(cap(b.pages))*headBytes + int64(len(b.rows))*rowBytes
	for _, p := range b.pages {
		n += int64(cap(p)) * wordBytes
	}
	return n
}

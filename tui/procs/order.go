package procs

import (
	"cmp"
	"math"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// Order is what a table is sorted by. The zero Order is the table's own: by
// device, then by whole GiB held, the most first, then by identity.
type Order struct {
	By         ColumnID
	Descending bool
}

// FirstDescending tells whether a column is asked for with the highest first:
// figures are, names and numbers are not.
func FirstDescending(id ColumnID) bool {
	switch id {
	case ColumnAllocated, ColumnReserved, ColumnUsed, ColumnCache, ColumnNonTorch, ColumnHost, ColumnCPU, ColumnTime:
		return true
	default:
		return false
	}
}

// Compare compares two rows. What is not known comes last in both directions,
// and rows that are equal keep the order of their identities. Figures are
// compared as they are shown, a tenth of a GiB or a whole percent, so that
// rows that look equal do not change places with every sample.
func (o Order) Compare(a, b *Row) int {
	if o.By == ColumnNone {
		return natural(a, b)
	}
	if c := o.compareValues(a, b); c != 0 {
		return c
	}
	return a.ID.Compare(b.ID)
}

// compareValues compares what the rows show in the column.
func (o Order) compareValues(a, b *Row) int {
	known, c := compareColumn(o.By, a, b)
	switch {
	case known && o.Descending:
		return -c
	default:
		return c
	}
}

// knows tells whether a row has a value in the column sorted by.
func (o Order) knows(r *Row) bool {
	return o.By == ColumnNone || sortKey(o.By, r).known
}

// compareColumn returns the order of two values and whether both are known.
func compareColumn(id ColumnID, a, b *Row) (bool, int) {
	x, y := sortKey(id, a), sortKey(id, b)
	if !x.known || !y.known {
		return false, compareBool(!x.known, !y.known)
	}
	return true, cmp.Or(cmp.Compare(x.number, y.number), strings.Compare(x.text, y.text))
}

// key is what a row is sorted by: a number or a text.
type key struct {
	known  bool
	number int64
	text   string
}

func sortKey(id ColumnID, r *Row) key {
	if bytes, ok := r.bytes(id); ok {
		v, known := bytes.Get()
		return key{known: known, number: tenths(v)}
	}
	switch id {
	case ColumnPID:
		return intKey(r.PID)
	case ColumnGPU:
		return intKey(r.GPU)
	case ColumnRank:
		return intKey(r.Rank)
	case ColumnCPU:
		v, known := r.CPUPercent.Get()
		known = known && !math.IsNaN(v) && !math.IsInf(v, 0)
		return key{known: known, number: int64(math.Round(min(max(v, -1e15), 1e15)))}
	case ColumnTime:
		v, known := r.Age.Get()
		return key{known: known, number: int64(v)}
	case ColumnUser:
		return textKey(r.User)
	case ColumnState:
		return textKey(r.State)
	case ColumnContainer:
		return textKey(r.Container)
	case ColumnCommand:
		return textKey(r.Command)
	default:
		return key{}
	}
}

// bytes returns the reading of a column of memory; false for other columns.
func (r *Row) bytes(id ColumnID) (monitor.Reading[int64], bool) {
	switch id {
	case ColumnAllocated:
		return r.AllocatedBytes, true
	case ColumnReserved:
		return r.ReservedBytes, true
	case ColumnUsed:
		return r.UsedBytes, true
	case ColumnCache:
		return r.CacheBytes, true
	case ColumnNonTorch:
		return r.NonTorchBytes, true
	case ColumnHost:
		return r.HostBytes, true
	default:
		return monitor.Reading[int64]{}, false
	}
}

// tenths returns bytes as they are shown: in tenths of a GiB, and what is not
// nothing but rounds to it above nothing.
func tenths(bytes int64) int64 {
	n := int64(math.Round(float64(bytes) / gib * 10))
	switch {
	case n > 0:
		return n + 1
	case n < 0:
		return n - 1
	}
	return int64(cmp.Compare(bytes, 0))
}

func intKey(r monitor.Reading[int]) key {
	v, known := r.Get()
	return key{known: known, number: int64(v)}
}

func textKey(s string) key { return key{known: s != "", text: s} }

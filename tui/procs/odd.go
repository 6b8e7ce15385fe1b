package procs

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/text"
)

// How far a rank must be from the median of its job to be the odd one out, as
// fractions of the median. Allocated rises and falls within a step and the
// ranks are not read at the same moment, so it takes more of it.
const (
	OddReservedFraction  = 0.1
	OddAllocatedFraction = 0.5
	// oddBytes is the least difference: under it nobody would act.
	oddBytes = gib / 4
)

// Odd is the rank of a job that differs most from the others.
type Odd struct {
	ID          ID // its first row
	Name        string
	Column      ColumnID // ColumnReserved or ColumnAllocated
	Bytes       int64    // of all its rows
	MedianBytes int64    // of all ranks, the odd one included
	// OfTwo is true in a job of two ranks, where nothing tells which is the odd
	// one: it is the one with more, and MedianBytes is what the other one has.
	OfTwo bool
}

// String says it in a sentence: "rank 0 reserved 91.2 GiB, the median of the
// job is 21.1 GiB".
func (o *Odd) String() string {
	layer := "reserved "
	if o.Column == ColumnAllocated {
		layer = "allocated "
	}
	other := ", the median of the job is "
	if o.OfTwo {
		other = ", the other one "
	}
	size := func(n int64) string { return strings.TrimSpace(text.Size(n, 12)) }
	return o.Name + " " + layer + size(o.Bytes) + other + size(o.MedianBytes)
}

// peer is what one rank holds.
type peer struct {
	row                 *Row
	reserved, allocated monitor.Reading[int64]
}

// oddOne finds the rank that differs most from the median of its job, by
// reserved and, when they agree in that, by allocated.
func oddOne(t *Table, gr group) *Odd {
	peers := t.peers(gr)
	if odd := oddBy(peers, ColumnReserved, OddReservedFraction, func(p *peer) monitor.Reading[int64] { return p.reserved }); odd != nil {
		return odd
	}
	return oddBy(peers, ColumnAllocated, OddAllocatedFraction, func(p *peer) monitor.Reading[int64] { return p.allocated })
}

// peers returns the processes to compare: the ranks, or, when there is only
// one, the processes that it started.
func (t *Table) peers(gr group) []peer {
	nodes := gr.ranks
	if len(nodes) == 1 {
		nodes = slices.DeleteFunc(slices.Clone(gr.nodes), func(n int) bool { return n == gr.ranks[0] })
	}
	out := make([]peer, 0, len(nodes))
	for _, n := range nodes {
		rows := t.forest.nodes[n].rows
		p := peer{row: &t.rows[rows[0]], reserved: monitor.Known[int64](0), allocated: monitor.Known[int64](0)}
		for _, i := range rows {
			r := &t.rows[i]
			if r.Allocator == nil && r.ReservedBytes.Why().Code == monitor.NotApplicable {
				continue // a bare context on another rank's device
			}
			p.reserved, p.allocated = plus(p.reserved, r.ReservedBytes), plus(p.allocated, r.AllocatedBytes)
		}
		out = append(out, p)
	}
	return out
}

func oddBy(peers []peer, column ColumnID, fraction float64, get func(*peer) monitor.Reading[int64]) *Odd {
	type value struct {
		p     *peer
		bytes int64
	}
	values := make([]value, 0, len(peers))
	for i := range peers {
		if v, ok := get(&peers[i]).Get(); ok && v >= 0 {
			values = append(values, value{&peers[i], v})
		}
	}
	if len(values) < 2 || len(values) < len(peers) {
		return nil // the odd one could be among those that are not known
	}
	slices.SortStableFunc(values, func(a, b value) int { return compareInt64(a.bytes, b.bytes) })
	least, most := values[0], values[len(values)-1]
	median, pick := medianOf(values[(len(values)-1)/2].bytes, values[len(values)/2].bytes), most
	switch {
	case len(values) == 2:
		median = least.bytes
	case median-least.bytes > most.bytes-median:
		pick = least
	}
	difference := math.Abs(float64(pick.bytes) - float64(median))
	if difference < oddBytes || difference <= fraction*float64(median) {
		return nil
	}
	return &Odd{ID: pick.p.row.ID, Name: rankName(pick.p.row), Column: column, Bytes: pick.bytes, MedianBytes: median, OfTwo: len(values) == 2}
}

// medianOf is the middle of two figures, neither of which is negative.
func medianOf(a, b int64) int64 { return a + (b-a)/2 }

func rankName(r *Row) string {
	if n, ok := r.Rank.Get(); ok {
		return "rank " + strconv.Itoa(n)
	}
	return "PID " + strconv.Itoa(r.ID.Process.PID)
}

func compareInt64(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

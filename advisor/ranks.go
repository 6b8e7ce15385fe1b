package advisor

import (
	"fmt"
	"slices"
	"strings"
)

// The ranks of a job often fail together and with the same figures. That is one
// finding, about the rank that is told of first; the others are named in it.

// namedRanks is how many ranks a sentence names.
const namedRanks = 8

// withRank adds a rank to those known, unless it is not told or known already.
func withRank(ranks []int, rank *int) []int {
	if rank == nil || slices.Contains(ranks, *rank) {
		return ranks
	}
	return append(ranks, *rank)
}

// toldBy adds a rank that tells of a failure; nil for none.
func (o *oom) toldBy(rank *int) { o.ranks = withRank(o.ranks, rank) }

// toldBy adds ranks that tell of the failure that a finding is about.
func (d *draft) toldBy(ranks []int) {
	for _, rank := range ranks {
		d.ranks = withRank(slices.Clip(d.ranks), &rank)
	}
}

// tellRanks names the ranks in the sentence where there are several.
func (d *draft) tellRanks() {
	if len(d.ranks) < 2 {
		return
	}
	var parts []string
	for _, rank := range d.ranks[:min(len(d.ranks), namedRanks)] {
		parts = append(parts, number(rank))
	}
	if more := len(d.ranks) - namedRanks; more > 0 {
		parts = append(parts, number(more)+" more")
	}
	last := len(parts) - 1
	text := fmt.Sprintf("; ranks %s and %s tell of it, rank %d first", strings.Join(parts[:last], ", "), parts[last], d.ranks[0])
	d.Title += text
	if d.Past != "" {
		d.Past += text
	}
}

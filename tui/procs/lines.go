package procs

import (
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// jobLines puts the rows of a job under it. A job stands here when one of its
// rows matches; its sums are always those of all its rows.
func (t *Table) jobLines(v View, match []bool) []Line {
	tops := make([]Line, 0, len(t.rows))
	below := map[ID][]Line{}
	for i := range t.rows {
		r := &t.rows[i]
		switch {
		case !match[i]:
		case r.Job == nil:
			tops = append(tops, Line{Row: r})
		default:
			id := r.Job.Row.ID
			if below[id] == nil {
				tops = append(tops, Line{Row: &r.Job.Row, Fold: id})
			}
			below[id] = append(below[id], Line{Row: r, Depth: 1})
		}
	}
	byOrder := func(a, b Line) int { return v.Order.Compare(a.Row, b.Row) }
	slices.SortStableFunc(tops, byOrder)
	lines := make([]Line, 0, len(t.rows)+len(below))
	for _, top := range tops {
		members := below[top.Fold]
		if !top.Row.ID.IsJob() {
			lines = append(lines, top)
			continue
		}
		top.Below, top.Collapsed = len(members), v.Collapsed[top.Fold]
		lines = append(lines, top)
		if !top.Collapsed {
			slices.SortStableFunc(members, byOrder)
			lines = append(lines, members...)
		}
	}
	return lines
}

// branch is a process in the tree with what is below it.
type branch struct {
	rows  []Line // its own, at least one
	below []branch
	best  *Row // what it is sorted by
	count int  // lines below it
}

// treeLines puts processes under their parents.
func (t *Table) treeLines(v View, match []bool) []Line {
	w := treeWalk{t: t, v: v, match: match}
	var tops []branch
	for i := range t.forest.nodes {
		if t.forest.nodes[i].parent < 0 {
			if b, ok := w.branch(i, 0); ok {
				tops = append(tops, b)
			}
		}
	}
	for i := range t.rows {
		if r := &t.rows[i]; match[i] && (r.ID.Outside || r.ID.Process.PID <= 0) {
			tops = append(tops, branch{rows: []Line{{Row: r}}, best: r})
		}
	}
	w.sort(tops)
	return w.flatten(nil, tops)
}

type treeWalk struct {
	t     *Table
	v     View
	match []bool
}

// branch returns a process and what is below it; false when the filter leaves
// nothing of it.
func (w *treeWalk) branch(i, depth int) (branch, bool) {
	n := &w.t.forest.nodes[i]
	var b branch
	for _, child := range n.children {
		if c, ok := w.branch(child, depth+1); ok {
			b.below = append(b.below, c)
			b.count += len(c.rows) + c.count
		}
	}
	w.sort(b.below)
	for _, r := range n.rows {
		if w.match[r] {
			b.rows = append(b.rows, Line{Row: &w.t.rows[r], Depth: depth})
		}
	}
	if len(n.rows) == 0 {
		row := w.t.wholeRow(n)
		if w.v.Filter.Match(row) && (n.allocator != nil || !w.v.Filter.Empty() || len(b.below) > 0) {
			b.rows = append(b.rows, Line{Row: row, Depth: depth})
		} else if len(b.below) > 0 {
			b.rows = append(b.rows, Line{Row: row, Depth: depth, Context: true})
		}
	} else if len(b.rows) == 0 && len(b.below) > 0 {
		b.rows = append(b.rows, Line{Row: &w.t.rows[n.rows[0]], Depth: depth, Context: true})
	}
	if len(b.rows) == 0 {
		return b, false
	}
	order := w.v.Order
	slices.SortStableFunc(b.rows, func(x, y Line) int { return order.Compare(x.Row, y.Row) })
	b.best = b.rows[0].Row
	if !order.knows(b.best) && len(b.below) > 0 || order.By == ColumnNone && len(n.rows) == 0 && len(b.below) > 0 {
		b.best = b.below[0].best
	}
	if len(b.below) > 0 {
		b.rows[0].Fold, b.rows[0].Below = ID{Process: n.key, Whole: true}, b.count
		b.rows[0].Collapsed = w.v.Collapsed[b.rows[0].Fold]
	}
	return b, true
}

// sort orders processes of one parent. One that shows nothing in the column
// sorted by, such as a launcher, stands where the first below it would.
func (w *treeWalk) sort(branches []branch) {
	slices.SortStableFunc(branches, func(a, b branch) int { return w.v.Order.Compare(a.best, b.best) })
}

func (w *treeWalk) flatten(lines []Line, branches []branch) []Line {
	for _, b := range branches {
		lines = append(lines, b.rows...)
		if !b.rows[0].Collapsed {
			lines = w.flatten(lines, b.below)
		}
	}
	return lines
}

// wholeRow is the row of a process without a device.
func (t *Table) wholeRow(n *node) *Row {
	r := &Row{ID: ID{Process: n.key, Whole: true}, Process: n.process, Allocator: n.allocator}
	r.fill(t.sample.Time, "the process uses no GPU", whyNoAllocator)
	if r.Allocator == nil || r.GPU.Why().Code == monitor.NotRead {
		return r
	}
	r.GPU = monitor.Unknown[int](monitor.NotApplicable, "the process uses no GPU")
	return r
}

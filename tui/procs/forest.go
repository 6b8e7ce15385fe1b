package procs

import (
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// forest is the processes of a sample with their parents, as far as the sample
// tells them. There is no cycle in it.
type forest struct {
	nodes []node // in the order of their keys

	// Of use while it is planted.
	keys  []monitor.ProcessKey
	index map[monitor.ProcessKey]int
	byPID map[int]int
	seen  []int
}

// node is a process; also one without a device, such as a launcher.
type node struct {
	key       monitor.ProcessKey
	process   *monitor.Process   // nil when only the driver or an allocator tells of it
	allocator *monitor.Allocator // of one without a row
	rows      []int              // of Table.rows, in their order
	parent    int                // −1 for none
	children  []int              // in the order of their keys
	branches  int                // children with a row at or below them
	holds     bool               // has a row, or a node below it has
}

// plant makes the forest of a table's rows and of the processes that have none,
// in the memory of the one before. Numbers of other PID namespaces and logs are
// no processes here.
func (f *forest) plant(t *Table, b *builder) {
	keys := f.keys[:0]
	for i := range t.sample.Processes { // these are mostly in order already
		if p := &t.sample.Processes[i]; b.processes[p.PID] == p {
			keys = append(keys, b.key(p.PID))
		}
	}
	for i := range t.rows {
		if r := &t.rows[i]; r.isProcess() && (r.Process == nil || b.key(r.Process.PID) != r.ID.Process) {
			keys = append(keys, r.ID.Process)
		}
	}
	for i := range t.sample.Torch {
		if a := &t.sample.Torch[i]; inForest(a) {
			keys = append(keys, b.keyOf(a))
		}
	}
	slices.SortFunc(keys, compareKey)
	keys = slices.Compact(keys)
	f.begin(keys)
	index := f.index
	for i, key := range keys {
		index[key] = i
		if p := b.processes[key.PID]; p != nil && b.key(key.PID) == key {
			f.nodes[i].process = p
		}
	}
	for i := range t.rows {
		if t.rows[i].isProcess() {
			n := &f.nodes[index[t.rows[i].ID.Process]]
			n.rows = append(n.rows, i)
		}
	}
	for i := range t.sample.Torch {
		a := &t.sample.Torch[i]
		if !inForest(a) {
			continue
		}
		if n := &f.nodes[index[b.keyOf(a)]]; len(n.rows) == 0 && n.allocator == nil {
			n.allocator = a
		}
	}
	f.link()
}

// begin makes room for nodes of these keys.
func (f *forest) begin(keys []monitor.ProcessKey) {
	if f.index == nil {
		f.index, f.byPID = map[monitor.ProcessKey]int{}, map[int]int{}
	}
	clear(f.index)
	clear(f.byPID)
	f.keys, f.seen = keys, renewed(f.seen, len(keys))
	f.nodes = slices.Grow(f.nodes[:0], len(keys))[:len(keys)]
	for i, key := range keys {
		n := &f.nodes[i]
		*n = node{key: key, parent: -1, rows: n.rows[:0], children: n.children[:0]}
	}
}

// isProcess tells whether a row is of a process that can be named here.
func (r *Row) isProcess() bool { return r.ID.Process.PID > 0 && !r.ID.Outside }

func inForest(a *monitor.Allocator) bool {
	return a.PID > 0 && a.State != monitor.AllocatorGone
}

// link finds the parents. A parent is not younger than its child: a younger
// one has got the number of a parent that is gone.
func (f *forest) link() {
	byPID := f.byPID
	for i := range f.nodes {
		if f.nodes[i].process != nil {
			byPID[f.nodes[i].key.PID] = i
		}
	}
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.process == nil {
			continue
		}
		up, ok := byPID[n.process.ParentPID]
		if !ok || up == i || n.key.StartTicks != 0 && f.nodes[up].key.StartTicks > n.key.StartTicks {
			continue
		}
		n.parent = up
	}
	f.cutCycles()
	for i := range f.nodes {
		if up := f.nodes[i].parent; up >= 0 {
			f.nodes[up].children = append(f.nodes[up].children, i)
		}
	}
	for i := range f.nodes {
		if len(f.nodes[i].rows) > 0 {
			f.hold(i)
		}
	}
}

// hold marks a node and those above it as holding a row.
func (f *forest) hold(i int) {
	for i >= 0 && !f.nodes[i].holds {
		f.nodes[i].holds = true
		up := f.nodes[i].parent
		if up >= 0 {
			f.nodes[up].branches++
		}
		i = up
	}
}

// cutCycles takes away the parents that lead back to the process itself, which
// only a damaged recording or a number used twice can tell.
func (f *forest) cutCycles() {
	seen := f.seen // the walk that came by, from 1
	for i := range f.nodes {
		walk := i + 1
		for at := i; seen[at] == 0; {
			seen[at] = walk
			up := f.nodes[at].parent
			if up < 0 {
				break
			}
			if seen[up] == walk {
				f.nodes[at].parent = -1
				break
			}
			at = up
		}
	}
}

// countWorkers tells the rows how many processes below them use PyTorch
// without a device. Each counts at the nearest one above it that has a row.
func (f *forest) countWorkers(t *Table) {
	for i := range f.nodes {
		if !f.isWorker(i) {
			continue
		}
		for up := f.nodes[i].parent; up >= 0; up = f.nodes[up].parent {
			if len(f.nodes[up].rows) == 0 {
				continue
			}
			for _, r := range f.nodes[up].rows {
				t.rows[r].Workers++
			}
			break
		}
	}
}

// isWorker tells a process with PyTorch and without a row.
func (f *forest) isWorker(i int) bool {
	return len(f.nodes[i].rows) == 0 && f.nodes[i].allocator != nil
}

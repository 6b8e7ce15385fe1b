package procs

import (
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// Job is the rows that belong together: the ranks of one launcher, or one
// process on several devices.
type Job struct {
	// Row holds the sums over the rows; its Process is what started the ranks,
	// nil when that cannot be seen. Host memory and CPU count each process once
	// and the launcher not at all.
	Row     Row
	Members []*Row // in the order of the table, all of them whatever the filter
	Ranks   int    // processes, without those that a rank started itself
	World   monitor.Reading[int]
	Missing map[ColumnID]int // members whose figure is not known, so that the sum is a lower bound
	Assumed int              // members of which the memory used is assumed
	Odd     *Odd             // the rank that differs from the others; nil when none does

	gpus []int
}

// Jobs returns the jobs of more than one row. They are read only.
func (t *Table) Jobs() []Job { return t.jobs }

// findJobs groups the rows and tells each its job.
func (t *Table) findJobs(g *grouping) {
	g.begin(t.forest)
	groups := g.groups()
	t.jobs = make([]Job, 0, len(groups))
	for _, group := range groups {
		t.jobs = append(t.jobs, t.newJob(group))
	}
	for i := range t.jobs {
		for _, r := range t.jobs[i].Members {
			r.Job = &t.jobs[i]
		}
		t.jobs[i].Row.Job = &t.jobs[i]
	}
}

// group is the nodes of one job.
type group struct {
	id    JobID
	root  *node // nil when it cannot be seen
	nodes []int
	ranks []int // of nodes: those that no other of them started
}

// grouping finds out which nodes belong together.
type grouping struct {
	f       *forest
	anchors []int // by node: what started its job; −1 for none
	leads   []int // by node: the rank that it is or belongs to
	done    []bool
	below   [][]int // by rank: the nodes that belong to it, itself included
	started [][]int // by anchor: its ranks
	taken   []bool  // by node: a rank that has its job
}

// begin takes up a forest with what memory there is.
func (g *grouping) begin(f *forest) {
	n := len(f.nodes)
	g.f, g.anchors, g.leads, g.done, g.taken = f, renewed(g.anchors, n), renewed(g.leads, n), renewed(g.done, n), renewed(g.taken, n)
	g.below, g.started = emptied(g.below, n), emptied(g.started, n)
	for i := range f.nodes {
		if len(f.nodes[i].rows) > 0 {
			g.place(i)
		}
	}
}

// place finds the anchor of a node with rows: the nearest process above it
// from which several branches with rows come. A process below another one with
// rows belongs to that one's rank.
func (g *grouping) place(i int) {
	if g.done[i] {
		return
	}
	g.done[i] = true
	g.anchors[i], g.leads[i] = -1, i
	for up := g.f.nodes[i].parent; up >= 0; up = g.f.nodes[up].parent {
		n := &g.f.nodes[up]
		if len(n.rows) > 0 {
			g.place(up)
			g.leads[i], g.anchors[i] = g.leads[up], g.anchors[up]
			return
		}
		if n.branches > 1 && !isShell(n.process) {
			g.anchors[i] = up
			return
		}
	}
}

// isShell tells a shell, from which jobs that have nothing to do with each
// other are started.
func isShell(p *monitor.Process) bool {
	switch p.Name {
	case "sh", "bash", "zsh", "fish", "dash", "ksh", "tcsh", "csh", "ash", "screen", "tmux":
		return true
	}
	return false
}

// groups returns the jobs of more than one row in the order of their names.
func (g *grouping) groups() []group {
	leads, anchors := g.sort()
	var out []group
	for _, a := range anchors {
		root := &g.f.nodes[a]
		for _, bucket := range g.byWorld(g.started[a]) {
			if bucket.world != 1 && len(bucket.ranks) > 1 {
				out = g.take(out, group{id: JobID{Root: root.key, World: bucket.world}, root: root, ranks: bucket.ranks})
			}
		}
	}
	for _, p := range g.byPlace(leads) {
		out = g.take(out, p)
	}
	for _, lead := range leads {
		if !g.taken[lead] {
			n := &g.f.nodes[lead]
			out = g.take(out, group{id: JobID{Root: n.key, World: g.world(lead)}, root: n, ranks: []int{lead}})
		}
	}
	slices.SortFunc(out, func(a, b group) int { return ID{Job: a.id}.Compare(ID{Job: b.id}) })
	return out
}

// sort gives every node to its rank and every rank to its anchor.
func (g *grouping) sort() (leads, anchors []int) {
	for i := range g.f.nodes {
		if !g.done[i] {
			continue
		}
		lead := g.leads[i]
		g.below[lead] = append(g.below[lead], i)
		if lead != i {
			continue
		}
		leads = append(leads, i)
		if a := g.anchors[i]; a >= 0 {
			if len(g.started[a]) == 0 {
				anchors = append(anchors, a)
			}
			g.started[a] = append(g.started[a], i)
		}
	}
	return leads, anchors
}

// take completes a group and adds it when it has more than one row.
func (g *grouping) take(out []group, gr group) []group {
	rows := 0
	for _, lead := range gr.ranks {
		g.taken[lead] = true
		gr.nodes = append(gr.nodes, g.below[lead]...)
	}
	for _, n := range gr.nodes {
		rows += len(g.f.nodes[n].rows)
	}
	if rows < 2 {
		return out
	}
	return append(out, gr)
}

// world returns how many ranks a process was told that its job has; 0 when not
// known.
func (g *grouping) world(i int) int {
	if p := g.f.nodes[i].process; p != nil {
		return max(0, p.World.Or(0))
	}
	return 0
}

// bucket is the ranks that were told the same number of ranks.
type bucket struct {
	world int
	ranks []int
}

// byWorld splits the ranks of one launcher: it may have started several jobs.
// Ranks that were told nothing join the others where there is only one job.
func (g *grouping) byWorld(ranks []int) []bucket {
	var out []bucket
	for _, r := range ranks {
		w := g.world(r)
		i := slices.IndexFunc(out, func(b bucket) bool { return b.world == w })
		if i < 0 {
			i = len(out)
			out = append(out, bucket{world: w})
		}
		out[i].ranks = append(out[i].ranks, r)
	}
	if len(out) != 2 {
		return out
	}
	for i, b := range out {
		if other := out[1-i]; b.world == 0 && other.world > 1 && len(ranks) <= other.world {
			all := bucket{world: other.world, ranks: ranks}
			return []bucket{all}
		}
	}
	return out
}

// byPlace groups ranks whose launcher cannot be seen, as from inside a
// container: told the same number of ranks, of one user in one container or
// batch job, and no rank twice. A rank that stands there twice is of another
// job, and then nothing tells which rank is of which.
func (g *grouping) byPlace(leads []int) []group {
	type place struct {
		world                  int
		user, runtime, id, pod string
	}
	var order []place
	found := map[place][]int{}
	for _, lead := range leads {
		p := g.f.nodes[lead].process
		if g.taken[lead] || p == nil || g.world(lead) < 2 || !p.Rank.Known() {
			continue
		}
		at := place{g.world(lead), p.User, p.Container.Runtime, p.Container.ID, p.Container.Pod}
		if found[at] == nil {
			order = append(order, at)
		}
		found[at] = append(found[at], lead)
	}
	var out []group
	for _, at := range order {
		if ranks := found[at]; len(ranks) > 1 && len(ranks) <= at.world && g.distinct(ranks) {
			name := at.user + "\x00" + at.runtime + "\x00" + at.id + "\x00" + at.pod
			out = append(out, group{id: JobID{World: at.world, Place: name}, ranks: ranks})
		}
	}
	return out
}

func (g *grouping) distinct(ranks []int) bool {
	seen := make(map[int]bool, len(ranks))
	for _, i := range ranks {
		rank := g.f.nodes[i].process.Rank.Or(0)
		if seen[rank] {
			return false
		}
		seen[rank] = true
	}
	return true
}

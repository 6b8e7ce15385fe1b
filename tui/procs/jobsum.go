package procs

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
)

// newJob adds up the rows of a group.
func (t *Table) newJob(gr group) Job {
	j := Job{Ranks: len(gr.ranks), World: monitor.Unknown[int](monitor.NotAvailable, "how many ranks the job has is not known"), Missing: map[ColumnID]int{}}
	if gr.id.World > 0 {
		j.World = monitor.Known(gr.id.World)
	}
	rows := make([]int, 0, len(gr.nodes))
	for _, n := range gr.nodes {
		rows = append(rows, t.forest.nodes[n].rows...)
	}
	slices.Sort(rows)
	j.Members = make([]*Row, 0, len(rows))
	for _, i := range rows {
		j.Members = append(j.Members, &t.rows[i])
		if h := t.rows[i].Holder; h != nil && h.Assumed {
			j.Assumed++
		}
	}
	if j.Ranks == 1 {
		// One process that is alone or that started the others.
		if started := len(gr.nodes) - 1; started > 0 {
			j.Ranks = started + 1
		}
	}
	j.Row = Row{ID: ID{Job: gr.id}}
	if gr.root != nil {
		j.Row.Process = gr.root.process
	}
	j.sumMemory()
	j.sumProcesses(t, gr)
	j.describe(t, gr)
	j.Odd = oddOne(t, gr)
	return j
}

// sumMemory adds up the layers over all rows.
func (j *Job) sumMemory() {
	for _, c := range []struct {
		id  ColumnID
		sum *monitor.Reading[int64]
	}{
		{ColumnAllocated, &j.Row.AllocatedBytes}, {ColumnReserved, &j.Row.ReservedBytes}, {ColumnUsed, &j.Row.UsedBytes},
		{ColumnCache, &j.Row.CacheBytes}, {ColumnNonTorch, &j.Row.NonTorchBytes},
	} {
		*c.sum = j.sum(c.id, j.Members)
	}
}

// sumProcesses adds up what is of a process rather than of a row.
func (j *Job) sumProcesses(t *Table, gr group) {
	first := make([]*Row, 0, len(gr.nodes)) // of each process
	var cpu, age = monitor.Known(0.0), monitor.Unknown[time.Duration](monitor.NotAvailable, "when the job started is not known")
	for _, n := range gr.nodes {
		r := &t.rows[t.forest.nodes[n].rows[0]]
		first = append(first, r)
		j.Row.Workers += r.Workers
		switch v, ok := r.CPUPercent.Get(); {
		case !ok:
			j.Missing[ColumnCPU]++
		default:
			cpu = monitor.Known(cpu.Or(0) + v)
		}
		if v, ok := r.Age.Get(); ok && v > age.Or(0) {
			age = r.Age
		}
	}
	if j.Missing[ColumnCPU] == len(first) {
		cpu = j.Members[0].CPUPercent
	}
	j.Row.HostBytes, j.Row.CPUPercent, j.Row.Age = j.sum(ColumnHost, first), cpu, age
}

// sum adds up what is known of a column and counts what is missing. A figure
// that makes no sense for a member, such as the allocator of a process without
// PyTorch, is not missing.
func (j *Job) sum(id ColumnID, rows []*Row) monitor.Reading[int64] {
	total, known, missing := monitor.Known[int64](0), 0, 0
	var none monitor.Reading[int64]
	for _, row := range rows {
		r, _ := row.bytes(id)
		switch {
		case r.Known():
			known++
			total = plus(total, r)
		case r.Why().Code != monitor.NotApplicable:
			missing++
			none = r
		case missing == 0:
			none = r
		}
	}
	if known == 0 {
		return none
	}
	if missing > 0 {
		j.Missing[id] = missing
	}
	return total
}

// describe fills in the texts of the row.
func (j *Job) describe(t *Table, gr group) {
	r := &j.Row
	several := func(get func(*Row) string) string {
		first := get(j.Members[0])
		for _, m := range j.Members[1:] {
			if get(m) != first {
				return "several"
			}
		}
		return first
	}
	r.User = several(func(m *Row) string { return m.User })
	r.Container = several(func(m *Row) string { return m.Container })
	r.PID = monitor.Unknown[int](monitor.NotAvailable, "what started the job cannot be seen")
	if r.Process != nil {
		r.PID = monitor.Known(r.Process.PID)
	}
	r.Rank = monitor.Unknown[int](monitor.NotApplicable, "a job has several ranks")
	r.GPU = monitor.Unknown[int](monitor.NotApplicable, "the job is on several GPUs")
	for _, m := range j.Members {
		if gpu, ok := m.GPU.Get(); ok && !slices.Contains(j.gpus, gpu) {
			j.gpus = append(j.gpus, gpu)
		}
	}
	slices.Sort(j.gpus)
	if len(j.gpus) > 0 {
		r.GPU = monitor.Known(j.gpus[0]) // to sort by
	}
	lead := &t.forest.nodes[gr.ranks[0]]
	command := t.rows[lead.rows[0]].Command
	if p := r.Process; p != nil && p.Command != "" {
		command = clean.Line(p.Command)
	}
	r.Command = command
}

// cell returns what the row of a job shows otherwise than a process does.
func (j *Job) cell(id ColumnID) (string, bool) {
	switch id {
	case ColumnGPU:
		if s := rangesText(j.gpus); len(s) <= 3 && s != "" {
			return s, true
		}
		return "*", true
	case ColumnRank:
		if n, ok := j.World.Get(); ok && n != j.Ranks {
			if s := strconv.Itoa(j.Ranks) + "/" + strconv.Itoa(n); len(s) <= 5 {
				return s, true
			}
		}
		return "x" + strconv.Itoa(j.Ranks), true
	case ColumnCommand:
		return "job: " + j.Row.Command, true
	default:
		return "", false
	}
}

// Size says in a few words how large the job is: "8 of 16 ranks on GPUs 0-7".
func (j *Job) Size() string {
	size := plural(j.Ranks, "process", "processes")
	if n, ok := j.World.Get(); ok {
		size = plural(j.Ranks, "rank", "ranks")
		if n != j.Ranks {
			size = strconv.Itoa(j.Ranks) + " of " + plural(n, "rank", "ranks")
		}
	}
	switch len(j.gpus) {
	case 0:
		return size
	case 1:
		return size + " on GPU " + rangesText(j.gpus)
	}
	return size + " on GPUs " + rangesText(j.gpus)
}

// Summary says in a sentence what the job is: its size, how far its sums can be
// believed and the odd one out.
func (j *Job) Summary() string {
	parts := []string{j.Size()}
	if j.Assumed > 0 {
		parts = append(parts, "used is assumed for "+strconv.Itoa(j.Assumed)+" of "+strconv.Itoa(len(j.Members)))
	}
	if lacking := j.lacking(); lacking != "" {
		parts = append(parts, lacking)
	}
	if j.Odd != nil {
		parts = append(parts, j.Odd.String())
	}
	return strings.Join(parts, "; ")
}

// lacking says which sums are lower bounds.
func (j *Job) lacking() string {
	var names []string
	most := 0
	for _, c := range Columns() {
		if n := j.Missing[c.ID]; n > 0 {
			names, most = append(names, strings.ToLower(c.Title)), max(most, n)
		}
	}
	if most == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " at least that: " + plural(most, "process", "processes") + " could not be read"
}

// rangesText writes numbers in order as 0-3,6.
func rangesText(sorted []int) string {
	var parts []string
	for i := 0; i < len(sorted); {
		end := i
		for end+1 < len(sorted) && sorted[end+1] == sorted[end]+1 {
			end++
		}
		s := strconv.Itoa(sorted[i])
		if end > i {
			s += "-" + strconv.Itoa(sorted[end])
		}
		parts = append(parts, s)
		i = end + 1
	}
	return strings.Join(parts, ",")
}

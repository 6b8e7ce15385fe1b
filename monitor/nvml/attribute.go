package nvml

import (
	"cmp"
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// The driver tells a container less than the host: numbers that mean nothing
// here, names without memory, or nothing of its neighbours. What can be said
// without guessing between two is said here and marked assumed; the rest is
// named unseen.

// deviceUse is what attribution needs of one device.
type deviceUse struct {
	gpu    *monitor.GPU
	rows   []*monitor.Holder
	open   []candidate // that have its file open
	listed bool        // its list of processes was answered
}

// attribute joins, where this program runs in a PID namespace of its own, what
// the driver does not: the one foreign number with the one process here that
// has the device open, and the memory that nobody else holds with the one
// process whose memory is not told. It sets UnseenBytes of every device.
func (s *Source) attribute(gpus []monitor.GPU, rows []monitor.Holder) []monitor.Holder {
	if !s.space.nested && s.space.depth == 0 {
		for i := range gpus {
			gpus[i].UnseenBytes = monitor.Unknown[int64](monitor.NotApplicable, "this is the machine's first PID namespace: the driver lists everybody")
		}
		return rows
	}
	if s.attributable(gpus, rows) {
		uses := s.uses(gpus, rows)
		nameForeign(uses)
		giveRest(uses)
		rows = append(rows, s.unlisted(uses)...)
		slices.SortStableFunc(rows, func(a, b monitor.Holder) int {
			return cmp.Or(cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Instance.Or(-1), b.Instance.Or(-1)))
		})
	}
	for i := range gpus {
		gpus[i].UnseenBytes = unseen(&gpus[i], rows)
		if why := s.rows[i].lists; why != (monitor.Reason{}) && !has(rows, gpus[i].Index) {
			gpus[i].UnseenBytes = monitor.Unknown[int64](why.Code, "the driver gives no list of processes: "+why.String())
		}
	}
	return rows
}

func has(rows []monitor.Holder, gpu int) bool {
	return slices.ContainsFunc(rows, func(h monitor.Holder) bool { return h.GPU == gpu })
}

// attributable tells whether there is anything to attribute, so that the open
// files of all processes are not read for nothing.
func (s *Source) attributable(gpus []monitor.GPU, rows []monitor.Holder) bool {
	for i := range rows {
		if !rows[i].InNamespace || !rows[i].UsedBytes.Known() {
			return true
		}
	}
	for i := range gpus {
		if unseen(&gpus[i], rows).Or(0) >= monitor.UnseenFrom && (s.space.depth > 0 || s.rows[i].lists != monitor.Reason{}) {
			return true
		}
	}
	return false
}

func (s *Source) uses(gpus []monitor.GPU, rows []monitor.Holder) []deviceUse {
	list := s.space.candidates()
	uses := make([]deviceUse, len(gpus))
	for i := range gpus {
		u := &uses[i]
		u.gpu, u.listed = &gpus[i], s.rows[i].lists == monitor.Reason{}
		for j := range rows {
			if rows[j].GPU == gpus[i].Index {
				u.rows = append(u.rows, &rows[j])
			}
		}
		minor, known := s.rows[i].minor.Get()
		for _, c := range list {
			// Without the number of its file a device is told only when it is alone.
			if known && c.minors[minor] || !known && len(gpus) == 1 {
				u.open = append(u.open, c)
			}
		}
	}
	return uses
}

// split tells whether the device's own figures are those of several instances.
func (u *deviceUse) split() bool { return u.gpu.MIG.Or(false) }

// nameForeign joins numbers of the host with processes here. A device with
// one number and one process that has it open speaks for a pair; a number or
// a process that is in two pairs is in none, because a job opens the files of
// devices that it does not use.
func nameForeign(uses []deviceUse) {
	type pair struct {
		number int
		c      candidate
	}
	var pairs []pair
	for i := range uses {
		u := &uses[i]
		numbers := map[int]bool{}
		named := map[int]bool{}
		for _, h := range u.rows {
			if h.InNamespace {
				named[h.PID] = true
			} else {
				numbers[h.PID] = true
			}
		}
		var free []candidate
		for _, c := range u.open {
			if !named[c.pid] {
				free = append(free, c)
			}
		}
		if len(numbers) != 1 || len(free) != 1 {
			continue
		}
		for number := range numbers {
			pairs = append(pairs, pair{number, free[0]})
		}
	}
	joined := map[int]candidate{}
	for _, p := range pairs {
		alone := true
		for _, q := range pairs {
			alone = alone && (p.number == q.number) == (p.c.pid == q.c.pid)
		}
		if alone {
			joined[p.number] = p.c
		}
	}
	for i := range uses {
		for _, h := range uses[i].rows {
			if c, ok := joined[h.PID]; ok && !h.InNamespace {
				h.PID, h.Name, h.InNamespace, h.Assumed, h.AssumedProcess = c.pid, c.name, true, true, true
			}
		}
	}
}

// giveRest gives the memory of a device that no row accounts for to the one
// process on it whose memory the driver does not tell, when that process has
// the device open and no other does.
func giveRest(uses []deviceUse) {
	for i := range uses {
		u := &uses[i]
		used, known := u.gpu.Memory.UsedBytes.Get()
		if !known || u.split() {
			continue
		}
		var untold []*monitor.Holder
		for _, h := range u.rows {
			if v, ok := h.UsedBytes.Get(); ok {
				used -= v
			} else {
				untold = append(untold, h)
			}
		}
		if len(untold) != 1 || !untold[0].InNamespace || used < monitor.UnseenFrom || !u.onlyOpenBy(untold[0].PID) {
			continue
		}
		untold[0].UsedBytes, untold[0].Assumed = monitor.Known(used), true
	}
}

// onlyOpenBy tells whether of the processes without a figure of their own only
// this one has the device open.
func (u *deviceUse) onlyOpenBy(pid int) bool {
	told := map[int]bool{}
	for _, h := range u.rows {
		if h.InNamespace && h.UsedBytes.Known() {
			told[h.PID] = true
		}
	}
	has := false
	for _, c := range u.open {
		if c.pid == pid {
			has = true
		} else if !told[c.pid] {
			return false
		}
	}
	return has
}

// unlisted makes a row for the one process that has a device open which the
// driver names nobody on. That says something only where the driver cannot
// name it: its list was refused, or it leaves out what is not in the namespace
// of this program while the processes are seen through the host's /proc.
func (s *Source) unlisted(uses []deviceUse) []monitor.Holder {
	var more []monitor.Holder
	for i := range uses {
		u := &uses[i]
		used, known := u.gpu.Memory.UsedBytes.Get()
		if !known || u.split() || used < monitor.UnseenFrom || len(u.rows) > 0 || len(u.open) != 1 || u.listed && s.space.depth == 0 {
			continue
		}
		c := u.open[0]
		more = append(more, monitor.Holder{PID: c.pid, GPU: u.gpu.Index, UsedBytes: monitor.Known(used), Kinds: monitor.HolderCompute,
			Name: c.name, InNamespace: true, Assumed: true, AssumedProcess: true, Instance: entryInstance(false, noInstance)})
	}
	return more
}

// unseen is what the device holds and no row does.
func unseen(g *monitor.GPU, rows []monitor.Holder) monitor.Reading[int64] {
	used, known := g.Memory.UsedBytes.Get()
	if !known {
		return monitor.Cast[int64](g.Memory.UsedBytes)
	}
	for i := range rows {
		if rows[i].GPU != g.Index {
			continue
		}
		v, ok := rows[i].UsedBytes.Get()
		if !ok {
			return monitor.Unknown[int64](monitor.NotAvailable, "the processes listed hold a part of it that the driver does not tell")
		}
		used -= v
	}
	return monitor.Known(max(0, used))
}

package sampler

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// joinLog returns the allocator rows of a sample together with those that the
// log tells for processes whose allocator could not be read. Figures read from
// a process are never replaced. It changes neither the sample nor its rows.
func joinLog(s *monitor.Sample, book *logBook) []monitor.Allocator {
	book.forgetGone(s)
	if len(book.jobs) == 0 {
		return s.Torch
	}
	rows := slices.Clone(s.Torch)
	j := joiner{s: s, rows: rows, candidates: torchPIDs(s), taken: map[place]bool{}}
	j.index()
	for _, f := range book.newestFirst() {
		j.add(f)
	}
	return j.rows
}

// place is where a row of the log stands: one process on one device has one.
type place struct {
	pid int
	gpu monitor.Reading[int]
}

type joiner struct {
	s          *monitor.Sample
	rows       []monitor.Allocator
	candidates []int
	taken      map[place]bool
	attached   map[int]bool             // PIDs whose figures were read from themselves
	unread     map[int]int              // PID → its row that says why it could not be read
	processes  map[int]*monitor.Process // by PID
	ranks      map[int][]int            // rank → candidates
	anyRead    bool                     // a candidate is attached
}

// index looks everything up once: there can be many printers and processes.
func (j *joiner) index() {
	j.attached, j.unread = map[int]bool{}, map[int]int{}
	j.processes, j.ranks = make(map[int]*monitor.Process, len(j.s.Processes)), map[int][]int{}
	for i := range j.rows {
		a := &j.rows[i]
		switch {
		case a.PID == 0:
		case a.State == monitor.AllocatorOK && a.Origin != monitor.OriginLog:
			j.attached[a.PID] = true
		case a.State != monitor.AllocatorOK:
			if _, had := j.unread[a.PID]; !had {
				j.unread[a.PID] = i
			}
		}
	}
	for i := range j.s.Processes {
		j.processes[j.s.Processes[i].PID] = &j.s.Processes[i]
	}
	for _, pid := range j.candidates {
		j.anyRead = j.anyRead || j.attached[pid]
		if p := j.processes[pid]; p != nil {
			if rank, ok := p.Rank.Get(); ok {
				j.ranks[rank] = append(j.ranks[rank], pid)
			}
		}
	}
}

// torchPIDs lists the processes that a log without a PID can belong to: those
// that have PyTorch on a device, or, when PyTorch was not looked for, those
// that hold memory for computing.
func torchPIDs(s *monitor.Sample) []int {
	var pids []int
	add := func(pid int) {
		if pid != 0 && !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	for i := range s.Torch {
		switch s.Torch[i].State {
		case monitor.AllocatorNoCUDA, monitor.AllocatorInherited, monitor.AllocatorGone:
		default:
			add(s.Torch[i].PID)
		}
	}
	if len(s.Torch) > 0 {
		return pids
	}
	for i := range s.Holders {
		if h := &s.Holders[i]; h.InNamespace && (h.Kinds == 0 || h.Kinds&monitor.HolderCompute != 0) {
			add(h.PID)
		}
	}
	return pids
}

// add joins what one printer said.
func (j *joiner) add(f *logFigures) {
	pid, assumed, ok := j.process(&f.newest)
	if !ok || j.attached[pid] {
		return
	}
	row := monitor.Allocator{PID: pid, Origin: monitor.OriginLog, State: monitor.AllocatorOK, ReadAt: f.readAt(), GPUAssumed: assumed,
		AllocatedBytes: f.allocated.bytes, ReservedBytes: f.reserved.bytes,
		PeakAllocatedBytes: f.maxAllocated.bytes, PeakReservedBytes: f.maxReserved.bytes}
	withReasons(&row)
	if p := j.processes[pid]; p != nil && pid != 0 {
		row.StartTicks = p.StartTicks
	}
	dropOlder(&row, f)
	gpu, sure := j.device(&f.newest, pid)
	if assumed && pid != 0 && j.contradicts(&row, pid) {
		pid, row.PID, row.StartTicks = 0, 0, 0
		gpu, sure = monitor.Unknown[int](monitor.NotAvailable, "the log prints more memory than the only job here holds, so it is of another machine or process"), false
	}
	at, unread := j.unread[pid]
	row.GPU, row.GPUAssumed = gpu, assumed || !sure
	where := place{pid, plain(gpu)}
	if j.taken[where] {
		return // a newer line said it
	}
	j.taken[where] = true
	if !unread {
		j.rows = append(j.rows, row)
		return
	}
	old := j.rows[at]
	row.StartTicks, row.Ordinal = old.StartTicks, old.Ordinal
	row.Reason = old.Reason // why the log has to do
	j.rows[at] = row
	delete(j.unread, pid)
}

// dropOlder takes one of two figures out that cannot hold at the same time:
// more allocated than reserved means that they were printed at different
// moments, and then the newer one counts.
func dropOlder(row *monitor.Allocator, f *logFigures) {
	a, ok := row.AllocatedBytes.Get()
	r, known := row.ReservedBytes.Get()
	if !ok || !known || a <= r {
		return
	}
	old := monitor.Unknown[int64](monitor.NotAvailable, "the log printed it before the other figure rose above it")
	if f.allocated.at.After(f.reserved.at) {
		row.ReservedBytes = old
		return
	}
	row.AllocatedBytes = old
}

// contradicts tells whether the log's figures are more than the process holds
// on all devices together, as far as the driver tells.
func (j *joiner) contradicts(row *monitor.Allocator, pid int) bool {
	const slackBytes = 64 << 20 // the two are of different moments
	held, listed := int64(0), false
	for i := range j.s.Holders {
		if h := &j.s.Holders[i]; h.PID == pid && h.InNamespace {
			used, known := h.UsedBytes.Get()
			if !known {
				return false
			}
			held, listed = held+used, true
		}
	}
	return listed && max(row.ReservedBytes.Or(0), row.AllocatedBytes.Or(0)) > held+slackBytes
}

// process tells whose line it is: the PID the line came with, the only process
// it can be, or nobody known (0). False when it would be a guess.
func (j *joiner) process(r *monitor.LogReading) (pid int, assumed, ok bool) {
	if r.PID != 0 {
		return r.PID, false, true
	}
	if len(j.s.GPUs) == 0 {
		return 0, true, true // no GPU is read here, so the log is of another machine or of nobody that can be told
	}
	switch len(j.candidates) {
	case 0:
		return 0, true, true
	case 1:
		return j.candidates[0], true, true
	}
	if rank, known := r.Rank.Get(); known && len(j.ranks[rank]) == 1 {
		return j.ranks[rank][0], true, true
	}
	// Several processes: a row of its own is right only while none of them has
	// figures that it would be counted beside.
	return 0, true, !j.anyRead
}

// device tells which device the figures are of, and whether that is certain.
func (j *joiner) device(r *monitor.LogReading, pid int) (gpu monitor.Reading[int], sure bool) {
	if at, ok := j.unread[pid]; ok && j.rows[at].GPU.Known() {
		return j.rows[at].GPU, !j.rows[at].GPUAssumed
	}
	if on, assumed := j.holds(pid); len(on) == 1 {
		return monitor.Known(on[0]), !assumed
	}
	printed, has := r.GPU.Get()
	p := j.processes[pid]
	if !has && p != nil {
		printed, has = p.LocalRank.Get()
	}
	if has {
		if index, ok := visible(p, printed); ok && j.exists(index) {
			return monitor.Known(index), false
		}
	}
	if len(j.s.GPUs) == 1 {
		return monitor.Known(j.s.GPUs[0].Index), false
	}
	return monitor.Unknown[int](monitor.NotAvailable, "the log does not tell on which GPU"), false
}

// holds lists the devices on which a process holds memory, and whether one of
// them follows from a rule and not from the driver's list.
func (j *joiner) holds(pid int) (on []int, assumed bool) {
	for i := range j.s.Holders {
		h := &j.s.Holders[i]
		if pid != 0 && h.PID == pid && h.InNamespace && !slices.Contains(on, h.GPU) {
			on = append(on, h.GPU)
			assumed = assumed || h.AssumedProcess
		}
	}
	return on, assumed
}

func (j *joiner) exists(index int) bool {
	if len(j.s.GPUs) == 0 {
		return index >= 0 // another machine's log: nothing to compare with
	}
	_, ok := j.s.GPU(index)
	return ok
}

// visible maps a number inside the visible devices to an index, as far as
// CUDA_VISIBLE_DEVICES holds plain numbers.
func visible(p *monitor.Process, printed int) (int, bool) {
	if p == nil {
		return printed, true
	}
	list, set := p.VisibleDevices.Get()
	if !set || list == "" {
		return printed, true
	}
	fields := strings.Split(list, ",")
	if printed < 0 || printed >= len(fields) {
		return 0, false
	}
	index, err := strconv.Atoi(strings.TrimSpace(fields[printed]))
	return index, err == nil
}

// withReasons says of every figure a log does not print why it is unknown.
func withReasons(a *monitor.Allocator) {
	for _, f := range []*monitor.Reading[int64]{&a.AllocatedBytes, &a.ReservedBytes, &a.PeakAllocatedBytes, &a.PeakReservedBytes,
		&a.ActiveBytes, &a.InactiveSplitBytes, &a.RequestedBytes, &a.PrivatePoolBytes, &a.AllocationCount, &a.SegmentCount,
		&a.ActiveCount, &a.InactiveSplitCount, &a.AllocRetryCount, &a.OOMCount} {
		if !f.Known() && f.Why().Code == monitor.NotRead {
			*f = monitor.Unknown[int64](monitor.NotAvailable, "the job's log does not print it")
		}
	}
}

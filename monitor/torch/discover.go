package torch

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// kind is what a process is by the names of the files it has mapped.
type kind uint8

const (
	kindNone   kind = iota
	kindTorch       // has a library of PyTorch's CUDA part
	kindCUDA        // has the CUDA driver or runtime: could be a static build
	kindDenied      // its mappings cannot be looked at
	kindGone
)

// kindOf judges by the text of /proc/PID/maps.
func kindOf(maps []byte) kind {
	switch {
	case bytes.Contains(maps, []byte("/libc10_cuda")), bytes.Contains(maps, []byte("/libc10_hip")),
		bytes.Contains(maps, []byte("/libtorch_cuda")), bytes.Contains(maps, []byte("/libtorch_hip")):
		return kindTorch
	case bytes.Contains(maps, []byte("/libcuda")):
		return kindCUDA
	}
	return kindNone
}

// dismissed is a process that was looked at and is none of ours. Looking at
// the mappings of every process on every tick would cost more than everything
// else here, and takes a lock in the process looked at.
type dismissed struct {
	due      time.Time
	wait     time.Duration
	listed   bool   // by the driver, at that look
	pass     uint32 // of the directory, in which it was seen last
	lookedAt time.Time
	pages    uint64 // mapped just before its mappings were looked at, where sized
	sized    bool
}

// How often the directory of processes is read: more seldom where the driver's
// list names those that matter. A machine can have thousands.
const (
	listEvery      = time.Second
	listEveryNamed = 10 * time.Second
)

const (
	firstDismissal = 2 * time.Second
	mostDismissal  = 30 * time.Second
	mostListed     = 10 * time.Second // for those the driver lists
	mostUnlooked   = 5 * time.Minute  // for those whose memory keeps its size
)

// discover looks for new processes: those that the driver lists, on every
// tick, and all others from time to time.
func (r *Reader) discover(ctx context.Context, now time.Time) {
	budget := r.limits.LooksPerRead
	if r.reads == 0 {
		budget = maxProcesses // the first read answers for everything
	}
	for i := range r.holders.rows {
		h := r.holders.rows[i]
		r.consider(h.pid, true, h.compute, now, &budget)
	}
	every := listEvery
	if r.holders.named() {
		every = listEveryNamed
	}
	if since := now.Sub(r.listedAt); !r.listedAt.IsZero() && since >= 0 && since < every && !r.listUnfinished {
		return
	}
	r.listedAt = now
	r.pass++
	r.pids = r.pids[:0]
	if r.proc.eachNumber(r.proc.root, func(pid int) bool {
		r.pids = append(r.pids, pid)
		return len(r.pids) < maxProcesses
	}) != nil {
		return
	}
	r.listUnfinished = false
	for _, pid := range r.pids {
		if d, ok := r.dismissed[pid]; ok {
			d.pass = r.pass
			r.dismissed[pid] = d
		}
		if ctx.Err() == nil && !r.holders.listed(pid) {
			r.consider(pid, false, false, now, &budget)
		}
	}
	for pid, d := range r.dismissed {
		if d.pass != r.pass {
			delete(r.dismissed, pid)
		}
	}
}

const maxProcesses = 1 << 16

// consider looks at a process if it is new or due again, and makes it a target
// if it is one.
func (r *Reader) consider(pid int, listed, compute bool, now time.Time, budget *int) {
	if pid == r.self || pid <= 0 {
		return
	}
	if _, ok := r.targets[pid]; ok {
		return
	}
	d, known := r.dismissed[pid]
	if known && now.Before(d.due) && (d.listed || !listed) {
		return
	}
	pages, sized := r.proc.pages(pid)
	if known && sized && (d.listed || !listed) && d.unchanged(pages, now) {
		d.wait = mostUnlooked // it is not loading anything just now
		r.dismissed[pid] = d
		r.dismiss(pid, listed, now)
		return
	}
	if *budget <= 0 {
		r.listUnfinished = true
		return
	}
	*budget--
	k := kindNone
	if !sized || pages > 0 {
		k = r.look(pid)
	}
	if k == kindTorch || compute && (k == kindDenied || k == kindCUDA) {
		if r.adopt(pid, k) {
			delete(r.dismissed, pid)
			return
		}
	}
	d.lookedAt, d.pages, d.sized = now, pages, sized
	r.dismissed[pid] = d
	r.dismiss(pid, listed, now)
}

// unchanged tells whether a process has mapped no library since it was looked
// at, judged by the size of its memory: PyTorch's are of hundreds of megabytes.
// It is looked at from time to time all the same.
func (d *dismissed) unchanged(pages uint64, now time.Time) bool {
	since := now.Sub(d.lookedAt)
	return d.sized && d.pages == pages && since >= 0 && since < mostUnlooked
}

// dismiss leaves a process alone for a while, longer each time.
func (r *Reader) dismiss(pid int, listed bool, now time.Time) {
	d := r.dismissed[pid]
	most := mostDismissal
	switch {
	case listed:
		most = mostListed
	case d.sized && d.pages == 0:
		most = mostUnlooked // a thread of the kernel: thousands on a large machine
	}
	d.wait = min(max(2*d.wait, firstDismissal), most)
	d.due, d.listed, d.pass = now.Add(d.wait), listed, r.pass
	r.dismissed[pid] = d
}

// look reads what a process has mapped.
func (r *Reader) look(pid int) kind {
	text, err := r.proc.file(pid, "maps")
	switch {
	case err == nil:
		return kindOf(text)
	case isDenied(err):
		return kindDenied
	case isGone(err), errors.Is(err, syscall.EINVAL):
		return kindGone
	}
	return kindNone
}

// adopt makes a process a target.
func (r *Reader) adopt(pid int, k kind) bool {
	if len(r.targets) >= r.limits.Processes {
		return false
	}
	stat, err := openStat(r.proc.root + "/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	id, err := stat.read(r.statBuf[:])
	if err != nil || ended(id) {
		stat.close()
		return false
	}
	t := &target{pid: pid, start: id.start, parent: id.parent, stat: stat, kind: k}
	r.targets[pid] = t
	at, _ := slices.BinarySearch(r.order, pid)
	r.order = slices.Insert(r.order, at, pid)
	return true
}

// drop forgets a target.
func (r *Reader) drop(t *target) {
	t.close()
	delete(r.targets, t.pid)
	if at, ok := slices.BinarySearch(r.order, t.pid); ok {
		r.order = slices.Delete(r.order, at, at+1)
	}
}

// ended tells whether a process has no memory any more: a zombie.
func ended(id identity) bool { return id.state == 'Z' || id.state == 'X' }

// group returns the process that a number in the driver's list belongs to,
// which is the number itself unless it is a thread's.
func (r *Reader) group(pid int) int {
	if _, ok := r.targets[pid]; ok {
		return pid
	}
	if g, ok := r.holders.groups[pid]; ok {
		return g
	}
	g, ok := r.proc.threadGroup(pid)
	if !ok {
		return pid
	}
	r.holders.groups[pid] = g
	return g
}

// attach looks for the allocator of a target.
func (r *Reader) attach(t *target, now time.Time) {
	t.detach()
	listed := r.holders.listed(t.pid)
	t.listedBefore = listed
	out, e := r.explore(t)
	if out.notTorch {
		out = outcome{}
		t.kind = kindNone
	}
	if out.state == monitor.AllocatorDenied {
		out.reason = r.reasonDenied(t.pid, t.kind == kindTorch)
	}
	out = t.explainMissing(out, listed, now)
	if out.place == nil {
		t.settle(out, now)
		return
	}
	t.out, t.wait = outcome{}, 0
	t.attached = newAttachment(out.place, e.view.mem)
	t.uuidsOf = len(r.gpus)
	t.attached.matchUUIDs(e, r.gpus)
	r.readEnviron(t)
}

// explore reads the mappings of a target and searches its memory. The memory
// stays open only when an allocator was found.
func (r *Reader) explore(t *target) (outcome, *explorer) {
	e := &r.explorer
	if err := r.loadMaps(t, e); err != nil {
		if isGone(err) {
			return outcome{state: monitor.AllocatorGone}, e
		}
		return outcome{state: monitor.AllocatorDenied}, e
	}
	mem, err := r.open(r.proc.root, t.pid)
	if err != nil {
		return imageFailure(err, ""), e
	}
	e.view.mem = mem
	e.scanLimit = uint64(r.limits.ScanBytes)
	e.isThread = func(tid int32) bool { return r.proc.hasThread(t.pid, tid) }
	out := e.explore()
	if out.place == nil {
		_ = mem.Close()
	}
	return out, e
}

func (r *Reader) loadMaps(t *target, e *explorer) error {
	text, err := r.proc.file(t.pid, "maps")
	if err != nil {
		return err
	}
	t.kind = kindOf(text)
	e.program = t.kind == kindCUDA
	exe := ""
	if e.program {
		exe = r.proc.link(t.pid, "exe")
	}
	e.space.maps = parseMaps(e.space.maps[:0], text, exe)
	return nil
}

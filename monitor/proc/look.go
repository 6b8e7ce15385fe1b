package proc

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// maxDepth bounds the way up to a launcher.
const maxDepth = 8

// look is one Read at work. Its maps and lists serve the next one too.
type look struct {
	source   *Source
	parent   context.Context
	ctx      context.Context // of what is waited for; nil before the first wait
	cancel   context.CancelFunc
	now      time.Time
	rows     map[int]*entry
	children map[int]int // how many of the wanted a parent has
	wanted   []int
	way      []*entry
	found    []int
}

// begin makes the look ready for one Read.
func (l *look) begin(ctx context.Context, now time.Time) {
	l.parent, l.ctx, l.now = ctx, nil, now
	clear(l.rows)
	clear(l.children)
}

// end lets go of what the Read waited with.
func (l *look) end() {
	if l.ctx != nil {
		l.cancel()
	}
	l.parent, l.ctx, l.cancel = nil, nil, nil
}

// patience ends when this Read is not to wait any longer. Most Reads wait for
// nothing.
func (l *look) patience() <-chan struct{} {
	if l.ctx == nil {
		l.ctx, l.cancel = context.WithTimeout(l.parent, l.source.patience)
	}
	return l.ctx.Done()
}

// level looks at processes and waits for their facts, together.
func (l *look) level(pids []int) {
	for _, pid := range pids {
		if e := l.visit(pid); e != nil {
			l.rows[pid] = e
		}
	}
	for _, pid := range pids {
		if e := l.rows[pid]; e != nil {
			l.wait(e)
		}
	}
}

// visit looks at the state of a process and begins to read its facts when they
// are new. It returns nil for one that is gone.
func (l *look) visit(pid int) *entry {
	s := l.source
	e := s.entries[pid]
	if e != nil && e.tick == s.tick {
		return e
	}
	if e == nil || !e.recent(l.now) {
		if e = l.renew(pid, e); e == nil {
			return nil
		}
	}
	e.tick = s.tick
	if !e.have && e.pending == nil {
		e.pending, e.asked = make(chan facts, 1), s.tick
		go func(out chan<- facts, r reader, seen stat) { out <- r.guarded(seen) }(e.pending, s.reader, e.stat)
	}
	return e
}

// renew reads the state of a process of which there may be an older one.
func (l *look) renew(pid int, old *entry) *entry {
	s := l.source
	now, file, err := s.state(pid, old)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrPermission):
		s.entries[pid] = deniedEntry(pid)
		return s.entries[pid]
	default:
		return nil
	}
	e := old
	if e == nil || e.denied || !e.observe(now, l.now) {
		e = newEntry(now, l.now)
		s.entries[pid] = e
	}
	e.file, e.stateAt = file, l.now
	return e
}

// wait waits for the facts of a process until the time is up. It waits once a
// process and only when nothing is known of it, so that one which is stuck
// does not slow down every sample.
func (l *look) wait(e *entry) {
	if e.pending == nil {
		return
	}
	if e.asked != l.source.tick || e.facts.environ.Code != monitor.TimedOut {
		select {
		case f := <-e.pending:
			e.take(f, l.now)
		default:
		}
		return
	}
	select {
	case f := <-e.pending:
		e.take(f, l.now)
	case <-l.patience():
	}
}

// parents adds the parents of the wanted processes up to their launcher, or
// the parent alone where several have the same and it can be a job's.
func (l *look) parents(wanted []int) {
	for _, pid := range wanted {
		if e := l.rows[pid]; e != nil && !e.denied {
			l.children[e.stat.parent]++
		}
	}
	for _, pid := range wanted {
		e := l.rows[pid]
		if e == nil || e.denied {
			continue
		}
		way := l.wayUp(e)
		if len(way) == 0 {
			continue
		}
		if way[len(way)-1].facts.launcher {
			for _, up := range way {
				l.rows[up.pid] = up
			}
			continue
		}
		if up := way[0]; l.children[up.pid] > 1 && groups(up.stat.name) {
			l.rows[up.pid] = up
		}
	}
}

// wayUp returns the parents of a process up to the nearest launcher, or up to
// where no job reaches. The list holds until the next call.
func (l *look) wayUp(e *entry) []*entry {
	way := l.way[:0]
	defer func() { l.way = way }()
	for range maxDepth {
		parent := e.stat.parent
		if parent <= 1 {
			return way
		}
		up := l.visit(parent)
		// A parent is older than its child; a younger one has got the number of
		// a parent that ended between two reads.
		if up == nil || up.denied || up.stat.startTicks > e.stat.startTicks || isBoundary(up.stat.name) {
			return way
		}
		l.wait(up)
		way = append(way, up)
		if up.facts.launcher {
			return way
		}
		e = up
	}
	return way
}

// pids returns the processes found, in order.
func (l *look) pids() []int {
	l.found = l.found[:0]
	for pid := range l.rows {
		l.found = append(l.found, pid)
	}
	slices.Sort(l.found)
	return l.found
}

// state says how well the processes could be read.
func (l *look) state() (monitor.State, string) {
	denied, late := 0, 0
	for _, e := range l.rows {
		switch e.facts.environ.Code {
		case monitor.NoPermission:
			denied++
		case monitor.TimedOut:
			late++
		default:
		}
	}
	switch {
	case denied > 0:
		return monitor.StatePartial, "rank and settings of " + count(denied) + " are not readable: run as their owner, or with sudo or CAP_SYS_PTRACE"
	case late > 0:
		return monitor.StatePartial, count(late) + " not read in time: a process may be stuck in the kernel"
	}
	return monitor.StateOK, ""
}

func count(n int) string {
	if n == 1 {
		return "1 process"
	}
	return strconv.Itoa(n) + " processes"
}

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

const (
	// tickLength is the unit of times in /proc/PID/stat: USER_HZ is 100 on
	// every architecture that Go runs on.
	tickLength = 10 * time.Millisecond
	// factsAge is how old facts may grow. What can change without exec is
	// little: a limit, a group, a user.
	factsAge = 30 * time.Second
	// cpuSpan is the shortest time over which CPU time is measured: under it
	// one tick of the kernel's clock would be a fifth.
	cpuSpan = 50 * time.Millisecond
	// maxDepth bounds the way up to a launcher.
	maxDepth = 8
)

// entry is what is kept of one process from sample to sample.
type entry struct {
	pid    int
	tick   uint64 // of the last Read that asked for it
	stat   stat
	denied bool // even its state may not be read

	facts   facts
	have    bool
	readAt  time.Time
	pending chan facts // nil: nothing is being read
	asked   uint64     // the Read that began it

	cpu      monitor.Reading[float64]
	cpuTicks uint64
	cpuAt    time.Time
}

// observe takes over the newest stat. It returns false when the PID belongs
// to another process now, so that nothing kept of it holds.
func (e *entry) observe(s stat, now time.Time) bool {
	if e.stat.startTicks != s.startTicks {
		return false
	}
	span := now.Sub(e.cpuAt)
	switch {
	case span >= cpuSpan && s.cpuTicks >= e.cpuTicks:
		used := time.Duration(s.cpuTicks-e.cpuTicks) * tickLength
		e.cpu = monitor.Known(100 * used.Seconds() / span.Seconds())
		e.cpuTicks, e.cpuAt = s.cpuTicks, now
	case span < 0 || s.cpuTicks < e.cpuTicks:
		e.cpu = monitor.Unknown[float64](monitor.Failed, "the clock went back")
		e.cpuTicks, e.cpuAt = s.cpuTicks, now
	}
	// Facts of a process that ended are kept as they were: there is nothing to
	// read any more.
	if s.state != 'Z' && e.outdated(s, now) {
		e.have = false
		if e.stat.image != s.image {
			e.facts = notYet(s)
		}
	}
	e.stat = s
	return true
}

// outdated tells whether the facts must be read again: after exec, after the
// process gave itself a title (which changes its name too), or for their age,
// spread out so that not all are read in the same sample.
func (e *entry) outdated(s stat, now time.Time) bool {
	age := now.Sub(e.readAt)
	return e.stat.image != s.image || e.stat.name != s.name || age < 0 || age > factsAge+time.Duration(e.pid%16)*time.Second
}

func newEntry(s stat, now time.Time) *entry {
	return &entry{
		pid: s.pid, stat: s, cpuTicks: s.cpuTicks, cpuAt: now,
		cpu:   monitor.Unknown[float64](monitor.NotRead, "CPU use needs two samples"),
		facts: notYet(s),
	}
}

func notYet(s stat) facts {
	why := monitor.Reason{Code: monitor.TimedOut, Detail: "the process does not let itself be read in time, it may be stuck in the kernel"}
	return facts{
		launcher:  launchers[s.name],
		innerPID:  monitor.Unknown[int](why.Code, why.Detail),
		container: monitor.Container{LimitBytes: monitor.Unknown[int64](why.Code, why.Detail)},
		settings:  unknownSettings(why),
		environ:   why,
	}
}

// deniedEntry is a process whose folder shows and whose files may not be read
// (proc mounted with hidepid=1).
func deniedEntry(pid int) *entry {
	why := monitor.Reason{Code: monitor.NoPermission, Detail: "processes of other users are hidden here (hidepid): sudo or the group of the proc mount's gid option would help"}
	return &entry{
		pid: pid, denied: true, have: true,
		cpu: monitor.Unknown[float64](why.Code, why.Detail),
		facts: facts{
			innerPID:  monitor.Unknown[int](why.Code, why.Detail),
			container: monitor.Container{LimitBytes: monitor.Unknown[int64](why.Code, why.Detail)},
			settings:  unknownSettings(why),
			environ:   why,
		},
	}
}

// take keeps facts that were read.
func (e *entry) take(f facts, now time.Time) {
	e.pending = nil
	if f.gone || f.image != e.stat.image && e.stat.state != 'Z' {
		return
	}
	// The settings are those at the start of the program, so older ones hold
	// when the process has hidden them since. An exec has replaced them before.
	if f.environ.Code != monitor.NotRead && e.facts.environ.Code == monitor.NotRead {
		f.settings, f.environ = e.facts.settings, e.facts.environ
	}
	e.facts, e.have, e.readAt = f, true, now
}

// collect ends a reading that nobody waits for.
func (e *entry) collect() {
	select {
	case <-e.pending:
		e.pending = nil
	default:
	}
}

// look is one Read at work.
type look struct {
	source *Source
	ctx    context.Context
	now    time.Time
	rows   map[int]*entry
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

// visit reads the state of a process and begins to read its facts when they
// are new. It returns nil for one that is gone.
func (l *look) visit(pid int) *entry {
	s := l.source
	old := s.entries[pid]
	if old != nil && old.tick == s.tick {
		return old
	}
	now, err := s.reader.stat(pid, s.buf)
	switch {
	case err == nil && now.pid == pid && now.state != 'X':
	case errors.Is(err, fs.ErrPermission):
		e := deniedEntry(pid)
		e.tick = s.tick
		s.entries[pid] = e
		return e
	default:
		return nil
	}
	e := old
	if e == nil || e.denied || !e.observe(now, l.now) {
		e = newEntry(now, l.now)
		s.entries[pid] = e
	}
	e.tick = s.tick
	if !e.have && e.pending == nil {
		e.pending, e.asked = make(chan facts, 1), s.tick
		go func(out chan<- facts, r reader, seen stat) { out <- r.facts(seen) }(e.pending, s.reader, now)
	}
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
	case <-l.ctx.Done():
	}
}

// parents adds the parents of the wanted processes up to their launcher, or
// the parent alone where several have the same and it can be a job's.
func (l *look) parents(wanted []int) {
	children := map[int]int{}
	for _, pid := range wanted {
		if e := l.rows[pid]; e != nil && !e.denied {
			children[e.stat.parent]++
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
		if up := way[0]; children[up.pid] > 1 && groups(up.stat.name) {
			l.rows[up.pid] = up
		}
	}
}

// wayUp returns the parents of a process up to the nearest launcher, or up to
// where no job reaches.
func (l *look) wayUp(e *entry) []*entry {
	var way []*entry
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
	pids := make([]int, 0, len(l.rows))
	for pid := range l.rows {
		pids = append(pids, pid)
	}
	slices.Sort(pids)
	return pids
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

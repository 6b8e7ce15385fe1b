package proc

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

const (
	// tickLength is the unit of times in /proc/PID/stat: USER_HZ is 100 on
	// every architecture that Go runs on.
	tickLength = 10 * time.Millisecond
	// factsAge is how old facts may grow: the first, and, doubled each time that
	// nothing was new in them, at most. What can change without exec is little:
	// a limit, a group, a user.
	factsAge, factsAgeMost = 30 * time.Second, 5 * time.Minute
	// stateAge is how old the state of a process may be: at ten samples a second
	// it is read twice a second. In less time the kernel's clock, of 10 ms, tells
	// little of CPU use, and no number is given to another process: all others
	// would have to be used up first.
	stateAge = 450 * time.Millisecond
)

// entry is what is kept of one process from sample to sample.
type entry struct {
	pid     int
	tick    uint64 // of the last Read that asked for it
	stat    stat
	stateAt time.Time
	file    procFile // its state, held open
	denied  bool     // even its state may not be read

	facts   facts
	have    bool
	readAt  time.Time
	age     time.Duration // that the facts may grow to
	pending chan facts    // nil: nothing is being read
	asked   uint64        // the Read that began it

	cpu      monitor.Reading[float64]
	cpuTicks uint64
	cpuAt    time.Time
}

// recent tells whether the state is new enough not to be read again.
func (e *entry) recent(now time.Time) bool {
	since := now.Sub(e.stateAt)
	return !e.denied && since >= 0 && since < stateAge
}

// observe takes over the newest stat. It returns false when the PID belongs
// to another process now, so that nothing kept of it holds.
func (e *entry) observe(s stat, now time.Time) bool {
	if e.stat.startTicks != s.startTicks {
		return false
	}
	span := now.Sub(e.cpuAt)
	switch {
	case span > 0 && s.cpuTicks >= e.cpuTicks:
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
	return e.stat.image != s.image || e.stat.name != s.name || age < 0 || age > e.age+time.Duration(e.pid%16)*time.Second
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
	e.age = min(2*e.age, factsAgeMost)
	if f != e.facts || e.age == 0 {
		e.age = factsAge
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

package proc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Name is the name of the source in samples.
const Name = "proc"

// Config says where to read. The zero Config is this machine.
type Config struct {
	Root       string // proc file system, /proc when empty
	CgroupRoot string // control groups, /sys/fs/cgroup when empty
	Passwd     string // names of users, /etc/passwd when empty

	// LookupUser asks the system for the name of a user that is not in Passwd,
	// as os/user does. It may hang: it runs beside the sampling, once a user
	// and one at a time. Nil shows the number.
	LookupUser func(uid string) (string, error)

	// Patience is how long one Read waits for facts that are read for the
	// first time, 150 ms when zero. Later ones come with a later Read.
	Patience time.Duration

	PageBytes int64 // size of a page of memory, this machine's when zero
}

// Source reads facts of processes. It implements monitor.Source.
type Source struct {
	reader   reader
	patience time.Duration
	page     int64
	users    users
	entries  map[int]*entry
	look     look
	tick     uint64
	tied     bool // files below the root are tied to their processes
	held     int  // files held open
	boot     time.Time
	booted   bool
	buf      []byte
	rows     []monitor.Process // being put together
	told     []monitor.Process // handed over last, and again while nothing changes; not changed any more
}

// New returns a source that reads as config says. It opens nothing yet.
func New(config Config) *Source {
	or := func(value, fallback string) string {
		if value == "" {
			return fallback
		}
		return filepath.Clean(value)
	}
	root := or(config.Root, "/proc")
	s := &Source{
		reader: reader{
			root:     root,
			commands: systemCommandLines(root),
			limits:   limits{root: or(config.CgroupRoot, "/sys/fs/cgroup")},
			buffers:  &sync.Pool{New: func() any { return new([environBytes]byte) }},
		},
		patience: config.Patience,
		page:     config.PageBytes,
		users: users{
			passwd: or(config.Passwd, "/etc/passwd"),
			lookup: config.LookupUser,
			names:  map[uint32]string{},
			asked:  map[uint32]bool{},
		},
		entries: map[int]*entry{},
		look:    look{rows: map[int]*entry{}, children: map[int]int{}},
		buf:     make([]byte, 1024),
	}
	s.look.source = s
	if s.patience == 0 {
		s.patience = 150 * time.Millisecond
	}
	if s.page == 0 {
		s.page = int64(os.Getpagesize())
	}
	return s
}

// Name returns "proc".
func (s *Source) Name() string { return Name }

// Close lets go of the files held open, one a process. It returns nil.
func (s *Source) Close() error {
	for _, e := range s.entries {
		s.release(e)
	}
	clear(s.entries)
	return nil
}

// Read returns the facts of the processes that hold GPU memory or have an
// allocator in req.Seen, and of their parents up to the launcher, in the order
// of their PIDs. A PID that is gone has no row, and that is no failure.
func (s *Source) Read(ctx context.Context, req monitor.Request) monitor.Part {
	s.tick++
	part := monitor.Part{Status: monitor.SourceStatus{Name: Name}}
	if err := s.start(); err != nil {
		part.Status.Reason = err.Error()
		return part
	}
	look := &s.look
	look.begin(ctx, req.Time)
	defer look.end()
	look.wanted = wantedPIDs(look.wanted[:0], req.Seen)
	look.level(look.wanted)
	look.parents(look.wanted)
	s.rows = s.rows[:0]
	for _, pid := range look.pids() {
		s.rows = append(s.rows, s.row(look.rows[pid], req.Time))
	}
	if !slices.Equal(s.rows, s.told) {
		s.told = slices.Clone(s.rows)
	}
	part.Processes = s.told
	s.forget()
	part.Status.State, part.Status.Reason = look.state()
	part.Status.GoodAt = req.Time
	return part
}

// start reads what holds for the whole machine, once.
func (s *Source) start() error {
	if s.booted {
		return nil
	}
	raw, err := readSmall(s.reader.root+"/stat", 16<<20)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("no proc file system at %s: processes cannot be named here", s.reader.root)
		}
		return fmt.Errorf("%s cannot be read, processes cannot be named: %w", s.reader.root, err)
	}
	if seconds, ok := bootSeconds(string(raw)); ok {
		s.boot = time.Unix(seconds, 0)
	}
	if own, err := readSmall(s.reader.root+"/self/cgroup", cgroupBytes); err == nil {
		s.reader.limits.own = parseCgroup(string(own))
	}
	s.tied = tied(s.reader.root)
	s.booted = true
	return nil
}

// wantedPIDs adds the PIDs to tell of to an empty list, each once, in order.
func wantedPIDs(pids []int, seen *monitor.Sample) []int {
	if seen == nil {
		return pids
	}
	for i := range seen.Holders {
		if h := &seen.Holders[i]; h.InNamespace && h.PID > 0 {
			pids = append(pids, h.PID)
		}
	}
	for i := range seen.Torch {
		if a := &seen.Torch[i]; a.PID > 0 {
			pids = append(pids, a.PID)
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids)
}

// forget drops what was not asked for this time, except what is still being
// read: a process that is stuck must not be asked again and again.
func (s *Source) forget() {
	for pid, e := range s.entries {
		if e.tick == s.tick {
			continue
		}
		s.release(e)
		if e.pending == nil {
			delete(s.entries, pid)
		} else {
			e.collect()
		}
	}
}

// row puts the facts of one process together.
func (s *Source) row(e *entry, now time.Time) monitor.Process {
	p := monitor.Process{
		PID:            e.pid,
		TorchVersion:   monitor.Unknown[string](monitor.NotAvailable, "the version stands in the job's own files, which are not opened"),
		CPUPercent:     monitor.Cast[float64](e.cpu),
		HostBytes:      monitor.Cast[int64](e.cpu),
		Command:        e.facts.command,
		Container:      e.facts.container,
		InnerPID:       e.facts.innerPID,
		Rank:           e.facts.settings.rank,
		LocalRank:      e.facts.settings.localRank,
		World:          e.facts.settings.world,
		VisibleDevices: e.facts.settings.visibleDevices,
		DeviceOrder:    e.facts.settings.deviceOrder,
		AllocConf:      e.facts.settings.allocConf,
		NoCaching:      e.facts.settings.noCaching,
	}
	if e.facts.uidKnown {
		p.User = s.users.name(e.facts.uid, now)
	}
	if e.denied {
		return p
	}
	p.ParentPID, p.StartTicks, p.Name = e.stat.parent, e.stat.startTicks, e.stat.name
	p.State, p.Threads = string(rune(e.stat.state)), e.stat.threads
	p.CPUPercent = e.cpu
	p.HostBytes = monitor.Known(e.stat.rssPages * s.page)
	if !s.boot.IsZero() {
		p.Started = s.boot.Add(time.Duration(e.stat.startTicks) * tickLength)
	}
	return p
}

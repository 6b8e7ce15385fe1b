package proc

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// Resources is what the control groups of one process allow it and what they
// have counted.
type Resources struct {
	Version   int // of control groups: 1, 2, or 0 when none can be read
	Container monitor.Container

	LimitBytes monitor.Reading[int64] // the smallest memory limit above the process
	// UsedBytes is what the group with that limit holds, without file pages that
	// the kernel drops first (memory.current less inactive_file).
	UsedBytes monitor.Reading[int64]
	OOMKills  monitor.Reading[int64] // processes killed for the limit (memory.events, memory.oom_control)
	LimitHits monitor.Reading[int64] // times that the limit was reached (memory.events max, memory.failcnt)

	CPUs      monitor.Reading[float64] // quota over period
	Throttled monitor.Reading[int64]   // periods in which the quota ran out (cpu.stat)
	Cpuset    monitor.Reading[string]  // processors it may run on, as in "0-3,8"
}

// ReadResources reads the resources of a process below the roots of config.
// What cannot be read says why; it never fails as a whole.
func ReadResources(config Config, pid int) Resources {
	return readResources(config, strconv.Itoa(pid))
}

// ReadOwnResources reads those of this process.
func ReadOwnResources(config Config) Resources { return readResources(config, "self") }

func readResources(config Config, who string) Resources {
	root := rootOr(config.Root, "/proc")
	l := limits{root: rootOr(config.CgroupRoot, "/sys/fs/cgroup")}
	none := func(why monitor.Reason) Resources {
		whole := monitor.Unknown[int64](why.Code, why.Detail)
		return Resources{LimitBytes: whole, UsedBytes: whole, OOMKills: whole, LimitHits: whole, Throttled: whole,
			CPUs: monitor.Unknown[float64](why.Code, why.Detail), Cpuset: monitor.Unknown[string](why.Code, why.Detail)}
	}
	raw, err := readSmall(root+"/"+who+"/cgroup", cgroupBytes)
	if err != nil {
		return none(reason(err, "the process's control group"))
	}
	ownText := ""
	if own, err := readSmall(root+"/self/cgroup", cgroupBytes); err == nil {
		ownText = string(own)
		l.own = parseCgroup(ownText)
	}
	groups := parseCgroup(string(raw))
	r := none(monitor.Reason{Code: monitor.NotAvailable, Detail: "no control groups are mounted here"})
	r.Container = groups.container()
	if groups.hidden() {
		if mounts, err := readSmall(root+"/"+who+"/mountinfo", mountsBytes); err == nil {
			r.Container = containerOfMounts(string(mounts))
		}
	}
	r.LimitBytes = l.of(groups)
	find := func(controller string) (group, bool) { return l.group(string(raw), ownText, controller) }
	if g, ok := find("memory"); ok {
		r.Version = g.version
		r.memory(g)
	}
	if g, ok := find("cpu"); ok {
		r.Version = max(r.Version, g.version)
		r.cpu(g)
	}
	if g, ok := find("cpuset"); ok {
		r.Cpuset = g.cpuset()
	}
	return r
}

func rootOr(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return filepath.Clean(value)
}

// group is one control group that can be read here.
type group struct {
	root, path string
	version    int
}

// group finds the group of a controller: a hierarchy of version 1 that has it,
// else the one of version 2.
func (l limits) group(text, own, controller string) (group, bool) {
	path := pathOf(text, controller)
	ownPath := pathOf(own, controller)
	g := group{root: filepath.Join(l.root, controller), version: 1}
	if path == "" || !isDir(g.root) {
		g = group{root: l.root, version: 2}
		path, ownPath = parseCgroup(text).unified, l.own.unified
	}
	if path == "" {
		return group{}, false
	}
	visible, ok := visiblePath(g.root, path, ownPath)
	g.path = visible
	return g, ok
}

// pathOf returns the path in the hierarchy of version 1 that has a controller,
// "" where none has.
func pathOf(text, controller string) string {
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(parts) == 3 && hasController(parts[1], controller) {
			return strings.TrimSuffix(parts[2], " (deleted)")
		}
	}
	return ""
}

// file reads a small file of the group.
func (g group) file(name string) (string, error) {
	raw, err := readSmall(filepath.Join(g.root, g.path, name), 64<<10)
	return strings.TrimSpace(string(raw)), err
}

// up calls f for the group and those above it, until f returns false.
func (g group) up(f func(group) bool) {
	for dir := filepath.Clean("/" + g.path); ; dir = filepath.Dir(dir) {
		at := g
		at.path = dir
		if !f(at) || dir == "/" {
			return
		}
	}
}

func (g group) figure(name string) monitor.Reading[int64] {
	text, err := g.file(name)
	if err != nil {
		why := reason(err, name)
		if isGone(err) {
			why = monitor.Reason{Code: monitor.NotSupported, Detail: "the kernel does not have " + name}
		}
		return monitor.Unknown[int64](why.Code, why.Detail)
	}
	return parseCount(text)
}

func parseCount(text string) monitor.Reading[int64] {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil {
		return monitor.Unknown[int64](monitor.Failed, "not a number")
	}
	return monitor.Known(int64(n))
}

// field reads one line of "name number" of a file of the group.
func (g group) field(file, name string) monitor.Reading[int64] {
	text, err := g.file(file)
	if err != nil {
		return monitor.Cast[int64](g.figure(file))
	}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && key == name {
			return parseCount(value)
		}
	}
	return monitor.Unknown[int64](monitor.NotSupported, "the kernel does not count "+name+" in "+file)
}

// memory reads the figures of the group that the smallest limit is set on, or
// of the process's own group without one.
func (r *Resources) memory(g group) {
	usage, limit, cached := "memory.current", "memory.max", "inactive_file"
	if g.version == 1 {
		usage, limit, cached = "memory.usage_in_bytes", "memory.limit_in_bytes", "total_inactive_file"
	}
	at, best := g, int64(noLimitFrom)
	g.up(func(one group) bool {
		if text, err := one.file(limit); err == nil {
			if n, err := parseLimit(text); err == nil && n < best {
				at, best = one, n
			}
		}
		return true
	})
	r.UsedBytes = at.figure(usage)
	if used, ok := r.UsedBytes.Get(); ok {
		r.UsedBytes = monitor.Known(max(0, used-at.field("memory.stat", cached).Or(0)))
	}
	if g.version == 1 {
		r.OOMKills, r.LimitHits = at.field("memory.oom_control", "oom_kill"), at.figure("memory.failcnt")
		return
	}
	r.OOMKills, r.LimitHits = at.field("memory.events", "oom_kill"), at.field("memory.events", "max")
}

// cpu reads the tightest quota of the group and those above it.
func (r *Resources) cpu(g group) {
	r.CPUs = monitor.Unknown[float64](monitor.NotApplicable, "no CPU quota is set")
	g.up(func(one group) bool {
		if cpus, ok := one.quota(); ok && cpus < r.CPUs.Or(1<<30) {
			r.CPUs = monitor.Known(cpus)
			r.Throttled = one.field("cpu.stat", "nr_throttled")
		}
		return true
	})
}

// quota reads cpu.max ("max 100000", "250000 100000") or the two files of
// version 1.
func (g group) quota() (float64, bool) {
	text, err := g.file("cpu.max")
	if g.version == 1 {
		var quota, period string
		quota, err = g.file("cpu.cfs_quota_us")
		if err == nil {
			period, err = g.file("cpu.cfs_period_us")
		}
		text = quota + " " + period
	}
	if err != nil {
		return 0, false
	}
	return parseQuota(text)
}

// parseQuota reads "QUOTA PERIOD" in microseconds; false for no quota.
func parseQuota(text string) (float64, bool) {
	quota, period, ok := strings.Cut(text, " ")
	q, err := strconv.ParseUint(quota, 10, 48)
	p, err2 := strconv.ParseUint(period, 10, 48)
	if !ok || errors.Join(err, err2) != nil || q == 0 || p == 0 {
		return 0, false
	}
	return float64(q) / float64(p), true
}

func (g group) cpuset() monitor.Reading[string] {
	names := []string{"cpuset.cpus.effective"}
	if g.version == 1 {
		names = []string{"cpuset.effective_cpus", "cpuset.cpus"}
	}
	for _, name := range names {
		if text, err := g.file(name); err == nil && text != "" && len(text) < 4096 {
			if _, ok := CountCPUs(text); ok {
				return monitor.Known(text)
			}
		}
	}
	return monitor.Unknown[string](monitor.NotAvailable, "the processors of the group cannot be read")
}

// CountCPUs counts the processors of a list such as "0-3,8" (Linux,
// admin-guide/cputopology); false when it is none.
func CountCPUs(list string) (int, bool) {
	count := 0
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		low, high, isRange := strings.Cut(part, "-")
		if !isRange {
			high = low
		}
		from, err := strconv.ParseUint(low, 10, 16)
		to, err2 := strconv.ParseUint(high, 10, 16)
		if errors.Join(err, err2) != nil || to < from {
			return 0, false
		}
		count += int(to-from) + 1
	}
	return count, count > 0 && count <= 1<<16
}

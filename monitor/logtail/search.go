package logtail

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// maxDepth is how deep a directory of logs is searched: torchrun writes
// run/attempt/rank/stdout.log.
const maxDepth = 4

// searches tells when to look for files again: every searchEvery, and while the
// processes are the same less and less often up to searchSeldom, since a training
// process has a hundred open files. Who named folders waits for the files of the
// next rank and not for processes, so that there it is searchEvery always.
type searches struct {
	at    time.Time
	pause time.Duration
	pids  []int // that were looked at
	fresh []int
}

// due tells whether it is time to look, and takes it for done. Named is whether
// the user said what to look for.
func (s *searches) due(req monitor.Request, named bool) bool {
	s.fresh = watched(s.fresh[:0], req.Seen)
	pause, next := searchEvery, searchEvery
	if !named && len(s.fresh) > 0 && slices.Equal(s.fresh, s.pids) {
		pause, next = s.pause, min(s.pause*3/2, searchSeldom)
	}
	if since := req.Time.Sub(s.at); !s.at.IsZero() && since >= 0 && since < pause {
		return false
	}
	s.at, s.pause = req.Time, next
	s.pids, s.fresh = s.fresh, s.pids
	return true
}

// watched adds the PIDs that a sample shows on GPUs or with PyTorch, each once,
// in order.
func watched(pids []int, seen *monitor.Sample) []int {
	if seen == nil {
		return pids
	}
	for i := range seen.Torch {
		pids = append(pids, seen.Torch[i].PID)
	}
	for i := range seen.Holders {
		if seen.Holders[i].InNamespace {
			pids = append(pids, seen.Holders[i].PID)
		}
	}
	slices.Sort(pids)
	return slices.Compact(pids)
}

// find looks for files to follow and drops those that are no longer wanted.
func (s *Source) find(seen *monitor.Sample) {
	for _, l := range s.logs {
		l.seen = false
	}
	for _, from := range s.cfg.Streams[len(s.piped):] {
		s.piped = append(s.piped, newStream(from, s.cfg.NewParser(from.Name, monitor.Reading[int]{})))
	}
	for _, p := range s.cfg.Paths {
		s.findPath(p)
	}
	if len(s.cfg.Paths) == 0 && s.cfg.Discover != nil && seen != nil {
		for _, c := range s.cfg.Discover(seen) {
			s.want(c.Path, c.Open, c.PID, c.How())
		}
	}
	s.drop()
}

// findPath adds what one of the configured paths names.
func (s *Source) findPath(p string) {
	switch {
	case p == "-":
		if s.stdin == nil && s.cfg.Stdin != nil {
			s.stdin = newStream(Stream{Name: stdinName, Reader: s.cfg.Stdin}, s.cfg.NewParser(stdinName, monitor.Reading[int]{}))
		}
	case isDirectory(p):
		for _, f := range logsUnder(p) {
			s.want(f, "", 0, "")
		}
	case strings.ContainsAny(p, "*?[") && !exists(p):
		found, err := filepath.Glob(p)
		if err != nil || len(found) == 0 {
			return
		}
		for _, f := range found {
			if isDirectory(f) {
				continue
			}
			s.want(f, "", 0, "")
		}
	default:
		s.want(p, "", 0, "")
	}
}

func exists(p string) bool {
	_, err := os.Stat(p)
	return err == nil
}

func isDirectory(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// want follows a file unless it is followed already.
func (s *Source) want(path, open string, pid int, how string) {
	for _, l := range s.logs {
		if l.file.path == path {
			l.seen, l.pid = true, pid
			if open != "" {
				l.file.opened = open
			}
			return
		}
	}
	if len(s.logs) >= maxFiles {
		return
	}
	l := &follower{file: file{path: path, opened: open, fromStart: s.cfg.FromStart}, pid: pid, how: how, seen: true}
	l.parser = s.cfg.NewParser(path, rankOfPath(path))
	s.logs = append(s.logs, l)
}

// drop forgets files that are no longer named, when they are gone or their
// place is needed: of a directory whose files were removed, of a process that
// ended. A file named by the user stays.
func (s *Source) drop() {
	crowded := len(s.logs) >= maxFiles
	kept := s.logs[:0]
	for _, l := range s.logs {
		if l.seen || !crowded && l.file.err == nil && l.file.f != nil {
			kept = append(kept, l)
			continue
		}
		l.file.close(func(int64, []byte) bool { return true })
	}
	for i := len(kept); i < len(s.logs); i++ {
		s.logs[i] = nil
	}
	s.logs = kept
}

// logsUnder returns the log files below a directory, the newest first, at most
// maxFiles.
func logsUnder(dir string) []string {
	type found struct {
		path string
		mod  time.Time
	}
	var all []found
	root := strings.Count(filepath.Clean(dir), string(filepath.Separator))
	_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if d.IsDir() {
			if strings.Count(filepath.Clean(p), string(filepath.Separator))-root >= maxDepth {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !isLogName(d.Name()) || len(all) >= 4096 {
			return nil
		}
		if info, err := d.Info(); err == nil {
			all = append(all, found{p, info.ModTime()})
		}
		return nil
	})
	sort.Slice(all, func(i, j int) bool {
		if !all[i].mod.Equal(all[j].mod) {
			return all[i].mod.After(all[j].mod)
		}
		return all[i].path < all[j].path
	})
	paths := make([]string, 0, min(len(all), maxFiles))
	for _, f := range all[:min(len(all), maxFiles)] {
		paths = append(paths, f.path)
	}
	return paths
}

// isLogName reports whether a file in a log directory is a log by its name.
func isLogName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".log", ".out", ".err", ".txt", ".jsonl", ".csv", "":
		return !strings.HasPrefix(name, ".") && name != "events" && !strings.HasPrefix(name, "events.out")
	}
	return strings.Contains(name, ".log.") || strings.Contains(name, ".out.")
}

// rankOfPath returns the rank that torchrun's directories tell:
// attempt_0/3/stdout.log is of local rank 3.
func rankOfPath(path string) monitor.Reading[int] {
	base := filepath.Base(path)
	if base != "stdout.log" && base != "stderr.log" {
		return monitor.Unknown[int](monitor.NotAvailable, "the file's name does not tell the rank")
	}
	dir := filepath.Base(filepath.Dir(path))
	n := 0
	if len(dir) == 0 || len(dir) > 6 || !strings.HasPrefix(filepath.Base(filepath.Dir(filepath.Dir(path))), "attempt_") {
		return monitor.Unknown[int](monitor.NotAvailable, "the file's name does not tell the rank")
	}
	for _, c := range dir {
		if c < '0' || c > '9' {
			return monitor.Unknown[int](monitor.NotAvailable, "the file's name does not tell the rank")
		}
		n = n*10 + int(c-'0')
	}
	return monitor.Known(n)
}

// report renews the status of all logs and returns that of the source.
func (s *Source) report(now time.Time) monitor.SourceStatus {
	var files []FileStatus
	if s.stdin != nil {
		files = append(files, s.stdin.status())
	}
	for _, p := range s.piped {
		files = append(files, p.status())
	}
	for _, l := range s.logs {
		files = append(files, l.status(now))
	}
	s.mu.Lock()
	s.status = files
	s.mu.Unlock()
	st := monitor.SourceStatus{Name: s.Name(), State: monitor.StateOK}
	bad, resting := 0, 0
	for _, f := range files {
		if f.State == monitor.StateUnavailable {
			bad++
		}
		if f.resting {
			resting++
			continue // one old log beside others is no trouble
		}
		if f.State != monitor.StateOK && st.Reason == "" {
			st.Reason = f.Reason
		}
	}
	switch {
	case len(files) == 0:
		st.State = monitor.StateUnavailable
		st.Reason = s.nothing()
		return st
	case resting == len(files):
		st.State, st.Reason, st.GoodAt = monitor.StateStale, files[0].Reason, s.handed
		return st
	case bad == len(files):
		st.State = monitor.StateUnavailable
		return st
	case st.Reason != "":
		st.State = monitor.StatePartial
	}
	st.GoodAt = now
	return st
}

// nothing says why no log is followed.
func (s *Source) nothing() string {
	if len(s.cfg.Paths) == 0 {
		return "no log found: the processes write to no file that looks like one; name it with --log FILE"
	}
	return fmt.Sprintf("no file matches %s yet", strings.Join(s.cfg.Paths, ", "))
}

// status tells how a log stands.
func (l *follower) status(now time.Time) FileStatus {
	st := FileStatus{Path: l.file.path, How: l.how, PID: l.pid, State: monitor.StateOK, BehindBytes: l.file.behind, SkippedBytes: l.file.skipped}
	switch {
	case l.file.f == nil && l.file.err != nil && l.file.fresh:
		st.State, st.Reason = monitor.StateUnavailable, fmt.Sprintf("waiting for %s to appear", l.file.path)
	case l.file.err != nil:
		st.State, st.Reason = monitor.StateUnavailable, fmt.Sprintf("cannot read %s: %v", l.file.path, l.file.err)
	case l.file.atRest(now):
		st.State, st.resting = monitor.StateStale, true
		st.Reason = fmt.Sprintf("%s has not changed since %s; 'vramscope advise' judges a log at rest", l.file.path, l.file.changed.Format(time.DateTime))
	case l.file.behind > maxBehind/8:
		st.State = monitor.StateStale
		st.Reason = fmt.Sprintf("%s grows faster than it is read: %d MiB behind", l.file.path, l.file.behind>>20)
	}
	return st
}

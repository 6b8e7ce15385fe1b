package cli

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"syscall"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
	"github.com/vramscope/vramscope/monitor/nvml"
	"github.com/vramscope/vramscope/monitor/proc"
	"github.com/vramscope/vramscope/monitor/sampler"
	"github.com/vramscope/vramscope/monitor/torch"
	"github.com/vramscope/vramscope/tui/text"
)

// watch is the sources of this machine and the sampler that asks them.
type watch struct {
	driver  *nvml.Source
	sampler *sampler.Sampler
}

// newWatch puts the sources of this machine together. Nothing is read yet, but
// a log that cannot be used is refused here, by name.
func newWatch(sys System, opts *options) (*watch, error) {
	at, err := sys.roots()
	if err != nil {
		return nil, err
	}
	return newWatchAt(sys, opts, at)
}

// newWatchAt reads a machine at these roots.
func newWatchAt(sys System, opts *options, at roots) (*watch, error) {
	if err := checkLogs(opts.logs); err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "" // a nameless machine is no reason not to watch it
	}
	driver := nvml.New(nvml.Config{ProcRoot: at.proc, Watch: !opts.glance})
	facts := []monitor.Source{proc.New(proc.Config{Root: at.proc, CgroupRoot: at.cgroup, Passwd: at.passwd, LookupUser: lookupUser})}
	if !opts.noLog {
		facts = append(facts, newLog(sys, opts, at))
	}
	stages := [][]monitor.Source{{driver}, {torch.New(torch.Config{Root: at.proc})}, facts}
	return &watch{
		driver:  driver,
		sampler: sampler.New(sampler.Config{Stages: stages, Interval: opts.interval, Host: host}),
	}, nil
}

// newLog follows the logs that --log names, or those that the watched processes
// have open.
func newLog(sys System, opts *options, at roots) monitor.Source {
	cfg := logtail.Config{
		Paths: opts.logs,
		Stdin: sys.Stdin,
		NewParser: func(_ string, rank monitor.Reading[int]) logtail.Parser {
			return opts.newParser(rank)
		},
	}
	if len(opts.logs) == 0 {
		cfg.Discover = logtail.Finder{ProcRoot: at.procRoot(), Telling: formats.Looks}.Find
	}
	if opts.job != nil {
		return opts.job.source(cfg)
	}
	return logtail.New(cfg)
}

// checkLogs refuses a log that is there and cannot be read. One that is not
// there yet is waited for.
func checkLogs(names []string) error {
	for _, name := range names {
		if name == "-" {
			continue
		}
		info, err := os.Stat(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return fmt.Errorf("log %s: not a file or a folder; a pipe is read with --log - <%s", name, name)
		}
		f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
		if err != nil {
			return fmt.Errorf("log: %w", err)
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("log %s: %w", name, err)
		}
	}
	return nil
}

// noDriver is the error of a machine without NVIDIA driver or GPU, when that
// matters: with --log the log is what is watched.
func (w *watch) noDriver(opts *options) error {
	if len(opts.logs) > 0 || !w.driver.Absent() {
		return nil
	}
	return &exitError{code: ExitNoDriver, err: fmt.Errorf("%w; 'vramscope demo' shows a recorded run on any machine", w.driver.Err())}
}

// Close stops the sampler and its sources.
func (w *watch) Close() error { return w.sampler.Close() }

func lookupUser(uid string) (string, error) {
	u, err := user.LookupId(uid)
	if err != nil {
		return "", err
	}
	return u.Username, nil
}

// marks are the signs that texts are cut with.
func (o *options) marks() text.Marks {
	if o.ascii {
		return text.ASCIIOnly
	}
	return text.Unicode
}

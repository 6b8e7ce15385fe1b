package cli

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/vramscope/vramscope/cmd/internal/job"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
)

// jobOutput is what a job prints, as a log.
type jobOutput struct {
	name   string
	pid    int
	reader io.Reader // nil when the output does not come through this program
}

// source follows the output beside the other logs.
func (o *jobOutput) source(cfg logtail.Config) monitor.Source {
	if o.reader != nil {
		cfg.Streams = []logtail.Stream{{Name: o.name, PID: o.pid, Reader: o.reader}}
	}
	return &jobLog{Source: logtail.New(cfg), name: o.name, job: o.pid, writer: o.pid, mine: isMine}
}

// isMine reports whether a process belongs to the job: the job, what it started,
// and what that left behind.
func isMine(pid int) bool { return job.Under(pid, os.Getpid()) }

// jobLog settles which process the lines of a job's output are about. The job
// itself is often a shell or a launcher, which has no memory on any GPU.
type jobLog struct {
	monitor.Source
	name   string
	job    int
	writer int // last known
	mine   func(pid int) bool
}

// Read reads the logs and puts the right process to the job's own lines.
func (l *jobLog) Read(ctx context.Context, req monitor.Request) monitor.Part {
	part := l.Source.Read(ctx, req)
	l.writer = l.settle(req.Seen)
	for i := range part.Lines {
		if part.Lines[i].Source == l.name {
			part.Lines[i].PID = l.writer
		}
	}
	for i := range part.Readings {
		if part.Readings[i].Source == l.name {
			part.Readings[i].PID = l.writer
		}
	}
	return part
}

// settle returns the only process of the job that uses a GPU; 0 when there are
// several, whom only the rank in a line can tell apart. While there is none the
// last answer stands, so that an error printed at the end has its process.
func (l *jobLog) settle(seen *monitor.Sample) int {
	if seen == nil {
		return l.writer
	}
	var pids []int
	add := func(pid int) {
		if pid > 0 && !slices.Contains(pids, pid) && l.mine(pid) {
			pids = append(pids, pid)
		}
	}
	for i := range seen.Torch {
		switch seen.Torch[i].State {
		case monitor.AllocatorNoCUDA, monitor.AllocatorInherited, monitor.AllocatorGone:
		default:
			add(seen.Torch[i].PID)
		}
	}
	if len(pids) == 0 {
		for i := range seen.Holders {
			if h := &seen.Holders[i]; h.InNamespace && (h.Kinds == 0 || h.Kinds&monitor.HolderCompute != 0) {
				add(h.PID)
			}
		}
	}
	switch len(pids) {
	case 0:
		return l.writer
	case 1:
		return pids[0]
	}
	return 0
}

// jobFeed narrows samples to a job and to whatever else holds its GPUs. Until
// the job has a GPU everything is shown: it may get any.
type jobFeed struct {
	monitor.Feed
	mine func(pid int) bool
	gpus []int // that the job has had
}

func newJobFeed(feed monitor.Feed) *jobFeed { return &jobFeed{Feed: feed, mine: isMine} }

// Next waits for the next batch and narrows its samples.
func (f *jobFeed) Next(ctx context.Context) (monitor.Batch, error) {
	b, err := f.Feed.Next(ctx)
	for i := range b.Samples {
		b.Samples[i] = f.narrow(b.Samples[i])
	}
	return b, err
}

func (f *jobFeed) narrow(s monitor.Sample) monitor.Sample {
	mine := map[int]bool{}
	isMine := func(pid int) bool {
		m, known := mine[pid]
		if !known {
			m = pid > 0 && f.mine(pid)
			mine[pid] = m
		}
		return m
	}
	has := func(gpu int) {
		if !slices.Contains(f.gpus, gpu) {
			f.gpus = append(f.gpus, gpu)
		}
	}
	for _, h := range s.Holders {
		if h.InNamespace && isMine(h.PID) {
			has(h.GPU)
		}
	}
	for _, a := range s.Torch {
		if gpu, known := a.GPU.Get(); known && isMine(a.PID) {
			has(gpu)
		}
	}
	if len(f.gpus) == 0 {
		return s
	}
	wanted := map[int]bool{}
	s.GPUs = keep(s.GPUs, func(g monitor.GPU) bool { return slices.Contains(f.gpus, g.Index) })
	s.Holders = keep(s.Holders, func(h monitor.Holder) bool {
		ok := slices.Contains(f.gpus, h.GPU)
		wanted[h.PID] = wanted[h.PID] || ok && h.InNamespace
		return ok
	})
	s.Torch = keep(s.Torch, func(a monitor.Allocator) bool {
		gpu, known := a.GPU.Get()
		ok := a.PID == 0 || isMine(a.PID) || known && slices.Contains(f.gpus, gpu)
		wanted[a.PID] = wanted[a.PID] || ok
		return ok
	})
	withParents(s.Processes, wanted)
	s.Processes = keep(s.Processes, func(p monitor.Process) bool { return wanted[p.PID] || isMine(p.PID) })
	return s
}

// withParents adds the parents of wanted processes, for the tree.
func withParents(all []monitor.Process, wanted map[int]bool) {
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if wanted[p.PID] && p.ParentPID > 0 && !wanted[p.ParentPID] {
				wanted[p.ParentPID], grown = true, true
			}
		}
	}
}

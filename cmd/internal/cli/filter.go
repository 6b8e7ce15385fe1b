package cli

import (
	"context"
	"fmt"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/vramscope/vramscope/monitor"
)

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// chosen narrows a feed to the processes and GPUs that --pid and --gpu name.
func (o *options) chosen(feed monitor.Feed) monitor.Feed {
	if len(o.pids) == 0 && len(o.gpus) == 0 {
		return feed
	}
	return narrowed{Feed: feed, opts: o}
}

type narrowed struct {
	monitor.Feed
	opts *options
}

// Next waits for the next batch of the feed and narrows its samples.
func (n narrowed) Next(ctx context.Context) (monitor.Batch, error) {
	b, err := n.Feed.Next(ctx)
	b.Samples = slices.Clone(b.Samples) // those of a replay are the recording's, which are read meanwhile
	for i := range b.Samples {
		b.Samples[i] = n.opts.narrow(b.Samples[i])
	}
	return b, err
}

// missing is the error of a GPU or a process that --gpu or --pid names and that
// is not there.
func (o *options) missing(s *monitor.Sample) error {
	for _, index := range o.gpus {
		if _, ok := s.GPU(index); !ok {
			return fmt.Errorf("--gpu %d: there is no such GPU; there are %d here, counted from 0", index, len(s.GPUs))
		}
	}
	for _, pid := range o.pids {
		held := slices.ContainsFunc(s.Holders, func(h monitor.Holder) bool { return h.PID == pid })
		if !held && !slices.ContainsFunc(s.Torch, func(a monitor.Allocator) bool { return a.PID == pid }) {
			return fmt.Errorf("--pid %d: no such process holds memory of a GPU or has PyTorch loaded", pid)
		}
	}
	return nil
}

// narrow keeps the rows of a sample that --pid and --gpu ask for. A device's
// own figures stay whole: what others use is still in use.
func (o *options) narrow(s monitor.Sample) monitor.Sample {
	if len(o.gpus) > 0 {
		s.GPUs = keep(s.GPUs, func(g monitor.GPU) bool { return slices.Contains(o.gpus, g.Index) })
		s.Holders = keep(s.Holders, func(h monitor.Holder) bool { return slices.Contains(o.gpus, h.GPU) })
		s.Torch = keep(s.Torch, func(a monitor.Allocator) bool {
			gpu, known := a.GPU.Get()
			return !known || slices.Contains(o.gpus, gpu)
		})
	}
	if len(o.pids) > 0 {
		s.Holders = keep(s.Holders, func(h monitor.Holder) bool { return slices.Contains(o.pids, h.PID) })
		s.Torch = keep(s.Torch, func(a monitor.Allocator) bool { return slices.Contains(o.pids, a.PID) })
		s.Processes = keep(s.Processes, func(p monitor.Process) bool { return slices.Contains(o.pids, p.PID) })
	}
	return s
}

// keep returns a new slice of those that pass: samples are shared and must not
// be changed.
func keep[T any](all []T, pass func(T) bool) []T {
	var out []T
	for _, v := range all {
		if pass(v) {
			out = append(out, v)
		}
	}
	return out
}

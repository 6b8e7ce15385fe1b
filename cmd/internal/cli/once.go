package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/monitor/scrub"
)

// oncePatience is how long one sample may take: the driver of a machine whose
// GPUs were asleep takes seconds to start.
const oncePatience = 15 * time.Second

func newOnce(sys System, opts *options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "once",
		Short: "print one sample to standard output",
		Args:  cobra.NoArgs,
		RunE: untilSignal(func(cmd *cobra.Command, _ []string) error {
			s, err := takeOne(cmd.Context(), sys, opts)
			if err != nil {
				return err
			}
			if asJSON {
				return record.EncodeOnce(harmless{sys.Stdout}, s, scrub.Text)
			}
			return printSample(sys.Stdout, &s, opts.marks())
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the sample as one JSON object (docs/schema/once.schema.json)")
	return cmd
}

// takeOne reads everything once. Without a driver it is an error with its own
// exit code, unless a log is to be read, which may be another machine's.
func takeOne(ctx context.Context, sys System, opts *options) (monitor.Sample, error) {
	asked := *opts
	asked.glance = true
	watch, err := newWatch(sys, &asked)
	if err != nil {
		return monitor.Sample{}, err
	}
	defer watch.Close() //nolint:errcheck // nothing is written
	ctx, cancel := context.WithTimeout(ctx, oncePatience)
	defer cancel()
	s := watch.once(ctx, opts)
	if err := watch.noDriver(opts); err != nil {
		return s, err
	}
	if err := watch.driver.Err(); err != nil && len(s.GPUs) == 0 && len(opts.logs) == 0 {
		return s, fmt.Errorf("reading the NVIDIA driver: %w", err)
	}
	if err := opts.missing(&s); err != nil {
		return s, err
	}
	return opts.narrow(s), nil
}

// pipePatience is how long one sample waits for a log that comes through a
// pipe: whoever writes it may not have begun.
const pipePatience = 2 * time.Second

// secondLook is the time between the two samples of which the second is printed:
// enough for the chip's own counters. A process's share of a processor stays
// unknown: in so little time the kernel's clock of 10 ms tells it to a tenth at
// best, and in the half second that it needs once would be slow.
const secondLook = 150 * time.Millisecond

// once takes one sample; from a pipe it takes what has come, as soon as that
// tells something. Of a machine with GPUs it takes two: finding the jobs takes
// tens of milliseconds, in which a busy job moves, so the layers of the first
// are further apart than those of the second; and rates need two. A device that
// hangs is not waited for twice.
func (w *watch) once(ctx context.Context, opts *options) monitor.Sample {
	s := w.sampler.Once(ctx)
	trouble := func(g monitor.GPU) bool { return g.State != monitor.StateOK }
	if len(s.GPUs) > 0 && !slices.ContainsFunc(s.GPUs, trouble) {
		select {
		case <-ctx.Done():
			return s
		case <-time.After(secondLook):
		}
		if second := w.sampler.Once(ctx); ctx.Err() == nil {
			s = second
		}
	}
	if !slices.Contains(opts.logs, "-") {
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, pipePatience)
	defer cancel()
	for {
		if slices.ContainsFunc(s.Torch, func(a monitor.Allocator) bool { return a.Origin == monitor.OriginLog }) {
			return s
		}
		select {
		case <-ctx.Done():
			return s
		case <-time.After(50 * time.Millisecond):
			s = w.sampler.Once(ctx)
		}
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/monitor/scrub"
)

func newRecord(sys System, opts *options) *cobra.Command {
	var output string
	var length time.Duration
	var keepSecrets, appendTo bool
	cmd := &cobra.Command{
		Use:   "record -o FILE",
		Short: "record without a screen, until ctrl-c or for a time",
		Args:  cobra.NoArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if length <= 0 && cmd.Flags().Changed("for") {
				return fmt.Errorf("--for %v: must be more than 0", length)
			}
			return nil
		},
		RunE: untilSignal(func(cmd *cobra.Command, _ []string) error {
			out := record.Options{Scrub: scrub.Text, Interval: opts.interval}
			if keepSecrets {
				out.Scrub = nil
			}
			if appendTo {
				out.Exists = record.AppendToExisting
			}
			return recordTo(cmd.Context(), length, sys, opts, output, out)
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "the `FILE` to write, or - for standard output; gzip when it ends in .gz")
	f.DurationVar(&length, "for", 0, "stop this long after the first sample")
	f.BoolVar(&appendTo, "append", false, "add to a recording that exists")
	f.BoolVar(&keepSecrets, "keep-secrets", false, "leave passwords and tokens in command lines and log lines as they are")
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag is declared three lines above
	}
	return cmd
}

// recordTo writes every sample until ctx ends. Once left has ended too, what the
// reader of a pipe does not take is given up.
func recordTo(left context.Context, length time.Duration, sys System, opts *options, name string, out record.Options) error {
	w, err := newWatch(sys, opts)
	if err != nil {
		return err
	}
	defer w.Close() //nolint:errcheck // nothing is written
	frugal(left)
	ctx, cancel := context.WithCancel(left)
	defer cancel()
	opening := ctx
	if length > 0 {
		var late context.CancelFunc
		opening, late = context.WithTimeout(ctx, length) // a pipe may have no reader
		defer late()
	}
	file, err := openRecording(opening, patience{left, afterSignal}, sys, name, out)
	if exists := (*existsError)(nil); errors.As(err, &exists) {
		return fmt.Errorf("%w; --append adds to it", err)
	}
	if err != nil {
		return err
	}
	say(sys.Stderr, "recording to %s every %v; ctrl-c stops\n", file.name, opts.interval)
	c := copier{file: file, begun: func() {
		if length > 0 {
			time.AfterFunc(length, cancel)
		}
	}, absent: func() error { return w.noDriver(opts) }, warn: func(err error) { say(sys.Stderr, "note: %v\n", err) }}
	err = errors.Join(c.copy(ctx, opts.chosen(w.sampler)), file.Close())
	say(sys.Stderr, "%d samples in %s\n", c.count, file.name)
	if errors.Is(err, errGivenUp) { // as was asked for
		say(sys.Stderr, "note: nobody read from %s: what came after that is lost\n", file.name)
		return nil
	}
	if err == nil && !c.telling {
		return c.absent() // a recording of nothing, which whoever waits for it must know
	}
	return err
}

// copier writes what a feed gives into a recording.
type copier struct {
	file   *recording
	begun  func()       // is told of the first sample
	absent func() error // why there is no driver here; nil when there is, or a log was named
	warn   func(error)

	count   int
	telling bool // a sample had a GPU, an allocator or a reading of a log
}

// copy copies until ctx ends. A machine without a driver is said at the first
// sample and not after hours.
func (c *copier) copy(ctx context.Context, feed monitor.Feed) error {
	for {
		batch, err := feed.Next(ctx)
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, s := range batch.Samples {
			if err := c.file.Write(s); err != nil {
				return err
			}
			if c.count++; c.count == 1 {
				c.begun()
			}
			c.telling = c.telling || len(s.GPUs)+len(s.Torch)+len(s.Readings) > 0
			if absent := c.absent(); c.count == 1 && absent != nil {
				c.warn(absent)
			}
		}
	}
}

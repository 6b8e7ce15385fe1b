package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
		RunE: untilSignal(func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if length > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, length)
				defer cancel()
			}
			out := record.Options{Scrub: scrub.Text, Interval: opts.interval}
			if keepSecrets {
				out.Scrub = nil
			}
			if appendTo {
				out.Exists = record.AppendToExisting
			}
			return recordTo(ctx, sys, opts, output, out)
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", "", "the `FILE` to write; gzip when it ends in .gz")
	f.DurationVar(&length, "for", 0, "stop after this time")
	f.BoolVar(&appendTo, "append", false, "add to a recording that exists")
	f.BoolVar(&keepSecrets, "keep-secrets", false, "leave passwords and tokens in command lines and log lines as they are")
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag is declared three lines above
	}
	return cmd
}

// recordTo writes every sample until ctx ends.
func recordTo(ctx context.Context, sys System, opts *options, name string, out record.Options) (err error) {
	w, err := newWatch(sys, opts)
	if err != nil {
		return err
	}
	defer w.Close() //nolint:errcheck // nothing is written
	frugal(ctx)
	file, err := record.Create(name, out)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already; --append adds to it", name)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	say(sys.Stderr, "recording to %s every %v; ctrl-c stops\n", name, opts.interval)
	count, err := copySamples(ctx, opts.chosen(w.sampler), file)
	say(sys.Stderr, "%d samples in %s\n", count, name)
	if err == nil {
		if absent := w.noDriver(opts); absent != nil {
			say(sys.Stderr, "note: %v\n", absent)
		}
	}
	return err
}

func copySamples(ctx context.Context, feed monitor.Feed, file *record.Writer) (int, error) {
	for count := 0; ; {
		batch, err := feed.Next(ctx)
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		for _, s := range batch.Samples {
			if err := file.Write(s); err != nil {
				return count, err
			}
			count++
		}
	}
}

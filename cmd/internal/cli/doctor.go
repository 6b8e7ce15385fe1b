package cli

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/vramscope/vramscope/cmd/internal/doctor"
)

func newDoctor(sys System, opts *options) *cobra.Command {
	var asJSON bool
	var bundle string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "say what can be seen here, what cannot, why, and what would help",
		Args:  cobra.NoArgs,
		RunE: untilSignal(func(cmd *cobra.Command, _ []string) error {
			at, err := sys.roots()
			if err != nil {
				return err
			}
			facts, err := examine(cmd.Context(), sys, opts, at)
			if err != nil {
				return err
			}
			report := doctor.Judge(facts)
			if bundle != "" {
				if err := writeBundle(cmd.Context(), sys, opts, bundle, report); err != nil {
					return err
				}
			}
			if asJSON {
				return report.WriteJSON(harmless{sys.Stdout})
			}
			return report.WriteText(sys.Stdout)
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the answers as one JSON object (docs/schema/doctor.schema.json)")
	cmd.Flags().StringVar(&bundle, "bundle", "", "also write a scrubbed archive for a bug report to this new `FILE` (.tar.gz): the answers, a sample, a short recording, versions")
	return cmd
}

// examine takes one sample and gathers what it does not tell. A log that
// cannot be used is an answer here, and no reason to stop.
func examine(ctx context.Context, sys System, opts *options, at roots) (doctor.Facts, error) {
	asked := *opts
	logError := ""
	if err := checkLogs(opts.logs); err != nil {
		logError, asked.logs = err.Error(), nil
	}
	watch, err := newWatchAt(sys, &asked, at)
	if err != nil {
		return doctor.Facts{}, err
	}
	defer watch.Close() //nolint:errcheck // nothing is written
	ctx, cancel := context.WithTimeout(ctx, oncePatience)
	defer cancel()
	sample := asked.narrow(watch.sampler.Once(ctx))
	facts := doctor.Gather(doctor.Config{Proc: at.proc, HostProc: at.hostProc, Cgroup: at.cgroup, Root: at.root, Environ: sys.Environ, KernelLog: at.kernelLog()}, sample)
	facts.Driver = doctor.DriverOf(watch.driver.Err())
	facts.Driver.Unwatched = watch.driver.Watching()
	facts.LogNames, facts.LogError, facts.NoLog = opts.logs, logError, opts.noLog
	if f, ok := sys.Stdout.(*os.File); ok && isTerminal(f) {
		facts.Terminal.Attached = true
		if width, height, err := term.GetSize(int(f.Fd())); err == nil {
			facts.Terminal.Width, facts.Terminal.Height = width, height
		}
	}
	return facts, nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/cmd/internal/job"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/monitor/scrub"
)

const aboutRun = `run starts a job and watches it: the job itself, what it starts, and whatever
else holds its GPUs. Being its ancestor, it may read the job's memory where
the kernel allows that to a program's own children only (Yama 1), and it reads
what the job prints without --log.

The screen stays after the end and exits with the job's exit code (128 and the
signal's number, 126 or 127 when it could not be started). Leaving it while
the job runs asks whether the job goes on. One that goes on, also when this
program is killed or its terminal is lost, keeps its output in FILE, or in
vramscope-run-TIME.log in the current folder.

--headless draws nothing and puts nothing between: the job has the standard
streams, the process group and the exit code that it would have alone, and gets
the signals that this program alone gets. With --output its standard output and
error go through a pipe, as with tee; without it, what the job prints is read
only where it goes to a file. When this program is killed (SIGKILL) the
job goes on, its output too; the recording ends there.`

// running is what `run` was asked for.
type running struct {
	args     []string
	output   string
	appendTo bool
	record   string
	headless bool
	hangup   bool
	verbose  bool
	advise   bool
}

func newRun(sys System, opts *options) *cobra.Command {
	var how running
	cmd := &cobra.Command{
		Use:   "run [flags] -- CMD ARG…",
		Short: "start a job and watch it",
		Long:  aboutRun,
		Example: `  vramscope run --output train.log -- python train.py
  vramscope run --headless --record run.jsonl.gz -- torchrun --nproc-per-node 8 train.py`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("run needs a command to start: vramscope run [flags] -- CMD ARG…")
			}
			return nil
		},
		PreRunE: func(*cobra.Command, []string) error { return how.check(opts) },
		RunE: run(func(_ *cobra.Command, args []string) error {
			how.args = args
			return how.start(sys, opts)
		}),
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringVar(&how.output, "output", "", "write what the job prints to this `FILE`")
	f.BoolVar(&how.appendTo, "append", false, "add to FILE when there is something in it")
	f.StringVar(&how.record, "record", "", "record to this `FILE`; gzip when it ends in .gz")
	f.BoolVar(&how.headless, "headless", false, "no screen: be transparent for scripts and torchrun")
	f.BoolVar(&how.hangup, "hangup", false, "pass a lost terminal (SIGHUP) on to the job instead of leaving it running")
	f.BoolVar(&how.advise, "advise", false, "with --headless, print the findings to standard error after the end")
	f.BoolVar(&how.verbose, "verbose", false, "with --headless, print one line to standard error after the end")
	opts.addScreen(cmd)
	return cmd
}

// newHelper is a process that run starts beside the job; nobody calls it by
// hand.
func newHelper(name string, work func() int) *cobra.Command {
	return &cobra.Command{
		Use:                name,
		Short:              "part of run",
		Hidden:             true,
		DisableFlagParsing: true,
		PersistentPreRunE:  func(*cobra.Command, []string) error { return nil },
		RunE: run(func(*cobra.Command, []string) error {
			return exitWith(work())
		}),
	}
}

// exitWith is the silent error of an exit code.
func exitWith(code int) error {
	if code == 0 {
		return nil
	}
	return &exitError{code: code, err: errors.New("")}
}

func (how *running) check(opts *options) error {
	switch {
	case len(opts.logs) > 0 && contains(opts.logs, "-"):
		return errors.New("--log -: standard input is the job's; what it prints is read without --log")
	case isStandardOutput(how.record):
		return fmt.Errorf("--record %s: standard output is the job's or the screen's", how.record)
	case isStandardOutput(how.output):
		return fmt.Errorf("--output %s: standard output is the job's or the screen's; --headless lets what the job prints through to it, as in 'vramscope run --headless -- CMD | tee FILE'", how.output)
	case how.headless && how.hangup:
		return errors.New("--hangup: with --headless every signal is passed on already")
	case !how.headless && (how.advise || how.verbose):
		return errors.New("--advise and --verbose go with --headless; the screen says both")
	}
	return checkLogs(opts.logs)
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// start opens what will be written, so that it is refused before the job begins,
// and starts the job.
func (how *running) start(sys System, opts *options) (err error) {
	if !how.headless {
		if err := opts.needTerminal(sys, "the screen of run"); err != nil {
			return errors.New("the screen of run needs a terminal on standard output; --headless runs the job without one")
		}
	}
	var output *os.File
	if how.output != "" {
		if output, err = job.OpenOutput(how.output, how.appendTo); err != nil {
			return err
		}
		defer output.Close() //nolint:errcheck // written by the keeper
	}
	var file *recording
	if how.record != "" {
		left, leave := context.WithCancel(context.Background())
		defer leave()
		file, err = openRecording(context.Background(), patience{left, afterJob}, sys, how.record, record.Options{Scrub: scrub.Text, Interval: opts.interval})
		if exists := (*existsError)(nil); errors.As(err, &exists) {
			return fmt.Errorf("%w; name another file to record to", err)
		}
		if err != nil {
			return err
		}
		file.leave = leave
		defer func() {
			if closeErr := file.Close(); closeErr != nil {
				_, _ = fmt.Fprintf(sys.Stderr, "vramscope: recording %s: %v\n", how.record, closeErr)
			}
		}()
	}
	if how.headless {
		return how.plainly(sys, opts, output, file)
	}
	return how.onScreen(sys, opts, output, file)
}

// refused is the error of a job that could not be started.
func refused(err error) error {
	var start *job.StartError
	if errors.As(err, &start) {
		return &exitError{code: start.Code, err: fmt.Errorf("run: %w", err)}
	}
	return fmt.Errorf("run: %w", err)
}

// title names the job on the screen and in sentences.
func (how *running) title() string {
	const longest = 60
	words := append([]string{filepath.Base(how.args[0])}, how.args[1:]...)
	s := []rune(clean.Line(scrub.Text(strings.Join(words, " "))))
	if len(s) > longest {
		return string(s[:longest-1]) + "…"
	}
	return string(s)
}

// lost says why the file of the job's output has not got all of it; nothing
// when it has.
func (how *running) lost(w io.Writer, trouble string) {
	if trouble != "" && how.output != "" {
		say(w, "vramscope: the output of the job in %s ends early: %s", how.output, trouble)
	}
}

// summary is the one line about a job that has ended. Output that was lost is
// nothing to see.
func (how *running) summary(w io.Writer, r job.Result, took time.Duration, whole bool) {
	line := fmt.Sprintf("vramscope: %s %s after %v", how.title(), r, took.Round(time.Second))
	for _, name := range []string{how.output, how.record} {
		if name != "" && (whole || name != how.output) {
			line += "; see " + name
		}
	}
	_, _ = fmt.Fprintln(w, line)
}

// Package cli is the command line: a file for each subcommand and for what
// several of them share, and the wiring of sources, sampler and screen. It
// prints plain text and JSON and turns errors into exit codes. It must not know
// how anything is read, or how the screen is drawn.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/monitor/clean"
)

// The exit codes of the program; scripts rely on them.
const (
	ExitDone     = 0
	ExitFailed   = 1
	ExitUsage    = 2
	ExitNoDriver = 3 // no NVIDIA driver or GPU on this machine
	ExitFound    = 4 // --fail-on was met
)

// System is everything a command may know of the process it runs in.
type System struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string // KEY=VALUE
	Now     func() time.Time

	hostProc *string // of --host-proc, once the command line was read; nil without one
}

// exitError is an error of a command that has begun its work, with the exit
// code it means. Errors of any other kind are the command line's: usage.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// fail is an ordinary failure of a command.
func fail(err error) error {
	var already *exitError
	if err == nil || errors.As(err, &already) {
		return err
	}
	return &exitError{code: ExitFailed, err: err}
}

// Main runs the command line and returns the exit code. It is the only place
// that prints an error.
func Main(sys System) int {
	root := newRoot(sys)
	root.SetArgs(sys.Args)
	root.SetIn(sys.Stdin)
	root.SetOut(sys.Stdout)
	root.SetErr(sys.Stderr)
	return report(sys.Stderr, root.ExecuteContext(context.Background()))
}

// untilSignal gives the work of a command a context that ends with the signals
// that end a program. Commands that only read a file do without: there the
// signals keep their ordinary effect.
func untilSignal(work func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return run(func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), ending()...)
		defer stop()
		cmd.SetContext(ctx)
		return work(cmd, args)
	})
}

// say prints a message for people. What it names comes from outside.
func say(w io.Writer, format string, args ...any) {
	for _, line := range strings.Split(strings.TrimSuffix(fmt.Sprintf(format, args...), "\n"), "\n") {
		_, _ = fmt.Fprintln(w, clean.Line(line))
	}
}

// ending returns the signals that end a command, but for those that whoever
// started it made it ignore: nohup and a shell's background jobs do.
func ending() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// report prints the error and returns its exit code.
func report(w io.Writer, err error) int {
	if err == nil {
		return ExitDone
	}
	var exit *exitError
	if errors.As(err, &exit) {
		if exit.err.Error() != "" {
			say(w, "vramscope: %v", exit.err)
		}
		return exit.code
	}
	say(w, "vramscope: %v\nSee 'vramscope --help'.", err)
	return ExitUsage
}

// run makes a cobra RunE of a command's work, so that its errors are told from
// those of the command line.
func run(work func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error { return fail(work(cmd, args)) }
}

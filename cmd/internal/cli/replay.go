package cli

import (
	"bytes"
	"context"
	_ "embed" // the demo's recording
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
	"github.com/vramscope/vramscope/monitor/record"
)

// demoRecording is a minute of a real run on one H200: a language model whose
// sequences only grow, so that reserved climbs and allocated does not.
//
//go:embed demo.jsonl.gz
var demoRecording []byte

func newReplay(sys System, opts *options) *cobra.Command {
	var speed float64
	cmd := &cobra.Command{
		Use:     "replay FILE",
		Short:   "show a recording on the live screen: pause, step, seek",
		Args:    cobra.ExactArgs(1),
		PreRunE: func(*cobra.Command, []string) error { return checkSpeed(speed) },
		RunE: run(func(cmd *cobra.Command, args []string) error {
			rec, err := loadRecording(args[0], opts)
			if err != nil {
				return err
			}
			return play(cmd.Context(), sys, opts, rec, playing{title: filepath.Base(args[0]), speed: speed})
		}),
	}
	cmd.Flags().Float64Var(&speed, "speed", 1, "recorded seconds that pass in one second")
	opts.addScreen(cmd)
	return cmd
}

func newDemo(sys System, opts *options) *cobra.Command {
	var speed float64
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "replay a recording that is inside the program; runs on any machine",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return checkSpeed(speed) },
		RunE: run(func(cmd *cobra.Command, _ []string) error {
			rec, err := record.Load(bytes.NewReader(demoRecording), "demo", recordedLines(opts))
			if err != nil {
				return err
			}
			return play(cmd.Context(), sys, opts, rec, playing{title: "a recorded run", mode: "demo", speed: speed})
		}),
	}
	cmd.Flags().Float64Var(&speed, "speed", 2, "recorded seconds that pass in one second")
	opts.addScreen(cmd)
	return cmd
}

// The speeds that a player plays at.
const (
	minSpeed = 0.01
	maxSpeed = 10_000
)

// checkSpeed refuses a speed that a player does not play at.
func checkSpeed(speed float64) error {
	if speed >= minSpeed && speed <= maxSpeed {
		return nil // which NaN never is
	}
	return fmt.Errorf("--speed %v: must be from %v to %d", speed, minSpeed, maxSpeed)
}

// loadRecording opens and reads a whole recording; its errors name the file.
func loadRecording(name string, opts *options) (*record.Recording, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // read only
	rec, err := record.Load(f, name, recordedLines(opts))
	if err != nil {
		return nil, err
	}
	if len(rec.Samples) == 0 {
		return nil, fmt.Errorf("%s: the recording has no sample", name)
	}
	return rec, nil
}

// recordedLines returns the parser for the log lines of one recording: a parser
// for each log that it holds lines of.
func recordedLines(opts *options) record.LineParser {
	parsers := map[string]*formats.Parser{}
	return func(line monitor.LogLine) []monitor.LogReading {
		p, ok := parsers[line.Source]
		if !ok {
			p = opts.newParser(monitor.Reading[int]{})
			parsers[line.Source] = p
		}
		return p.Line(line)
	}
}

type playing struct {
	title, mode string
	speed       float64
}

func play(ctx context.Context, sys System, opts *options, rec *record.Recording, how playing) error {
	if err := opts.needTerminal(sys, "a replay"); err != nil {
		return err
	}
	diagnostics, err := opts.openDebugLog(sys)
	if err != nil {
		return err
	}
	defer diagnostics.Close() //nolint:errcheck // a debug log that is lost is no failure
	for _, note := range rec.Notes {
		say(sys.Stderr, "vramscope: %s: %s\n", rec.Name, note)
	}
	ctx, stop := signal.NotifyContext(ctx, ending()...)
	defer stop()
	player := record.NewPlayer(rec, record.PlayerOptions{Speed: how.speed, EndAtEOF: opts.screen.screenReader})
	defer player.Close() //nolint:errcheck // cannot fail
	screen := screenOptions(sys, opts)
	screen.Feed, screen.Playback = opts.chosen(player), player
	screen.History = history.New(history.WholeFile(len(rec.Samples), spanOf(rec)))
	screen.Title, screen.Mode, screen.Interval = how.title, how.mode, rec.Interval
	return show(ctx, sys, opts, screen)
}

// spanOf returns the time from the first sample of a recording to the last.
func spanOf(rec *record.Recording) time.Duration {
	return rec.Samples[len(rec.Samples)-1].Time.Sub(rec.Samples[0].Time)
}

// needTerminal refuses to draw where there is nothing to draw on. Lines for a
// screen reader can go anywhere.
func (o *options) needTerminal(sys System, what string) error {
	if o.screen.screenReader {
		return nil
	}
	if f, ok := sys.Stdout.(*os.File); ok && isTerminal(f) {
		if kind, _ := lookup(sys.Environ, "TERM"); kind == "dumb" {
			return errors.New(what + " needs a terminal whose cursor can be moved, and TERM says dumb; --screen-reader prints lines of what changes, 'vramscope once' prints one sample")
		}
		return nil
	}
	return errors.New(what + " needs a terminal on standard output; anywhere else --screen-reader prints lines of what changes, 'vramscope once' prints one sample")
}

package cli

import (
	"bytes"
	"context"
	_ "embed" // the demo's recording
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/tui"
)

// demoRecording is a minute of a real run on one H200: a language model whose
// sequences only grow, so that reserved climbs and allocated does not.
//
//go:embed demo.jsonl.gz
var demoRecording []byte

func newReplay(sys System, opts *options) *cobra.Command {
	var speed float64
	cmd := &cobra.Command{
		Use:   "replay FILE|-",
		Short: "show a recording on the live screen: pause, step, seek",
		Args:  cobra.ExactArgs(1),
		PreRunE: func(_ *cobra.Command, args []string) error {
			if f, ok := sys.Stdin.(*os.File); ok && args[0] == "-" && isTerminal(f) {
				return errors.New("replay -: standard input is the terminal; give a FILE, or a recording through a pipe")
			}
			return checkSpeed(speed)
		},
		RunE: untilSignal(func(cmd *cobra.Command, args []string) error {
			l, err := openLoading(cmd.Context(), sys, args[0], opts)
			if cmd.Context().Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			return playFile(cmd.Context(), sys, opts, l, speed)
		}),
	}
	cmd.Flags().Float64Var(&speed, "speed", 1, "recorded seconds that pass in one second")
	opts.addScreen(cmd)
	return cmd
}

// playFile plays a recording that is being read: at once where it is short, and
// else on a screen that says how far the reading is.
func playFile(ctx context.Context, sys System, opts *options, l *loading, speed float64) error {
	loaded, err := l.isOne(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	how := playing{title: l.title, speed: speed}
	if !loaded && !opts.screen.screenReader {
		how.loading = l
		return play(ctx, sys, opts, nil, how)
	}
	rec, err := l.wait(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	return play(ctx, sys, opts, rec, how)
}

func newDemo(sys System, opts *options) *cobra.Command {
	var speed float64
	cmd := &cobra.Command{
		Use:     "demo",
		Short:   "replay a recording that is inside the program; runs on any machine",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return checkSpeed(speed) },
		RunE: untilSignal(func(cmd *cobra.Command, _ []string) error {
			rec, err := record.Load(bytes.NewReader(demoRecording), "demo", newRecordedLogs(opts))
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

// recordedLogs understands the log lines of one recording: it has a parser for
// each log that the recording holds lines of.
type recordedLogs struct {
	opts    *options
	parsers map[string]*formats.Parser
}

func newRecordedLogs(opts *options) *recordedLogs {
	return &recordedLogs{opts: opts, parsers: map[string]*formats.Parser{}}
}

// Line tells what a line says.
func (r *recordedLogs) Line(line monitor.LogLine) []monitor.LogReading {
	p, ok := r.parsers[line.Source]
	if !ok {
		p = r.opts.newParser(monitor.Reading[int]{})
		r.parsers[line.Source] = p
	}
	return p.Line(line)
}

// Flush tells what the logs end in the middle of.
func (r *recordedLogs) Flush(end time.Time) (all []monitor.LogReading) {
	for _, source := range slices.Sorted(maps.Keys(r.parsers)) {
		all = append(all, r.parsers[source].Flush(end)...)
	}
	return all
}

type playing struct {
	title, mode string
	speed       float64
	loading     *loading // where the recording is still being read
}

// play shows a recording on the screen, nil for one that is being read.
func play(ctx context.Context, sys System, opts *options, rec *record.Recording, how playing) error {
	if err := opts.needTerminal(sys, "a replay"); err != nil {
		return err
	}
	diagnostics, err := opts.openDebugLog(sys)
	if err != nil {
		return err
	}
	defer diagnostics.Close() //nolint:errcheck // a debug log that is lost is no failure
	screen := screenOptions(sys, opts)
	screen.Title, screen.Mode = how.title, how.mode
	// The program of the configuration is not meant: nothing happens to which
	// somebody must be called. The one that was given now is being tried.
	if screen.OnFinding, err = notifier(ctx, sys, strings.Fields(opts.screen.onFinding)); err != nil {
		return err
	}
	if rec == nil {
		screen.Loading = how.loading.progress
		screen.Load = func(ctx context.Context) (tui.Loaded, error) {
			rec, err := how.loading.wait(ctx)
			if err != nil {
				return tui.Loaded{}, err
			}
			l := loadedOf(opts, rec, how)
			l.Feed = opts.diagnosed(l.Feed)
			return l, nil
		}
		return show(ctx, sys, opts, screen)
	}
	for _, note := range rec.Notes {
		say(sys.Stderr, "vramscope: %s: %s\n", rec.Name, note)
	}
	l := loadedOf(opts, rec, how)
	screen.Feed, screen.Playback, screen.History, screen.Interval = l.Feed, l.Playback, l.History, l.Interval
	return show(ctx, sys, opts, screen)
}

// loadedOf is what the screen is given of a recording.
func loadedOf(opts *options, rec *record.Recording, how playing) tui.Loaded {
	player := record.NewPlayer(rec, record.PlayerOptions{Speed: how.speed, EndAtEOF: opts.screen.screenReader})
	return tui.Loaded{
		Feed: opts.chosen(player), Playback: player, Interval: rec.Interval,
		History: history.New(history.WholeFile(len(rec.Samples), spanOf(rec))),
		Note:    strings.Join(rec.Notes, "; "),
	}
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

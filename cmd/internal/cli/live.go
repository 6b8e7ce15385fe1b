package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui"
)

// driverGlance is how long the live screen waits for the driver before the
// first frame: enough to learn that there is none, not so long that one that
// is slow to start holds the screen up.
const driverGlance = 300 * time.Millisecond

// live shows this machine on the live screen.
func live(ctx context.Context, sys System, opts *options) error {
	w, err := newWatch(sys, opts)
	if err != nil {
		return err
	}
	defer w.Close() //nolint:errcheck // nothing is written
	glance, cancel := context.WithTimeout(ctx, driverGlance)
	seen := w.driver.Read(glance, monitor.Request{Time: sys.Now(), Seen: &monitor.Sample{}})
	cancel()
	if err := w.noDriver(opts); err != nil {
		return err
	}
	if err := opts.needTerminal(sys, "the live screen"); err != nil {
		return err
	}
	diagnostics, err := opts.openDebugLog(sys)
	if err != nil {
		return err
	}
	defer diagnostics.Close() //nolint:errcheck // a debug log that is lost is no failure
	frugal(ctx)
	keys, closeKeys, err := keyboard(opts)
	if err != nil {
		return err
	}
	defer closeKeys()
	screen := screenOptions(sys, opts)
	screen.Feed, screen.First = opts.chosen(w.sampler), opts.early(sys, seen)
	screen.Interval, screen.SetInterval = w.sampler.Interval(), w.sampler.SetInterval
	screen.Mark = w.sampler.Mark
	screen.Input = keys
	if screen.OnFinding, err = notifier(ctx, sys, opts.onFinding()); err != nil {
		return err
	}
	return show(ctx, sys, opts, screen)
}

// early is what the driver said at the glance, to be drawn while the processes
// are still looked at; nil when it said nothing.
func (o *options) early(sys System, seen monitor.Part) *monitor.Sample {
	if len(seen.GPUs) == 0 {
		return nil
	}
	s := o.narrow(monitor.Sample{
		Time: sys.Now(), Driver: seen.Driver, GPUs: seen.GPUs, Holders: seen.Holders, Sources: []monitor.SourceStatus{seen.Status},
	})
	return &s
}

// show runs the screen, or prints what changes for who listens to it.
func show(ctx context.Context, sys System, opts *options, screen tui.Options) error {
	screen.Log = opts.screen.log
	if screen.Feed != nil { // else it is loaded first
		screen.Feed = opts.diagnosed(screen.Feed)
	}
	if opts.screen.screenReader {
		return tui.Speak(ctx, screen, sys.Stdout)
	}
	return tui.Run(ctx, screen)
}

// keyboard returns where keys come from: standard input, or the terminal
// itself when standard input is the log.
func keyboard(opts *options) (io.Reader, func(), error) {
	if !slices.Contains(opts.logs, "-") {
		return nil, func() {}, nil
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return nil, nil, fmt.Errorf("standard input is the log, and keys cannot be read elsewhere: %w", err)
	}
	return tty, func() { _ = tty.Close() }, nil
}

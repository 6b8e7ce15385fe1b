package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
	"github.com/vramscope/vramscope/tui/theme"
)

// The cadence that --interval may ask for.
const (
	minInterval = 100 * time.Millisecond
	maxInterval = 60 * time.Second
)

// envPrefix stands before the name of a flag in the environment:
// VRAMSCOPE_INTERVAL, VRAMSCOPE_NO_LOG…
const envPrefix = "VRAMSCOPE_"

// options are the flags that say what is watched and how it is drawn.
type options struct {
	interval time.Duration
	logs     []string
	noLog    bool
	format   string          // of the user's own prints
	custom   *formats.Custom // the same, checked; nil for none
	pids     []int
	gpus     []int
	ascii    bool
	theme    string
	config   string
	screen   chosenScreen

	job    *jobOutput // of the job that runs under this program; nil for none
	glance bool       // one look, so that the driver's events are not waited for
}

// add declares the flags of what is watched on a command and all below it.
func (o *options) add(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.DurationVar(&o.interval, "interval", time.Second, "time between samples, 100ms to 60s")
	f.StringArrayVar(&o.logs, "log", nil, "training log to read: a `FILE`, a directory, a pattern, or - for standard input; may be given several times")
	f.StringVar(&o.format, "log-format", "", "the format of your own prints: a `REGEX` with named groups of allocated, reserved, max_allocated, max_reserved, unit, rank, gpu, step")
	f.BoolVar(&o.noLog, "no-log", false, "read no training log")
	f.IntSliceVar(&o.pids, "pid", nil, "show only these processes")
	f.IntSliceVar(&o.gpus, "gpu", nil, "show only these GPUs, by index")
	f.BoolVar(&o.ascii, "ascii", false, "draw with ASCII only")
	f.StringVar(&o.config, "config", "", "configuration `FILE`; by default vramscope/config.toml in XDG_CONFIG_HOME or ~/.config")
	f.StringVar(&o.theme, "theme", "", "colours: "+strings.Join(theme.Names(), ", "))
}

// fromEnvironment fills in the flags that were not given, from the environment
// and then from the configuration file, and checks them all.
func (o *options) fromEnvironment(cmd *cobra.Command, environ []string) error {
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		key := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := lookup(environ, key)
		if !ok || f.Changed || failed != nil {
			return
		}
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			failed = fmt.Errorf("environment variable %s=%q: %w", key, value, err)
		}
	})
	if failed != nil {
		return failed
	}
	if err := o.fromConfiguration(cmd, environ); err != nil {
		return err
	}
	return o.check()
}

func (o *options) check() error {
	if o.format != "" {
		custom, err := formats.NewCustom(o.format)
		if err != nil {
			return fmt.Errorf("--log-format: %w", err)
		}
		o.custom = custom
	}
	if o.interval < minInterval || o.interval > maxInterval {
		return fmt.Errorf("--interval %v: must be from %v to %v", o.interval, minInterval, maxInterval)
	}
	for _, index := range o.gpus {
		if index < 0 {
			return fmt.Errorf("--gpu %d: GPUs are counted from 0", index)
		}
	}
	for _, pid := range o.pids {
		if pid <= 0 {
			return fmt.Errorf("--pid %d: process numbers begin at 1", pid)
		}
	}
	if _, err := theme.New(o.theme, o.ascii); err != nil {
		return fmt.Errorf("--theme: %w", err)
	}
	if o.noLog && len(o.logs) > 0 {
		return fmt.Errorf("--log %s and --no-log contradict each other", o.logs[0])
	}
	return nil
}

// lookup returns the value of a variable in an environment; the last one wins,
// as in a shell.
func lookup(environ []string, key string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if name, value, ok := strings.Cut(environ[i], "="); ok && name == key {
			return value, true
		}
	}
	return "", false
}

// newParser returns the parser of one more log.
func (o *options) newParser(rank monitor.Reading[int]) *formats.Parser {
	return formats.NewParser(formats.Config{Rank: rank, Custom: o.custom})
}

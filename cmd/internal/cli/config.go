package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vramscope/vramscope/cmd/internal/config"
	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

// chosenScreen are the flags and settings of the live screen alone.
type chosenScreen struct {
	mouse        bool
	bell         bool
	readOnly     bool
	screenReader bool
	onFinding    string
	debugLog     string
	log          *slog.Logger // of --debug-log; nil for none
	file         config.File  // of the configuration, for what has no flag
	path         string       // where it lies or would lie
}

// addScreen declares the flags of the live screen on a command.
func (o *options) addScreen(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.screen.mouse, "mouse", true, "take mouse clicks; off, the terminal's own selection works without shift")
	f.BoolVar(&o.screen.bell, "bell", false, "ring on a new critical finding")
	f.BoolVar(&o.screen.readOnly, "read-only", false, "never send a signal to a process")
	f.BoolVar(&o.screen.screenReader, "screen-reader", false, "print changes as lines instead of drawing a screen")
	f.StringVar(&o.screen.onFinding, "on-finding", "", "run `CMD`, a program and its arguments apart by spaces and no shell, on a new critical finding, which it gets as JSON")
	f.StringVar(&o.screen.debugLog, "debug-log", "", "write what goes wrong inside the program to `FILE`, at most 2 MiB; auto: vramscope/debug.log in XDG_STATE_HOME or ~/.local/state")
}

// fromConfiguration fills in the flags that neither the command line nor the
// environment gave. A file that was named must be there.
func (o *options) fromConfiguration(cmd *cobra.Command, environ []string) error {
	named := o.config != ""
	path := o.config
	if !named {
		path = config.Path(func(key string) string {
			value, _ := lookup(environ, key)
			return value
		})
	}
	o.screen.path = path
	if path == "" {
		return nil
	}
	file, err := config.Load(path)
	if !named && (errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)) {
		return nil // nobody asked for it: HOME may be another user's after sudo or setpriv
	}
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w; an empty file will do: touch %s", err, path)
	}
	if err != nil {
		return err
	}
	o.screen.file = file
	for _, v := range valuesOf(&file) {
		f := cmd.Flags().Lookup(v.flag)
		if f == nil || f.Changed || v.flag == "log" && o.noLog || v.flag == "no-log" && len(o.logs) > 0 {
			continue
		}
		for _, value := range v.values {
			if err := cmd.Flags().Set(v.flag, value); err != nil {
				return fmt.Errorf("configuration %s: %s: %w", path, v.flag, err)
			}
		}
	}
	return checkFile(path, &file)
}

// checkFile checks the keys that have no flag.
func checkFile(path string, f *config.File) error {
	if len(f.Columns) > 0 {
		if _, err := procs.ChooseColumns(columnIDs(f.Columns)); err != nil {
			return fmt.Errorf("configuration %s: columns: %w", path, err)
		}
	}
	if f.Sort != nil && *f.Sort != "" {
		if _, ok := procs.ColumnOf(procs.ColumnID(*f.Sort)); !ok {
			return fmt.Errorf("configuration %s: sort: there is no column %q", path, *f.Sort)
		}
	}
	return nil
}

func columnIDs(names []string) []procs.ColumnID {
	ids := make([]procs.ColumnID, len(names))
	for i, n := range names {
		ids[i] = procs.ColumnID(n)
	}
	return ids
}

// flagValues are the values of a key for the flag of its name.
type flagValues struct {
	flag   string
	values []string
}

func valuesOf(f *config.File) []flagValues {
	var out []flagValues
	add := func(flag string, values ...string) { out = append(out, flagValues{flag, values}) }
	boolean := func(flag string, b *bool) {
		if b != nil {
			add(flag, strconv.FormatBool(*b))
		}
	}
	if f.Interval != nil {
		add("interval", time.Duration(*f.Interval).String())
	}
	if f.Theme != nil {
		add("theme", *f.Theme)
	}
	add("log", f.Log...)
	if f.LogFormat != nil {
		add("log-format", *f.LogFormat)
	}
	for _, n := range f.GPU {
		add("gpu", strconv.Itoa(n))
	}
	for _, n := range f.PID {
		add("pid", strconv.Itoa(n))
	}
	if f.DebugLog != nil {
		add("debug-log", *f.DebugLog)
	}
	boolean("no-log", f.NoLog)
	boolean("ascii", f.ASCII)
	boolean("mouse", f.Mouse)
	boolean("bell", f.Bell)
	boolean("read-only", f.ReadOnly)
	boolean("screen-reader", f.ScreenReader)
	return out
}

// settings are what the screen begins with.
func (o *options) settings() screen.Settings {
	f := &o.screen.file
	s := screen.Settings{
		Theme: o.theme, ASCII: o.ascii, Mouse: o.screen.mouse, Bell: o.screen.bell, ReadOnly: o.screen.readOnly,
		Columns: f.Columns, Reverse: isTrue(f.Reverse), Tree: isTrue(f.Tree), Group: isTrue(f.Group),
	}
	if f.Sort != nil {
		s.Sort = *f.Sort
	}
	if s.Theme == "" {
		s.Theme = theme.Terminal
	}
	return s
}

func isTrue(b *bool) bool { return b != nil && *b }

// settingsSaver returns what writes settings to the configuration file: what
// the screen can change, over what the file holds besides.
func (o *options) settingsSaver() func(screen.Settings, time.Duration) (name, kept string, err error) {
	path := o.screen.path
	if path == "" {
		return nil
	}
	live := o.interval
	return func(s screen.Settings, interval time.Duration) (name, kept string, err error) {
		f, err := config.Load(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", "", err
		}
		f.Theme, f.ASCII, f.Mouse, f.Bell = &s.Theme, &s.ASCII, &s.Mouse, &s.Bell
		f.Sort, f.Reverse, f.Tree, f.Group = &s.Sort, &s.Reverse, &s.Tree, &s.Group
		f.Columns = slices.Clone(s.Columns)
		if interval > 0 && interval != live {
			every := config.Duration(interval)
			f.Interval = &every
		}
		kept, err = config.Save(path, f)
		return path, kept, err
	}
}

// onFinding returns the program to run on a finding and its arguments; none
// when there is none.
func (o *options) onFinding() []string {
	if o.screen.onFinding != "" {
		return strings.Fields(o.screen.onFinding)
	}
	return o.screen.file.OnFinding
}

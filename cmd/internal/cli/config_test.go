package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// parsed returns the options that a command line, an environment and a
// configuration file give together.
func parsed(t *testing.T, file string, environ []string, args ...string) (*options, error) {
	t.Helper()
	dir := t.TempDir()
	if file != "" {
		if err := os.MkdirAll(filepath.Join(dir, "vramscope"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "vramscope", "config.toml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opts := &options{}
	cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, RunE: func(cmd *cobra.Command, _ []string) error {
		return opts.fromEnvironment(cmd, append(environ, "XDG_CONFIG_HOME="+dir))
	}}
	opts.add(cmd)
	opts.addScreen(cmd)
	cmd.SetArgs(args)
	return opts, cmd.Execute()
}

func TestAFlagWinsOverTheEnvironmentAndThatOverTheFile(t *testing.T) {
	const file = "interval = \"5s\"\ntheme = \"dark\"\nmouse = false\nlog = [\"a.log\", \"b.log\"]\n"
	for _, tt := range []struct {
		environ  []string
		args     []string
		interval time.Duration
		theme    string
	}{
		{nil, nil, 5 * time.Second, "dark"},
		{[]string{"VRAMSCOPE_INTERVAL=2s"}, nil, 2 * time.Second, "dark"},
		{[]string{"VRAMSCOPE_INTERVAL=2s", "VRAMSCOPE_THEME=light"}, []string{"--interval", "1s"}, time.Second, "light"},
	} {
		o, err := parsed(t, file, tt.environ, tt.args...)
		if err != nil {
			t.Fatal(err)
		}
		if o.interval != tt.interval || o.theme != tt.theme || o.screen.mouse || len(o.logs) != 2 {
			t.Errorf("%v %v: interval %v, theme %s, mouse %v, logs %q", tt.environ, tt.args, o.interval, o.theme, o.screen.mouse, o.logs)
		}
	}
}

func TestWhatTheFileSaysWrongIsNamed(t *testing.T) {
	for file, want := range map[string]string{
		"colours = true\n":       "colours",
		"interval = \"1h\"\n":    "--interval 1h0m0s",
		"theme = \"neon\"\n":     "neon",
		"columns = [\"size\"]\n": "size",
		"sort = \"size\"\n":      "size",
	} {
		if _, err := parsed(t, file, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", file, err, want)
		}
	}
	if _, err := parsed(t, "", nil, "--config", "not-there.toml"); err == nil || !strings.Contains(err.Error(), "not-there.toml") {
		t.Errorf("a named file that is missing: %v", err)
	}
	if _, err := parsed(t, "", nil); err != nil {
		t.Errorf("no file at all: %v", err)
	}
}

func TestLogAndNoLogOfDifferentRanksDoNotContradict(t *testing.T) {
	o, err := parsed(t, "log = [\"a.log\"]\n", nil, "--no-log")
	if err != nil || len(o.logs) > 0 || !o.noLog {
		t.Errorf("logs %q, no-log %v, %v", o.logs, o.noLog, err)
	}
}

func TestWhatTheScreenSavesComesBackAndTheRestStays(t *testing.T) {
	o, err := parsed(t, "on-finding = [\"true\", \"a b\"]\nlog = [\"a.log\"]\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := o.settings()
	s.Theme, s.Columns, s.Sort, s.Tree = "light", []string{"pid", "used"}, "used", true
	name, kept, err := o.settingsSaver()(s, 2*time.Second)
	if err != nil || kept != name+".bak" {
		t.Fatal(kept, err)
	}
	back, err := parsed(t, "", nil, "--config", name)
	if err != nil {
		t.Fatal(err)
	}
	got := back.settings()
	if got.Theme != "light" || got.Sort != "used" || !got.Tree || len(got.Columns) != 2 || len(back.logs) != 1 || len(back.onFinding()) != 2 {
		t.Errorf("%+v, logs %q, on-finding %q", got, back.logs, back.onFinding())
	}
}

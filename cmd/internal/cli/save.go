package cli

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/monitor/scrub"
	"github.com/vramscope/vramscope/tui"
)

// screenOptions are what the live screen and a replay have in common.
func screenOptions(sys System, opts *options) tui.Options {
	return tui.Options{
		Settings:     opts.settings(),
		SaveSettings: opts.settingsSaver(),
		Now:          sys.Now,
		Environ:      sys.Environ,
		User:         currentUser(),
		Save:         saver(opts.interval),
		WriteText:    textWriter(sys),
	}
}

// saver returns what writes samples as a recording into the working directory:
// what somebody wants to hand over should lie where they are.
func saver(interval time.Duration) func([]monitor.Sample) (string, error) {
	return func(samples []monitor.Sample) (string, error) {
		stamp := samples[len(samples)-1].Time.Format("20060102-150405")
		name, err := freeName("vramscope-"+stamp, ".jsonl.gz")
		if err != nil {
			return "", err
		}
		w, err := record.Create(name, record.Options{Scrub: scrub.Text, Interval: interval})
		if err != nil {
			return "", err
		}
		for _, s := range samples {
			if err := w.Write(s); err != nil {
				_ = w.Close()
				return "", err
			}
		}
		return name, w.Close()
	}
}

// textWriter returns what writes a text into the working directory.
func textWriter(sys System) func(what, text string) (string, error) {
	return func(what, text string) (string, error) {
		name, err := freeName("vramscope-"+what+"-"+sys.Now().Format("20060102-150405"), ".txt")
		if err != nil {
			return "", err
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // never over what came in between
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(scrubLines(text))
		return name, errors.Join(err, f.Close())
	}
}

func scrubLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = scrub.Text(lines[i])
	}
	return strings.Join(lines, "\n")
}

// freeName returns a name that no file has yet, with a number where it needs
// one.
func freeName(stem, ending string) (string, error) {
	const tries = 100
	for i := range tries {
		name := stem + ending
		if i > 0 {
			name = fmt.Sprintf("%s-%d%s", stem, i+1, ending)
		}
		if _, err := os.Lstat(name); os.IsNotExist(err) {
			return name, nil
		}
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		dir = "."
	}
	return "", fmt.Errorf("%s%s: there are %d such files in %s already", stem, ending, tries, dir)
}

// currentUser returns the name of who runs the program, "" when it has none.
func currentUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username
}

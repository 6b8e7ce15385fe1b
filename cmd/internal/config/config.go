// Package config reads and writes the configuration file: the settings of the
// live screen and the flags that somebody always gives.
//
// It is strict: a key that it does not know is an error that names it, because
// a setting that is silently ignored is worse than none. It must not know what
// a setting does.
package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// File is the content of a configuration file. A nil field is one that the file
// does not have.
type File struct {
	Interval     *Duration `toml:"interval"`
	Log          []string  `toml:"log"`
	NoLog        *bool     `toml:"no-log"`
	LogFormat    *string   `toml:"log-format"`
	GPU          []int     `toml:"gpu"`
	PID          []int     `toml:"pid"`
	Theme        *string   `toml:"theme"`
	ASCII        *bool     `toml:"ascii"`
	Mouse        *bool     `toml:"mouse"`
	Bell         *bool     `toml:"bell"`
	ReadOnly     *bool     `toml:"read-only"`
	ScreenReader *bool     `toml:"screen-reader"`
	OnFinding    []string  `toml:"on-finding"`
	DebugLog     *string   `toml:"debug-log"`
	Columns      []string  `toml:"columns"`
	Sort         *string   `toml:"sort"`
	Reverse      *bool     `toml:"reverse"`
	Tree         *bool     `toml:"tree"`
	Group        *bool     `toml:"group"`
}

// Duration is a length of time as people write it: "500ms", "2s".
type Duration time.Duration

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}

// MarshalText writes a duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Path returns where the configuration file lies when nobody says otherwise:
// in XDG_CONFIG_HOME, else in .config of HOME. Empty when neither is known.
func Path(lookup func(key string) string) string {
	if dir := lookup("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vramscope", "config.toml")
	}
	if home := lookup("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "vramscope", "config.toml")
	}
	return ""
}

// maxSize is more than any configuration file needs.
const maxSize = 1 << 20

// Load reads a file. Its errors name the file, and the key or the line. A file
// that is not there is os.ErrNotExist.
func Load(path string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return File{}, fmt.Errorf("configuration: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxSize {
		return File{}, fmt.Errorf("configuration %s: not a file of at most 1 MiB", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return File{}, fmt.Errorf("configuration: %w", err)
	}
	f, err := Parse(string(text))
	if err != nil {
		return File{}, fmt.Errorf("configuration %s: %w", path, err)
	}
	return f, nil
}

// Parse reads the text of a file.
func Parse(text string) (File, error) {
	var f File
	meta, err := toml.Decode(text, &f)
	var where toml.ParseError
	if errors.As(err, &where) {
		return File{}, fmt.Errorf("line %d: %s", where.Position.Line, where.Message)
	}
	if err != nil {
		return File{}, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		names := make([]string, len(unknown))
		for i, key := range unknown {
			names[i] = fmt.Sprintf("%q", key.String())
		}
		return File{}, fmt.Errorf("unknown key %s; there are %s", strings.Join(names, ", "), strings.Join(Keys(), ", "))
	}
	return f, nil
}

// Save writes a file from the commented template, readable by its owner only,
// in one step. What is there already must be a file that Load takes, so that
// nothing is lost unread; where it is not what Save would have written for its
// values, as with comments of the user's own, it is kept beside the new one.
// Kept is the name of that copy, empty when there is none.
func Save(path string, f File) (kept string, err error) {
	old, err := Load(path)
	switch {
	case err == nil:
		if kept, err = keep(path, old); err != nil {
			return "", err
		}
	case !errors.Is(err, os.ErrNotExist):
		return "", err
	}
	return kept, write(path, Template(f))
}

// maxKept is how many old files are kept side by side. The first is the one
// that nobody can write again, so that none is ever overwritten.
const maxKept = 100

// keep copies a file that has more in it than its values, to a name that is
// free.
func keep(path string, values File) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("configuration: %w", err)
	}
	if string(text) == Template(values) {
		return "", nil
	}
	for n := 1; n <= maxKept; n++ {
		name := path + ".bak"
		if n > 1 {
			name += strconv.Itoa(n)
		}
		if same, err := os.ReadFile(name); err == nil && string(same) == string(text) {
			return name, nil
		}
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return name, write(name, string(text))
		}
	}
	return "", fmt.Errorf("configuration %s: not replaced: there are %d old files beside it already", path, maxKept)
}

// write puts a file in its place in one step. Of a link, as folders of settings
// have it, that is the place it leads to.
func write(path, text string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	next, err := os.CreateTemp(dir, ".config-*.toml")
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	_, err = next.WriteString(text)
	if closed := next.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(next.Name(), path)
	}
	if err != nil {
		_ = os.Remove(next.Name())
		return fmt.Errorf("configuration: %w", err)
	}
	return nil
}

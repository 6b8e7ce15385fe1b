package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAnUnknownKeyIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"colour = 1":                 `unknown key "colour"`,
		"theme = \"dark":             "line 1",
		"interval = \"often\"":       "often",
		"mouse = \"yes\"":            "mouse",
		"[screen]\ntheme = \"dark\"": `"screen`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q in it", text, err, want)
		}
	}
}

func TestTheEmptyTemplateSaysNothingAndNamesEveryKey(t *testing.T) {
	f, err := Parse(Template(File{}))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(File{}, f); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	fields := reflect.TypeFor[File]()
	if fields.NumField() != len(Keys()) {
		t.Errorf("%d fields, %d keys", fields.NumField(), len(Keys()))
	}
	for i := range fields.NumField() {
		if key := fields.Field(i).Tag.Get("toml"); key != Keys()[i] {
			t.Errorf("key %d of the template is %s, the field %s", i, Keys()[i], key)
		}
	}
}

func TestTheDefaultsInTheTemplateAreWellFormed(t *testing.T) {
	text := strings.Builder{}
	for l := range strings.Lines(Template(File{})) {
		if rest, ok := strings.CutPrefix(l, "# "); ok && strings.Contains(rest, " = ") {
			text.WriteString(rest)
		}
	}
	if _, err := Parse(text.String()); err != nil {
		t.Error(err)
	}
}

func whole() File {
	yes, no, name, odd := true, false, "dark", "a \"b\" \\ c\n\x01é"
	every := Duration(500 * time.Millisecond)
	return File{
		Interval: &every, Log: []string{"a.log", odd}, NoLog: &no, GPU: []int{0, 7}, PID: []int{}, Theme: &name, ASCII: &yes, Mouse: &no, Bell: &yes,
		ReadOnly: &yes, ScreenReader: &no, OnFinding: []string{"notify-send", odd}, Columns: []string{"pid", "used"}, Sort: &odd, Reverse: &yes, Tree: &no, Group: &yes,
	}
}

func TestWhatIsSavedIsLoadedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "config.toml")
	want := whole()
	if kept, err := Save(path, want); err != nil || kept != "" {
		t.Fatal(kept, err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".config-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAFileThatIsNotUnderstoodIsNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	text := []byte("somebody = \"else's\"\n")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(path, File{}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
	if now, _ := os.ReadFile(path); string(now) != string(text) {
		t.Errorf("it is %q now", now)
	}
}

func TestALinkToTheFileStaysALink(t *testing.T) {
	dir := t.TempDir()
	target, path := filepath.Join(dir, "dotfiles.toml"), filepath.Join(dir, "config.toml")
	if err := os.WriteFile(target, []byte(Template(File{})), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(path, whole()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("it is %v, %v", info.Mode(), err)
	}
	if got, err := Load(target); err != nil || got.Theme == nil {
		t.Errorf("where it leads to: %+v, %v", got, err)
	}
}

func TestWhereTheFileLies(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"HOME": "/h"}, "/h/.config/vramscope/config.toml"},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x/vramscope/config.toml"},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "x"}, "/h/.config/vramscope/config.toml"}, // must be absolute
		{map[string]string{}, ""},
	} {
		if got := Path(func(key string) string { return tt.env[key] }); got != tt.want {
			t.Errorf("%v: %s", tt.env, got)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func FuzzNothingBreaksTheParser(f *testing.F) {
	f.Add(Template(File{}))
	f.Add(Template(whole()))
	f.Add("interval = 1")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(Template(file))
		if err != nil {
			t.Fatalf("%q is written as what cannot be read: %v", text, err)
		}
		if diff := cmp.Diff(file, again); diff != "" && !strings.Contains(diff, "\uFFFD") {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func TestAFileOfTheUsersOwnHandIsKeptBesideTheNewOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	mine := []string{"# for the cluster\nbell = true\n", "# for my own machine\nbell = false\n"}
	for i, want := range []string{path + ".bak", path + ".bak2"} {
		if err := os.WriteFile(path, []byte(mine[i]), 0o600); err != nil {
			t.Fatal(err)
		}
		for round, want := range []string{want, ""} { // the second time it is the program's own file
			kept, err := Save(path, whole())
			if err != nil || kept != want {
				t.Errorf("file %d, round %d: kept as %q, %v", i, round, kept, err)
			}
		}
		for n, name := range []string{path + ".bak", path + ".bak2"}[:i+1] {
			if text, err := os.ReadFile(name); string(text) != mine[n] {
				t.Errorf("%s holds %q, %v", name, text, err)
			}
		}
	}
	if err := os.WriteFile(path, []byte(mine[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	if kept, err := Save(path, whole()); err != nil || kept != path+".bak" {
		t.Errorf("a text that is kept already: %q, %v", kept, err)
	}
}

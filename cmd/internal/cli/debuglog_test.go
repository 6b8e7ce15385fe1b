package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func debugLogInto(t *testing.T, name string) error {
	t.Helper()
	opts := &options{}
	opts.screen.debugLog = name
	log, err := opts.openDebugLog(System{})
	if err == nil {
		err = log.Close()
	}
	return err
}

func TestTheDebugLogGoesOnInItsOwnFileAndTouchesNoOther(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "debug.log")
	for range 2 {
		if err := debugLogInto(t, own); err != nil {
			t.Fatal(err)
		}
	}
	if text := string(must(os.ReadFile(own))); strings.Count(text, debugLogTitle) != 1 || strings.Count(text, "msg=start") != 2 {
		t.Errorf("it holds\n%s", text)
	}
	theirs, link, pipe := filepath.Join(dir, "notes.txt"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	beside := filepath.Join(dir, "beside")
	for _, name := range []string{theirs, beside + ".old"} {
		if err := os.WriteFile(name, []byte("mine\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{theirs, beside, link, pipe, dir} {
		if err := debugLogInto(t, name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{theirs, beside + ".old"} {
		if text := must(os.ReadFile(name)); string(text) != "mine\n" {
			t.Errorf("%s holds %q", name, text)
		}
	}
}

func TestADebugLogThatOthersCouldReadIsClosedToThem(t *testing.T) {
	name := filepath.Join(t.TempDir(), "debug.log")
	if err := os.WriteFile(name, []byte(debugLogTitle), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := debugLogInto(t, name); err != nil {
		t.Fatal(err)
	}
	if mode := must(os.Stat(name)).Mode().Perm(); mode != 0o600 {
		t.Errorf("mode %v", mode)
	}
}

package fakedriver_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
)

func TestALibraryIsBuiltOnceForEachSetOfOptions(t *testing.T) {
	dir := t.TempDir()
	build := func(missing ...string) string {
		lib, err := fakedriver.Build(dir, fakedriver.Options{Missing: missing})
		if errors.Is(err, fakedriver.ErrNoCompiler) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		return lib
	}
	whole, again, old := build(), build(), build("nvmlInit_v2")
	if whole != again || whole == old {
		t.Errorf("%s, %s, %s", whole, again, old)
	}
}

func TestAConfigurationIsWrittenInOneStep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	cfg := (&fakedriver.Config{GPUs: 2, Driver: "1.2"}).Set(fakedriver.AllGPUs, "util", 7).Process(1, 42, fakedriver.NotAvailable, 'c', 3)
	if err := cfg.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "gpus 2\ninit 0\ndriver 1.2\ngpu * util 7\ngpu 1 proc 42 na c 3\n"; string(got) != want {
		t.Errorf("%q, want %q", got, want)
	}
}

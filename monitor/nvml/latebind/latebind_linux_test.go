//go:build cgo && (amd64 || arm64)

package latebind_test

import (
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	gonvml "github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
	_ "github.com/vramscope/vramscope/monitor/nvml/latebind"
)

const childVariable = "VRAMSCOPE_LATEBIND_TEST"

func TestNoFunctionOfTheDriverIsLeftUndefined(t *testing.T) {
	// The reference makes the linker keep go-nvml's part of the program.
	_ = gonvml.New()
	self, err := elf.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	symbols, err := self.ImportedSymbols()
	if err != nil {
		t.Fatal(err)
	}
	if len(symbols) == 0 {
		t.Fatal("no imported symbol at all: the test reads the wrong thing")
	}
	for _, s := range symbols {
		if strings.HasPrefix(s.Name, "nvml") {
			t.Errorf("%s is not in names.h", s.Name)
		}
	}
}

func TestCallsReachTheLibraryAlsoWhenAllNamesAreBoundAtTheStart(t *testing.T) {
	for _, bindNow := range []string{"", "1"} {
		child(t, bindNow, &fakedriver.Config{GPUs: 2, Driver: "580.1"}, fakedriver.Options{}, func(t *testing.T) {
			if ret := gonvml.Init(); ret != gonvml.SUCCESS {
				t.Fatalf("Init: %d", ret)
			}
			for range 2 { // the first call binds, the second finds it bound
				if n, ret := gonvml.DeviceGetCount(); n != 2 || ret != gonvml.SUCCESS {
					t.Fatalf("%d devices, %d", n, ret)
				}
			}
			if v, ret := gonvml.SystemGetDriverVersion(); v != "580.1" || ret != gonvml.SUCCESS {
				t.Fatalf("version %q, %d", v, ret)
			}
		})
	}
}

func TestAFunctionThatTheLibraryLacksAnswersSo(t *testing.T) {
	opts := fakedriver.Options{Missing: []string{"nvmlSystemGetDriverVersion", "nvmlErrorString"}}
	child(t, "", &fakedriver.Config{GPUs: 1}, opts, func(t *testing.T) {
		if ret := gonvml.Init(); ret != gonvml.SUCCESS {
			t.Fatalf("Init: %d", ret)
		}
		_, ret := gonvml.SystemGetDriverVersion()
		if ret != gonvml.ERROR_FUNCTION_NOT_FOUND {
			t.Fatalf("got %d, want %d", ret, gonvml.ERROR_FUNCTION_NOT_FOUND)
		}
		if text := ret.Error(); !strings.Contains(text, "nvmlErrorString") {
			t.Fatalf("error text %q", text)
		}
	})
}

// child runs body in a process of its own, because the loader reads where
// libraries lie and when to bind at the start of a process.
func child(t *testing.T, bindNow string, cfg *fakedriver.Config, opts fakedriver.Options, body func(*testing.T)) {
	t.Helper()
	if os.Getenv(childVariable) != "" {
		body(t)
		return
	}
	dir := t.TempDir()
	lib, err := fakedriver.Build(dir, opts)
	if errors.Is(err, fakedriver.ErrNoCompiler) {
		t.Skip("the fake driver needs a C compiler")
	}
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config")
	if err := cfg.Write(config); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), fakedriver.Env(lib, config, "")...)
	cmd.Env = append(cmd.Env, childVariable+"=1")
	if bindNow != "" {
		cmd.Env = append(cmd.Env, "LD_BIND_NOW="+bindNow)
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Fatalf("LD_BIND_NOW=%q: %v\n%s", bindNow, err, out)
	}
}

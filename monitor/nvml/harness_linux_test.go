//go:build linux && cgo

package nvml

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
)

// The tests of this file go the real path: go-nvml, the dynamic loader, a
// library that stands in for the driver's. The loader reads its environment at
// the start of a process, so each test runs itself again in a child.

const (
	childVariable     = "VRAMSCOPE_NVML_TEST"
	librariesVariable = "VRAMSCOPE_NVML_TEST_LIBRARIES"
)

// fake is the fake driver of a child process.
type fake struct {
	t      testing.TB
	config string
	counts string
	proc   string
	now    time.Time
}

// withDriver runs body in a process whose driver library is a fake that
// answers by cfg. A nil cfg gives it no library at all.
func withDriver(t *testing.T, opts fakedriver.Options, cfg *fakedriver.Config, body func(f *fake)) {
	t.Helper()
	if dir := os.Getenv(childVariable); dir != "" {
		body(newFake(t, dir))
		return
	}
	runSelf(t, opts, cfg, "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=60s")
}

func newFake(t testing.TB, dir string) *fake {
	f := &fake{t: t, config: filepath.Join(dir, "config"), counts: filepath.Join(dir, "counts"), proc: filepath.Join(dir, "proc"),
		now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return f
}

func runSelf(t testing.TB, opts fakedriver.Options, cfg *fakedriver.Config, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	env := append(os.Environ(), childVariable+"="+dir)
	if cfg == nil {
		env = append(env, "LD_LIBRARY_PATH=")
	} else {
		lib, err := fakedriver.Build(libraries(t), opts)
		if errors.Is(err, fakedriver.ErrNoCompiler) {
			t.Skip("the fake driver needs a C compiler")
		}
		if err != nil {
			t.Fatal(err)
		}
		f := newFake(t, dir)
		f.set(cfg)
		env = append(env, fakedriver.Env(lib, f.config, f.counts)...)
	}
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "PASS") {
		t.Fatalf("the child ended without a verdict:\n%s", out)
	}
	return string(out)
}

// libraries is where the fake drivers of this test run are kept, so that each
// variant is compiled once.
func libraries(t testing.TB) string {
	dir := os.Getenv(librariesVariable)
	if dir == "" {
		t.Fatal("TestMain made no folder")
	}
	return dir
}

func TestMain(m *testing.M) {
	os.Exit(withLibraries(m))
}

func withLibraries(m *testing.M) int {
	if os.Getenv(childVariable) != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "vramscope-fakedriver-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	if err := os.Setenv(librariesVariable, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func (f *fake) set(cfg *fakedriver.Config) {
	f.t.Helper()
	if err := cfg.Write(f.config); err != nil {
		f.t.Fatal(err)
	}
}

// source returns a source with a /proc of its own, in the machine's first PID
// namespace, that knows the given processes.
func (f *fake) source(pids ...int) *Source {
	f.t.Helper()
	fakeProc(f.t, f.proc, initPIDNamespace, pids...)
	s := New(Config{ProcRoot: f.proc, Timeout: 20 * time.Second, StartTimeout: 20 * time.Second})
	f.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.t.Error(err)
		}
	})
	return s
}

// read reads once, a second after the read before.
func (f *fake) read(s *Source) monitor.Part {
	f.now = f.now.Add(time.Second)
	return s.Read(context.Background(), monitor.Request{Time: f.now})
}

// readWithin reads once with a deadline.
func (f *fake) readWithin(s *Source, d time.Duration) monitor.Part {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	f.now = f.now.Add(time.Second)
	return s.Read(ctx, monitor.Request{Time: f.now})
}

// readUntilOK reads with a deadline, as often as a busy machine needs for these
// GPUs to answer within one.
func (f *fake) readUntilOK(s *Source, gpus ...int) (part monitor.Part) {
	f.t.Helper()
	for range 100 {
		part = f.readWithin(s, 400*time.Millisecond)
		late := func(gpu int) bool { return len(part.GPUs) <= gpu || part.GPUs[gpu].State != monitor.StateOK }
		if !slices.ContainsFunc(gpus, late) {
			return part
		}
	}
	f.t.Fatalf("GPUs %v did not answer in 100 reads: %+v", gpus, part.Status)
	return part
}

func (f *fake) calls() map[string]int64 {
	f.t.Helper()
	counts, err := fakedriver.Counts(f.counts)
	if err != nil {
		f.t.Fatal(err)
	}
	return counts
}

//go:build linux && cgo

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/cmd/internal/doctor"
	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
	"github.com/vramscope/vramscope/tui/text"
)

// Each environment is a fake driver and a machine of a fixture, read along the
// whole path by a child process: the loader takes the driver's library from
// the environment that a process starts with.

const (
	matrixFolder = "VRAMSCOPE_CLI_MATRIX"
	gibibyte     = int64(1) << 30
)

// environment is one row of the matrix and what must be said in it.
type environment struct {
	machine machine
	driver  *fakedriver.Config // nil: no library here
	missing []string           // functions that the library lacks
	once    []string           // the text of once has these
	never   []string           // and not these, nor has doctor
	checks  map[string]string  // by id: "state: part of the reason"
}

func gpus(n int) *fakedriver.Config {
	return (&fakedriver.Config{GPUs: n}).Set(fakedriver.AllGPUs, "used", 30*gibibyte).Set(fakedriver.AllGPUs, "free", 49*gibibyte)
}

func version(c *fakedriver.Config, v string) *fakedriver.Config { c.Driver = v; return c }

func jobOn(minors ...int) []fixtureJob { return []fixtureJob{{pid: 20, minors: minors}} }

var environments = map[string]environment{
	"host, driver 535, control groups 1": {
		machine: machine{cgroup: 1, limit: 32 * gibibyte, jobs: jobOn(0), yama: "1"},
		driver:  version(gpus(1), "535.104.05").Process(0, 20, 29*gibibyte, 'c', -1),
		once:    []string{"train20.py", " 29.0 "},
		never:   []string{"not visible from this PID namespace", "assumed"},
		checks: map[string]string{"nvml": "ok: driver 535.104.05, 1 GPU", "pid-namespace": "ok: first PID namespace", "yama": "ok: ptrace_scope 1",
			"cgroup": "ok: control groups version 1; memory limit 32.0 GiB, in use 16.0 GiB", "cpu": "ok: a quota of 2.5 processors, 5 processors"},
	},
	"host, a number that is a thread's, and twice": {
		machine: machine{cgroup: 2, limit: 32 * gibibyte, jobs: []fixtureJob{{pid: 20, minors: []int{0}, thread: 23}}},
		driver:  gpus(1).Process(0, 23, 29*gibibyte, 'c', -1).Process(0, 20, 29*gibibyte, 'c', -1),
		once:    []string{"      20 root"},
		never:   []string{"      23 "},
		checks:  map[string]string{"pid-namespace": "ok: ", "cgroup": "ok: control groups version 2"},
	},
	"container, driver 535: the host's numbers, one job": {
		machine: machine{nested: true, capEff: noCapabilities, yama: "1", cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver:  version(gpus(1), "535.104.05").Process(0, 4711, 29*gibibyte, 'c', -1),
		once:    []string{"train20.py", "used is assumed", "others       1.0  not visible"},
		checks:  map[string]string{"pid-namespace": "partial: marked assumed", "yama": "partial: ptrace_scope 1", "ptrace": "unavailable: own children"},
	},
	"container, driver 535: a neighbour's number that a local shell has": {
		machine: machine{nested: true, cgroup: 2, limit: 8 * gibibyte, jobs: []fixtureJob{{pid: 20}}},
		driver:  version(gpus(1), "535.104.05").Process(0, 20, 29*gibibyte, 'c', -1),
		once:    []string{"not visible from this PID namespace: the number is the host's"},
		never:   []string{"train20.py", "job20"},
		checks:  map[string]string{"pid-namespace": "partial: the host's numbers: 1 process"},
	},
	"container, driver 550: names without memory": {
		machine: machine{nested: true, cgroup: 2, limit: 8 * gibibyte, jobs: []fixtureJob{{pid: 20, minors: []int{0}}, {pid: 30, minors: []int{0}}}},
		driver:  version(gpus(1), "550.40.07").Process(0, 20, 0, 'c', -1).Process(0, 30, 0, 'c', -1),
		once:    []string{"train20.py", "train30.py", "gives 0 for their memory"},
		never:   []string{"used is assumed", " 0.00  train20"},
		checks:  map[string]string{"pid-namespace": "partial: without their memory"},
	},
	"container, driver 550: one name without memory": {
		machine: machine{nested: true, cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver:  version(gpus(1), "550.40.07").Process(0, 20, 0, 'c', -1),
		once:    []string{"train20.py", "used is assumed", " 30.0 "},
		checks:  map[string]string{"pid-namespace": "partial: marked assumed"},
	},
	"container, driver 580: the rest is others'": {
		machine: machine{nested: true, cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver:  gpus(1).Process(0, 20, 10*gibibyte, 'c', -1),
		once:    []string{"train20.py", "others      20.0  not visible from this PID namespace"},
		never:   []string{"assumed"},
		checks:  map[string]string{"pid-namespace": "partial: GPU 0: others 20.0 GiB, not visible from this PID namespace"},
	},
	"container, driver 580: everything is accounted for": {
		machine: machine{nested: true, cgroup: 2, limit: 8 * gibibyte, oomKills: 2, jobs: jobOn(0)},
		driver:  gpus(1).Process(0, 20, 30*gibibyte, 'c', -1),
		once:    []string{"train20.py"},
		never:   []string{"not visible", "assumed"},
		checks:  map[string]string{"pid-namespace": "ok: accounted for", "cgroup": "partial: killed 2 processes"},
	},
	"container of another user namespace": {
		machine: machine{nested: true, userNS: true, cgroup: 2, limit: 8 * gibibyte},
		driver:  gpus(1),
		checks:  map[string]string{"user-namespace": "partial: user namespace of its own", "pid-namespace": "partial: others 30.0 GiB"},
	},
	"the host's proc in a container, driver 535": {
		machine: machine{nested: true, nspid: "900 9", cgroup: 1, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver:  version(gpus(1), "535.104.05").Process(0, 20, 29*gibibyte, 'c', -1),
		once:    []string{"train20.py", " 29.0 "},
		never:   []string{"assumed", "the number is the host's"},
		checks:  map[string]string{"nvml": "ok: 535"},
	},
	"MIG, without the right to the whole": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver: gpus(1).Set(0, "mig", 1).Set(0, "instance", 1).Set(0, "instance", 2).Set(0, "v1-ret", fakedriver.ReturnNoPermission).
			Set(0, "v2-ret", fakedriver.ReturnNoPermission).Set(0, "list-ret", fakedriver.ReturnNoPermission).Process(0, 20, 5*gibibyte, 'c', 1),
		once:   []string{"train20.py", " 5.0 ", "total  20.0 GiB"},
		checks: map[string]string{"gpu": "partial: memory is that of the MIG devices visible here", "nvml": "partial: the whole GPU may not be asked"},
	},
	"MIG, seen by root": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver:  gpus(1).Set(0, "mig", 1).Set(0, "instance", 1).Process(0, 20, 5*gibibyte, 'c', 1),
		once:    []string{"train20.py", " 5.0 "},
		checks:  map[string]string{"gpu": "ok: split into MIG instances"},
	},
	"a virtual GPU that lists no processes": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver:  gpus(1).Set(0, "list-ret", fakedriver.ReturnNotSupported).Set(0, "name", "NVIDIA L40S-24Q"),
		once:    []string{"the list of processes is not complete"},
		never:   []string{"train20.py"},
		checks:  map[string]string{"gpu": "partial: the list of processes is not complete"},
	},
	"a virtual GPU that lists no processes, in a container with one job": {
		machine: machine{nested: true, cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver:  gpus(1).Set(0, "list-ret", fakedriver.ReturnNotSupported),
		once:    []string{"train20.py", "used is assumed"},
		checks:  map[string]string{"gpu": "partial: the list of processes is not complete", "pid-namespace": "partial: marked assumed"},
	},
	"unified memory": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(0)},
		driver: gpus(1).Set(0, "v1-ret", fakedriver.ReturnNotSupported).Set(0, "v2-ret", fakedriver.ReturnNotSupported).
			Process(0, 20, 5*gibibyte, 'c', -1),
		once:   []string{"total 125.0 GiB", "estimate"},
		checks: map[string]string{"gpu": "ok: estimates from /proc/meminfo"},
	},
	"a discrete card whose driver is too old for the questions": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte},
		driver:  gpus(1),
		missing: []string{"nvmlDeviceGetMemoryInfo", "nvmlDeviceGetMemoryInfo_v2"},
		never:   []string{"estimate", "125.0"},
		checks:  map[string]string{"gpu": "partial: too old to have it"},
	},
	"an old driver without the second version of memory": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte},
		driver:  version(gpus(1), "470.57.02"),
		missing: []string{"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetMinorNumber"},
		once:    []string{"nvml-v1", "  31.0 "},
		checks:  map[string]string{"nvml": "ok: 470.57.02"},
	},
	"WSL: no memory of processes, all-ones answers": {
		machine: machine{nested: true, cgroup: 2, limit: 8 * gibibyte, jobs: []fixtureJob{{pid: 20}}},
		driver: gpus(1).Set(0, "power", uint32(0xFFFFFFFF)).Set(0, "v2-ret", fakedriver.ReturnUnknown).
			Process(0, 20, fakedriver.NotAvailable, 'c', -1),
		once:   []string{"nvml-v1"},
		never:  []string{"17179869184", "18446744073709551615", "4294967"},
		checks: map[string]string{"nvml": "ok: "},
	},
	"twenty mixed cards": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte, jobs: jobOn(19)},
		driver:  gpus(20).Set(3, "total", 24*gibibyte).Set(3, "used", gibibyte).Set(3, "free", 22*gibibyte).Set(3, "name", "Small card").Process(19, 20, gibibyte, 'c', -1),
		once:    []string{"GPU 19 ", "Small card  total  24.0 GiB", "train20.py"},
		checks:  map[string]string{"nvml": "ok: 20 GPUs"},
	},
	"one GPU lost among two": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte},
		driver:  gpus(2).Set(1, "ret", fakedriver.ReturnLost),
		once:    []string{"GPU 0  Fake GPU 0", "fell off the bus"},
		checks:  map[string]string{"nvml": "partial: GPU 1", "gpu": "partial: GPU 1: "},
	},
	"memory errors": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte},
		driver:  gpus(1).Set(0, "uncorrected", 4).Set(0, "remaps", 3),
		checks:  map[string]string{"gpu": "partial: 4 uncorrected memory errors"},
	},
	"the library does not match the module": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte, module: "550.54.14"},
		driver:  &fakedriver.Config{GPUs: 1, Init: fakedriver.ReturnMismatch},
		checks:  map[string]string{"nvml": "unavailable: loaded module: 550.54.14"},
	},
	"the module is not loaded": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte},
		driver:  &fakedriver.Config{GPUs: 1, Init: fakedriver.ReturnNoDriver},
		checks:  map[string]string{"nvml": "unavailable: kernel driver is not loaded"},
	},
	"no library": {
		machine: machine{nested: true, cgroup: 0},
		checks:  map[string]string{"nvml": "unavailable: libnvidia-ml.so.1", "cgroup": "unavailable: ", "gpu": "unavailable: "},
	},
	"no GPU in the container": {
		machine: machine{nested: true, cgroup: 2},
		driver:  gpus(0),
		checks:  map[string]string{"nvml": "unavailable: no GPU"},
	},
	"names that a terminal would obey": {
		machine: machine{cgroup: 2, limit: 8 * gibibyte},
		driver:  gpus(1).Set(0, "name", `Bad\x1b[2J\x1b]0;x\x07card`),
		never:   []string{"\x1b", "\x07"},
		checks:  map[string]string{"nvml": "ok: "},
	},
	"Yama 3": {
		machine: machine{yama: "3", cgroup: 2},
		driver:  gpus(1),
		checks:  map[string]string{"yama": "unavailable: nobody", "ptrace": "unavailable: everybody"},
	},
}

func TestEveryEnvironmentIsAnsweredRight(t *testing.T) {
	libraries := t.TempDir()
	for name, e := range environments {
		t.Run(name, func(t *testing.T) {
			once, report := e.run(t, libraries)
			checkScreens(t, name, report.overview, report.sources, e.never)
			for _, want := range e.once {
				if !strings.Contains(once, want) {
					t.Errorf("once does not say %q:\n%s", want, once)
				}
			}
			for _, bad := range e.never {
				if strings.Contains(once, bad) || strings.Contains(report.text, bad) {
					t.Errorf("%q is said:\n%s\n%s", bad, once, report.text)
				}
			}
			for id, want := range e.checks {
				state, reason, _ := strings.Cut(want, ": ")
				got := report.check(id)
				if string(got.State) != state || !strings.Contains(got.Reason, reason) {
					t.Errorf("%s: %s: %s (cure %q), want %s", id, got.State, got.Reason, got.Cure, want)
				}
				if got.State != doctor.OK && got.Cure == "" {
					t.Errorf("%s has no cure", id)
				}
			}
		})
	}
}

type matrixReport struct {
	doctor.Report
	text              string
	overview, sources string // of the live screen
}

func (r matrixReport) check(id string) doctor.Check {
	for _, c := range r.Checks {
		if c.ID == id {
			return c
		}
	}
	return doctor.Check{}
}

// run reads one environment in a child process.
func (e environment) run(t *testing.T, libraries string) (once string, report matrixReport) {
	t.Helper()
	dir := t.TempDir()
	e.machine.build(t, dir)
	cmd := exec.Command(os.Args[0], "-test.run=^TestMatrixChild$", "-test.timeout=60s")
	cmd.Env = append(os.Environ(), matrixFolder+"="+dir, "LD_LIBRARY_PATH=")
	if e.driver != nil {
		lib, err := fakedriver.Build(libraries, fakedriver.Options{Missing: e.missing})
		if errors.Is(err, fakedriver.ErrNoCompiler) {
			t.Skip("the fake driver needs a C compiler")
		}
		if err != nil {
			t.Fatal(err)
		}
		config := filepath.Join(dir, "config")
		if err := e.driver.Write(config); err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, fakedriver.Env(lib, config, "")...)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if err := json.Unmarshal(read("doctor.json"), &report.Report); err != nil {
		t.Fatal(err)
	}
	report.text = string(read("doctor.txt"))
	report.overview, report.sources = string(read("overview.txt")), string(read("sources.txt"))
	return string(read("once.txt")), report
}

// TestMatrixChild is the child process of one environment.
func TestMatrixChild(t *testing.T) {
	dir := os.Getenv(matrixFolder)
	if dir == "" {
		t.Skip("runs only as the child of TestEveryEnvironmentIsAnsweredRight")
	}
	at := roots{proc: filepath.Join(dir, "proc"), cgroup: filepath.Join(dir, "cgroup"), passwd: filepath.Join(dir, "passwd"), root: filepath.Join(dir, "root")}
	facts, err := examine(context.Background(), System{Stdout: &bytes.Buffer{}, Now: time.Now}, &options{interval: time.Second}, at)
	if err != nil {
		t.Fatal(err)
	}
	report := doctor.Judge(facts)
	overview, sources := drawn(t, facts.Sample)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"overview.txt": func(b *bytes.Buffer) error { b.WriteString(overview); return nil },
		"sources.txt":  func(b *bytes.Buffer) error { b.WriteString(sources); return nil },
		"once.txt":     func(b *bytes.Buffer) error { return printSample(b, &facts.Sample, text.Unicode) },
		"doctor.txt":   func(b *bytes.Buffer) error { return report.WriteText(b) },
		"doctor.json":  func(b *bytes.Buffer) error { return report.WriteJSON(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", name, err))
		}
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

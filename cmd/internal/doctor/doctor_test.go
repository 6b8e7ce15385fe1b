package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/nvml"
	"github.com/vramscope/vramscope/monitor/proc"
	"github.com/vramscope/vramscope/monitor/torch"
)

// healthy are the facts of a host on which everything can be seen.
func healthy() Facts {
	return Facts{
		Sample: monitor.Sample{Time: time.Unix(1000, 0), Host: "box", Driver: "580.95.05",
			GPUs: []monitor.GPU{{Index: 0, State: monitor.StateOK, Memory: monitor.DeviceMemory{UsedBytes: monitor.Known[int64](1 << 30), Source: monitor.MemoryV2}}},
			Sources: []monitor.SourceStatus{{Name: "nvml", State: monitor.StateOK}, {Name: "torch", State: monitor.StateOK},
				{Name: "proc", State: monitor.StateOK}, {Name: "log", State: monitor.StateOK}}},
		Self:        torch.Self{Ptrace: true, Yama: monitor.Known(1)},
		NestedPIDs:  monitor.Known(false),
		NestedUsers: monitor.Known(false),
		Own: proc.Resources{Version: 2, LimitBytes: monitor.Unknown[int64](monitor.NotApplicable, "no memory limit is set"),
			Cpuset: monitor.Known("0-7")},
		Shm:      monitor.Known(proc.Space{TotalBytes: 8 << 30}),
		Terminal: Terminal{Attached: true, Width: 120, Height: 40, Term: "xterm-256color", Locale: "en_GB.UTF-8", Colours: true, Home: true},
	}
}

func find(t *testing.T, r Report, id string) Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no check %q", id)
	return Check{}
}

func TestOnAHealthyHostEveryCheckIsOkAndAsksForNothing(t *testing.T) {
	for _, c := range Judge(healthy()).Checks {
		if c.State != OK || c.Cure != "" || c.Reason == "" {
			t.Errorf("%+v", c)
		}
	}
}

func TestEveryCheckThatIsNotOkHasAReasonAndACure(t *testing.T) {
	for _, c := range Judge(Facts{}).Checks {
		if c.Reason == "" || (c.State != OK && c.Cure == "") {
			t.Errorf("%+v", c)
		}
	}
}

func TestTheReportNamesTheSourcesOfTheContract(t *testing.T) {
	var b bytes.Buffer
	if err := Judge(healthy()).WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format int
		Checks []struct{ ID, State, Reason, Cure *string }
		Jobs   []any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != 1 || got.Jobs == nil {
		t.Errorf("%s", b.String())
	}
	ids := map[string]bool{}
	for _, c := range got.Checks {
		if c.ID == nil || c.State == nil || c.Reason == nil || c.Cure == nil {
			t.Fatalf("a key is missing: %s", b.String())
		}
		ids[*c.ID] = true
	}
	for _, id := range []string{"nvml", "pid-namespace", "ptrace", "yama", "cgroup", "shm", "log", "terminal"} {
		if !ids[id] {
			t.Errorf("no check %q", id)
		}
	}
}

func denied(pid int) monitor.Allocator {
	return monitor.Allocator{PID: pid, State: monitor.AllocatorDenied, Origin: monitor.OriginAttach, Reason: "PyTorch found, but …"}
}

func TestOneFactChangesItsOwnCheck(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(f *Facts)
		id        string
		state     State
		says, use string
	}{
		"no library": {func(f *Facts) {
			f.Sample.GPUs = nil
			f.Driver = DriverOf(fmt.Errorf("%w: more", nvml.ErrNoLibrary))
		}, IDNVML, Unavailable, "libnvidia-ml.so.1", "--gpus all"},
		"driver updated under its module": {func(f *Facts) {
			f.Driver = DriverOf(errors.New("the driver was updated while its old kernel module is still loaded (loaded module: 550.1): reboot, or reload"))
		}, IDNVML, Unavailable, "loaded module: 550.1", "reboot"},
		"one silent GPU": {func(f *Facts) {
			f.Sample.Sources[0] = monitor.SourceStatus{Name: "nvml", State: monitor.StatePartial, Reason: "GPU 0: silent"}
		},
			IDNVML, Partial, "GPU 0: silent", "dmesg"},
		"GPU lost": {func(f *Facts) {
			f.Sample.GPUs[0].State, f.Sample.GPUs[0].Reason = monitor.StateUnavailable, "the GPU is lost"
		}, IDGPU, Partial, "GPU 0: the GPU is lost", "nvidia-smi -r"},
		"unified memory": {func(f *Facts) { f.Sample.GPUs[0].Memory.Source = monitor.MemorySystem }, IDGPU, OK, "estimates", ""},
		"MIG":            {func(f *Facts) { f.Sample.GPUs[0].MIG = monitor.Known(true) }, IDGPU, OK, "MIG", ""},
		"uncorrected errors": {func(f *Facts) { f.Sample.GPUs[0].ECC.UncorrectedCount = monitor.Known[int64](3) },
			IDGPU, Partial, "3 uncorrected", "reset"},
		"a container whose memory adds up": {func(f *Facts) {
			f.NestedPIDs = monitor.Known(true)
			f.Sample.Holders = []monitor.Holder{{PID: 7, InNamespace: true, UsedBytes: monitor.Known[int64](1 << 30)}}
			f.Sample.GPUs[0].UnseenBytes = monitor.Known[int64](1 << 20)
		}, IDPIDs, OK, "accounted for", ""},
		"a container on a shared card": {func(f *Facts) {
			f.NestedPIDs = monitor.Known(true)
			f.Sample.GPUs[0].UnseenBytes = monitor.Known[int64](60 << 30)
		}, IDPIDs, Partial, "others 60.0 GiB, not visible from this PID namespace", "--pid=host"},
		"host numbers in a container": {func(f *Facts) {
			f.NestedPIDs = monitor.Known(true)
			f.Sample.Holders = []monitor.Holder{{PID: 4711}, {PID: 4712}}
		}, IDPIDs, Partial, "the host's numbers: 2 processes", "--host-proc"},
		"names without memory": {func(f *Facts) {
			f.NestedPIDs = monitor.Known(true)
			f.Sample.Holders = []monitor.Holder{{PID: 7, InNamespace: true}}
		}, IDPIDs, Partial, "without their memory", "on the host"},
		"a capability in a user namespace of its own": {func(f *Facts) { f.NestedUsers = monitor.Known(true) },
			IDYama, OK, "ptrace_scope 1, which CAP_SYS_PTRACE passes in this user namespace", ""},
		"reading in a user namespace of its own": {func(f *Facts) { f.NestedUsers = monitor.Known(true) },
			IDPtrace, OK, "every process in this user namespace may be read", ""},
		"assumed": {func(f *Facts) {
			f.NestedPIDs = monitor.Known(true)
			f.Sample.Holders = []monitor.Holder{{PID: 7, InNamespace: true, Assumed: true, UsedBytes: monitor.Known[int64](5)}}
		}, IDPIDs, Partial, "marked assumed", "on the host"},
		"rootless":     {func(f *Facts) { f.NestedUsers = monitor.Known(true) }, IDUsers, Partial, "user namespace of its own", "on the host"},
		"hidepid":      {func(f *Facts) { f.Hidden, f.Self.UID = true, 1000 }, IDProc, Partial, "hidepid", "sudo"},
		"seccomp":      {func(f *Facts) { f.ReadvRefused = true }, IDSeccomp, Partial, "/proc/PID/mem", "nothing needs"},
		"Yama 3":       {func(f *Facts) { f.Self.Yama = monitor.Known(3) }, IDYama, Unavailable, "nobody", "--log"},
		"Yama 1, user": {func(f *Facts) { f.Self = torch.Self{UID: 1000, Yama: monitor.Known(1)} }, IDYama, Partial, "ptrace_scope 1", "--log FILE; or start the job with vramscope run"},
		"docker exec as root on Ubuntu": {func(f *Facts) {
			f.Self = torch.Self{Nested: true, Yama: monitor.Known(1)}
			f.Sample.Torch = []monitor.Allocator{denied(7)}
			f.Jobs = []JobFacts{{PID: 7, Owner: torch.Owner{Known: true, Mapped: true}}}
		}, IDPtrace, Unavailable, "1 process cannot be read", torch.PtracerLine},
		"one of two jobs": {func(f *Facts) {
			f.Self = torch.Self{UID: 1000}
			f.Sample.Torch = []monitor.Allocator{denied(7), {PID: 8, State: monitor.AllocatorOK, Origin: monitor.OriginAttach}}
			f.Jobs = []JobFacts{{PID: 7, Owner: torch.Owner{UID: 5, Known: true}}}
		}, IDPtrace, Partial, "belongs to user 5", "sudo"},
		"limit reached": {func(f *Facts) {
			f.Own.LimitBytes, f.Own.UsedBytes = monitor.Known[int64](10<<30), monitor.Known[int64](95<<30/10)
		}, IDCgroup, Partial, "nearly reached", "--memory"},
		"killed for it": {func(f *Facts) {
			f.Own.LimitBytes, f.Own.OOMKills = monitor.Known[int64](10<<30), monitor.Known[int64](2)
		}, IDCgroup, Partial, "killed 2 processes", "--memory"},
		"throttled":         {func(f *Facts) { f.Own.CPUs, f.Own.Throttled = monitor.Known(1.5), monitor.Known[int64](9) }, IDCPU, Partial, "quota of 1.5", "workers"},
		"Docker's /dev/shm": {func(f *Facts) { f.Shm = monitor.Known(proc.Space{TotalBytes: 64 << 20}) }, IDShm, Partial, "Docker's default", "--shm-size"},
		"a full /dev/shm":   {func(f *Facts) { f.Shm = monitor.Known(proc.Space{TotalBytes: 8 << 30, UsedBytes: 8 << 30}) }, IDShm, Partial, "nearly full", "--shm-size"},
		"no log":            {func(f *Facts) { f.NoLog = true }, IDLog, Unavailable, "--no-log", "leave out"},
		"a log of root's":   {func(f *Facts) { f.LogError = "log: open x: permission denied" }, IDLog, Unavailable, "permission denied", "can be read"},
		"no terminal":       {func(f *Facts) { f.Terminal.Attached = false }, IDTerminal, Unavailable, "no terminal", "-it"},
		"TERM=dumb":         {func(f *Facts) { f.Terminal.Term = "dumb" }, IDTerminal, Partial, "TERM=dumb", "xterm-256color"},
		"LANG=C":            {func(f *Facts) { f.Terminal.Locale = "C" }, IDTerminal, Partial, "not UTF-8", "C.UTF-8"},
		"a small window":    {func(f *Facts) { f.Terminal.Width = 60 }, IDTerminal, Partial, "smaller than 80x24", "enlarge"},
		"no home folder":    {func(f *Facts) { f.Terminal.Home = false }, IDTerminal, OK, "no home folder", ""},
		"a name of escapes": {func(f *Facts) { f.Sample.Driver = "\x1b[2J580" }, IDNVML, OK, "580", ""},
		"no control groups": {func(f *Facts) { f.Own = proc.Resources{} }, IDCgroup, Unavailable, "cannot be read", "/sys/fs/cgroup"},
		"a known container": {func(f *Facts) { f.Container = Container{"podman", "0123456789ab", "train", "img:1"} }, IDCgroup, OK, "podman 0123456789ab named train image img:1", ""},
		"listed but unseen": {func(f *Facts) { f.Sample.Holders = []monitor.Holder{{PID: 9}} }, IDPIDs, Partial, "1 process listed", "as root"},
		"a log is not found": {func(f *Facts) {
			f.Jobs = []JobFacts{{PID: 7}}
			f.Sample.Sources[3] = monitor.SourceStatus{Name: "log", Reason: "no log found"}
		}, IDLog, Unavailable, "no log found", "train.log"},
	} {
		t.Run(name, func(t *testing.T) {
			f := healthy()
			c.change(&f)
			got := find(t, Judge(f), c.id)
			if got.State != c.state || !strings.Contains(got.Reason, c.says) || !strings.Contains(got.Cure, c.use) {
				t.Errorf("got %+v\nwant %s, %q, %q", got, c.state, c.says, c.use)
			}
			if strings.ContainsRune(got.Reason+got.Cure, 0x1b) {
				t.Errorf("an escape came through: %q", got)
			}
		})
	}
}

func TestSettingsAreJudgedByTheVersionOfTheJob(t *testing.T) {
	process := func(conf string) monitor.Process {
		return monitor.Process{PID: 7, StartTicks: 1, AllocConf: monitor.Known(conf)}
	}
	for name, c := range map[string]struct {
		conf    string
		version monitor.Reading[string]
		want    string // "" for nothing wrong
	}{
		"fine":          {"expandable_segments:True", monitor.Known("2.6.0+cu124"), ""},
		"misspelt":      {"expandable_segment:True", monitor.Known("2.6.0"), "expandable_segments"},
		"too old":       {"expandable_segments:True", monitor.Known("1.13.1"), "1.13.1"},
		"contradiction": {"expandable_segments:True,max_split_size_mb:128", monitor.Reading[string]{}, "max_split_size_mb"},
	} {
		t.Run(name, func(t *testing.T) {
			got := settings(process(c.conf), c.version)
			if c.want == "" {
				if len(got) != 0 {
					t.Errorf("%+v", got)
				}
				return
			}
			if len(got) == 0 || !strings.Contains(got[0].Reason, c.want) || got[0].ID != "alloc-conf" || got[0].Cure == "" {
				t.Errorf("%+v, want %q", got, c.want)
			}
		})
	}
}

func TestAJobCarriesItsEnvironment(t *testing.T) {
	f := healthy()
	f.Sample.Processes = []monitor.Process{{PID: 7, Name: "pt\x1b[31mmain", User: "ann", Rank: monitor.Known(3), AllocConf: monitor.Known("max_split_size_mb:64")}}
	f.Sample.Holders = []monitor.Holder{{PID: 7, GPU: 2, InNamespace: true}, {PID: 7, GPU: 0, InNamespace: true}, {PID: 7, GPU: 1}}
	f.Sample.Torch = []monitor.Allocator{{PID: 7, State: monitor.AllocatorOK, GPU: monitor.Known(2)}}
	f.Jobs = []JobFacts{{PID: 7, TorchVersion: monitor.Known("2.6.0"), Shm: monitor.Known(proc.Space{TotalBytes: 64 << 20, UsedBytes: 1}),
		Resources: proc.Resources{LimitBytes: monitor.Known[int64](1 << 30), OOMKills: monitor.Known[int64](1), Container: monitor.Container{Runtime: "docker", ID: "0123456789ab"}}}}
	got := Judge(f).Jobs[0]
	if diff := cmp.Diff([]int{0, 2}, got.GPUs); diff != "" {
		t.Error(diff)
	}
	ids := []string{}
	for _, c := range got.Checks {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"shm", "cgroup"}, ids); diff != "" {
		t.Error(diff)
	}
	if got.Allocator != "ok" || *got.TorchVersion != "2.6.0" || *got.Container != "docker:0123456789ab" || *got.Rank != 3 || strings.ContainsRune(got.Name, 0x1b) || got.CPUs != nil {
		t.Errorf("%+v", got)
	}
	var b strings.Builder
	if err := Judge(f).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"process 7", "of ann", "GPU 0 2", "rank 3", "PyTorch 2.6.0", "memory limit 1.0 GiB"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, b.String())
		}
	}
}

func TestALineToPasteIsNotBroken(t *testing.T) {
	f := healthy()
	f.Self = torch.Self{Nested: true, Yama: monitor.Known(1)}
	var b strings.Builder
	if err := Judge(f).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), torch.PtracerLine) {
		t.Errorf("the line is not whole in:\n%s", b.String())
	}
}

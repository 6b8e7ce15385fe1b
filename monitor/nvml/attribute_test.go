package nvml

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

const gibibyte = 1 << 30

// cudaProcess is a process of a fixture with a CUDA context.
type cudaProcess struct {
	pid, parent int
	minors      []int
	nspid       string // line NSpid; the PID alone when empty
	space       string // link ns/pid
	thread      bool   // the driver's own thread runs in it
	monitorOnly bool   // has devices open, and not the memory manager
}

func (p cudaProcess) add(t *testing.T, root string) {
	t.Helper()
	nspid := p.nspid
	if nspid == "" {
		nspid = fmt.Sprint(p.pid)
	}
	dir := fmt.Sprint(p.pid)
	writeFile(t, root, dir+"/status", fmt.Sprintf("Name:\tjob%d\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nNSpid:\t%s\n", p.pid, p.pid, p.pid, p.parent, nspid))
	link := func(name, to string) {
		path := filepath.Join(root, dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	link("fd/0", "/dev/null")
	if !p.monitorOnly {
		link("fd/3", "/dev/nvidia-uvm")
	}
	for i, minor := range p.minors {
		link(fmt.Sprintf("fd/%d", 4+i), fmt.Sprintf("/dev/nvidia%d", minor))
	}
	if p.thread {
		writeFile(t, root, fmt.Sprintf("%s/task/%d/comm", dir, p.pid+1), "cuda-EvtHandlr\n")
	}
	if p.space != "" {
		link("ns/pid", p.space)
	}
}

// rowText is a row of the table as a test states it: GPU:PID name used flags.
func rowText(h monitor.Holder) string {
	used := "?"
	if v, ok := h.UsedBytes.Get(); ok {
		used = fmt.Sprintf("%dG", v/gibibyte)
	}
	text := fmt.Sprintf("%d:%d %s %s", h.GPU, h.PID, or(h.Name, "-"), used)
	if !h.InNamespace {
		text += " foreign"
	}
	if h.Assumed {
		text += " assumed"
	}
	return text
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func unseenText(g monitor.GPU) string {
	if v, ok := g.UnseenBytes.Get(); ok {
		return fmt.Sprintf("%dG", v/gibibyte)
	}
	return g.UnseenBytes.Why().Code.String()
}

// place is one environment that the driver is read in.
type place struct {
	version   string
	namespace string // link self/ns/pid
	selfNSpid string
	gpus      int
	minors    []int // of the devices' files; their own index when empty
	used      uint64
	entries   map[int][]processEntry
	refused   bool // the process lists need a right
	split     bool
	processes []cudaProcess
}

func (p place) read(t *testing.T) monitor.Part {
	t.Helper()
	root := t.TempDir()
	fakeProc(t, root, p.namespace)
	writeFile(t, root, "self/status", "Name:\tvramscope\nNSpid:\t"+or(p.selfNSpid, "9")+"\n")
	for _, process := range p.processes {
		process.add(t, root)
	}
	drv := newGoDriver(max(1, p.gpus))
	drv.version = or(p.version, "580.95.05")
	for i, d := range drv.devices {
		d.v2.used, d.file = p.used, i
		d.lists[listCompute] = p.entries[i]
		if len(p.minors) > i {
			d.file = p.minors[i]
		}
		if p.refused {
			d.set(on(returnNoPermission, "compute"))
		}
		d.mig = p.split
	}
	s := newSource(Config{ProcRoot: root, Timeout: 20 * time.Second}, drv)
	defer s.Close() //nolint:errcheck // the reading is what is tested
	return s.Read(context.Background(), monitor.Request{Time: monitorTime})
}

func TestWhatTheDriverTellsAContainerIsJoinedOnlyWhenThereIsOneWay(t *testing.T) {
	const inside, outside = nestedNamespace, initPIDNamespace
	list := func(e ...processEntry) map[int][]processEntry { return map[int][]processEntry{0: e} }
	job := cudaProcess{pid: 20, minors: []int{0}}
	for name, c := range map[string]struct {
		place  place
		rows   []string
		unseen string
	}{
		"host: listed by number, nothing unseen to speak of": {
			place{namespace: outside, used: 40 * gibibyte, entries: list(entry(20, 30*gibibyte, listCompute)), processes: []cudaProcess{job}},
			[]string{"0:20 job20 30G"}, "not applicable"},
		"A: one host number and one job": {
			place{namespace: inside, version: "535.104.05", used: 30 * gibibyte, entries: list(entry(4711, 30*gibibyte, listCompute)), processes: []cudaProcess{job}},
			[]string{"0:20 job20 30G assumed"}, "0G"},
		"A: one host number and two jobs": {
			place{namespace: inside, version: "535.104.05", used: 30 * gibibyte, entries: list(entry(4711, 30*gibibyte, listCompute)),
				processes: []cudaProcess{job, {pid: 30, minors: []int{0}}}},
			[]string{"0:4711 - 30G foreign"}, "0G"},
		"A: two host numbers and one job": {
			place{namespace: inside, version: "535.104.05", used: 50 * gibibyte, entries: list(entry(4711, 30*gibibyte, listCompute), entry(4712, 20*gibibyte, listCompute)), processes: []cudaProcess{job}},
			[]string{"0:4711 - 30G foreign", "0:4712 - 20G foreign"}, "0G"},
		"A: a host number that a local process without a GPU has": {
			place{namespace: inside, version: "535.104.05", used: 30 * gibibyte, entries: list(entry(20, 30*gibibyte, listCompute)),
				processes: []cudaProcess{{pid: 20, monitorOnly: true}}},
			[]string{"0:20 - 30G foreign"}, "0G"},
		"A: the job opened a device that a neighbour uses": {
			place{namespace: inside, version: "535.104.05", gpus: 2, used: 30 * gibibyte,
				entries:   map[int][]processEntry{0: {entry(4711, 30*gibibyte, listCompute)}, 1: {entry(4999, 30*gibibyte, listCompute)}},
				processes: []cudaProcess{{pid: 20, minors: []int{0, 1}}}},
			[]string{"0:4711 - 30G foreign", "1:4999 - 30G foreign"}, "0G"},
		"A: one job on two devices": {
			place{namespace: inside, version: "535.104.05", gpus: 2, used: 30 * gibibyte,
				entries:   map[int][]processEntry{0: {entry(4711, 30*gibibyte, listCompute)}, 1: {entry(4711, 30*gibibyte, listCompute)}},
				processes: []cudaProcess{{pid: 20, minors: []int{0, 1}}}},
			[]string{"0:20 job20 30G assumed", "1:20 job20 30G assumed"}, "0G"},
		"A: the container was given the host's fourth device": {
			place{namespace: inside, version: "535.104.05", minors: []int{3}, used: 30 * gibibyte, entries: list(entry(4711, 30*gibibyte, listCompute)),
				processes: []cudaProcess{{pid: 20, minors: []int{3}}}},
			[]string{"0:20 job20 30G assumed"}, "0G"},
		"A: workers that inherited the job's files": {
			place{namespace: inside, version: "535.104.05", used: 30 * gibibyte, entries: list(entry(4711, 30*gibibyte, listCompute)),
				processes: []cudaProcess{job, {pid: 21, parent: 20, minors: []int{0}}, {pid: 22, parent: 20, minors: []int{0}}}},
			[]string{"0:20 job20 30G assumed"}, "0G"},
		"A: a child with a context of its own": {
			place{namespace: inside, version: "535.104.05", used: 30 * gibibyte, entries: list(entry(4711, 30*gibibyte, listCompute)),
				processes: []cudaProcess{job, {pid: 21, parent: 20, minors: []int{0}, thread: true}}},
			[]string{"0:4711 - 30G foreign"}, "0G"},
		"A: another monitor has the device open": {
			place{namespace: inside, version: "535.104.05", used: 30 * gibibyte, entries: list(entry(4711, 30*gibibyte, listCompute)),
				processes: []cudaProcess{job, {pid: 30, minors: []int{0}, monitorOnly: true}}},
			[]string{"0:20 job20 30G assumed"}, "0G"},
		"B: a name without memory and nobody else": {
			place{namespace: inside, version: "550.40.07", used: 30 * gibibyte, entries: list(entry(20, 0, listCompute)), processes: []cudaProcess{job}},
			[]string{"0:20 job20 30G assumed"}, "0G"},
		"B: the same PID twice": {
			place{namespace: inside, version: "550.40.07", used: 30 * gibibyte, entries: list(entry(20, 0, listCompute), entry(20, 0, listCompute)), processes: []cudaProcess{job}},
			[]string{"0:20 job20 30G assumed"}, "0G"},
		"B: two names without memory": {
			place{namespace: inside, version: "550.40.07", used: 30 * gibibyte, entries: list(entry(20, 0, listCompute), entry(30, 0, listCompute)),
				processes: []cudaProcess{job, {pid: 30, minors: []int{0}}}},
			[]string{"0:20 job20 ?", "0:30 job30 ?"}, "not available"},
		"B: a name without memory and a process that is not listed": {
			place{namespace: inside, version: "550.40.07", used: 30 * gibibyte, entries: list(entry(20, 0, listCompute)),
				processes: []cudaProcess{job, {pid: 30, minors: []int{0}}}},
			[]string{"0:20 job20 ?"}, "not available"},
		"C: names with memory, the rest is others'": {
			place{namespace: inside, version: "580.95.05", used: 70 * gibibyte, entries: list(entry(20, 30*gibibyte, listCompute)), processes: []cudaProcess{job}},
			[]string{"0:20 job20 30G"}, "40G"},
		"C: nobody here, all is others'": {
			place{namespace: inside, version: "580.95.05", used: 70 * gibibyte}, nil, "70G"},
		"C: the job opened a device that it does not use": {
			place{namespace: inside, version: "580.95.05", gpus: 2, used: 30 * gibibyte, entries: list(entry(20, 30*gibibyte, listCompute)),
				processes: []cudaProcess{{pid: 20, minors: []int{0, 1}}}},
			[]string{"0:20 job20 30G"}, "0G 30G"},
		"B: the job opened a device that it does not use": {
			place{namespace: inside, version: "550.40.07", gpus: 2, used: 30 * gibibyte, entries: list(entry(20, 0, listCompute)),
				processes: []cudaProcess{{pid: 20, minors: []int{0, 1}}}},
			[]string{"0:20 job20 30G assumed"}, "0G 30G"},
		"the list is refused, one job": {
			place{namespace: inside, used: 30 * gibibyte, refused: true, processes: []cudaProcess{job}},
			[]string{"0:20 job20 30G assumed"}, "0G"},
		"the list is refused, two jobs": {
			place{namespace: inside, used: 30 * gibibyte, refused: true, processes: []cudaProcess{job, {pid: 30, minors: []int{0}}}},
			nil, "no permission"},
		"a split device is never given to one process": {
			place{namespace: inside, version: "550.40.07", used: 30 * gibibyte, split: true, entries: list(entry(20, 0, listCompute)), processes: []cudaProcess{job}},
			[]string{"0:20 job20 ?"}, "not available"},
		"host's proc, A: numbers are the host's": {
			place{namespace: inside, version: "535.104.05", selfNSpid: "900 9", used: 30 * gibibyte, entries: list(entry(4711, 30*gibibyte, listCompute)),
				processes: []cudaProcess{{pid: 4711, minors: []int{0}}}},
			[]string{"0:4711 job4711 30G"}, "0G"},
		"host's proc, C: numbers are this namespace's": {
			place{namespace: inside, version: "580.95.05", selfNSpid: "900 9", used: 30 * gibibyte, entries: list(entry(22, 30*gibibyte, listCompute)),
				processes: []cudaProcess{{pid: 5022, nspid: "5022 22", space: inside, minors: []int{0}}}},
			[]string{"0:5022 job5022 30G"}, "0G"},
		"host's proc: a number of nobody here and one process with the device open": {
			place{namespace: inside, version: "580.95.05", selfNSpid: "900 9", used: 30 * gibibyte, entries: list(entry(22, 30*gibibyte, listCompute)),
				processes: []cudaProcess{{pid: 6022, nspid: "6022 22", space: "pid:[4026539999]", minors: []int{0}}}},
			[]string{"0:6022 job6022 30G assumed"}, "0G"},
		"host's proc: a number that fits both ways is nobody's": {
			place{namespace: inside, version: "580.95.05", selfNSpid: "900 9", used: 30 * gibibyte, entries: list(entry(22, 30*gibibyte, listCompute)),
				processes: []cudaProcess{{pid: 5022, nspid: "5022 22", space: inside, minors: []int{0}}, {pid: 22, minors: []int{0}}}},
			[]string{"0:22 - 30G foreign"}, "0G"},
		"host's proc, C: a job of another container": {
			place{namespace: inside, version: "580.95.05", selfNSpid: "900 9", used: 30 * gibibyte,
				processes: []cudaProcess{{pid: 6022, nspid: "6022 22", space: "pid:[4026539999]", minors: []int{0}}}},
			[]string{"0:6022 job6022 30G assumed"}, "0G"},
	} {
		t.Run(name, func(t *testing.T) {
			part := c.place.read(t)
			var rows, unseen []string
			for _, h := range part.Holders {
				rows = append(rows, rowText(h))
			}
			if diff := cmp.Diff(c.rows, rows); diff != "" {
				t.Error(diff)
			}
			for _, g := range part.GPUs {
				unseen = append(unseen, unseenText(g))
			}
			if got := strings.Join(unseen, " "); !strings.Contains(got, c.unseen) {
				t.Errorf("unseen %s, want %s", got, c.unseen)
			}
		})
	}
}

func TestAProcessThatCannotBeLookedIntoIsNeverTakenForAHostNumberOfAnOldDriver(t *testing.T) {
	p := place{namespace: nestedNamespace, version: "535.104.05", used: 30 * gibibyte, entries: map[int][]processEntry{0: {entry(30, 30*gibibyte, listCompute)}}}
	root := t.TempDir()
	fakeProc(t, root, nestedNamespace)
	writeFile(t, root, "30/status", "Name:\tstranger\nTgid:\t30\n") // its open files cannot be read
	drv := newGoDriver(1)
	drv.version, drv.devices[0].v2.used, drv.devices[0].lists[listCompute] = p.version, p.used, p.entries[0]
	s := newSource(Config{ProcRoot: root, Timeout: 20 * time.Second}, drv)
	defer s.Close() //nolint:errcheck // the reading is what is tested
	part := s.Read(context.Background(), monitor.Request{Time: monitorTime})
	if len(part.Holders) != 1 || part.Holders[0].InNamespace || part.Holders[0].Name != "" {
		t.Errorf("%+v", part.Holders)
	}
}

func TestOpenFilesAreReadAgainOnlyAfterAWhile(t *testing.T) {
	root := t.TempDir()
	fakeProc(t, root, nestedNamespace)
	cudaProcess{pid: 20, minors: []int{0}}.add(t, root)
	n := newNamespace(root, 10*time.Second)
	n.now = monitorTime
	if got := len(n.candidates()); got != 1 {
		t.Fatalf("%d candidates", got)
	}
	cudaProcess{pid: 30, minors: []int{0}}.add(t, root)
	n.now = monitorTime.Add(9 * time.Second)
	if got := len(n.candidates()); got != 1 {
		t.Errorf("%d candidates: looked again too soon", got)
	}
	n.now = monitorTime.Add(10 * time.Second)
	if got := len(n.candidates()); got != 2 {
		t.Errorf("%d candidates: not looked again", got)
	}
}

func FuzzStatusNumbers(f *testing.F) {
	f.Add([]byte("Name:\tx\nNSpid:\t900\t9\n"))
	f.Fuzz(func(t *testing.T, status []byte) {
		for _, n := range statusNumbers(status, "NSpid") {
			if n < 0 || n > maxPID {
				t.Errorf("%d", n)
			}
		}
		_ = statusText(status, "Name")
	})
}

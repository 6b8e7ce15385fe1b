package nvml

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const nestedNamespace = "pid:[4026532178]"

// found maps each listed PID to the process it was joined with, 0 for none.
func found(n *namespace, t time.Time, pids ...int) map[int]int {
	find := n.finder(t, pids)
	got := map[int]int{}
	for _, pid := range pids {
		if o := find(pid); o.seen {
			got[pid] = o.pid
		} else {
			got[pid] = 0
		}
	}
	return got
}

func TestOutsideContainersAPIDIsTheProcessUnderIt(t *testing.T) {
	root := t.TempDir()
	fakeProc(t, root, initPIDNamespace)
	addProcess(t, root, 10, 10, "")
	addProcess(t, root, 11, 10, "") // a thread
	n := newNamespace(root, time.Second)
	if n.nested {
		t.Error("nested")
	}
	if diff := cmp.Diff(map[int]int{10: 10, 11: 10, 12: 0}, found(n, monitorTime, 10, 11, 12)); diff != "" {
		t.Error(diff)
	}
}

func TestAHostPIDThatMeetsALocalProcessWithoutAGPUIsNotJoined(t *testing.T) {
	root := t.TempDir()
	fakeProc(t, root, nestedNamespace)
	addProcess(t, root, 20, 20, "/var/log/train.log")
	addProcess(t, root, 21, 21, "/dev/nvidia3")
	addProcess(t, root, 22, 22, "/dev/nvme0n1")
	n := newNamespace(root, time.Second)
	if diff := cmp.Diff(map[int]int{20: 0, 21: 21, 22: 0, 4711: 0}, found(n, monitorTime, 20, 21, 22, 4711)); diff != "" {
		t.Error(diff)
	}
}

func TestAProcessThatCannotBeLookedIntoIsJoinedOnlyWhenEveryListedPIDIsHere(t *testing.T) {
	root := t.TempDir()
	fakeProc(t, root, nestedNamespace)
	writeFile(t, root, "30/status", "Name:\tpython\nTgid:\t30\n") // no fd folder to read
	n := newNamespace(root, time.Second)
	if diff := cmp.Diff(map[int]int{30: 30}, found(n, monitorTime, 30)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[int]int{30: 0, 4711: 0}, found(n, monitorTime, 30, 4711)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAProcessHasOpenIsRememberedForAWhileAndThenForgotten(t *testing.T) {
	root := t.TempDir()
	fakeProc(t, root, nestedNamespace)
	addProcess(t, root, 40, 40, "")
	n := newNamespace(root, 10*time.Second)
	at := monitorTime
	if got := found(n, at, 40); got[40] != 0 {
		t.Error("joined without a GPU")
	}
	addProcess(t, root, 40, 40, "/dev/nvidia0") // opened later
	if got := found(n, at.Add(9*time.Second), 40); got[40] != 0 {
		t.Error("looked again too soon")
	}
	if got := found(n, at.Add(10*time.Second), 40); got[40] != 40 {
		t.Error("not looked again")
	}
	found(n, at.Add(11*time.Second))
	if len(n.recent) != 0 {
		t.Errorf("%d processes remembered that nobody lists", len(n.recent))
	}
}

func TestWithoutProcNothingIsJoined(t *testing.T) {
	n := newNamespace(filepath.Join(t.TempDir(), "none"), time.Second)
	if diff := cmp.Diff(map[int]int{1: 0}, found(n, monitorTime, 1)); diff != "" {
		t.Error(diff)
	}
}

func TestMeminfoNeedsBothFigures(t *testing.T) {
	good, err := parseMeminfo([]byte("MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable:  40 kB\n"))
	if err != nil || good != (memoryInfo{total: 100 << 10, used: 60 << 10, free: 40 << 10}) {
		t.Errorf("%+v, %v", good, err)
	}
	for _, bad := range []string{"", "MemTotal: 5 kB", "MemTotal: 5 kB\nMemAvailable: 6 kB", "MemTotal: x kB\nMemAvailable: 1 kB",
		"MemTotal: 99999999999999999999 kB\nMemAvailable: 1 kB", "MemTotal:\nMemAvailable:\n"} {
		if got, err := parseMeminfo([]byte(bad)); err == nil {
			t.Errorf("%q gives %+v", bad, got)
		}
	}
}

func TestTheModuleVersionIsFoundForBothKindsOfModule(t *testing.T) {
	for text, want := range map[string]string{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22\nGCC version:  gcc 12.2.0": "550.54.14",
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build":              "580.159.04",
		"GCC version": "", "": "", "\n1.2": "", "1.2.3\x1b[31m": "",
	} {
		if got := parseModuleVersion(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzMeminfo(f *testing.F) {
	f.Add([]byte("MemTotal: 100 kB\nMemAvailable:  40 kB\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := parseMeminfo(data); err == nil && (m.total == 0 || m.used+m.free != m.total || m.total > maxCount) {
			t.Errorf("%+v", m)
		}
	})
}

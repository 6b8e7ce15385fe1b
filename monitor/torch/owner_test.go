//go:build linux

package torch

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func withEnv(env ...string) func(*exec.Cmd) {
	return func(c *exec.Cmd) { c.Env = append(os.Environ(), env...) }
}

func TestAForkedWorkerShowsNoCopyOfItsParentsFigures(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1024")
	child := p.child("fork")
	r := newReader(t, Config{})
	now := time.Now()
	row := only(t, read(r, now, listed(p.pid), child))
	wantState(t, row, monitor.AllocatorInherited, "forked from process")
	wantBytes(t, only(t, read(r, now.Add(time.Second), listed(p.pid), p.pid)), 1024, 20971520)
	p.do("take 0 0 1024 1024")
	wantState(t, only(t, read(r, now.Add(2*time.Second), listed(p.pid), child)), monitor.AllocatorInherited, "")
}

func TestACopyWhoseParentHasEndedIsNotVerified(t *testing.T) {
	t.Parallel()
	if s := ReadSelf("/proc"); s.UID != 0 && s.Yama.Or(0) > 0 {
		t.Skip("Yama lets this user read its own children only, and an orphan is none")
	}
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	orphan := p.child("orphan")
	wantState(t, readOne(t, listed(p.pid), orphan), monitor.AllocatorUnverified, "parent process that has ended")
}

func TestACopyNeverTurnsIntoFiguresByItself(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1024")
	child := p.child("fork")
	p.do("hold 0 60000")
	holding := p.child("fork") // with a lock that nobody will ever let go
	r := newReader(t, Config{})
	now := time.Now()
	for range 60 {
		now = now.Add(time.Second)
		rows := read(r, now, listed(p.pid), child)
		wantState(t, only(t, rows), monitor.AllocatorInherited, "")
	}
	for _, row := range read(r, now, listed(p.pid), holding) {
		if row.State == monitor.AllocatorOK || row.AllocatedBytes.Known() {
			t.Errorf("a copy with its lock held: %+v", row)
		}
	}
}

func TestAForkedProcessThatAllocatesOwnsItsFigures(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1024")
	child := p.child("fork")
	r := newReader(t, Config{})
	now := time.Now()
	wantState(t, only(t, read(r, now, nil, child)), monitor.AllocatorInherited, "")
	signal(t, child, syscall.SIGUSR1)
	for try := 0; ; try++ {
		now = now.Add(time.Second)
		row := only(t, read(r, now, nil, child))
		if row.State == monitor.AllocatorOK {
			wantBytes(t, row, 2048, 20971520)
			return
		}
		if try == 1000 {
			t.Fatal("the child allocated and is still taken for a copy")
		}
	}
}

func TestProcessesForkedBeforeCUDAStartedAreToldApartByTheDriver(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	child := p.child("fork")
	p.do("init 1", "reserve 0 0 41943040 0")
	signal(t, child, syscall.SIGUSR2)
	r := newReader(t, Config{})
	now := time.Now()
	for try := 0; ; try++ {
		now = now.Add(10 * time.Second)
		row := only(t, read(r, now, listed(p.pid, child), child))
		if row.State == monitor.AllocatorOK {
			wantBytes(t, row, 0, 20971520)
			break
		}
		if try == 1000 {
			t.Fatalf("the child started by itself and reads %v: %s", row.State, row.Reason)
		}
	}
	wantBytes(t, only(t, read(r, now.Add(time.Second), listed(p.pid, child), p.pid)), 0, 41943040)
}

func TestAThreadOfTheCUDADriverProvesOwnership(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	wantState(t, readOne(t, nil, p.pid), monitor.AllocatorUnverified, "")
	p.do("thread " + cudaThread)
	wantBytes(t, readOne(t, nil, p.pid), 0, 20971520)
}

func TestAMainThreadOfThatNameProvesNothing(t *testing.T) {
	t.Parallel()
	program := compile(t, cudaThread, "program.cpp", "-ldl", "-pthread")
	p := startProgram(t, program, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	wantState(t, readOne(t, nil, p.pid), monitor.AllocatorUnverified, "")
}

func TestAnotherUsersProcessIsRefusedWithTheCure(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	got := asUser(t, 65534, p.pid)
	if got[0] != "no-permission" || got[2] != "false" {
		t.Fatalf("%q", got)
	}
	want := "whether this process uses PyTorch cannot be seen: it belongs to user 0; follow its log with --log FILE, or run vramscope with sudo"
	if got[1] != want {
		t.Errorf("reason %q, want %q", got[1], want)
	}
}

func TestAProtectedProcessOfTheSameUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can start a process as another user")
	}
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "setuid 65534", "dumpable 0")
	if got := asUser(t, 65534, p.pid); got[0] != "no-permission" || got[2] != "false" {
		t.Errorf("not dumpable: %q", got)
	}
	p.do("dumpable 1")
	got := asUser(t, 65534, p.pid)
	if b, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil && b[0] != '0' {
		if got[0] != "no-permission" {
			t.Errorf("Yama %s: %q", b, got)
		}
		return
	}
	if got[0] != "ok" || got[2] != "true" {
		t.Errorf("a process of the same user: %q", got)
	}
}

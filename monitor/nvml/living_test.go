package nvml

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sleeper starts a process that lives until the test ends.
func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("no /proc here")
	}
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Skipf("no child can be started here: %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// ofThisMachine is its own /proc, taken for that of the first namespace.
func ofThisMachine() *namespace {
	n := newNamespace("/proc", time.Second)
	n.nested, n.depth = false, 0
	return n
}

// held lists the open files of a process.
func held(t *testing.T, pid int) (files []string) {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		to, err := os.Readlink("/proc/self/fd/" + name.Name())
		if err == nil && strings.HasPrefix(to, fmt.Sprintf("/proc/%d/", pid)) {
			files = append(files, to)
		}
	}
	return files
}

func TestAProcessThatEndedIsNotSeenThoughItsFileIsHeldOpen(t *testing.T) {
	cmd := sleeper(t)
	pid := cmd.Process.Pid
	n := ofThisMachine()
	for i := range 3 {
		if o := n.finder(monitorTime.Add(time.Duration(i)*time.Second), []int{pid})(pid); !o.seen || o.pid != pid {
			t.Fatalf("sample %d: %+v", i, o)
		}
		if files := held(t, pid); len(files) != 1 {
			t.Fatalf("sample %d holds %v, want one file", i, files)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if o := n.finder(monitorTime.Add(time.Minute), []int{pid})(pid); o.seen {
		t.Errorf("after its end it is %+v", o)
	}
	if files := held(t, pid); len(files) != 0 {
		t.Errorf("held after its end: %v", files)
	}
}

func TestTheEndOfAProcessIsSeenInTheNextSampleThoughItsNameIsReadSeldom(t *testing.T) {
	stays, ends := sleeper(t), sleeper(t)
	n := ofThisMachine()
	n.every = time.Hour
	defer n.close()
	pids := []int{stays.Process.Pid, ends.Process.Pid}
	n.finder(monitorTime, pids)
	find := n.finder(monitorTime.Add(time.Second), pids)
	if !find(pids[0]).seen || !find(pids[1]).seen {
		t.Fatalf("%+v and %+v", find(pids[0]), find(pids[1]))
	}
	if n.living[pids[0]].end < 0 {
		t.Skip("this kernel has no pidfd_open")
	}
	if n.living[pids[0]].read != monitorTime {
		t.Error("the name of a process that lives was read again")
	}
	_ = ends.Process.Kill()
	_ = ends.Wait()
	find = n.finder(monitorTime.Add(2*time.Second), pids)
	if !find(pids[0]).seen || find(pids[1]).seen {
		t.Errorf("after the second one's end: %+v and %+v", find(pids[0]), find(pids[1]))
	}
}

func TestNothingStaysOpen(t *testing.T) {
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("no /proc here")
		}
		return len(files)
	}
	cmd := sleeper(t)
	before := open()
	for range 20 {
		n := ofThisMachine()
		n.finder(monitorTime, []int{cmd.Process.Pid, os.Getpid(), 1 << 29})
		n.close()
	}
	if after := open(); after != before {
		t.Errorf("%d files were open and %d are", before, after)
	}
}

func TestANameThatChangesIsTold(t *testing.T) {
	const thread = "renamed\x1b[1m"
	n := ofThisMachine()
	pid := os.Getpid()
	before := n.finder(monitorTime, []int{pid})(pid).name
	if err := os.WriteFile("/proc/self/comm", []byte(thread), 0o600); err != nil {
		t.Skipf("this process cannot be renamed: %v", err)
	}
	defer os.WriteFile("/proc/self/comm", []byte(before), 0o600) //nolint:errcheck // as good as it gets
	if name := n.finder(monitorTime.Add(n.every), []int{pid})(pid).name; name == before || name != cleanText(thread) {
		t.Errorf("it was %q and is %q, want %q", before, name, cleanText(thread))
	}
	n.close()
}

func TestWhatTheDriverNoLongerListsIsNotHeldOpen(t *testing.T) {
	a, b := sleeper(t).Process.Pid, sleeper(t).Process.Pid
	n := ofThisMachine()
	n.finder(monitorTime, []int{a, b})
	n.finder(monitorTime.Add(time.Second), []int{b})
	if len(held(t, a)) != 0 || len(held(t, b)) != 1 {
		t.Errorf("held %v and %v, want nothing and one file", held(t, a), held(t, b))
	}
	n.close()
	if len(held(t, b)) != 0 {
		t.Errorf("after the end %v is held", held(t, b))
	}
}

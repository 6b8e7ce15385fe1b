package proc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/proc"
)

// child starts a process that lives until the test ends.
func child(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("no /proc here")
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		t.Skipf("no child can be started here: %v", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// heldOf counts the files of a process that this program has open.
func heldOf(t *testing.T, pid int) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		to, err := os.Readlink(filepath.Join("/proc/self/fd", f.Name()))
		if err == nil && strings.HasPrefix(to, "/proc/"+strconv.Itoa(pid)+"/") {
			n++
		}
	}
	return n
}

func TestAProcessThatEndsHasNoRowThoughItsFileIsHeldOpen(t *testing.T) {
	cmd := child(t, "sleep", "60")
	pid := cmd.Process.Pid
	s := proc.New(proc.Config{Patience: time.Minute})
	at := time.Now()
	first := read(t, s, at, pid)
	if rows := pidsOf(first); len(rows) == 0 || heldOf(t, pid) != 1 {
		t.Fatalf("rows %v, %d files held, want the child and 1", rows, heldOf(t, pid))
	}
	again := read(t, s, at.Add(time.Second), pid)
	if p, ok := row(again, pid); !ok || p.Name != "sleep" || p.StartTicks != first.Processes[len(first.Processes)-1].StartTicks {
		t.Errorf("a second later it is %+v", p)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	gone := read(t, s, at.Add(2*time.Second), pid)
	if _, there := row(gone, pid); there || gone.Status.State != monitor.StateOK {
		t.Errorf("after its end: %v, %+v", pidsOf(gone), gone.Status)
	}
	if n := heldOf(t, pid); n != 0 {
		t.Errorf("%d files of it are still open", n)
	}
}

func row(part monitor.Part, pid int) (monitor.Process, bool) {
	s := monitor.Sample{Processes: part.Processes}
	return s.Process(pid)
}

func TestExecBehindAHeldFileIsNoticed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "go")
	cmd := child(t, "sh", "-c", `while [ ! -e "$0" ]; do sleep 0.01; done; exec sleep 61`, path)
	s := proc.New(proc.Config{Patience: time.Minute})
	defer s.Close() //nolint:errcheck // returns nil
	at := time.Now()
	if p, _ := row(read(t, s, at, cmd.Process.Pid), cmd.Process.Pid); !strings.HasPrefix(p.Command, "sh ") {
		t.Fatalf("it is %q", p.Command)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 30_000 { // half a minute and more: how soon it comes is the machine's affair
		at = at.Add(time.Second)
		if p, _ := row(read(t, s, at, cmd.Process.Pid), cmd.Process.Pid); p.Name == "sleep" && p.Command == "sleep 61" {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("the new program's command line never came")
}

func TestWhatIsNoLongerAskedForIsNotHeldOpen(t *testing.T) {
	a, b := child(t, "sleep", "60"), child(t, "sleep", "60")
	s := proc.New(proc.Config{Patience: time.Minute})
	read(t, s, time.Now(), a.Process.Pid, b.Process.Pid)
	read(t, s, time.Now(), b.Process.Pid)
	if heldOf(t, a.Process.Pid) != 0 || heldOf(t, b.Process.Pid) != 1 {
		t.Errorf("%d and %d files held, want 0 and 1", heldOf(t, a.Process.Pid), heldOf(t, b.Process.Pid))
	}
	if err := s.Close(); err != nil || heldOf(t, b.Process.Pid) != 0 {
		t.Errorf("after Close %d files held, %v", heldOf(t, b.Process.Pid), err)
	}
}

// What is held is looked at each hour, and the least of six hours counts:
// facts that are being read at one of these moments are not growth, and what
// grows is there at each of them.
func TestADayOfReadsGrowsNothing(t *testing.T) {
	pids := []int{child(t, "sleep", "600").Process.Pid, child(t, "sleep", "600").Process.Pid}
	s := proc.New(proc.Config{Patience: time.Minute})
	defer s.Close() //nolint:errcheck // returns nil
	seen := &monitor.Sample{Torch: []monitor.Allocator{{PID: pids[0]}, {PID: pids[1]}}}
	at := time.Now()
	hour := func() {
		for range 900 {
			at = at.Add(4 * time.Second)
			s.Read(t.Context(), monitor.Request{Time: at, Seen: seen})
		}
	}
	hour()
	var heaps []int64
	var opens []int
	for range 24 {
		hour()
		heap, open := held(t)
		heaps, opens = append(heaps, heap), append(opens, open)
	}
	if before, after := slices.Min(heaps[:6]), slices.Min(heaps[18:]); after > before+128<<10 {
		t.Errorf("%d bytes are held at first, %d a day later: %v", before, after, heaps)
	}
	if before, after := slices.Min(opens[:6]), slices.Min(opens[18:]); after > before {
		t.Errorf("%d files are open at first, %d a day later: %v", before, after, opens)
	}
}

// held tells the bytes that are reachable and the files that are open.
func held(t *testing.T) (heap int64, open int) {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what a pool kept over the first goes with the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), len(files)
}

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
)

// TestWhatTheScreenCosts is no test but a measurement of the whole program: 8
// GPUs and 64 processes at 160×48 on the stand-in driver. It asserts nothing
// and runs only when asked for:
//
//	VRAMSCOPE_COST=20s go test ./cmd/vramscope -run Costs -v
//
// The value is how long each line is measured, after five seconds of warming up.
func TestWhatTheScreenCosts(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("VRAMSCOPE_COST"))
	if err != nil {
		t.Skip("a measurement, run with VRAMSCOPE_COST=20s")
	}
	dir := t.TempDir()
	library, err := fakedriver.Build(dir, fakedriver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "vramscope")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	config := machine(t, dir)
	for _, args := range [][]string{nil, {"--no-log"}, {"--interval", "100ms"}, {"--interval", "60s"}} {
		r := start(t, program, args, fakedriver.Env(library, config, ""))
		time.Sleep(5 * time.Second)
		before := r.read(t)
		time.Sleep(length)
		after := r.read(t)
		seconds := after.at.Sub(before.at).Seconds()
		t.Logf("%-18s processor %.3f %%, to the terminal %.2f KB/s, wake-ups %.0f/s, resident %.1f MiB (program text %.1f), first figures %d ms, quit %d ms",
			strings.Join(args, " "), 100*(after.processor-before.processor).Seconds()/seconds, float64(after.written-before.written)/1000/seconds,
			float64(after.switches-before.switches)/seconds, after.residentMiB, after.fileMiB, r.first().Milliseconds(), r.quit(t).Milliseconds())
	}
}

// machine writes the configuration of 8 GPUs with 8 processes each, which live
// until the test ends.
func machine(t *testing.T, dir string) string {
	t.Helper()
	conf := fakedriver.Config{GPUs: 8}
	for i := range 64 {
		sleeper := exec.Command("sleep", "3600")
		if err := sleeper.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = sleeper.Process.Kill()
			_ = sleeper.Wait()
		})
		conf.Process(i%8, sleeper.Process.Pid, int64(1+i%7)<<30, 'c', -1)
	}
	path := filepath.Join(dir, "machine")
	if err := conf.Write(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// running is the program on a pseudo-terminal.
type running struct {
	cmd     *exec.Cmd
	ptm     *os.File
	began   time.Time
	mu      sync.Mutex
	written int
	seen    []byte
	firstAt time.Time
}

func start(t *testing.T, program string, args, env []string) *running {
	t.Helper()
	r := &running{cmd: exec.Command(program, args...)}
	r.cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8"), env...)
	r.began = time.Now()
	var err error
	if r.ptm, err = pty.StartWithSize(r.cmd, &pty.Winsize{Rows: 48, Cols: 160}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		_ = r.ptm.Close()
	})
	go r.pump()
	return r
}

func (r *running) pump() {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.ptm.Read(buf)
		r.mu.Lock()
		r.written += n
		if r.firstAt.IsZero() {
			if r.seen = append(r.seen, buf[:n]...); bytes.Contains(r.seen, []byte("PID")) {
				r.firstAt = time.Now()
			}
		}
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (r *running) first() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.firstAt.Sub(r.began)
}

func (r *running) quit(t *testing.T) time.Duration {
	t.Helper()
	asked := time.Now()
	if _, err := r.ptm.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	_ = r.cmd.Wait()
	return time.Since(asked)
}

// reading is what the kernel says of the program at a moment.
type reading struct {
	at                   time.Time
	processor            time.Duration
	switches, written    int64
	residentMiB, fileMiB float64
}

func (r *running) read(t *testing.T) reading {
	t.Helper()
	out := reading{at: time.Now()}
	root := fmt.Sprintf("/proc/%d", r.cmd.Process.Pid)
	threads, err := filepath.Glob(root + "/task/*")
	if err != nil || len(threads) == 0 {
		t.Fatalf("no threads: %v", err)
	}
	for _, thread := range threads {
		if text, err := os.ReadFile(thread + "/schedstat"); err == nil {
			ns, _ := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
			out.processor += time.Duration(ns)
		}
		for name, value := range status(thread + "/status") {
			if strings.HasSuffix(name, "ctxt_switches") {
				out.switches += value
			}
		}
	}
	own := status(root + "/status")
	out.residentMiB, out.fileMiB = float64(own["VmRSS"])/1024, float64(own["RssFile"])/1024
	r.mu.Lock()
	out.written = int64(r.written)
	r.mu.Unlock()
	return out
}

// status returns the numbers of a status file.
func status(path string) map[string]int64 {
	out := map[string]int64{}
	text, err := os.ReadFile(path)
	if err != nil {
		return out
	}
	for l := range strings.Lines(string(text)) {
		name, rest, ok := strings.Cut(l, ":")
		if fields := strings.Fields(rest); ok && len(fields) > 0 {
			if n, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
				out[name] = n
			}
		}
	}
	return out
}

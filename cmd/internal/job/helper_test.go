//go:build linux

package job

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// plainChild makes the test binary run its arguments as a plain job; keptChild
// on a pseudo-terminal, until its standard input says what to do.
const (
	plainChild = "VRAMSCOPE_TEST_PLAIN"
	keptChild  = "VRAMSCOPE_TEST_KEPT"
	outputFile = "VRAMSCOPE_TEST_OUTPUT"
	spareFile  = "VRAMSCOPE_TEST_SPARE"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == KeeperCommand:
		os.Exit(Keep())
	case len(os.Args) > 1 && os.Args[1] == WitnessCommand:
		os.Exit(Witness())
	case os.Getenv(plainChild) != "":
		os.Exit(beMonitorOfPlain())
	case os.Getenv(keptChild) != "":
		os.Exit(beMonitor())
	}
	os.Exit(m.Run())
}

// beMonitorOfPlain is a program that does nothing but StartPlain.
func beMonitorOfPlain() int {
	_ = os.Unsetenv(plainChild)
	spec := PlainSpec{Args: os.Args[1:]}
	if name := os.Getenv(outputFile); name != "" {
		f, err := OpenOutput(name, false)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		spec.Output = f
	}
	p, err := StartPlain(spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		var start *StartError
		if errors.As(err, &start) {
			return start.Code
		}
		return 1
	}
	return p.Wait().Code
}

// beMonitor is a program that starts a job on a pseudo-terminal, says so and
// leaves or lives as its standard input says.
func beMonitor() int {
	_ = os.Unsetenv(keptChild)
	spec := Spec{Args: os.Args[1:], Spare: os.Getenv(spareFile)}
	if name := os.Getenv(outputFile); name != "" {
		f, err := OpenOutput(name, false)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		spec.Output = f
	}
	j, err := Start(spec)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(j.PID())
	var word string
	if _, err := fmt.Scan(&word); err != nil {
		<-j.Done()
		return 0
	}
	name, err := j.Detach()
	fmt.Println(name, err)
	return 0
}

// must waits until something holds.
func must(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// pane is a Tap.
type pane struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *pane) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

func (p *pane) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

func (p *pane) shows(what string) func() bool {
	return func() bool { return strings.Contains(p.text(), what) }
}

// start starts a shell script on a pseudo-terminal.
func start(t *testing.T, script string, change func(*Spec)) (*Job, *pane) {
	t.Helper()
	p := &pane{}
	spec := Spec{Args: []string{"/bin/sh", "-c", script}, Tap: p, Spare: filepath.Join(folder(t), "spare.log")}
	if change != nil {
		change(&spec)
	}
	j, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if state, _ := j.State(); state != Ended {
			j.End(0)
			<-j.Done()
		}
		j.Close()
	})
	return j, p
}

// end waits for the end and returns how.
func end(t *testing.T, j *Job) Result {
	t.Helper()
	select {
	case <-j.Done():
	case <-time.After(60 * time.Second):
		t.Fatal("the job does not end")
	}
	_, r := j.State()
	return r
}

// alive reports whether a process exists and is no zombie.
func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	return len(fields) > 0 && fields[0][0] != 'Z' && fields[0][0] != 'X'
}

func stopped(pid int) bool {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return bytes.Contains(b, []byte(") T "))
}

func kill(t *testing.T, pid int) {
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
}

// number reads a PID that a script wrote to a file.
func number(t *testing.T, file string) int {
	t.Helper()
	n := 0
	must(t, "a number in "+file, func() bool {
		b, _ := os.ReadFile(file)
		n, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return n > 0 && bytes.HasSuffix(b, []byte("\n"))
	})
	return n
}

func contents(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// plain prepares the test binary as a program that runs a script without a
// screen.
func plain(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(append(os.Environ(), plainChild+"=1"), env...)
	return cmd
}

func code(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// openTerminal returns a pseudo-terminal with nothing on it.
func openTerminal(t *testing.T) (ptm, pts *os.File) {
	t.Helper()
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { _ = ptm.Close(); _ = pts.Close() })
	return ptm, pts
}

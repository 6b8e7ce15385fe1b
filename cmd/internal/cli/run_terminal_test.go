//go:build linux

package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// programEnv makes the test binary be the program.
const programEnv = "CLI_TEST_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programEnv) != "" {
		os.Exit(Main(System{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Now: time.Now}))
	}
	os.Exit(m.Run())
}

// program prepares the program with its working directory in a folder of its
// own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = folder(t)
	cmd.Env = append(os.Environ(), programEnv+"=1", "TERM=xterm-256color", "HOME="+cmd.Dir, "XDG_CONFIG_HOME="+cmd.Dir, "LANG=C.UTF-8")
	return cmd
}

// folder returns a temporary folder into which a process may still write when
// the test is over, as the keeper of a job does.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vramscope")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 500 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	return dir
}

func exitOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	return -1
}

// attendant is somebody at a terminal with the program on it.
type attendant struct {
	t    *testing.T
	cmd  *exec.Cmd
	ptm  *os.File
	dir  string
	mu   sync.Mutex
	seen bytes.Buffer

	hungUp atomic.Bool
}

// attend starts the program on a terminal of its own, as its session's leader.
func attend(t *testing.T, args ...string) *attendant {
	t.Helper()
	cmd := program(t, args...)
	return attendTo(t, cmd)
}

func attendTo(t *testing.T, cmd *exec.Cmd) *attendant {
	t.Helper()
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer pts.Close() //nolint:errcheck // the program's
	a := &attendant{t: t, cmd: cmd, ptm: ptm, dir: cmd.Dir}
	if err := pty.Setsize(ptm, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	if cmd.Stdin == nil {
		cmd.Stdin = pts
	}
	cmd.Stdout, cmd.Stderr = pts, pts
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 1}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fd := int32(ptm.Fd())
	go func() {
		buf := make([]byte, 4096)
		for {
			// A read that waits would hold the terminal open when it is closed.
			if n, err := unix.Poll([]unix.PollFd{{Fd: fd, Events: unix.POLLIN}}, 50); err == nil && n == 0 && !a.hungUp.Load() {
				continue
			}
			n, err := ptm.Read(buf)
			a.mu.Lock()
			a.seen.Write(buf[:n])
			a.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = ptm.Close() })
	return a
}

func (a *attendant) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return ansi.Strip(a.seen.String())
}

// until waits for something to hold.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

func (a *attendant) waitFor(what string) {
	a.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(a.text(), what); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			a.t.Fatalf("%q never came; the terminal got:\n%s", what, a.text())
		}
	}
}

func (a *attendant) keys(s string) {
	a.t.Helper()
	if _, err := a.ptm.WriteString(s); err != nil {
		a.t.Fatal(err)
	}
}

func (a *attendant) signal(s os.Signal) {
	a.t.Helper()
	if err := a.cmd.Process.Signal(s); err != nil {
		a.t.Fatal(err)
	}
}

func (a *attendant) mustExit(code int) {
	a.t.Helper()
	timer := time.AfterFunc(30*time.Second, func() { _ = a.cmd.Process.Kill() })
	err := a.cmd.Wait()
	timer.Stop()
	if got := exitOf(err); got != code {
		a.t.Errorf("exit code %d, want %d; the terminal got:\n%s", got, code, a.text())
	}
}

// jobPID waits for the job of a script that writes $$ to the file pid.
func (a *attendant) jobPID() int {
	a.t.Helper()
	pid := 0
	until(a.t, "the job starts", func() bool {
		b, _ := os.ReadFile(filepath.Join(a.dir, "pid"))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
		return bytes.HasSuffix(b, []byte("\n"))
	})
	a.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

func lives(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !bytes.Contains(b, []byte(") Z "))
}

// writes waits for the output of a job to grow in the file whose name begins so.
func (a *attendant) writes(prefix string) string {
	a.t.Helper()
	size := func() (string, int) {
		found, _ := filepath.Glob(filepath.Join(a.dir, prefix+"*"))
		if len(found) != 1 {
			return "", 0
		}
		b, _ := os.ReadFile(found[0])
		return string(b), len(b)
	}
	before := 0
	until(a.t, "a file "+prefix, func() bool { _, before = size(); return before > 0 })
	var all string
	until(a.t, "output goes on", func() bool {
		text, n := size()
		all = text
		return n > before+50
	})
	return all
}

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
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), programEnv+"=1", "TERM=xterm-256color", "HOME="+cmd.Dir, "XDG_CONFIG_HOME="+cmd.Dir, "LANG=C.UTF-8")
	return cmd
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

// endless prints steps until it is ended; SIGHUP shows in what it prints.
const endless = `echo $$ >pid; trap 'echo hung up' HUP; trap 'echo saving; exit 9' TERM; i=0; while :; do i=$((i+1)); echo "step $i"; echo "Allocated: 4.87 GB"; sleep 0.05; done`

func TestLeavingTheScreenAsksAndTheJobGoesOnWithItsOutputKept(t *testing.T) {
	a := attend(t, "run", "--", "/bin/sh", "-c", endless)
	a.waitFor("live")
	a.waitFor("4.9")
	pid := a.jobPID()
	a.keys("q")
	a.waitFor("still runs")
	a.keys("\n") // back
	until(t, "the screen is back", func() bool { return strings.Count(a.raw(), "\x1b[?1049h") == 2 })
	a.keys("q")
	until(t, "it asks again", func() bool { return strings.Count(a.text(), "still runs") == 2 })
	a.keys("g\n")
	a.mustExit(0)
	a.waitFor("the job goes on (pid " + strconv.Itoa(pid) + ")")
	all := a.writes("vramscope-run-")
	if !strings.HasPrefix(all, "step 1\n") || strings.Contains(all, "hung up") || !lives(pid) {
		t.Errorf("alive: %v, output %.100q", lives(pid), all)
	}
}

func (a *attendant) raw() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen.String()
}

func TestLeavingTheScreenCanEndTheJob(t *testing.T) {
	a := attend(t, "run", "--", "/bin/sh", "-c", endless)
	a.waitFor("live")
	pid := a.jobPID()
	a.keys("q")
	a.waitFor("still runs")
	a.keys("\x03")
	until(t, "ctrl-c is no answer", func() bool { return strings.Count(a.text(), "> ") == 2 })
	a.keys("e\n")
	a.mustExit(9)
	if lives(pid) {
		t.Error("the job lives")
	}
}

func TestTheScreenStaysAfterTheEndAndPassesTheExitCodeOn(t *testing.T) {
	a := attend(t, "run", "--record", "run.jsonl", "--output", "out.log", "--", "/bin/sh", "-c", `echo "Allocated: 4.87 GB"; echo "RuntimeError: it went wrong" >&2; exit 3`)
	a.waitFor("live")
	until(t, "the end is recorded", func() bool {
		b, _ := os.ReadFile(filepath.Join(a.dir, "run.jsonl"))
		return strings.Contains(string(b), "the job exited with code 3")
	})
	a.keys("q")
	a.mustExit(3)
	a.waitFor("exited with code 3")
	a.waitFor("| RuntimeError: it went wrong")
	if b, _ := os.ReadFile(filepath.Join(a.dir, "out.log")); string(b) != "Allocated: 4.87 GB\nRuntimeError: it went wrong\n" {
		t.Errorf("the file has %q", b)
	}
}

func TestALostTerminalLeavesTheJobRunning(t *testing.T) {
	for _, where := range []string{"on the screen", "at the question"} {
		t.Run(where, func(t *testing.T) {
			a := attend(t, "run", "--output", "out.log", "--", "/bin/sh", "-c", endless)
			a.waitFor("live")
			pid := a.jobPID()
			if where == "at the question" {
				a.keys("q")
				a.waitFor("still runs")
			}
			a.hungUp.Store(true)
			if err := a.ptm.Close(); err != nil { // the kernel sends SIGHUP
				t.Fatal(err)
			}
			_ = a.cmd.Wait()
			if all := a.writes("out.log"); strings.Contains(all, "hung up") || !lives(pid) {
				t.Errorf("alive: %v, output %.100q", lives(pid), all)
			}
		})
	}
}

func TestHangupPassesALostTerminalOn(t *testing.T) {
	a := attend(t, "run", "--hangup", "--output", "out.log", "--", "/bin/sh", "-c", strings.Replace(endless, "echo hung up", "exit 5", 1))
	a.waitFor("live")
	pid := a.jobPID()
	a.signal(syscall.SIGHUP)
	a.mustExit(5)
	if lives(pid) {
		t.Error("the job lives")
	}
}

func TestSIGTERMIsPassedOnAndTheScreenGoesWithTheJob(t *testing.T) {
	a := attend(t, "run", "--", "/bin/sh", "-c", endless)
	a.waitFor("live")
	a.jobPID()
	a.signal(syscall.SIGTERM)
	a.mustExit(9)
}

func TestAJobOutlivesAKilledMonitor(t *testing.T) {
	a := attend(t, "run", "--", "/bin/sh", "-c", endless)
	a.waitFor("live")
	pid := a.jobPID()
	a.signal(syscall.SIGKILL)
	_ = a.cmd.Wait()
	if all := a.writes("vramscope-run-"); strings.Contains(all, "hung up") || !lives(pid) {
		t.Errorf("alive: %v, output %.100q", lives(pid), all)
	}
}

func TestASuspendedScreenDoesNotStopTheJob(t *testing.T) {
	a := attend(t, "run", "--output", "out.log", "--", "/bin/sh", "-c", endless)
	a.waitFor("live")
	a.jobPID()
	a.signal(syscall.SIGSTOP)
	a.writes("out.log")
	a.signal(syscall.SIGCONT)
	a.keys("q")
	a.waitFor("still runs")
	a.keys("e\n")
	a.mustExit(9)
}

func TestTheJobsTerminalHasTheSizeOfTheScreen(t *testing.T) {
	a := attend(t, "run", "--output", "out.log", "--", "/bin/sh", "-c", `echo $$ >pid; trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done`)
	a.waitFor("live")
	a.jobPID()
	if err := pty.Setsize(a.ptm, &pty.Winsize{Rows: 40, Cols: 120}); err != nil {
		t.Fatal(err)
	}
	until(t, "both sizes", func() bool {
		b, _ := os.ReadFile(filepath.Join(a.dir, "out.log"))
		return string(b) == "30 100\n40 120\n"
	})
}

func TestPipedInputIsTheJobsAndKeysComeFromTheTerminal(t *testing.T) {
	cmd := program(t, "run", "--output", "out.log", "--", "cat")
	cmd.Stdin = strings.NewReader("piped\n")
	a := attendTo(t, cmd)
	a.waitFor("live")
	until(t, "the input", func() bool { b, _ := os.ReadFile(filepath.Join(a.dir, "out.log")); return string(b) == "piped\n" })
	a.keys("q")
	a.mustExit(0)
}

func TestWhatCannotBeUsedIsRefusedBeforeTheJobStarts(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no terminal":         {nil, 1, "--headless"},
		"output exists":       {[]string{"--headless", "--output", "full"}, 1, "full"},
		"output has no place": {[]string{"--headless", "--output", "no/such/folder"}, 1, "no/such/folder"},
		"recording exists":    {[]string{"--headless", "--record", "full"}, 1, "full"},
		"log of the job":      {[]string{"--headless", "--log", "-"}, 2, "standard input is the job's"},
		"hangup":              {[]string{"--headless", "--hangup"}, 2, "--hangup"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := program(t, append(append([]string{"run"}, c.args...), "--", "/bin/sh", "-c", "echo started >started")...)
			if err := os.WriteFile(filepath.Join(cmd.Dir, "full"), []byte("something\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if got := exitOf(cmd.Run()); got != c.code || !strings.Contains(errs.String(), c.says) {
				t.Errorf("exit code %d, want %d; %q", got, c.code, errs.String())
			}
			if _, err := os.Stat(filepath.Join(cmd.Dir, "started")); err == nil {
				t.Error("the job was started")
			}
		})
	}
}

func TestHeadlessAddsNothingUnlessAsked(t *testing.T) {
	script := `cat; echo err >&2; exit 7`
	cmd := program(t, "run", "--headless", "/bin/sh", "-c", script)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("a\x00b"), &out, &errs
	if got := exitOf(cmd.Run()); got != 7 || out.String() != "a\x00b" || errs.String() != "err\n" {
		t.Errorf("code %d, %q, %q", got, out.String(), errs.String())
	}
	cmd = program(t, "run", "--headless", "--verbose", "--", "/bin/sh", "-c", "kill -KILL $$")
	errs.Reset()
	cmd.Stderr = &errs
	if got := exitOf(cmd.Run()); got != 137 || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "SIGKILL") {
		t.Errorf("code %d, %q", got, errs.String())
	}
	cmd = program(t, "run", "--headless", "--", "no-such-program")
	errs.Reset()
	cmd.Stderr = &errs
	if got := exitOf(cmd.Run()); got != 127 || !strings.Contains(errs.String(), "no-such-program") {
		t.Errorf("code %d, %q", got, errs.String())
	}
}

func TestHeadlessRecordsAndJudgesWhatTheJobPrints(t *testing.T) {
	cmd := program(t, "run", "--headless", "--record", "run.jsonl", "--advise", "--output", "out.log", "--interval", "100ms", "--", "/bin/sh", "-c",
		`echo "Allocated: 4.87 GB"; sleep 0.5; echo "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.00 GiB is free. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated." >&2; exit 1`)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if got := exitOf(cmd.Run()); got != 1 {
		t.Errorf("exit code %d", got)
	}
	if out.String() != "Allocated: 4.87 GB\n" || !strings.HasPrefix(errs.String(), "torch.cuda.OutOfMemoryError") || !strings.Contains(errs.String(), "CRITICAL") {
		t.Errorf("%q, %q", out.String(), errs.String())
	}
	b, err := os.ReadFile(filepath.Join(cmd.Dir, "run.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"type":"sample"`, "Allocated: 4.87 GB", "Tried to allocate 2.00 GiB"} {
		if !bytes.Contains(b, []byte(want)) {
			t.Errorf("no %q in the recording:\n%s", want, b)
		}
	}
}

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// atShell starts the program from an interactive shell, which can stop and
// continue it, on a terminal of its own.
func atShell(t *testing.T, script string) *attendant {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	p := program(t, "demo")
	cmd := exec.Command(bash, append([]string{"-mc", script}, p.Args...)...)
	cmd.Dir, cmd.Env = p.Dir, p.Env
	return attendTo(t, cmd)
}

// childOf returns the program that the shell started.
func (a *attendant) childOf() int {
	a.t.Helper()
	for _, name := range must(filepath.Glob("/proc/[0-9]*/stat")) {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(a.cmd.Process.Pid) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			if err != nil {
				a.t.Fatal(err)
			}
			return pid
		}
	}
	a.t.Fatal("the shell has no child")
	return 0
}

// raw is what the terminal got, with the sequences that it obeys.
func (a *attendant) raw() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen.String()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestStoppedFromOutsideTheTerminalIsTheShellsUntilItGoesOn(t *testing.T) {
	a := atShell(t, `"$0" demo; echo "stopped-$?"; stty -a; fg >/dev/null; echo "ended-$?"`)
	a.waitFor("GPU 0")
	if err := syscall.Kill(a.childOf(), syscall.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	a.waitFor("stopped-147") // 128 and the number of SIGSTOP
	a.waitFor("isig icanon") // the mode of the shell
	until(t, "the screen comes back", func() bool { return strings.Count(a.raw(), "\x1b[?1049h") == 2 })
	a.keys("q")
	a.waitFor("ended-0")
}

func TestSIGQUITLeavesItsTraceWhereTheShellIs(t *testing.T) {
	a := atShell(t, `"$0" demo; echo "ended-$?"; stty -a`)
	a.waitFor("GPU 0")
	if err := syscall.Kill(a.childOf(), syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	a.waitFor("ended-2")
	a.waitFor("isig icanon")
	seen := a.raw()
	if leave, trace := strings.LastIndex(seen, "\x1b[?1049l"), strings.Index(seen, "SIGQUIT: quit"); leave < 0 || trace < leave {
		t.Errorf("left the screen at %d, wrote the trace at %d", leave, trace)
	}
}

func TestTheDebugLogHasWhatTheTerminalDoesNot(t *testing.T) {
	state := t.TempDir()
	train := filepath.Join(state, "train.log")
	if err := os.WriteFile(train, []byte("Allocated: 4.87 GB, Reserved: 5.10 GB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "--log", train, "--debug-log", "auto")
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state)
	a := attendTo(t, cmd)
	name := filepath.Join(state, "vramscope", "debug.log")
	for _, want := range []string{"msg=start", "msg=size width=100 height=30", "msg=source name=log state=ok"} {
		until(t, want, func() bool {
			text, _ := os.ReadFile(name)
			return strings.Contains(string(text), want)
		})
	}
	a.keys("q")
	a.mustExit(ExitDone)
	if mode := must(os.Stat(name)).Mode().Perm(); mode != 0o600 {
		t.Errorf("mode %v", mode)
	}
	if strings.Contains(a.text(), "msg=") {
		t.Error("the terminal got it too")
	}
}

func TestTheDebugLogIsBoundedAndHoldsNoSecret(t *testing.T) {
	opts := &options{}
	opts.screen.debugLog = filepath.Join(t.TempDir(), "debug.log")
	log, err := opts.openDebugLog(System{})
	if err != nil {
		t.Fatal(err)
	}
	for range 40_000 {
		opts.screen.log.Info("event", "reason", "HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345 in the command line")
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{opts.screen.debugLog, opts.screen.debugLog + ".old"} {
		text := must(os.ReadFile(name))
		if len(text) == 0 || len(text) > debugLogBytes {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		if strings.Contains(string(text), "hf_abc") {
			t.Errorf("%s holds a secret", name)
		}
	}
}

func TestADebugLogThatCannotBeWrittenIsRefusedByName(t *testing.T) {
	cmd := program(t, "demo", "--debug-log", "/nowhere/debug.log")
	a := attendTo(t, cmd)
	a.waitFor("/nowhere/debug.log")
	a.mustExit(ExitFailed)
	if strings.Contains(a.raw(), "\x1b[?1049h") {
		t.Errorf("the terminal got %q", a.raw())
	}
}

func TestRunSpeaksUntilTheJobEnds(t *testing.T) {
	cmd := program(t, "run", "--screen-reader", "--interval", "100ms", "--", "sh", "-c", "sleep 1; exit 3")
	a := attendTo(t, cmd)
	a.waitFor("ended: ")
	a.mustExit(3)
	if strings.Contains(a.raw(), "\x1b[?1049h") {
		t.Errorf("the terminal got %q", a.raw())
	}
}

//go:build linux

package job

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheExitCodeComesThrough(t *testing.T) {
	for script, want := range map[string]Result{
		"exit 0":           {},
		"exit 3":           {Code: 3},
		"exit 255":         {Code: 255},
		"kill -KILL $$":    {Code: 137, Signal: syscall.SIGKILL},
		"kill -TERM $$":    {Code: 143, Signal: syscall.SIGTERM},
		"kill -USR1 $$":    {Code: 138, Signal: syscall.SIGUSR1},
		"exec /bin/sleep0": {Code: 127},
	} {
		t.Run(script, func(t *testing.T) {
			j, _ := start(t, script, nil)
			if got := end(t, j); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestAProgramThatCannotBeStartedIsNamedWithTheShellsCode(t *testing.T) {
	dir := folder(t)
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		program string
		code    int
		says    string
	}{
		{"no-such-program-at-all", 127, "no such program in PATH"},
		{filepath.Join(dir, "missing"), 127, "missing"},
		{write("plain.txt", "text", 0o644), 126, "not executable"},
		{dir, 126, "directory"},
		{write("bad-interpreter", "#!/no/such/interpreter\n", 0o755), 127, "interpreter is missing"},
		{write("no-first-line", "echo hello\n", 0o755), 126, "#!/bin/sh"},
	} {
		for how, start := range map[string]func() error{
			"on a screen": func() error { _, err := Start(Spec{Args: []string{c.program}, Spare: "x"}); return err },
			"plain":       func() error { _, err := StartPlain(PlainSpec{Args: []string{c.program}}); return err },
		} {
			t.Run(filepath.Base(c.program)+" "+how, func(t *testing.T) {
				err := start()
				var refused *StartError
				if !errors.As(err, &refused) || refused.Code != c.code {
					t.Fatalf("got %#v (%v), want code %d", err, err, c.code)
				}
				if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.program) {
					t.Errorf("%q does not name %s and say %q", err, c.program, c.says)
				}
			})
		}
	}
}

func TestEveryByteTheJobWritesReachesTheFileAndTheTap(t *testing.T) {
	file := filepath.Join(folder(t), "out.log")
	out, err := OpenOutput(file, false)
	if err != nil {
		t.Fatal(err)
	}
	const script = `i=0; while [ $i -lt 2000 ]; do i=$((i+1)); echo "$LINE$i"; done; printf 'no line end'`
	line := strings.Repeat("0123456789abcdef", 320) // 10 MB in all
	t.Setenv("LINE", line)
	j, p := start(t, script, func(s *Spec) { s.Output = out })
	if r := end(t, j); r.Code != 0 {
		t.Fatal(r)
	}
	var want bytes.Buffer
	for i := 1; i <= 2000; i++ {
		fmt.Fprintf(&want, "%s%d\n", line, i)
	}
	want.WriteString("no line end")
	if got := contents(t, file); got != want.String() {
		t.Errorf("%d bytes in the file, %d were written", len(got), want.Len())
	}
	if tapped := p.text(); !strings.HasSuffix(tapped, "no line end") || len(tapped) > want.Len() {
		t.Errorf("the tap got %d bytes, of %d", len(tapped), want.Len())
	}
}

func TestTheJobHasATerminalOfTheGivenSizeAndLearnsOfChanges(t *testing.T) {
	j, p := start(t, `trap 'stty size' WINCH; test -t 0 && test -t 1 && test -t 2 && stty size; while :; do sleep 0.05; done`,
		func(s *Spec) { s.Size = Size{Rows: 41, Columns: 123} })
	must(t, "41 123", p.shows("41 123"))
	if err := j.Resize(Size{Rows: 17, Columns: 60}); err != nil {
		t.Fatal(err)
	}
	must(t, "17 60", p.shows("17 60"))
}

func TestWhatIsTypedReachesTheJob(t *testing.T) {
	j, p := start(t, `read a; echo "got <$a>"; read b || echo end of input`, nil)
	if _, err := j.Write([]byte("hello\n")); err != nil {
		t.Fatal(err)
	}
	must(t, "the line", p.shows("got <hello>"))
	if _, err := j.Write([]byte{4}); err != nil { // ctrl-d
		t.Fatal(err)
	}
	must(t, "the end", p.shows("end of input"))
	end(t, j)
}

func TestStandardInputThatIsNoTerminalIsTheJobsOwn(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	j, p := start(t, `cat; test -t 0 || echo no terminal`, func(s *Spec) { s.Stdin = r })
	_ = r.Close()
	_, _ = w.WriteString("piped in\n")
	_ = w.Close()
	end(t, j)
	if diff := cmp.Diff("piped in\nno terminal\n", p.text()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAnInterruptGoesToTheWholeFrontGroup(t *testing.T) {
	j, p := start(t, `trap 'echo parent; exit 5' INT; sh -c "trap 'echo child; exit' INT; echo ready; while :; do sleep 0.05; done"`, nil)
	must(t, "ready", p.shows("ready"))
	j.Forward(syscall.SIGINT)
	if r := end(t, j); r.Code != 5 {
		t.Errorf("got %v", r)
	}
	for _, who := range []string{"parent", "child"} {
		if !strings.Contains(p.text(), who) {
			t.Errorf("%s did not get it: %q", who, p.text())
		}
	}
}

func TestSignalsMeantForTheJobReachItAlone(t *testing.T) {
	j, p := start(t, `trap 'echo usr1' USR1; trap 'echo usr2' USR2; trap 'echo hup' HUP; trap 'echo quit' QUIT
		sh -c 'trap "echo child usr1" USR1; while :; do sleep 0.05; done' & echo ready; while :; do sleep 0.05; done`, nil)
	must(t, "ready", p.shows("ready"))
	for _, s := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGHUP, syscall.SIGQUIT} {
		j.Forward(s)
		must(t, s.String(), p.shows(strings.ToLower(SignalName(s)[3:])))
	}
	if strings.Contains(p.text(), "child") {
		t.Errorf("the child got what was for the job: %q", p.text())
	}
}

func TestAJobThatIgnoresSIGTERMIsKilledWithItsChildrenAfterTheGracePeriod(t *testing.T) {
	file := filepath.Join(folder(t), "pid")
	j, p := start(t, `trap '' TERM; setsid sh -c 'trap "" TERM HUP; echo $$ >`+file+`; while :; do sleep 0.05; done' & echo ready; while :; do sleep 0.05; done`, nil)
	must(t, "ready", p.shows("ready"))
	rank := number(t, file)
	kill(t, rank)
	j.End(200e6)
	if r := end(t, j); r.Signal != syscall.SIGKILL || r.Code != 137 {
		t.Errorf("got %v", r)
	}
	must(t, "the rank in its own session ends too", func() bool { return !alive(rank) })
}

func TestWorkersThatHeedNoSigtermEndAfterTheJobHas(t *testing.T) {
	file := filepath.Join(folder(t), "pid")
	j, _ := start(t, `(trap '' TERM HUP INT; while :; do sleep 1; done) & echo $! >`+file+`; exec sleep 60`, nil)
	worker := number(t, file)
	kill(t, worker)
	j.End(300e6)
	end(t, j)
	must(t, "the worker's end", func() bool { return !alive(worker) })
}

func TestAJobThatHeedsSIGTERMIsGivenItsTime(t *testing.T) {
	j, p := start(t, `trap 'echo saving; sleep 0.3; echo saved; exit 9' TERM; echo ready; while :; do sleep 0.05; done`, nil)
	must(t, "ready", p.shows("ready"))
	j.End(Grace)
	if r := end(t, j); r.Code != 9 || !strings.Contains(p.text(), "saved") {
		t.Errorf("got %v, %q", r, p.text())
	}
}

func TestAStoppedJobIsToldAndCanBeEnded(t *testing.T) {
	j, p := start(t, `echo ready; while :; do sleep 0.05; done`, nil)
	must(t, "ready", p.shows("ready"))
	j.Forward(syscall.SIGTSTP)
	must(t, "stopped", func() bool { s, _ := j.State(); return s == Stopped })
	j.Forward(syscall.SIGCONT)
	must(t, "running", func() bool { s, _ := j.State(); return s == Running })
	j.Forward(syscall.SIGTSTP)
	must(t, "stopped again", func() bool { s, _ := j.State(); return s == Stopped })
	j.End(Grace)
	if r := end(t, j); r.Signal != syscall.SIGTERM {
		t.Errorf("got %v", r)
	}
}

func TestADaemonThatTheJobLeavesNeitherHoldsTheEndUpNorIsHurt(t *testing.T) {
	dir := folder(t)
	file, marker, over := filepath.Join(dir, "pid"), filepath.Join(dir, "written"), filepath.Join(dir, "over")
	j, p := start(t, `(trap 'echo hup >`+marker+`' HUP; i=0; until test -e `+over+`; do i=$((i+1)); echo still $i; sleep 0.05; done; echo still there; echo fine >`+marker+`) & echo $! >`+file+`; exit 4`, nil)
	daemon := number(t, file)
	kill(t, daemon)
	if r := end(t, j); r.Code != 4 {
		t.Errorf("got %v", r)
	}
	if !alive(daemon) {
		t.Error("the daemon ended with the job")
	}
	if err := os.WriteFile(over, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "the daemon goes on writing", p.shows("still there"))
	must(t, "it ends by itself", func() bool { b, _ := os.ReadFile(marker); return string(b) == "fine\n" })
}

func TestOrphansStayDescendantsOfTheMonitor(t *testing.T) {
	file := filepath.Join(folder(t), "pid")
	j, p := start(t, `sh -c 'setsid sh -c "echo \$\$ >`+file+`; sleep 60" >/dev/null 2>&1 </dev/null & ' ; echo ready; sleep 60`, nil)
	must(t, "ready", p.shows("ready"))
	orphan := number(t, file)
	kill(t, orphan)
	for name, pid := range map[string]int{"job": j.PID(), "orphan": orphan} {
		if !Under(pid, os.Getpid()) {
			t.Errorf("the %s is no descendant of this process", name)
		}
	}
	if Under(os.Getpid(), j.PID()) {
		t.Error("this process is a descendant of its own job")
	}
}

// monitor starts the test binary as a monitor with a job on a pseudo-terminal.
func monitor(t *testing.T, script string, env ...string) (cmd *exec.Cmd, pid int, say func(string) string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(exe, "/bin/sh", "-c", script)
	cmd.Env = append(append(os.Environ(), keptChild+"=1"), append([]string{spareFile + "=" + filepath.Join(folder(t), "spare.log")}, env...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := &pane{}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	must(t, "the job's PID", func() bool { n, _ := fmt.Sscan(out.text(), &pid); return n == 1 && strings.Contains(out.text(), "\n") })
	kill(t, pid)
	return cmd, pid, func(word string) string {
		_, _ = fmt.Fprintln(in, word)
		_ = cmd.Wait()
		_, rest, _ := strings.Cut(out.text(), "\n")
		return rest
	}
}

const counting = `trap 'echo hup' HUP; i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); echo "step $i"; sleep 0.02; done`

func TestADetachedJobGoesOnAndItsOutputIsKept(t *testing.T) {
	for _, with := range []string{"with a file", "without one"} {
		t.Run(with, func(t *testing.T) {
			file := filepath.Join(folder(t), "job.log")
			env := spareFile + "=" + file
			if with == "with a file" {
				env = outputFile + "=" + file
			}
			_, pid, say := monitor(t, counting, env)
			if got, want := say("detach"), file+" <nil>\n"; got != want {
				t.Errorf("the monitor said %q, want %q", got, want)
			}
			mustGoOn(t, pid, file)
			if text := contents(t, file); !strings.HasPrefix(text, "step 1\n") {
				t.Errorf("the output from before is missing: %.40q", text)
			}
		})
	}
}

// mustGoOn checks that a job without its monitor runs, writes and was not hung
// up, and that everything ends with it.
func mustGoOn(t *testing.T, pid int, file string) {
	t.Helper()
	must(t, "the file appears", func() bool { _, err := os.Stat(file); return err == nil })
	size := len(contents(t, file))
	must(t, "output goes on", func() bool { return len(contents(t, file)) > size+100 })
	if !alive(pid) || strings.Contains(contents(t, file), "hup") {
		t.Errorf("alive: %v, output %.200q", alive(pid), contents(t, file))
	}
	keeper, _ := parentOf(pid)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	must(t, "the keeper ends with its job", func() bool { return !alive(keeper) })
}

func TestAJobSurvivesTheMonitorBeingKilled(t *testing.T) {
	for _, with := range []string{outputFile, spareFile} {
		t.Run(with, func(t *testing.T) {
			file := filepath.Join(folder(t), "job.log")
			cmd, pid, _ := monitor(t, counting, with+"="+file)
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			mustGoOn(t, pid, file)
		})
	}
}

func TestASuspendedMonitorDoesNotHoldTheJobUp(t *testing.T) {
	dir := folder(t)
	done := filepath.Join(dir, "done")
	cmd, pid, _ := monitor(t, `dd if=/dev/zero bs=1024 count=20000 2>/dev/null | tr '\0' x; echo 1 >`+done+`; sleep 60`)
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	number(t, done)
	if !alive(pid) {
		t.Error("the job is gone")
	}
}

func TestADiskThatIsFullDoesNotHoldTheJobUp(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no /dev/full here: %v", err)
	}
	j, p := start(t, `i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo "line $i of quite some length to fill buffers"; done; echo end`, func(s *Spec) { s.Output = full })
	if r := end(t, j); r.Code != 0 || !strings.Contains(p.text(), "end\n") {
		t.Errorf("got %v", r)
	}
	if !strings.Contains(j.Trouble(), "no space left") {
		t.Errorf("trouble %q", j.Trouble())
	}
}

func TestAFileWithSomethingInItIsNotOverwritten(t *testing.T) {
	file := filepath.Join(folder(t), "old.log")
	if err := os.WriteFile(file, []byte("earlier\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOutput(file, false); err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "--append") {
		t.Errorf("got %v", err)
	}
	out, err := OpenOutput(file, true)
	if err != nil {
		t.Fatal(err)
	}
	j, _ := start(t, "echo later", func(s *Spec) { s.Output = out })
	end(t, j)
	if diff := cmp.Diff("earlier\nlater\n", contents(t, file)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestASignalThatWasIgnoredAtTheStartStaysIgnored(t *testing.T) {
	file := filepath.Join(folder(t), "job.log")
	exe, _ := os.Executable()
	cmd := exec.Command("/bin/sh", "-c", `trap '' HUP; exec "$@"`, "sh", exe, "/bin/sh", "-c", `kill -HUP $$; echo alive; exit 6`)
	cmd.Env = append(os.Environ(), plainChild+"=1", outputFile+"="+file)
	if got := code(cmd.Run()); got != 6 {
		t.Errorf("exit code %d, want 6", got)
	}
}

//go:build linux

package job

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// seen is what somebody outside can tell of a finished program.
type seen struct {
	Out, Err string
	Code     int
}

func look(cmd *exec.Cmd, stdin string) seen {
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	return seen{out.String(), errs.String(), code(err)}
}

func TestWithoutAScreenAJobLooksTheSameFromOutside(t *testing.T) {
	const noise = `printf 'a\r\nb\0c\377'; printf 'E\r' >&2; cat; echo done >&2; `
	for name, script := range map[string]string{
		"bytes, separate streams, input": noise + "exit 0",
		"exit code":                      noise + "exit 42",
		"no terminal is made up":         `test -t 0 || test -t 1 || test -t 2 || echo none`,
		"large":                          `cat; cat >&2 /dev/null; dd if=/dev/zero bs=1000 count=3000 2>/dev/null | tr '\0' y`,
		"standard output closed":         `exec >&-; echo x`,
		"session and group":              `ps -o sid= -p $$ >/dev/null; test "$(cut -d' ' -f5,6 /proc/$$/stat)" = "$(cut -d' ' -f5,6 /proc/$PPID/stat)"`,
	} {
		for _, with := range []string{"", "with a copy"} {
			t.Run(name+" "+with, func(t *testing.T) {
				var env []string
				file := filepath.Join(folder(t), "copy.log")
				if with != "" {
					env = []string{outputFile + "=" + file}
				}
				want := look(exec.Command("/bin/sh", "-c", script), "in\x00put\n")
				got := look(plain(t, env, "/bin/sh", "-c", script), "in\x00put\n")
				if diff := cmp.Diff(want, got); diff != "" && name != "session and group" {
					t.Errorf("-alone +under:\n%.2000s", diff)
				}
				if name == "session and group" && got.Code != 0 {
					t.Error("the job is in another group or session than its starter")
				}
				if with != "" {
					text := contents(t, file)
					if len(text) != len(want.Out)+len(want.Err) {
						t.Errorf("%d bytes in the copy, %d were written", len(text), len(want.Out)+len(want.Err))
					}
				}
			})
		}
	}
}

func TestWithoutAScreenTheJobsDeathBySignalIs128AndItsNumber(t *testing.T) {
	for script, want := range map[string]int{"kill -KILL $$": 137, "kill -SEGV $$": 139, "kill -HUP $$": 129} {
		if got := look(plain(t, nil, "/bin/sh", "-c", script), ""); got.Code != want {
			t.Errorf("%s: %d, want %d", script, got.Code, want)
		}
	}
}

func TestAReaderThatGoesAwayEndsTheJobAsItWouldAlone(t *testing.T) {
	exe, _ := os.Executable()
	for _, env := range [][]string{nil, {outputFile + "=" + filepath.Join(folder(t), "copy.log")}} {
		cmd := exec.Command("/bin/sh", "-c", `{ "$1" /bin/sh -c 'while echo y; do :; done'; echo "code $?" >&2; } | head -n 2`, "sh", exe)
		cmd.Env = append(append(os.Environ(), plainChild+"=1"), env...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if _, err := cmd.Output(); err != nil && code(err) == -1 {
			t.Fatal(err)
		}
		if !strings.Contains(errs.String(), "code ") {
			t.Errorf("it did not end: %q", errs.String())
		}
	}
}

// trapping prints every signal that it gets.
const trapping = `for s in INT TERM HUP QUIT USR1 USR2 CONT WINCH; do trap "echo $s" $s; done; echo ready $$; while :; do sleep 0.05; done`

// underWay starts a plain job in a session of its own and waits for its PID.
func underWay(t *testing.T, script string, env ...string) (cmd *exec.Cmd, out *pane, pid int) {
	t.Helper()
	cmd, out = plain(t, env, "/bin/sh", "-c", script), &pane{}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() })
	must(t, "ready", out.shows("ready"))
	_, rest, _ := strings.Cut(out.text(), "ready ")
	for _, c := range strings.Fields(rest)[0] {
		pid = 10*pid + int(c-'0')
	}
	kill(t, pid)
	return cmd, out, pid
}

func TestASignalToTheMonitorAloneIsPassedOnOnce(t *testing.T) {
	cmd, out, _ := underWay(t, trapping)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2} {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		must(t, s.String(), out.shows("\n"+SignalName(s)[3:]+"\n"))
	}
	for _, line := range strings.Fields(out.text())[2:] {
		if n := strings.Count(out.text(), "\n"+line+"\n"); n != 1 {
			t.Errorf("%s came %d times", line, n)
		}
	}
}

func TestASignalToTheWholeGroupReachesTheJobOnce(t *testing.T) {
	// It waits for nothing, so that two signals in a row cannot become one.
	cmd, out, pid := underWay(t, strings.Replace(trapping, "do sleep 0.05", "do :", 1))
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		if err := syscall.Kill(-cmd.Process.Pid, s); err != nil {
			t.Fatal(err)
		}
		must(t, s.String(), out.shows("\n"+SignalName(s)[3:]+"\n"))
	}
	// The monitor takes signals in their order: when this one has arrived it has
	// dealt with those before.
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	must(t, "USR1", out.shows("\nUSR1\n"))
	want := "TERM\nINT\nUSR1\n"
	if _, got, _ := strings.Cut(out.text(), "\n"); got != want {
		t.Errorf("the job %d got %q, want %q", pid, got, want)
	}
}

func TestCtrlCOnTheTerminalReachesAPlainJobOnceAndItsCodeComesBack(t *testing.T) {
	ptm, pts := openTerminal(t)
	out := &pane{}
	go func() { _, _ = io.Copy(out, ptm) }()
	cmd := plain(t, nil, "/bin/sh", "-c", `n=0; trap 'n=$((n+1)); echo "int $n"' INT; trap 'exit $((n+10))' USR1; echo ready; while :; do sleep 0.05; done`)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pts, pts, pts
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	must(t, "ready", out.shows("ready"))
	if _, err := ptm.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	must(t, "the interrupt", out.shows("int 1"))
	if err := cmd.Process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	if got := code(cmd.Wait()); got != 11 {
		t.Errorf("exit code %d, want 11: one interrupt", got)
	}
}

func TestCtrlZStopsJobAndMonitorAndFgContinuesBoth(t *testing.T) {
	ptm, pts := openTerminal(t)
	if err := pty.Setsize(ptm, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	out := &pane{}
	go func() { _, _ = io.Copy(out, ptm) }()
	exe, _ := os.Executable()
	// A shell with job control between, as at a prompt.
	shell := exec.Command("/bin/bash", "--norc", "-i")
	shell.Env = append(os.Environ(), plainChild+"=1", "EXE="+exe, "PS1=prompt:")
	shell.Stdin, shell.Stdout, shell.Stderr = pts, pts, pts
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := shell.Start(); err != nil {
		t.Skipf("no bash here: %v", err)
	}
	t.Cleanup(func() { _ = shell.Process.Kill(); _ = shell.Wait() })
	file := filepath.Join(folder(t), "pid")
	typed := func(s string) {
		t.Helper()
		if _, err := ptm.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	must(t, "a prompt", out.shows("prompt:"))
	typed(`"$EXE" /bin/sh -c 'echo $$ >` + file + `; echo rea''dy; while :; do sleep 0.05; test -e ` + file + `.end && exit 7; done'; echo "co""de $?"` + "\n")
	must(t, "ready", out.shows("ready"))
	pid := number(t, file)
	monitor, _ := parentOf(pid)
	typed("\x1a")
	must(t, "both stopped", func() bool { return stopped(pid) && stopped(monitor) })
	typed("fg\n")
	must(t, "both run", func() bool { return !stopped(pid) && !stopped(monitor) })
	if err := os.WriteFile(file+".end", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "the end", func() bool { return !alive(monitor) })
	typed("echo \"la\"\"st $?\"\n")
	must(t, "the code", func() bool { return strings.Contains(out.text(), "code 7") || strings.Contains(out.text(), "last 7") })
}

func TestASIGTSTPToTheMonitorAloneStopsTheJobToo(t *testing.T) {
	// Not an orphaned group: its leader's parent, this test, is in the session.
	cmd := plain(t, nil, "/bin/sh", "-c", `echo ready $$; while :; do sleep 0.05; done`)
	out := &pane{}
	cmd.Stdout = out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() })
	must(t, "ready", out.shows("ready"))
	var pid int
	must(t, "the PID", func() bool {
		f := strings.Fields(out.text())
		if len(f) < 2 || !strings.HasSuffix(out.text(), "\n") {
			return false
		}
		for pid = 0; f[1] != ""; f[1] = f[1][1:] {
			pid = 10*pid + int(f[1][0]-'0')
		}
		return true
	})
	if err := cmd.Process.Signal(syscall.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	must(t, "both stopped", func() bool { return stopped(pid) && stopped(cmd.Process.Pid) })
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	must(t, "both run", func() bool { return !stopped(pid) && !stopped(cmd.Process.Pid) })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := code(cmd.Wait()); got != 143 {
		t.Errorf("exit code %d, want 143", got)
	}
}

func TestAPlainJobKeepsItsOutputWhenTheMonitorIsKilled(t *testing.T) {
	file := filepath.Join(folder(t), "copy.log")
	cmd, out, pid := underWay(t, `echo ready $$; i=0; while :; do i=$((i+1)); echo "step $i"; sleep 0.02; done`, outputFile+"="+file)
	if err := syscall.Kill(cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	had, copied := len(out.text()), len(contents(t, file))
	must(t, "output goes on", func() bool { return len(out.text()) > had+50 && len(contents(t, file)) > copied+50 })
	if !alive(pid) {
		t.Error("the job is gone")
	}
}

func TestTheRanksOfALauncherAreAllBelowTheMonitor(t *testing.T) {
	dir := folder(t)
	cmd, _, _ := underWay(t, `for r in 0 1 2 3; do RANK=$r setsid sh -c 'echo $$ >`+dir+`/$RANK; exec sleep 60' & done; echo ready $$; wait`)
	for _, rank := range []string{"0", "1", "2", "3"} {
		pid := number(t, filepath.Join(dir, rank))
		kill(t, pid)
		if !Under(pid, cmd.Process.Pid) {
			t.Errorf("rank %s (pid %d) is not below the monitor", rank, pid)
		}
	}
}

func TestWithoutAControllingTerminalAPlainJobRuns(t *testing.T) {
	cmd := plain(t, nil, "/bin/sh", "-c", `( : </dev/tty ) 2>/dev/null || echo no terminal`)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if got := look(cmd, ""); got.Out != "no terminal\n" || got.Code != 0 {
		t.Errorf("got %+v", got)
	}
}

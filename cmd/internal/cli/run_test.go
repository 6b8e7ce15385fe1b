//go:build linux

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// endless prints steps until it is ended; SIGHUP shows in what it prints.
const endless = `echo $$ >pid; trap 'echo hung up' HUP; trap 'echo saving; exit 9' TERM; i=0; while :; do i=$((i+1)); echo "step $i"; echo "Allocated: 4.87 GB"; sleep 0.05; done`

func TestLeavingTheScreenAsksAndTheJobGoesOnWithItsOutputKept(t *testing.T) {
	a := attend(t, "run", "--", "/bin/sh", "-c", endless)
	a.waitFor("live")
	a.waitFor("4.9")
	pid := a.jobPID()
	a.keys("q")
	a.waitFor("still runs")
	a.keys("x") // back
	a.keys("o")
	a.waitFor("step 1")
	a.keys("q")
	until(t, "it asks again", func() bool { return strings.Count(a.text(), "still runs") == 2 })
	a.keys("g")
	a.mustExit(0)
	a.waitFor("the job goes on (pid " + strconv.Itoa(pid) + ")")
	all := a.writes("vramscope-run-")
	if !strings.HasPrefix(all, "step 1\n") || strings.Contains(all, "hung up") || !lives(pid) {
		t.Errorf("alive: %v, output %.100q", lives(pid), all)
	}
}

func TestLeavingTheScreenCanEndTheJob(t *testing.T) {
	a := attend(t, "run", "--", "/bin/sh", "-c", endless)
	a.waitFor("live")
	pid := a.jobPID()
	a.keys("q")
	a.waitFor("still runs")
	a.keys("\x03") // no answer: back to the screen
	a.keys("o")
	a.waitFor("Output")
	a.keys("q")
	until(t, "it asks again", func() bool { return strings.Count(a.text(), "still runs") == 2 })
	a.keys("e")
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
	a.keys("e")
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
		"debug log":           {[]string{"--headless", "--debug-log", "no/such/debug.log"}, 1, "no/such/debug.log"},
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

func TestHeadlessSaysThatTheOutputIsLostAndPassesTheExitCodeOn(t *testing.T) {
	for script, code := range map[string]int{"echo lost; exit 7": 7, "echo lost; exec >&- 2>&-; exit 0": 0} {
		cmd := program(t, "run", "--headless", "--verbose", "--output", "/dev/full", "--", "/bin/sh", "-c", script)
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if got := exitOf(cmd.Run()); got != code || out.String() != "lost\n" {
			t.Errorf("exit code %d, want %d; %q", got, code, out.String())
		}
		if strings.Count(errs.String(), "no space left") != 1 || !strings.Contains(errs.String(), "/dev/full") || strings.Contains(errs.String(), "see /dev/full") {
			t.Errorf("it says %q", errs.String())
		}
	}
}

func TestHeadlessWritesTheDebugLog(t *testing.T) {
	cmd := program(t, "run", "--headless", "--record", "run.jsonl", "--debug-log", "debug.log", "--", "/bin/sh", "-c", "exit 3")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if got := exitOf(cmd.Run()); got != 3 || errs.Len() > 0 {
		t.Errorf("exit code %d, %q", got, &errs)
	}
	b, _ := os.ReadFile(filepath.Join(cmd.Dir, "debug.log"))
	for _, want := range []string{"msg=start", "msg=source name=nvml", "exited with code 3"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %q in the log:\n%s", want, b)
		}
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

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// firstRows is the first rows of a recording.
const firstRows = `{"type":"header","format":1,"started":"2026-11-30T12:00:00Z","host":"node07","driver":"580","interval_ms":1000,"gpus":[{"index":0,"uuid":"GPU-a","name":"NVIDIA H200","total":150000000000}]}
{"type":"sample","t":0,"gpus":[{"index":0,"used":1000000000,"free":149000000000,"reserved":0,"util":5}],"procs":[],"torch":[]}
{"type":"sample","t":1,"gpus":[{"index":0,"used":1000000000,"free":149000000000,"reserved":0,"util":5}],"procs":[],"torch":[]}
`

// throughPipe starts a replay of what is written into a pipe.
func throughPipe(t *testing.T, args ...string) (*attendant, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := program(t, append([]string{"replay", "-"}, args...)...)
	cmd.Stdin = r
	a := attendTo(t, cmd)
	_ = r.Close()
	t.Cleanup(func() { _ = w.Close() })
	if _, err := w.WriteString(firstRows); err != nil {
		t.Fatal(err)
	}
	return a, w
}

func TestTheScreenSaysHowFarARecordingIsLoadedAndQuits(t *testing.T) {
	a, _ := throughPipe(t)
	a.waitFor("Loading standard input: 0 MB read, 1 sample. q quits.")
	a.keys("q")
	a.mustExit(ExitDone)
	until(t, "the screen is left", func() bool { return strings.Contains(a.raw(), "\x1b[?1049l") })
}

func TestALoadEndsOnASignal(t *testing.T) {
	a, _ := throughPipe(t)
	a.waitFor("Loading standard input")
	if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	a.mustExit(ExitDone)
}

func TestAReplayBeginsWhenItsRecordingIsLoaded(t *testing.T) {
	a, w := throughPipe(t)
	a.waitFor("Loading standard input")
	a.keys("  ") // there is nothing to pause yet
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a.waitFor("node07")
	a.waitFor("end") // it plays, and it was not paused
	a.keys("q")
	a.mustExit(ExitDone)
}

func TestARecordingThatIsDamagedFarInEndsTheScreenWithTheReason(t *testing.T) {
	a, w := throughPipe(t)
	a.waitFor("Loading standard input")
	if _, err := w.WriteString("{\"type\":\n{\"type\":\n"); err != nil {
		t.Fatal(err)
	}
	a.waitFor("standard input: line 5")
	a.mustExit(ExitFailed)
	if seen := a.raw(); strings.LastIndex(seen, "\x1b[?1049l") > strings.Index(seen, "standard input: line 5") {
		t.Error("the reason was written onto the screen, not after it")
	}
}

func TestWhatIsNoRecordingIsRefusedBeforeTheScreen(t *testing.T) {
	cmd := program(t, "replay", "-")
	cmd.Stdin = strings.NewReader("hello\n")
	a := attendTo(t, cmd)
	a.waitFor("standard input: line 1: not a vramscope recording")
	a.mustExit(ExitFailed)
	if strings.Contains(a.raw(), "\x1b[?1049h") {
		t.Error("the terminal was asked for a screen")
	}
}

func TestAReplayOfTheTerminalIsAMistake(t *testing.T) {
	a := attend(t, "replay", "-")
	a.waitFor("standard input is the terminal")
	a.mustExit(ExitUsage)
}

func TestARecordingThroughAPipeIsSpoken(t *testing.T) {
	cmd := program(t, "replay", "-", "--screen-reader", "--speed", "100")
	cmd.Stdin = strings.NewReader(firstRows)
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), "the recording ended") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAFileIsLoadedWithItsShareSaid(t *testing.T) {
	name := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(name, []byte(firstRows), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := openLoading(t.Context(), System{}, name, &options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := l.progress(), "Loading run.jsonl: 100 %, 0 of 0 MB, 2 samples. q quits."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is written %s", n, got)
		}
	}
}

// A pipe with a name does not even open before somebody writes to it.
func TestAReplayOfAPipeThatNobodyWritesEndsOnASignal(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "run.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	ended := make(chan error, 1)
	go func() {
		_, err := openLoading(ctx, System{}, pipe, &options{})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it still waits for a writer")
	}
	w, err := os.OpenFile(pipe, os.O_RDWR, 0) // whoever waits is let go
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
}

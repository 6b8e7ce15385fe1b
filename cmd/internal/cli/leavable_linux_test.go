package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

func TestAWriteThatNobodyTakesIsGivenUpOnlyAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, end := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour, end)
		began := time.Now()
		l := &leavable{patience: patience{ctx, afterSignal}, to: w}
		if _, err := l.Write([]byte("a")); !errors.Is(err, errGivenUp) || time.Since(began) != time.Hour+afterSignal {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		if _, err := l.Write([]byte("b")); !errors.Is(err, errGivenUp) || time.Since(began) != time.Hour+afterSignal {
			t.Errorf("what follows: %v after %v", err, time.Since(began))
		}
		_ = r.Close()
	})
}

func TestASlowReaderGetsWhatIsWrittenBeforeAndJustAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, end := context.WithCancel(t.Context())
		l := &leavable{patience: patience{ctx, afterSignal}, to: w}
		go func() {
			time.Sleep(time.Hour)
			end()
			time.Sleep(afterSignal / 2)
			_, _ = io.ReadFull(r, make([]byte, 1))
		}()
		if n, err := l.Write([]byte("a")); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// stalledPipe is a pipe that takes one page and whose reader never reads.
func stalledPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	size, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 4096)
	if err != nil {
		t.Skipf("the size of a pipe cannot be set: %v", err)
	}
	if _, err := w.Write(bytes.Repeat([]byte(" "), size)); err != nil { // it is full
		t.Fatal(err)
	}
	return w
}

// waitsToWrite tells whether a thread of a process is within a write to its
// standard output.
func waitsToWrite(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	for _, name := range threads {
		if call, _ := os.ReadFile(name); strings.HasPrefix(string(call), fmt.Sprintf("%d 0x1 ", unix.SYS_WRITE)) {
			return true
		}
	}
	return false
}

func TestARecordingThatNobodyReadsEndsOnASignal(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		log := filepath.Join(t.TempDir(), "train.log")
		if err := os.WriteFile(log, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := program(t, "record", "-o", "-", "--interval", "100ms", "--log", log)
		cmd.Stdout = stalledPipe(t)
		errs, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		began := make([]byte, len("recording to standard output"))
		if _, err := io.ReadFull(errs, began); err != nil {
			t.Fatal(err)
		}
		until(t, "the write waits", func() bool { return waitsToWrite(cmd.Process.Pid) })
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		said, _ := io.ReadAll(errs)
		if code := exitOf(cmd.Wait()); code != ExitDone || !kill.Stop() {
			t.Errorf("%v: exit code %d", signal, code)
		}
		if !strings.Contains(string(said), "0 samples in standard output") || !strings.Contains(string(said), "is lost") {
			t.Errorf("%v: it said\n%s", signal, said)
		}
	}
}

func TestAJobThatEndedIsNotHeldByAReaderOfItsRecording(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close() //nolint:errcheck // a test's pipe
	size, err := unix.FcntlInt(full.Fd(), unix.F_SETPIPE_SZ, 4096)
	if err != nil {
		t.Skipf("the size of a pipe cannot be set: %v", err)
	}
	if _, err := full.Write(bytes.Repeat([]byte(" "), size)); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "run", "--headless", "--interval", "100ms", "--record", name, "--", "sh", "-c", "sleep 0.5; exit 3")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if code := exitOf(cmd.Wait()); code != 3 || !kill.Stop() {
		t.Errorf("exit code %d, want the job's", code)
	}
	if !strings.Contains(errs.String(), "the recording ends early: ") || !strings.Contains(errs.String(), errGivenUp.Error()) {
		t.Errorf("it said\n%s", &errs)
	}
}

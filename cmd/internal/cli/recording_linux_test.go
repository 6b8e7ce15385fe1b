package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
)

// named is a sample of a machine of that name.
func named(host string) monitor.Sample {
	return monitor.Sample{Time: time.Unix(1_700_000_000, 0), Host: host}
}

// patient waits for a reader without an end.
func patient() patience { return patience{context.Background(), 0} }

func TestARecordingMayGoIntoAPipeThatIsThere(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan []byte, 1)
	go func() {
		b, _ := os.ReadFile(name)
		got <- b
	}()
	r, err := openRecording(context.Background(), patient(), System{}, name, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Write(named("here")), r.Close()); err != nil {
		t.Fatal(err)
	}
	if b := <-got; !record.IsRecording(b) {
		t.Errorf("the reader got %q", b)
	}
}

func TestAPipeWithoutAReaderIsNotWaitedForBeyondTheEnd(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := openRecording(ctx, patient(), System{}, name, record.Options{}); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("%v", err)
	}
	if f, err := os.OpenFile(name, os.O_RDWR, 0); err == nil { // lets the one who waits go
		_ = f.Close()
	}
}

func TestAFullDiskIsSaidOnce(t *testing.T) {
	for _, args := range [][]string{
		{"record", "-o", "/dev/full", "--append", "--for", "5s"},
		{"run", "--headless", "--record", "/dev/full", "--", "true"},
	} {
		cmd := program(t, args...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if got, want := exitOf(cmd.Run()), map[string]int{"record": 1, "run": 0}[args[0]]; got != want {
			t.Errorf("%v: exit code %d, want %d", args, got, want)
		}
		if n := strings.Count(errs.String(), "no space left"); n != 1 {
			t.Errorf("%v: said %d times:\n%s", args, n, &errs)
		}
	}
}

func TestStandardOutputHasNothingThatATerminalObeys(t *testing.T) {
	var out bytes.Buffer
	r, err := openRecording(context.Background(), patient(), System{Stdout: &out}, "-", record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hostile := strings.Repeat("x", 70_000) + "\u009b2J\u202e"
	if err := errors.Join(r.Write(named(hostile)), r.Close()); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\u009b\u202e") {
		t.Error("a control character is on it")
	}
	rec, err := record.Load(&out, "it", nil)
	if err != nil || len(rec.Samples) != 1 || rec.Samples[0].Host != hostile {
		t.Errorf("not the same is read again: %v", err)
	}
}

func TestLinesGoOnWholeHoweverTheyCome(t *testing.T) {
	var out bytes.Buffer
	w := &wholeLines{to: &out}
	for _, step := range []struct{ in, want string }{{"a", ""}, {"\xc3", ""}, {"\xa9\nb\nc", "a\u00e9\nb\n"}, {"\n", "a\u00e9\nb\nc\n"}} {
		if _, err := io.WriteString(w, step.in); err != nil || out.String() != step.want {
			t.Errorf("after %q: %q, %v", step.in, out.String(), err)
		}
	}
}

package tui

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/terminal"
)

var update = flag.Bool("update", false, "write the golden files anew")

// scripted is a feed that hands over one sample an interval of fake time, then
// what end says.
type scripted struct {
	samples  []monitor.Sample
	interval time.Duration
	next     int
	end      func(ctx context.Context) (monitor.Batch, error)
	asked    int // how often Next was called
	mu       sync.Mutex
}

func (f *scripted) Next(ctx context.Context) (monitor.Batch, error) {
	f.mu.Lock()
	f.asked++
	i := f.next
	f.next++
	f.mu.Unlock()
	if i >= len(f.samples) {
		return f.end(ctx)
	}
	if i > 0 {
		select {
		case <-time.After(f.interval):
		case <-ctx.Done():
			return monitor.Batch{}, ctx.Err()
		}
	}
	return monitor.Batch{Samples: []monitor.Sample{scene.At(f.samples[i], time.Now())}}, nil
}

func (f *scripted) Close() error { return nil }

// silent waits for the end of the screen.
func silent(ctx context.Context) (monitor.Batch, error) {
	<-ctx.Done()
	return monitor.Batch{}, ctx.Err()
}

func ended(context.Context) (monitor.Batch, error) { return monitor.Batch{}, io.EOF }

// recorder keeps what the program writes to its terminal.
type recorder struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *recorder) bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.buf.Bytes())
}

// user is somebody at a terminal in fake time.
type user struct {
	t       *testing.T
	program *tea.Program
	model   *Model
	out     *recorder
	done    chan error
}

// withUser runs the whole program in fake time while script is at the keyboard,
// and quits it at the end if the script did not.
func withUser(t *testing.T, opts Options, width, height int, script func(u *user)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		u := &user{t: t, out: &recorder{}, done: make(chan error, 1)}
		opts.Environ = append(opts.Environ, "TERM=xterm-256color")
		u.start(opts, width, height)
		u.wait(0)
		script(u)
		u.press('q')
		u.wait(0)
		time.Sleep(time.Minute) // the longest that a command can still be on its way
	})
}

// start runs the program on a terminal of that size.
func (u *user) start(opts Options, width, height int) {
	u.model = New(opts)
	u.model.term = terminal.New(u.out, nil)
	if err := u.model.term.Open(); err != nil {
		u.t.Error(err)
	}
	u.program = newProgram(u.model, opts, tea.WithInput(nil), tea.WithWindowSize(width, height))
	go func() {
		_, err := u.program.Run()
		u.done <- errors.Join(err, u.model.term.Close())
	}()
}

// wait lets so much time pass and the screen settle.
func (u *user) wait(d time.Duration) {
	time.Sleep(d + 2*frameGap)
	synctest.Wait()
}

// press presses keys one after the other.
func (u *user) press(keys ...rune) {
	for _, key := range keys {
		msg := tea.KeyPressMsg{Code: key}
		if key < tea.KeyExtended && key >= ' ' {
			msg.Text = string(key)
		}
		u.program.Send(msg)
		u.wait(0)
	}
}

// screenText returns what a terminal of that size shows after those bytes.
func screenText(t *testing.T, raw []byte, width, height int) string {
	t.Helper()
	e := vt.NewEmulator(width, height)
	go func() { _, _ = io.Copy(io.Discard, e) }() // it answers queries; somebody has to read
	if _, err := e.Write(raw); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for l := range strings.SplitSeq(e.String(), "\n") {
		b.WriteString(strings.TrimRight(l, " \r"))
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the screen %s changed (-want +got):\n%s", name, diff)
	}
}

func mustShow(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on screen:\n%s", want, text)
		}
	}
}

func feedOf(sc scene.Scene, end func(context.Context) (monitor.Batch, error)) *scripted {
	return &scripted{samples: sc.Samples, interval: sc.Interval, end: end}
}

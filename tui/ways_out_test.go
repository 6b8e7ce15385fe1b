//go:build linux

package tui

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen"
)

// childEnv makes the test binary be the program, so that ways out that end a
// process can be tried.
const childEnv = "VRAMSCOPE_TUI_CHILD"

func TestMain(m *testing.M) {
	if way := os.Getenv(childEnv); way != "" {
		os.Exit(child(way))
	}
	os.Exit(m.Run())
}

// child is the program at the other end of the pseudo-terminal.
func child(way string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	sc := scene.DDP()
	sc.Samples = sc.Samples[:1]
	hang := func(context.Context) (monitor.Batch, error) { select {} }
	opts := Options{Feed: feedOf(sc, hang), Interval: sc.Interval, Settings: screen.Settings{Mouse: way == "mouse"}}
	switch way {
	case "panic":
		opts.Playback = &trap{}
	case "suspend", "SIGTSTP":
		opts.CanStop = func() bool { return true } // the test continues it
	case "panic beside":
		now := make(chan os.Signal, 1)
		signal.Notify(now, syscall.SIGUSR1) // once the test has seen the screen
		opts.Feed = feedOf(sc, func(context.Context) (monitor.Batch, error) {
			<-now
			panic("the feed fell over")
		})
	}
	if err := Run(ctx, opts); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	return 0
}

// trap is a playback that panics when it is paused.
type trap struct{ deck }

func (*trap) Pause(bool) { panic("the playback fell over") }

// ptyLine is a pseudo-terminal with the program on it.
type ptyLine struct {
	t         *testing.T
	cmd       *exec.Cmd
	ptm, pts  *os.File
	mu        sync.Mutex
	seen      bytes.Buffer
	atStart   *term.State
	readerEnd chan struct{}
}

func startOnTerminal(t *testing.T, way string) *ptyLine {
	t.Helper()
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	tt := &ptyLine{t: t, ptm: ptm, pts: pts, readerEnd: make(chan struct{})}
	size := &pty.Winsize{Rows: 24, Cols: 80}
	if way == "no size" {
		size = &pty.Winsize{}
	}
	if err := pty.Setsize(ptm, size); err != nil {
		t.Fatal(err)
	}
	if tt.atStart, err = term.GetState(pts.Fd()); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tt.cmd = exec.Command(exe)
	tt.cmd.Env = append(os.Environ(), childEnv+"="+way, "TERM=xterm-256color")
	if strings.HasPrefix(way, "panic") {
		// After a panic Bubble Tea closes its input while it is being read,
		// which the race detector would report with an exit code of its own.
		tt.cmd.Env = append(tt.cmd.Env, "GORACE=exitcode=1")
	}
	tt.cmd.Stdin, tt.cmd.Stdout, tt.cmd.Stderr = pts, pts, pts
	tt.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := tt.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go tt.read()
	t.Cleanup(func() {
		_ = tt.cmd.Process.Kill()
		_ = pts.Close()
		_ = ptm.Close()
	})
	return tt
}

func (tt *ptyLine) read() {
	defer close(tt.readerEnd)
	buf := make([]byte, 4096)
	for {
		n, err := tt.ptm.Read(buf)
		tt.mu.Lock()
		tt.seen.Write(buf[:n])
		tt.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (tt *ptyLine) count(what string) int {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	return bytes.Count(tt.seen.Bytes(), []byte(what))
}

// waitFor waits until the program has written what so many times.
func (tt *ptyLine) waitFor(what string, times int) {
	tt.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for tt.count(what) < times {
		if time.Now().After(deadline) {
			tt.t.Fatalf("%q came %d times, want %d", what, tt.count(what), times)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (tt *ptyLine) keys(keys string) {
	tt.t.Helper()
	if _, err := tt.ptm.WriteString(keys); err != nil {
		tt.t.Fatal(err)
	}
}

func (tt *ptyLine) signal(s os.Signal) {
	tt.t.Helper()
	if err := tt.cmd.Process.Signal(s); err != nil {
		tt.t.Fatal(err)
	}
}

// mustEnd waits for the end of the program and checks what it leaves behind.
func (tt *ptyLine) mustEnd(code int) {
	tt.t.Helper()
	timer := time.AfterFunc(20*time.Second, func() { _ = tt.cmd.Process.Kill() })
	_ = tt.cmd.Wait()
	if !timer.Stop() {
		tt.t.Error("the program had to be killed")
	}
	if got := tt.cmd.ProcessState.ExitCode(); got != code {
		tt.mu.Lock()
		tt.t.Errorf("exit code %d, want %d; it wrote:\n%s", got, code, ansi.Strip(tt.seen.String()))
		tt.mu.Unlock()
	}
	tt.waitFor(leaveAltScreen, tt.count(enterAltScreen))
	tt.waitFor(showCursor, 1)
	now, err := term.GetState(tt.pts.Fd())
	if err != nil {
		tt.t.Fatal(err)
	}
	if !reflect.DeepEqual(now, tt.atStart) {
		tt.t.Error("the terminal is not in the mode it was in")
	}
}

const (
	enterAltScreen = "\x1b[?1049h"
	leaveAltScreen = "\x1b[?1049l"
	showCursor     = "\x1b[?25h"
)

func TestTheTerminalIsRestoredOnEveryWayOut(t *testing.T) {
	ways := []struct {
		name string
		code int
		out  func(tt *ptyLine)
	}{
		{"q", 0, func(tt *ptyLine) { tt.keys("q") }},
		{"ctrl-c", 0, func(tt *ptyLine) { tt.keys("\x03") }},
		{"SIGTERM", 0, func(tt *ptyLine) { tt.signal(syscall.SIGTERM) }},
		{"SIGHUP", 0, func(tt *ptyLine) { tt.signal(syscall.SIGHUP) }},
		{"panic", 1, func(tt *ptyLine) { tt.keys(" ") }},
		{"panic beside", 1, func(tt *ptyLine) { tt.signal(syscall.SIGUSR1) }},
		{"stopped and continued", 0, func(tt *ptyLine) {
			tt.signal(syscall.SIGSTOP)
			tt.signal(syscall.SIGCONT)
			tt.waitFor("\x1b[2J", 2) // drawn anew: who knows what was drawn meanwhile
			tt.keys("q")
		}},
		{"suspend", 0, func(tt *ptyLine) {
			tt.keys("\x1a")
			tt.waitFor(leaveAltScreen, 1)
			for tt.count(enterAltScreen) < 2 && !t.Failed() {
				tt.signal(syscall.SIGCONT) // again: the first may come before the program has stopped
				time.Sleep(50 * time.Millisecond)
			}
			tt.keys("q")
		}},
		{"SIGTSTP", 0, func(tt *ptyLine) {
			tt.signal(syscall.SIGTSTP)
			tt.waitFor(leaveAltScreen, 1)
			for tt.count(enterAltScreen) < 2 && !t.Failed() {
				tt.signal(syscall.SIGCONT)
				time.Sleep(50 * time.Millisecond)
			}
			tt.keys("q")
		}},
		{"SIGQUIT", 2, func(tt *ptyLine) {
			tt.signal(syscall.SIGQUIT)
			tt.waitFor("SIGQUIT: quit", 1)
			tt.mu.Lock()
			defer tt.mu.Unlock()
			if seen := tt.seen.String(); strings.Index(seen, "SIGQUIT: quit") < strings.LastIndex(seen, leaveAltScreen) {
				t.Error("the trace is on the screen that goes away")
			}
		}},
		{"SIGTSTP where nobody could continue it", 0, func(tt *ptyLine) {
			tt.signal(syscall.SIGTSTP)
			tt.waitFor("no shell here", 1)
			tt.keys("q")
		}},
		{"ctrl-z where nobody could continue it", 0, func(tt *ptyLine) {
			tt.keys("\x1a")
			tt.waitFor("no shell here", 1)
			tt.keys("q")
		}},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			tt := startOnTerminal(t, way.name)
			tt.waitFor("H200", 3)
			way.out(tt)
			tt.mustEnd(way.code)
		})
	}
}

func TestATerminalThatDoesNotTellItsSizeIsDrawnOn(t *testing.T) {
	tt := startOnTerminal(t, "no size")
	tt.waitFor("H200", 3)
	tt.keys("q")
	tt.mustEnd(0)
}

func TestALostTerminalEndsTheProgram(t *testing.T) {
	tt := startOnTerminal(t, "lost")
	tt.waitFor("H200", 3)
	_ = tt.pts.Close()
	if err := tt.ptm.Close(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(20*time.Second, func() { _ = tt.cmd.Process.Kill() })
	_ = tt.cmd.Wait()
	if !timer.Stop() {
		t.Error("the program lived on without a terminal")
	}
}

func TestTheMouseIsTurnedOffOnTheWayOut(t *testing.T) {
	tt := startOnTerminal(t, "mouse")
	tt.waitFor("H200", 3)
	tt.keys("2")
	tt.waitFor("\x1b[?1003h", 1)
	tt.keys("q")
	tt.mustEnd(0)
	tt.waitFor("\x1b[?1003l", 1)
}

func TestATerminalThatTakesNothingDoesNotKeepTheProgramAlive(t *testing.T) {
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer ptm.Close()
	defer pts.Close()
	if err := pty.Setsize(ptm, &pty.Winsize{Rows: 60, Cols: 200}); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"=full", "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pts, pts, pts
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 100 { // whole frames, until the terminal is full
		time.Sleep(2 * frameGap)
		if _, err := ptm.WriteString("r"); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	if !timer.Stop() {
		t.Error("SIGTERM did not end it")
	}
}

//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"

	"github.com/vramscope/vramscope/tui/terminal"
)

// watchTerminal obeys the signals that are about the terminal: another size,
// stop, go on, and SIGQUIT, on which the process dies with a trace of what it
// does. What the process was started to ignore stays ignored, and SIGQUIT is the
// caller's where a job runs under it.
func watchTerminal(m *Model, program *tea.Program) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGCONT)
	if !signal.Ignored(syscall.SIGTSTP) {
		signal.Notify(signals, syscall.SIGTSTP)
		m.halt = func(whole bool) { halt(whole, signals) }
	}
	if m.opts.Job == nil && !signal.Ignored(syscall.SIGQUIT) {
		signal.Notify(signals, syscall.SIGQUIT)
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				obey(s, m, program)
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// obey acts on one signal.
func obey(s os.Signal, m *Model, program *tea.Program) {
	switch s {
	case syscall.SIGTSTP:
		program.Send(stopMsg{})
		return
	case syscall.SIGQUIT:
		die(m.term, program)
		return
	}
	if width, height, ok := sizeOf(m.opts.Output); ok {
		program.Send(tea.WindowSizeMsg{Width: width, Height: height})
	}
	if s == syscall.SIGCONT {
		program.Send(awakeMsg{})
	}
}

// halt stops the process, or its whole group as ctrl-z does in a shell, and
// returns when it goes on. It stops itself by SIGSTOP: once it was notified of
// SIGTSTP, the runtime does not give that signal its default action back.
func halt(whole bool, signals chan os.Signal) {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	signal.Reset(syscall.SIGTSTP)
	if whole {
		_ = syscall.Kill(0, syscall.SIGTSTP)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	<-goesOn
	signal.Notify(signals, syscall.SIGTSTP)
}

// patience is how long a model that is stuck holds up the end of the process.
const patience = 200 * time.Millisecond

// die gives the terminal back and ends the process as SIGQUIT does by default,
// so that the trace of all goroutines can be read where the shell is.
func die(t *terminal.Terminal, program *tea.Program) {
	closed := make(chan struct{})
	go program.Send(leaveMsg{closed})
	select {
	case <-closed:
	case <-time.After(patience):
		go t.Force() // it may never return, on a terminal that takes nothing
		time.Sleep(patience)
	}
	signal.Reset(syscall.SIGQUIT)
	_ = syscall.Kill(os.Getpid(), syscall.SIGQUIT)
	select {}
}

// hasShell tells whether the process was started in a session that somebody
// else leads: a shell, which can continue it. The kernel drops the stop signal
// of the terminal in a process group that nobody there can continue (POSIX,
// orphaned process group).
func hasShell() bool {
	own, err := unix.Getsid(0)
	if err != nil || own == os.Getpid() || os.Getppid() <= 1 {
		return false
	}
	parents, err := unix.Getsid(os.Getppid())
	return err == nil && parents == own
}

//go:build unix

package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// watchTerminal tells the program when the terminal changes its size or the
// process was stopped and goes on, as after a detached session comes back.
func watchTerminal(program *tea.Program, out io.Writer) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGCONT)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-signals:
				if width, height, ok := sizeOf(out); ok {
					program.Send(tea.WindowSizeMsg{Width: width, Height: height})
				}
				if s == syscall.SIGCONT {
					program.Send(awakeMsg{})
				}
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
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

//go:build unix

package tui

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
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

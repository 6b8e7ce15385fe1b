package tui

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/theme"
)

// framesPerSecond bounds how often changes reach the terminal, and with it how
// long a key can wait for its answer: 50 ms. The renderer wakes up that often
// even with nothing to draw.
const framesPerSecond = 20

// Run shows the screen until the user quits, ctx ends or the terminal is lost.
// Quitting and the end of ctx are no error. It takes no signals: the caller
// ends ctx on SIGINT, SIGTERM and SIGHUP, and the terminal is restored on the
// way out. A feed that hangs does not delay it.
func Run(ctx context.Context, opts Options) error {
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	if _, err := theme.New(opts.Theme, opts.ASCII); err != nil {
		return err
	}
	m := New(opts)
	defer m.Close()
	program := tea.NewProgram(m, programOptions(opts)...)
	// The end of ctx is a message and not tea.WithContext: killed, the program
	// closes its input without waiting for the goroutine that reads it.
	defer context.AfterFunc(ctx, program.Quit)()
	if _, err := program.Run(); err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("the screen ended: %w", err)
	}
	return nil
}

func programOptions(opts Options) []tea.ProgramOption {
	out := []tea.ProgramOption{
		tea.WithoutSignalHandler(),
		tea.WithFPS(framesPerSecond),
		tea.WithEnvironment(opts.Environ),
	}
	if opts.Input != nil {
		out = append(out, tea.WithInput(opts.Input))
	}
	if opts.Output != nil {
		out = append(out, tea.WithOutput(opts.Output))
	}
	return out
}

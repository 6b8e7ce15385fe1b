package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/vramscope/vramscope/tui/terminal"
	"github.com/vramscope/vramscope/tui/theme"
)

// Run shows the screen until the user quits, ctx ends or the terminal is lost.
// Quitting and the end of ctx are no error. It takes no signals that end a
// process: the caller ends ctx on SIGINT, SIGTERM and SIGHUP, and the terminal
// is restored on the way out. A feed that hangs does not delay it.
func Run(ctx context.Context, opts Options) (err error) {
	if opts.Environ == nil {
		opts.Environ = os.Environ()
	}
	if _, err := theme.New(opts.Settings.Theme, opts.Settings.ASCII); err != nil {
		return err
	}
	if opts.Output == nil {
		opts.Output = os.Stdout
	}
	tty, closeTTY, err := keyboard(&opts)
	if err != nil {
		return err
	}
	defer closeTTY()
	m := New(opts)
	defer m.Close()
	m.term = terminal.New(opts.Output, tty)
	width, height, ok := sizeOf(opts.Output)
	if !ok { // a terminal that does not tell, as behind some serial lines
		width, height = unknownWidth, unknownHeight
	}
	m.resize(width, height)
	if err := m.term.Open(); err != nil {
		return fmt.Errorf("the terminal could not be set up: %w", err)
	}
	abandoned := false
	defer func() {
		if abandoned {
			return
		}
		if closed := m.term.Close(); err == nil && closed != nil && ctx.Err() == nil {
			err = fmt.Errorf("the terminal could not be restored: %w", closed)
		}
	}()
	if asksSynchronised(opts.Environ) {
		m.term.AskSynchronised()
	}
	program := newProgram(m, opts)
	defer watchTerminal(m, program)()
	// The end of ctx is a message and not tea.WithContext: killed, the program
	// closes its input without waiting for the goroutine that reads it.
	defer context.AfterFunc(ctx, program.Quit)()
	err, stuck := runProgram(ctx, program)
	if stuck {
		abandoned = true
		m.term.Abandon()
		return nil // there is nowhere to say it
	}
	if err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return fmt.Errorf("the screen ended: %w", err)
	}
	if m.unreadable != nil {
		return m.unreadable
	}
	if m.lost != nil && ctx.Err() == nil {
		return fmt.Errorf("the terminal was lost: %w", m.lost)
	}
	return nil
}

// The size of a terminal that does not tell it.
const unknownWidth, unknownHeight = 80, 24

// stuckAfter is how long the program has to end once ctx did.
const stuckAfter = 500 * time.Millisecond

// runProgram runs the program. Where the terminal takes nothing any more, as
// when a connection stalls, a write to it never returns; the program is then
// left behind, so that the end of ctx ends the process all the same.
func runProgram(ctx context.Context, program *tea.Program) (err error, stuck bool) {
	done := make(chan error, 1)
	go func() {
		_, err := program.Run()
		done <- err
	}()
	select {
	case err := <-done:
		return err, false
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err, false
	case <-time.After(stuckAfter):
		return nil, true
	}
}

// newProgram returns the program around a model that draws by itself. Bubble
// Tea is left what it does well: keys, messages and commands. Its renderer
// wakes up many times a second even when there is nothing to draw, so it has
// none and its ticker, which cannot be turned off, goes as slowly as it can.
func newProgram(m *Model, opts Options, more ...tea.ProgramOption) *tea.Program {
	out := []tea.ProgramOption{
		tea.WithoutSignalHandler(), tea.WithoutRenderer(), tea.WithFPS(1),
		tea.WithOutput(io.Discard), tea.WithEnvironment(opts.Environ),
	}
	if opts.Input != nil {
		out = append(out, tea.WithInput(opts.Input))
	}
	if m.width > 0 { // what Bubble Tea would guess
		out = append(out, tea.WithWindowSize(m.width, m.height))
	}
	return tea.NewProgram(m, append(out, more...)...)
}

// keyboard settles where keys come from: what the caller says, standard input,
// or the terminal itself. The file is nil when its mode is not to be set.
func keyboard(opts *Options) (tty *os.File, closeIt func(), err error) {
	nothing := func() {}
	if opts.Input != nil {
		f, ok := opts.Input.(*os.File)
		if !ok || !term.IsTerminal(f.Fd()) {
			return nil, nothing, nil
		}
		return f, nothing, nil
	}
	if term.IsTerminal(os.Stdin.Fd()) {
		opts.Input = os.Stdin
		return os.Stdin, nothing, nil
	}
	f, err := os.Open("/dev/tty")
	if err != nil {
		return nil, nothing, fmt.Errorf("keys cannot be read: standard input is no terminal, and there is no other: %w", err)
	}
	opts.Input = f
	return f, func() { _ = f.Close() }, nil
}

func sizeOf(out io.Writer) (width, height int, ok bool) {
	f, isFile := out.(*os.File)
	if !isFile {
		return 0, 0, false
	}
	width, height, err := term.GetSize(f.Fd())
	return width, height, err == nil && width > 0 && height > 0
}

// asksSynchronised tells whether the terminal may be asked if it can show a
// frame whole. Over SSH some terminals show the question.
func asksSynchronised(environ []string) bool {
	name := lookup(environ, "TERM")
	for _, known := range []string{"ghostty", "wezterm", "alacritty", "kitty", "foot"} {
		if strings.Contains(name, known) {
			return true
		}
	}
	return lookup(environ, "SSH_TTY") == "" && (strings.HasPrefix(name, "xterm") || strings.HasPrefix(name, "tmux")) &&
		!strings.Contains(lookup(environ, "TERM_PROGRAM"), "Apple")
}

// hasClipboard tells whether the terminal may have a clipboard that it lets a
// program write to.
func hasClipboard(environ []string) bool {
	switch name := lookup(environ, "TERM"); {
	case name == "", name == "dumb", name == "linux", strings.HasPrefix(name, "vt"):
		return false
	}
	return true
}

func lookup(environ []string, key string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if name, value, ok := strings.Cut(environ[i], "="); ok && name == key {
			return value
		}
	}
	return ""
}

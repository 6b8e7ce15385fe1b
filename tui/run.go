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
	"github.com/charmbracelet/x/ansi"
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
	if width, height, ok := sizeOf(opts.Output); ok {
		m.resize(width, height)
	}
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
	defer watchTerminal(program, opts.Output)()
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
	if m.lost != nil && ctx.Err() == nil {
		return fmt.Errorf("the terminal was lost: %w", m.lost)
	}
	return nil
}

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

// terminalMsg takes in what the terminal itself has to say.
func (m *Model) terminalMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset && m.term != nil {
			m.term.Synchronised = true
		}
	case brokenMsg:
		panic(msg.reason)
	case tea.ResumeMsg, awakeMsg:
		if m.term != nil {
			m.loss(m.term.Open())
		}
		m.redraw()
	}
	return nil
}

// awakeMsg says that the process was stopped and goes on.
type awakeMsg struct{}

// suspend gives the terminal back and stops the process until it is continued.
func (m *Model) suspend() tea.Cmd {
	canStop := m.opts.CanStop
	if canStop == nil {
		canStop = hasShell
	}
	if !canStop() {
		m.line.say("there is no shell here that could continue the program: q quits", theme.Plain)
		return nil
	}
	if m.term != nil {
		m.loss(m.term.Close())
	}
	return tea.Suspend
}

// restoreOnPanic gives the terminal back before the panic is told on it.
func (m *Model) restoreOnPanic() {
	if r := recover(); r != nil {
		if m.term != nil {
			_ = m.term.Close()
		}
		panic(r)
	}
}

// brokenMsg carries the panic of a command to where the terminal can be
// restored first.
type brokenMsg struct{ reason any }

// guard returns a command whose panic ends the program with the terminal
// restored. The command runs beside the model.
func (m *Model) guard(f func() tea.Msg) tea.Cmd {
	return func() (msg tea.Msg) {
		defer func() {
			if r := recover(); r != nil {
				msg = brokenMsg{r}
			}
		}()
		return f()
	}
}

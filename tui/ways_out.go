package tui

import (
	"fmt"
	"runtime/debug"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/tui/theme"
)

// terminalMsg takes in what the terminal itself has to say.
func (m *Model) terminalMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset && m.term != nil {
			m.term.Synchronised = true
		}
	case brokenMsg:
		panic(msg.reason)
	case stopMsg:
		return m.stop(false)
	case leaveMsg:
		m.giveBack()
		close(msg.done)
	case tea.ResumeMsg, awakeMsg:
		m.opts.Log.Info("goes on after it was stopped")
		if m.term != nil {
			m.loss(m.term.Open())
		}
		m.redraw()
	}
	return nil
}

// awakeMsg says that the process was stopped and goes on.
type awakeMsg struct{}

// stopMsg says that somebody asked the process to stop (SIGTSTP).
type stopMsg struct{}

// leaveMsg says that the process is about to die: the terminal is given back,
// and then done is closed.
type leaveMsg struct{ done chan struct{} }

// stop gives the terminal back and stops the process until it is continued;
// whole says that its process group stops with it, as on ctrl-z in a shell.
func (m *Model) stop(whole bool) tea.Cmd {
	canStop := m.opts.CanStop
	if canStop == nil {
		canStop = hasShell
	}
	if m.halt == nil || !canStop() {
		m.line.say("there is no shell here that could continue the program: q quits", theme.Plain)
		m.dirty = true
		return nil
	}
	m.giveBack()
	halt := m.halt
	return m.guard(func() tea.Msg {
		halt(whole)
		return nil // whoever watches for SIGCONT says that it goes on
	})
}

func (m *Model) giveBack() {
	if m.term != nil {
		m.loss(m.term.Close())
	}
}

// restoreOnPanic gives the terminal back before the panic is told on it.
func (m *Model) restoreOnPanic() {
	if r := recover(); r != nil {
		if m.term != nil {
			_ = m.term.Close()
		}
		m.opts.Log.Error("fell over", "why", fmt.Sprint(r), "stack", string(debug.Stack()))
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
				m.opts.Log.Error("fell over beside the screen", "why", fmt.Sprint(r), "stack", string(debug.Stack()))
				msg = brokenMsg{r}
			}
		}()
		return f()
	}
}

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/screen"
)

// listenEvery is how soon what the job prints is on its page.
const listenEvery = 100 * time.Millisecond

// prints is what is known of the job's output.
type prints struct {
	version   uint64 // of what was last drawn
	status    string
	listening bool
}

// printedMsg asks whether the job printed something.
type printedMsg struct{}

// listen returns the command that looks at the job's output again. Only its page
// needs one: elsewhere nothing wakes up for what the job prints.
func (m *Model) listen() tea.Cmd {
	if m.opts.Job == nil || m.current != screen.Output || m.prints.listening {
		return nil
	}
	m.prints.listening = true
	return tea.Tick(listenEvery, func(time.Time) tea.Msg { return printedMsg{} })
}

// heard asks for a frame when the job printed something or came to its end.
func (m *Model) heard() {
	p := &m.prints
	p.listening = false
	version, status := m.opts.Job.Output().Version(), m.opts.Job.Status()
	if version != p.version || status != p.status {
		p.version, p.status = version, status
		m.dirty = m.dirty || m.current == screen.Output
	}
}

// quit ends the screen, after the question that the caller has.
func (m *Model) quit() tea.Cmd {
	if m.opts.Quit != nil {
		if ask := m.opts.Quit(); ask != nil {
			return m.do(ask)
		}
	}
	m.cancel()
	return tea.Quit
}

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/theme"
)

// Loaded is a replay that was read while the screen was there already.
type Loaded struct {
	Feed     monitor.Feed
	Playback Playback
	History  *history.Store
	Interval time.Duration // between samples, 0 when not known
	Note     string        // what was left out of it; empty for nothing
}

// loadedMsg is what the loading came to.
type loadedMsg struct {
	what Loaded
	err  error
}

// progressMsg asks how far the loading is.
type progressMsg struct{}

// progressEvery is how often the screen says how far the loading is.
const progressEvery = 200 * time.Millisecond

// load returns the commands that load what is to be shown and look how far it
// is; nil where the feed is there already.
func (m *Model) load() tea.Cmd {
	if m.opts.Load == nil {
		return nil
	}
	m.loading = true
	read, ctx := m.opts.Load, m.ctx
	return batch(m.progress(), m.guard(func() tea.Msg {
		what, err := read(ctx)
		return loadedMsg{what, err}
	}))
}

func (m *Model) progress() tea.Cmd {
	if !m.loading {
		return nil
	}
	m.dirty = true
	return tea.Tick(progressEvery, func(time.Time) tea.Msg { return progressMsg{} })
}

// takeLoaded begins to show what was loaded. What cannot be read ends the
// screen: there is nothing else on it.
func (m *Model) takeLoaded(msg loadedMsg) tea.Cmd {
	m.loading = false
	if msg.err != nil {
		if m.ctx.Err() == nil {
			m.unreadable = msg.err
		}
		m.cancel()
		return tea.Quit
	}
	m.opts.Feed, m.opts.Playback, m.store = msg.what.Feed, msg.what.Playback, msg.what.History
	if m.interval <= 0 {
		m.interval = msg.what.Interval
	}
	if msg.what.Note != "" {
		m.line.say(m.theme.Outside(msg.what.Note), theme.Warn)
	}
	m.dirty = true
	return m.wait()
}

// waitingFor says what the screen waits for before the first sample.
func (m *Model) waitingFor() string {
	if m.loading && m.opts.Loading != nil {
		return m.theme.Outside(m.opts.Loading())
	}
	return "Waiting for the first sample."
}

package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/keys"
)

// key does what a key asks for.
func (m *Model) key(name string) tea.Cmd {
	action := m.keys.Action(name, m.mode)
	if action == keys.None {
		return nil
	}
	m.dirty = true
	switch action {
	case keys.Quit:
		m.cancel()
		return tea.Quit
	case keys.Suspend:
		return tea.Suspend
	case keys.Redraw:
		return tea.ClearScreen
	case keys.Help:
		m.helping = !m.helping
		return nil
	case keys.Close:
		if m.helping {
			m.helping = false
			return nil
		}
	case keys.Slower, keys.Faster:
		m.setInterval(action == keys.Slower)
		return nil
	case keys.Pause:
		return m.pause()
	case keys.StepBack, keys.StepForward, keys.PlaySlower, keys.PlayFaster, keys.ToStart, keys.ToEnd:
		return m.play(action)
	default:
	}
	if m.helping {
		return m.help.Update(m.state(), action)
	}
	return m.overview.Update(m.state(), action)
}

// setInterval asks the sampler for the next longer or shorter interval.
func (m *Model) setInterval(longer bool) {
	if m.opts.SetInterval == nil || m.interval <= 0 {
		return
	}
	next := nextInterval(m.interval, longer)
	if next == m.interval {
		return
	}
	m.interval = next
	m.store.SetInterval(next)
	m.opts.SetInterval(next)
}

// pause stops the screen of a live feed, whose samples go on into the history,
// or the replay itself.
func (m *Model) pause() tea.Cmd {
	if p := m.opts.Playback; p != nil {
		p.Pause(!p.Paused())
		return m.goOn()
	}
	m.paused = !m.paused
	if !m.paused {
		m.shown = m.newest
	}
	return m.watch()
}

// play moves a replay. Stepping pauses it.
func (m *Model) play(action keys.Action) tea.Cmd {
	p := m.opts.Playback
	if p == nil {
		return nil
	}
	start, end := p.Span()
	switch action {
	case keys.StepBack:
		p.Pause(true)
		p.Step(-1)
	case keys.StepForward:
		p.Pause(true)
		p.Step(1)
	case keys.PlaySlower:
		p.SetSpeed(max(p.Speed()/2, slowestSpeed))
	case keys.PlayFaster:
		p.SetSpeed(min(p.Speed()*2, fastestSpeed))
	case keys.ToStart:
		p.Seek(start)
	case keys.ToEnd:
		p.Seek(end)
	default:
	}
	return m.goOn()
}

// goOn waits for a replay again that had come to its end.
func (m *Model) goOn() tea.Cmd {
	m.ended = false
	return m.wait()
}

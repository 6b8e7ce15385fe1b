package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

// key does what a key asks for.
func (m *Model) key(msg tea.KeyPressMsg) tea.Cmd {
	if m.line.asking() {
		m.dirty = true
		return m.do(m.line.key(msg, m.theme.Outside))
	}
	action := m.keymap.Action(msg.String(), m.mode, m.current.Place())
	if action == keys.None {
		return nil
	}
	m.line.say("", theme.Plain)
	m.dirty = true
	return m.act(action)
}

// act does what an action asks for.
func (m *Model) act(action keys.Action) tea.Cmd {
	switch action {
	case keys.Quit:
		return m.quit()
	case keys.Suspend:
		return m.stop(true)
	case keys.Redraw:
		m.redraw()
		return nil
	case keys.Help:
		m.toggle(screen.Help)
		return nil
	case keys.ShowSettings:
		m.toggle(screen.Setup)
		return nil
	case keys.ShowOverview, keys.ShowGPU, keys.ShowProcess, keys.ShowAdvice, keys.ShowLog, keys.ShowSources, keys.ShowOutput:
		m.open(screen.Overview + screen.ID(action-keys.ShowOverview))
		return nil
	case keys.Slower, keys.Faster:
		m.setInterval(action == keys.Slower)
		return nil
	case keys.Pause:
		return m.pause()
	case keys.StepBack, keys.StepForward:
		if m.current == screen.Setup {
			break // left and right change a setting
		}
		return m.travel(action)
	case keys.LeapBack, keys.LeapForward, keys.PreviousEvent, keys.NextEvent, keys.ToStart, keys.ToEnd:
		return m.travel(action)
	case keys.PlaySlower, keys.PlayFaster:
		return m.play(action)
	case keys.Mark:
		return m.do(m.askMark())
	case keys.Save:
		return m.save()
	case keys.Copy, keys.CopyFile:
		return m.do(m.copyFinding(action == keys.CopyFile))
	case keys.SaveSettings:
		return m.do(screen.Change{Settings: m.settings, Save: true})
	default:
	}
	return m.do(m.screens[m.current].Update(m.state(), screen.Input{Action: action}))
}

// open shows a screen.
func (m *Model) open(id screen.ID) {
	if id == m.current {
		return
	}
	m.before, m.current = m.current, id
}

// toggle shows a screen, or comes back from it.
func (m *Model) toggle(id screen.ID) {
	if m.current != id {
		m.open(id)
		return
	}
	back := m.before
	if back == id || back == screen.Help || back == screen.Setup {
		back = screen.Overview
	}
	m.open(back)
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

// mouse passes on what the mouse did, and acts on clicks on the line of keys.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if !m.settings.Mouse || m.line.asking() {
		return nil
	}
	in := screen.Mouse{X: msg.Mouse().X, Y: msg.Mouse().Y}
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		if msg.Button != tea.MouseLeft {
			return nil
		}
		in.Kind = screen.MousePress
		m.line.say("", theme.Plain)
	case tea.MouseMotionMsg:
		in.Kind = screen.MouseMove
		if msg.Button == tea.MouseLeft {
			in.Kind = screen.MouseDrag
		}
	case tea.MouseWheelMsg:
		in.Kind = screen.MouseWheelUp
		if msg.Button == tea.MouseWheelDown {
			in.Kind = screen.MouseWheelDown
		} else if msg.Button != tea.MouseWheelUp {
			return nil
		}
	default:
		return nil
	}
	if in.Kind == screen.MousePress {
		if action := m.keyUnder(in); action != keys.None {
			m.dirty = true
			return m.act(action)
		}
	}
	_, hovers := m.screens[m.current].(screen.Hoverer)
	if in.Kind != screen.MouseMove || hovers {
		m.dirty = true // moving over what does not answer must not cost a frame
	}
	return m.do(m.screens[m.current].Update(m.state(), screen.Input{Mouse: in}))
}

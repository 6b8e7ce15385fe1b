package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/terminal"
	"github.com/vramscope/vramscope/tui/text"
)

// frameGap is the least time between two frames, and so the longest that a key
// waits for its answer on a busy screen.
const frameGap = 33 * time.Millisecond

// slowFrame is how long a frame may take before the log is told of it.
const slowFrame = 50 * time.Millisecond

// paintMsg says that a frame is due.
type paintMsg struct{}

// View is empty: the model draws to its terminal by itself, when something
// changed, so that nothing has to wake up to find that nothing did.
func (m *Model) View() tea.View { return tea.NewView("") }

// paint draws the screen when something changed, or returns the command that
// wakes up when the next frame may be drawn.
func (m *Model) paint() tea.Cmd {
	if !m.dirty || m.term == nil || m.painting || m.width <= 0 {
		return m.ifLost()
	}
	now := m.opts.Now()
	if wait := frameGap - now.Sub(m.painted); !m.painted.IsZero() && wait > 0 {
		m.painting = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return paintMsg{} })
	}
	m.painted = now
	m.term.SetMouse(m.mouseMode())
	m.loss(m.term.Draw(m.frame()))
	m.dirty = false
	m.noteFrame(now)
	return m.ifLost()
}

// noteFrame tells the log of the first frame that has figures, and of slow ones.
func (m *Model) noteFrame(began time.Time) {
	now := m.opts.Now()
	if took := now.Sub(began); took > slowFrame {
		m.opts.Log.Info("slow frame", "screen", m.current, "took", took)
	}
	s := m.newest
	if s == nil {
		s = m.opts.First
	}
	if m.figures || s == nil {
		return
	}
	m.figures = true
	if len(s.GPUs) == 0 {
		return
	}
	about := []any{"took", now.Sub(began)}
	if m.opts.Playback == nil { // the driver of a recording answered long ago
		about = append(about, "after_the_driver", now.Sub(s.GPUs[0].ReadAt))
	}
	m.opts.Log.Info("first figures", about...)
}

// loss notes that the terminal cannot be written to any more.
func (m *Model) loss(err error) {
	if err != nil && m.lost == nil {
		m.opts.Log.Info("terminal lost", "why", err)
		m.lost = err
	}
}

func (m *Model) ifLost() tea.Cmd {
	if m.lost == nil {
		return nil
	}
	m.cancel()
	return tea.Quit
}

func (m *Model) mouseMode() terminal.Mouse {
	if !m.settings.Mouse {
		return terminal.MouseOff
	}
	if _, hovers := m.screens[m.current].(screen.Hoverer); hovers {
		return terminal.MouseHover
	}
	return terminal.MouseClicks
}

// frame returns the lines of the screen, never more nor wider than it.
func (m *Model) frame() []string {
	if m.width <= 0 || m.height <= 0 {
		return nil
	}
	lines := m.screens[m.current].View(m.state(), m.width, m.height)
	if len(lines) > m.height {
		lines = lines[:m.height]
	}
	if over := m.line.draw(&m.theme, m.width); len(over) > 0 {
		over = over[max(0, len(over)-m.height):] // the question is last
		for len(lines) < m.height {
			lines = append(lines, "")
		}
		copy(lines[m.height-len(over):], over)
	}
	m.fit(lines)
	return lines
}

// fit cuts what is too wide. A line that was drawn before fits: most do not
// change from frame to frame.
func (m *Model) fit(lines []string) {
	for i, l := range lines {
		if i < len(m.fitting) && l == m.fitting[i] {
			continue
		}
		if len(l) > m.width && text.Width(l) > m.width {
			lines[i] = ansi.Truncate(l, m.width, m.theme.Glyphs.Ellipsis)
		}
	}
	m.fitting = append(m.fitting[:0], lines...)
}

// keyUnder returns what a click on the line of keys asks for.
func (m *Model) keyUnder(at screen.Mouse) keys.Action {
	if at.Y != m.height-1 || m.height < chrome.KeysFrom || m.line.said != "" {
		return keys.None
	}
	return chrome.KeyAt(m.state(), m.width, at.X)
}

// The largest screen that is drawn. A terminal can report any size up to
// 65535 × 65535, by mistake or for a joke; what lies beyond stays empty.
const (
	maxWidth  = 1000
	maxHeight = 500
)

func (m *Model) resize(width, height int) {
	reported := [2]int{width, height}
	width, height = min(width, maxWidth), min(height, maxHeight)
	if width == m.width && height == m.height {
		return
	}
	m.opts.Log.Info("size", "width", reported[0], "height", reported[1])
	m.width, m.height = width, height
	m.fitting = nil
	if m.term != nil {
		m.term.Resize(width, height)
	}
	m.dirty = true
}

// redraw makes the next frame a whole one.
func (m *Model) redraw() {
	if m.term != nil {
		m.term.Invalidate()
	}
	m.dirty = true
}

package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// View returns the screen. It is drawn only when something changed.
func (m *Model) View() tea.View {
	if m.dirty {
		m.content = strings.Join(m.lines(), "\n")
		m.dirty = false
	}
	v := tea.NewView(m.content)
	v.AltScreen = true
	return v
}

// lines returns the lines of the screen, never more nor wider than it.
func (m *Model) lines() []string {
	if m.width <= 0 || m.height <= 0 {
		return nil
	}
	current := m.overview
	if m.helping {
		current = m.help
	}
	lines := current.View(m.state(), m.width, m.height)
	if len(lines) > m.height {
		lines = lines[:m.height]
	}
	for i, l := range lines {
		if ansi.StringWidth(l) > m.width {
			lines[i] = ansi.Truncate(l, m.width, m.theme.Glyphs.Ellipsis)
		}
	}
	return lines
}

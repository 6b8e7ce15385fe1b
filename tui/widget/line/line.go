// Package line builds one line of a screen out of styled pieces and keeps it
// inside its width: what does not fit is cut with a sign, never silently.
//
// It must not know what the pieces mean. Text must be clean, that is, without
// control characters and escape sequences.
package line

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
)

// Line is a line under construction. The zero Line has no width; use New.
type Line struct {
	text     strings.Builder
	width    int // columns so far
	max      int
	ellipsis string
	cut      bool
	silent   bool // cut at the very end, where there was no room for the sign
}

// New returns an empty line of at most width columns that cuts with the theme's
// ellipsis.
func New(width int, th *theme.Theme) *Line {
	width = max(width, 0)
	l := &Line{max: width, ellipsis: th.Glyphs.Ellipsis}
	l.text.Grow(2*width + 64)
	return l
}

// Width returns the columns used so far.
func (l *Line) Width() int { return l.width }

// Left returns the columns still free.
func (l *Line) Left() int { return l.max - l.width }

// Cut tells whether something did not fit.
func (l *Line) Cut() bool { return l.cut }

// Add appends a text in a style.
func (l *Line) Add(style theme.Style, s string) {
	if s == "" || l.cut {
		return
	}
	w := Width(s)
	if w > l.Left() {
		l.cut = true
		if l.Left() == 0 {
			l.silent = l.silent || strings.TrimSpace(s) != ""
			return
		}
		s = Cut(s, l.Left(), l.ellipsis)
		w = Width(s)
	}
	style.Write(&l.text, s)
	l.width += w
}

// Pad appends spaces up to a column; past it, or past the end, it does nothing.
func (l *Line) Pad(column int) {
	column = min(column, l.max)
	for l.width < column {
		l.text.WriteByte(' ')
		l.width++
	}
}

// Space appends n spaces as far as they fit.
func (l *Line) Space(n int) { l.Pad(l.width + n) }

// String returns the line.
func (l *Line) String() string {
	if l.silent && l.max > 0 {
		return ansi.Truncate(l.text.String(), l.max-1, "") + l.ellipsis
	}
	return l.text.String()
}

// Width returns the columns that s takes, styles in it not counted.
func Width(s string) int { return text.Width(s) }

// Cut returns s in at most width columns, ending in the ellipsis when something
// was left out.
func Cut(s string, width int, ellipsis string) string {
	if width <= 0 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	return ansi.Truncate(s, width, ellipsis)
}

// Wrap breaks s between words into lines of at most width columns. When it
// needs more than maxLines, the last one ends in the ellipsis.
func Wrap(s string, width, maxLines int, ellipsis string) []string {
	if width <= 0 || maxLines <= 0 {
		return nil
	}
	var lines []string
	current := ""
	words := strings.Fields(s)
	for i, word := range words {
		joined := word
		if current != "" {
			joined = current + " " + word
		}
		if Width(joined) <= width || current == "" {
			current = joined
			continue
		}
		if len(lines) == maxLines-1 {
			rest := current + " " + strings.Join(words[i:], " ")
			return append(lines, Cut(rest, width, ellipsis))
		}
		lines = append(lines, Cut(current, width, ellipsis))
		current = word
	}
	if current != "" {
		lines = append(lines, Cut(current, width, ellipsis))
	}
	return lines
}

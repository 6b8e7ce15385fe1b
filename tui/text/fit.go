package text

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Marks is the set of signs a screen is drawn with.
type Marks bool

// The sets of signs.
const (
	Unicode   Marks = false
	ASCIIOnly Marks = true
)

// Ellipsis returns the sign that stands for what was cut off, one cell wide.
func (m Marks) Ellipsis() string {
	if m == ASCIIOnly {
		return "~"
	}
	return "…"
}

// text returns s ready to draw with this set of signs.
func (m Marks) text(s string) string {
	if m == ASCIIOnly {
		return ASCII(s)
	}
	return Clean(s)
}

// Fit returns s cleaned, cut with an ellipsis and padded on the right to
// exactly width cells. It is for plain text: styles are stripped. A width
// under 1 gives an empty text.
func Fit(s string, width int, marks Marks) string {
	s, pad := cut(s, width, marks)
	return s + spaces(pad)
}

// FitRight is Fit with the text at the right end.
func FitRight(s string, width int, marks Marks) string {
	s, pad := cut(s, width, marks)
	return spaces(pad) + s
}

// Width returns how many cells s takes, as the renderer counts them.
func Width(s string) int { return ansi.StringWidth(s) }

func cut(s string, width int, marks Marks) (text string, pad int) {
	if width < 1 {
		return "", 0
	}
	s = marks.text(s)
	if ansi.StringWidth(s) > width {
		s = ansi.Truncate(s, width, marks.Ellipsis())
	}
	return s, width - ansi.StringWidth(s)
}

func spaces(n int) string {
	if n < 1 {
		return ""
	}
	return strings.Repeat(" ", n)
}

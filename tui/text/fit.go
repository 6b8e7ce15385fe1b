package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/monitor/clean"
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
	return clean.Line(s)
}

// Fit returns s cleaned, cut with an ellipsis and padded on the right to
// exactly width cells. It is for plain text: styles are stripped. A width
// under 1 gives an empty text.
func Fit(s string, width int, marks Marks) string {
	s, pad := cut(s, width, marks)
	return s + spaces(pad)
}

// Width returns how many cells s takes, as the renderer counts them. Styles in
// it take none.
func Width(s string) int {
	cells := 0
	for cells < len(s) && s[cells] >= 0x20 && s[cells] < 0x7f { // most texts are no more than this
		cells++
	}
	for i := cells; i < len(s); {
		if s[i] == 0x1b {
			n := styleLength(s[i:])
			if n == 0 {
				return ansi.StringWidth(s)
			}
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !Simple(r) {
			return ansi.StringWidth(s)
		}
		cells++
		i += n
	}
	return cells
}

// Simple tells the signs that the screen is drawn with: one column, never part
// of a larger cluster.
func Simple(r rune) bool {
	return r >= 0x20 && r < 0x7f || r >= 0x2010 && r <= 0x2027 || r >= 0x2190 && r <= 0x21ff && r != 0x2194 && r != 0x2195 ||
		r >= 0x2500 && r <= 0x25ab || r >= 0x25b2 && r <= 0x25b5 || r >= 0x2800 && r <= 0x28ff ||
		r == 0xb7 || r == 0xb0 || r == 0xd7 || r == 0x2264 || r == 0x2265
}

// styleLength returns the length of the style that s begins with, 0 for another
// escape sequence.
func styleLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case i == 1 && c == '[', i > 1 && (c >= '0' && c <= '9' || c == ';' || c == ':'):
		case i > 1 && c == 'm':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

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

package terminal

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/tui/text"
)

// cell is one column of a line: a character and how it looks. The column after
// a wide character holds the empty text.
type cell struct {
	text  string
	style string // the escape sequence that turns the style on, "" for none
}

var blank = cell{text: " "}

// parse appends the cells of a line, exactly width of them, to row.
func parse(row []cell, s string, width int) []cell {
	style, spaces := "", ""
	for i := 0; i < len(s) && len(row) < width; {
		switch c := s[i]; {
		case c < ' ' || c == 0x7f:
			n := sequence(s[i:])
			if n == 0 { // nothing that a line may hold
				i++
				continue
			}
			if seq := s[i : i+n]; seq == "\x1b[m" || seq == "\x1b[0m" {
				style = ""
			} else {
				style += seq
			}
			spaces = ""
			if paintsSpaces(style) {
				spaces = style
			}
			i += n
		case c == ' ' && (i+1 == len(s) || s[i+1] < 0x80):
			row = append(row, cell{" ", spaces})
			i++
		case c < 0x80 && (i+1 == len(s) || s[i+1] < 0x80):
			row = append(row, cell{s[i : i+1], style})
			i++
		default:
			n, w := cluster(s[i:])
			if w == 0 || len(row)+w > width {
				i += n
				continue
			}
			row = append(row, cell{s[i : i+n], style})
			for range w - 1 {
				row = append(row, cell{"", style})
			}
			i += n
		}
	}
	for len(row) < width {
		row = append(row, blank)
	}
	return row
}

// paintsSpaces tells whether a space looks different in a style: with a
// background, reversed or underlined. In any other it is the plain space, which
// saves turning the style on and off.
func paintsSpaces(style string) bool {
	number, skip := 0, 0
	for i := 2; i < len(style); i++ {
		switch c := style[i]; {
		case c >= '0' && c <= '9':
			number = number*10 + int(c-'0')
			continue
		case skip > 0:
			skip--
		case number == 38:
			skip = 2 // 38;5;n
		case number == 4 || number == 7 || number == 9 || number >= 40 && number <= 49 || number >= 100:
			return true
		}
		number = 0
	}
	return false
}

// sequence returns the length of the style that s begins with, 0 when it begins
// with none. Whatever else a terminal obeys goes no further than here.
func sequence(s string) int {
	if len(s) < 2 || s[0] != 0x1b || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// cluster returns the length in bytes and the width in columns of the first
// character of s with its marks; no width where it is none: bytes that are no
// UTF-8, which a terminal may take for controls, and controls themselves.
func cluster(s string) (size, width int) {
	r, n := utf8.DecodeRuneInString(s)
	if text.Simple(r) && (n == len(s) || s[n] < 0x80 || plainStart(s[n:])) {
		return n, 1
	}
	if r == utf8.RuneError && n < 2 || unicode.IsControl(r) {
		return max(1, n), 0
	}
	first, width := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if len(first) == 0 {
		return max(1, n), 0
	}
	if !utf8.ValidString(first) {
		return n, ansi.StringWidth(s[:n])
	}
	return len(first), width
}

// plainStart tells whether s begins with a character of our own signs, which
// joins nothing before it.
func plainStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return text.Simple(r)
}

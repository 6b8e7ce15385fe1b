// Package clean makes text from outside harmless: process names, log lines,
// file names, labels, whatever a recording holds. What it returns may stand on
// a terminal, in a sentence, in a file and in a clipboard.
//
// It is pure. It must not know where a text comes from or what becomes of it;
// secrets are package scrub's.
package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks is how many combining marks stay on one letter. Real writing needs
// two or three; towers of them paint over the lines above.
const maxMarks = 3

// Line makes text from outside safe to stand on one line: no escape sequence, control character, bidirectional or
// zero-width character survives, line ends and tabs become spaces, invalid
// UTF-8 and unassigned characters become U+FFFD. It is idempotent.
//
// ansi.Strip alone is not enough: it keeps \r, \b, NUL, the UTF-8 form of C1
// and bidirectional overrides.
func Line(s string) string {
	if isPlain(s) {
		return s
	}
	s = stripSequences(s)
	var b strings.Builder
	b.Grow(len(s))
	marks := maxMarks // a mark without a letter before it would join what is drawn to its left
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case unicode.Is(unicode.M, r) && !isInvisible(r):
			if marks < maxMarks {
				b.WriteRune(r)
			}
			marks++
		default:
			if r = visible(r, size); r < 0 {
				continue
			}
			b.WriteRune(r)
			marks = 0
			if r == ' ' {
				marks = maxMarks
			}
		}
	}
	return b.String()
}

// stripSequences removes escape sequences. A sequence that swallowed all of a
// text would hide it, so then only the control characters go.
func stripSequences(s string) string {
	if !utf8.ValidString(s) {
		s = pictureBytes(s)
	}
	if stripped := ansi.Strip(s); stripped != "" {
		return stripped
	}
	return s
}

// pictureBytes replaces bytes that are no UTF-8 by U+FFFD. Single bytes of C1
// stay for ansi.Strip, which knows the sequences they begin.
func pictureBytes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 && (s[i] < 0x80 || s[i] > 0x9f) {
			b.WriteRune(utf8.RuneError)
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// isPlain tells text that is printable ASCII already.
func isPlain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// visible returns what is drawn for r: r itself, a space, U+FFFD, or -1 for
// nothing. The size is what r took in the source: 1 for a byte that is no
// UTF-8.
func visible(r rune, size int) rune {
	switch {
	case r == utf8.RuneError && size == 1:
		return utf8.RuneError
	case r == '\n', r == '\r', r == '\t', r == '\v', r == '\f', r == 0x85, unicode.Is(unicode.Z, r):
		return ' '
	case unicode.IsControl(r), isInvisible(r):
		return -1
	case unicode.IsGraphic(r):
		return r
	}
	return utf8.RuneError // unassigned, private use, surrogates
}

// isInvisible tells characters that are drawn as nothing, turn the direction
// of writing, or change the width of their neighbours.
func isInvisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || // bidirectional controls, joiners, U+FEFF, tags, soft hyphen
		unicode.Is(unicode.Variation_Selector, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) // U+034F, Hangul fillers
}

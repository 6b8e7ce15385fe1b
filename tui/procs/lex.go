package procs

import (
	"unicode"
	"unicode/utf8"
)

// word is a piece of a filter between spaces and bars, with its quotes taken
// off.
type word struct {
	source     string // as it was written
	start, end int    // bytes of the filter
	text       string
	quoted     []bool // by byte of text: it stood in quotes
	open       bool   // a quote was not closed
	bar        bool   // it is the sign |
}

// plainAt tells whether a byte of the text stood outside quotes.
func (w *word) plainAt(i int) bool { return i < len(w.quoted) && !w.quoted[i] }

// anyQuoted tells whether something from there on stood in quotes.
func (w *word) anyQuoted(from int) bool {
	for _, q := range w.quoted[min(from, len(w.quoted)):] {
		if q {
			return true
		}
	}
	return false
}

// lex splits a filter into words and bars. It accepts every text.
func lex(s string) []word {
	var words []word
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
		case r == '|':
			words = append(words, word{source: "|", start: i, end: i + 1, bar: true})
			i++
		default:
			w := lexWord(s, i)
			words = append(words, w)
			i = w.end
		}
	}
	return words
}

// lexWord reads one word from a place that is neither a space nor a bar. A
// quote inside a word is one only where an operator stands before it, so that
// ann's stays what it is.
func lexWord(s string, from int) word {
	w := word{start: from}
	var text []byte
	quote := rune(0)
	i := from
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			text, w.quoted = appendAll(text, s[i:i+size], w.quoted, true)
		case unicode.IsSpace(r) || r == '|':
			w.end, w.source, w.text = i, s[from:i], string(text)
			return w
		case (r == '"' || r == '\'') && (len(text) == 0 || isSign(text[len(text)-1])):
			quote = r
		default:
			text, w.quoted = appendAll(text, s[i:i+size], w.quoted, false)
		}
		i += size
	}
	w.end, w.source, w.text, w.open = i, s[from:i], string(text), quote != 0
	return w
}

func appendAll(text []byte, s string, quoted []bool, is bool) ([]byte, []bool) {
	for i := range len(s) {
		text, quoted = append(text, s[i]), append(quoted, is)
	}
	return text, quoted
}

// isSign tells the characters of operators and of negation.
func isSign(c byte) bool {
	switch c {
	case ':', '=', '!', '<', '>', '~', '-', ',':
		return true
	}
	return false
}

package formats

import "strings"

// finder finds words in a line where they may stand, and tells where they end. It
// is a bit-parallel automaton (Baeza-Yates and Gonnet's shift-and): a bit per
// letter of each word, advanced all at once. Between two words a bit is left free,
// so that no word's last letter runs into the next word's first.
type finder struct {
	masks       [256]uint64 // per byte, the letters it matches
	first, last uint64      // letters of words
}

// newFinder compiles words as spell reads them; with the bits between them they
// fit into 64.
func newFinder(words ...string) *finder {
	f := &finder{}
	bit := 0
	for _, w := range words {
		f.first |= 1 << bit
		n := spell(w, func(at int, c byte) { f.masks[c] |= 1 << (bit + at) })
		f.last |= 1 << (bit + n - 1)
		bit += n + 1
	}
	return f
}

// next returns the index of the next byte, from i on, at which a word ends, and
// what has to be given to go on behind it; −1 when there is none. The line ends
// with a byte that ends words, at len(s). Where tells where words may stand.
func (f *finder) next(s string, i int, state uint64, where spots) (int, uint64) {
	for i <= len(s) {
		until := i
		if state == 0 {
			i, until = where.next(i, len(s))
			if i == until {
				break
			}
		}
		for ; i < len(s) && (i < until || state != 0); i++ {
			state = (f.first + state<<1) & f.masks[s[i]]
			if state&f.last != 0 {
				return i, state
			}
		}
		if i < len(s) {
			continue
		}
		if (f.first+state<<1)&f.masks['\n']&f.last != 0 {
			return i, 0
		}
		break
	}
	return -1, 0
}

// spell calls set with the bytes that each letter of a word matches, and returns
// how many letters it has. Small letters stand for either case, a '0' for any
// digit, a ' ' for white space, a '!' for what ends a word or a line, and "[ab]"
// for either of two letters.
func spell(word string, set func(at int, c byte)) int {
	n := 0
	for ; word != ""; n++ {
		letters := word[:1]
		if word[0] == '[' {
			letters, _, _ = strings.Cut(word[1:], "]")
			word = word[len(letters)+1:]
		}
		for i := range len(letters) {
			spellLetter(letters[i], func(c byte) { set(n, c) })
		}
		word = word[1:]
	}
	return n
}

func spellLetter(letter byte, set func(c byte)) {
	matches := func(c byte) bool {
		switch letter {
		case '0':
			return isDigit(c)
		case '!':
			return !isLetter(c) && !isDigit(c) && c != '/' && c != 0x7f
		case ' ':
			return c == ' ' || c == '\t' || c == '\n' // the end of the line
		}
		return c == letter || isLower(letter) && c == letter-'a'+'A'
	}
	for c := range 256 {
		if matches(byte(c)) {
			set(byte(c))
		}
	}
}

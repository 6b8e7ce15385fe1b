package formats

import "math/bits"

// Nearly all bytes of a log belong to no word that is looked for, and to look at
// each of them is the dearest part of passing over a line. So they are looked at
// two by two, eight at once: three pairs of letters that follow each other tell
// a word.

// wordSet finds which of some words a line has, and where. Letters of either case
// are the same to it, and so is all that is none: "g." is found where "g " is
// looked for. Words have five letters at most.
//
// A word begins at the first or at the second of two bytes, and each of the two
// ways has a bit.
type wordSet struct {
	first, second, third [1 << 10]uint64 // per pair of letters, the words that it may be in
}

// newWordSet compiles words as spell reads them, 32 at most.
func newWordSet(words ...string) *wordSet {
	k := &wordSet{}
	for i, w := range words {
		var letters [][32]bool
		spell(w, func(at int, c byte) {
			for at >= len(letters) {
				letters = append(letters, [32]bool{})
			}
			if c < 0x7f {
				letters[at][letterOf(c)] = true
			}
		})
		for way := range 2 {
			unused := 3 - (len(letters)+way+1)/2 // pairs in front of it
			for n, pairs := range []*[1 << 10]uint64{&k.first, &k.second, &k.third} {
				allow(pairs, 2*i+way, letters, 2*(n-unused)-way)
			}
		}
	}
	return k
}

// allow sets a bit of the pairs that the two letters of a word from at on can be.
// In front of a word and behind it anything may stand.
func allow(pairs *[1 << 10]uint64, bit int, letters [][32]bool, at int) {
	fits := func(at, c int) bool { return at < 0 || at >= len(letters) || letters[at][c] }
	for a := range 32 {
		for b := range 32 {
			if fits(at, a) && fits(at+1, b) {
				pairs[pairUp(uint64(a|b<<8))&lastPair] |= 1 << bit
			}
		}
	}
}

// spots are where words stand in a line: bit n is of the eight bytes from 8n on,
// in which such a word ends, or the line right behind it.
type spots uint64

// everywhere are the spots of a line of which nothing is known.
const everywhere spots = 1<<64 - 1

// spotted is how many bytes of a line have spots. Behind them words may stand
// everywhere.
const spotted = 8 * 63

// next returns the first stretch of a line of n bytes, from i on, in which words
// may begin; it is empty when there is none.
func (w spots) next(i, n int) (from, until int) {
	const before = 4 // bytes in front of its spot in which a word may begin
	if i >= spotted {
		return i, n
	}
	if w >>= i / 8; w != 0 {
		at := i&^7 + 8*bits.TrailingZeros64(uint64(w))
		return max(i, at-before), at + 8
	}
	if n > spotted {
		return max(i, spotted-before), n
	}
	return n, n
}

// look returns which words stand in a line, two bits each, and where.
func (k *wordSet) look(s string) (words uint64, where spots) {
	words, where = k.begin(s, k.second[0]&k.first[0], k.first[0])
	for len(s) > spotted {
		s = s[spotted-8:] // words may stand across
		more, _ := k.begin(s, 0, 0)
		words |= more
	}
	return words, where
}

// begin looks at the beginning of a line, as far as it has spots and eight bytes
// on, or behind its end. One and two are the words that the pairs in front allow.
func (k *wordSet) begin(s string, one, two uint64) (words uint64, where spots) {
	end := min(len(s), spotted) &^ 7
	last := loadEnd(s, end)
	for i := 0; ; i += 8 {
		eight := last
		if i < end {
			eight = load(s, i)
		}
		p := pairUp(letter(eight))
		a, b := p&lastPair, p>>16&lastPair
		found := one&k.third[a] | two&k.second[a]&k.third[b]
		one, two = k.first[a]&k.second[b], k.first[b]
		a, b = p>>32&lastPair, p>>48&lastPair
		found |= one&k.third[a] | two&k.second[a]&k.third[b]
		one, two = k.first[a]&k.second[b], k.first[b]
		words |= found
		where >>= 1
		if with := where | 1<<63; found != 0 {
			where = with
		}
		if i >= end {
			return words, where >> (63 - end/8)
		}
	}
}

// letter turns each of eight bytes into a letter of 5 bits. Those of either case
// are the same, and digits, blanks and most marks are 0.
func letter(w uint64) uint64 {
	const each = 0x0101010101010101
	is := w >> 6 &^ (w >> 7) & each // '@' to DEL
	return w & (is<<5 - is)
}

func letterOf(c byte) uint64 { return letter(uint64(c)) }

// lastPair is what the last two bytes of pairUp are.
const lastPair = 1<<10 - 1

// pairUp makes of two letters that stand side by side one number below 1024, in
// every other two bytes; what is above it there is to be dropped. The letters are
// mixed, but no two pairs give the same.
func pairUp(letters uint64) uint64 { return letters ^ letters>>3 }

// load returns the eight bytes of s at i, the first of them the lowest.
func load(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// loadEnd returns the eight bytes of s at i, with line ends behind its end.
func loadEnd(s string, i int) uint64 {
	const ends = '\n' * (1<<64 - 1) / 255
	if i+8 <= len(s) {
		return load(s, i)
	}
	if len(s) >= 8 {
		left := uint(8 * (len(s) - i)) // bits
		return load(s, len(s)-8)>>(64-left) | ends<<left
	}
	w := uint64(ends)
	for j := len(s) - 1; j >= i; j-- {
		w = w<<8 | uint64(s[j])
	}
	return w
}

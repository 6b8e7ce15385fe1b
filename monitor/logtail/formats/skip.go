package formats

// Nearly all bytes of a log belong to no word that is looked for, and an
// automaton that looks at each of them is the dearest part of passing over a
// line. So they are first looked at two by two, eight at once: where no word can
// begin with the two bytes here and go on with the next two, nothing can be, and
// the automaton starts behind.

// skipper finds where in a line one of some words may stand. It may err in one
// direction only: where it passes over, there is none.
//
// A word begins at the first or at the second of two bytes, and each of the two
// ways has a bit.
type skipper struct {
	first  [1 << 10]uint64 // per pair of letters, the words that it may begin
	second [1 << 10]uint64 // and those that it may go on with
}

// maxSkipped is how many words a skipper can have.
const maxSkipped = 32

// skipBack is how far in front of what ahead returns a word may begin.
const skipBack = 3

// newSkipper compiles words as spell reads them.
func newSkipper(words ...string) *skipper {
	k := &skipper{}
	for i, w := range words {
		var letters [][32]bool
		spell(w, func(at int, c byte) {
			for at >= len(letters) {
				letters = append(letters, [32]bool{})
			}
			letters[at][fold(uint64(c))] = true
		})
		k.add(2*i, pairAt(letters, 0), pairAt(letters, 2))
		if len(letters) > 4 {
			k.add(2*i+1, pairAt(letters, 1), pairAt(letters, 3))
		} else {
			k.add(2*i+1, pairAt(letters, -1), pairAt(letters, 1))
		}
	}
	return k
}

// add sets a bit for a word of which two pairs of letters follow each other.
func (k *skipper) add(bit int, first, second [2][32]bool) {
	for a := range 32 {
		for b := range 32 {
			if first[0][a] && first[1][b] {
				k.first[a|b<<5] |= 1 << bit
			}
			if second[0][a] && second[1][b] {
				k.second[a|b<<5] |= 1 << bit
			}
		}
	}
}

// pairAt returns two letters of a word from i on. In front of a word and behind
// it anything may stand.
func pairAt(letters [][32]bool, i int) (pair [2][32]bool) {
	for n := range pair {
		for c := range pair[n] {
			at := i + n
			pair[n][c] = at < 0 || at >= len(letters) || letters[at][c]
		}
	}
	return pair
}

// ahead returns from where on the line has to be looked at, from i on. No word
// begins in between, but for the last skipBack bytes.
func (k *skipper) ahead(s string, i int) int {
	if len(s) < 8 {
		return i // shorter than it takes to look
	}
	for before := uint64(0); ; i += 8 {
		var eight uint64
		if i+8 <= len(s) {
			eight = load(s, i)
		} else {
			eight = loadEnd(s, i)
		}
		p := fold(eight)
		a, b, c, d := p&1023, p>>16&1023, p>>32&1023, p>>48&1023
		if before&k.second[a]|k.first[a]&k.second[b]|k.first[b]&k.second[c]|k.first[c]&k.second[d] != 0 {
			return min(i, len(s)-1)
		}
		if i+8 > len(s) {
			return len(s)
		}
		before = k.first[d]
	}
}

// fold turns each of eight bytes into a letter of 5 bits, and lays two of them
// side by side. Those of either case are the same, and what ends words mostly is
// 0, as digits are.
func fold(w uint64) uint64 {
	const each, even, odd = 0x0101010101010101, 0x001f001f001f001f, 0x1f001f001f001f00
	letter := w >> 6 & each // '@' to DEL
	w &= letter<<5 - letter
	return w&even | w&odd>>3
}

// load returns the eight bytes of s at i, the first of them the lowest.
func load(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// loadEnd returns the bytes that are left of s from i on, fewer than eight, and
// line ends behind them. s has eight.
func loadEnd(s string, i int) uint64 {
	const ends = '\n' * (1<<64 - 1) / 255
	left := uint(8 * (len(s) - i)) // bits
	return load(s, len(s)-8)>>(64-left) | ends<<left
}

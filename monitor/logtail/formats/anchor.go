package formats

import "math/bits"

// anchors finds in one pass over a line what of a list can fit it. Every item
// has texts of which one must stand in the line; four bytes of each are its
// key. Items without such a text are tried on every line.
type anchors struct {
	bloom  [1 << 12]bool // of hashed keys
	keys   map[uint32]itemSet
	always itemSet
}

// itemSet is a set of items by their index; there are fewer than 128.
type itemSet [2]uint64

func (s *itemSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s *itemSet) join(o itemSet) { s[0] |= o[0]; s[1] |= o[1] }

func (s itemSet) any() bool { return s[0]|s[1] != 0 }

// next removes the first item of the set from it and returns its index.
func (s *itemSet) next() int {
	for w := range s {
		if s[w] != 0 {
			bit := bits.TrailingZeros64(s[w])
			s[w] &= s[w] - 1
			return w*64 + bit
		}
	}
	return -1
}

// split divides a set at index n: the items below it, and those from it on,
// counted from there.
func (s itemSet) split(n int) (below, rest itemSet) {
	for s.any() {
		if i := s.next(); i < n {
			below.add(i)
		} else {
			rest.add(i - n)
		}
	}
	return below, rest
}

// newAnchors compiles texts, several for each frame or other item of which one
// must stand in a line.
func newAnchors(items [][]string) *anchors {
	a := &anchors{keys: make(map[uint32]itemSet)}
	for i, texts := range items {
		if len(texts) == 0 {
			a.always.add(i)
		}
		for _, t := range texts {
			k := rarest(t)
			set := a.keys[k]
			set.add(i)
			a.keys[k] = set
			a.bloom[hashKey(k)] = true
		}
	}
	return a
}

// frameTexts returns the texts of frames of which one must stand in a line.
func frameTexts(fs []frame) [][]string {
	items := make([][]string, len(fs))
	for i := range fs {
		items[i] = fs[i].any
		if len(fs[i].all) > 0 {
			items[i] = []string{longest(fs[i].all)}
		}
	}
	return items
}

func longest(texts []string) string {
	best := ""
	for _, t := range texts {
		if len(t) > len(best) {
			best = t
		}
	}
	return best
}

// rarest returns the four bytes of a text that other lines have least: those
// with few small letters, but not a unit alone. Texts are at least four bytes
// long.
func rarest(t string) uint32 {
	best, at := -1, 0
	for i := 0; i+4 <= len(t); i++ {
		n, small := 0, 0
		for _, c := range []byte(t[i : i+4]) {
			switch {
			case c >= 'a' && c <= 'z':
				small++
			case c == ' ':
				n++
			default:
				n += 3
			}
		}
		if small > 0 && small < 4 {
			n += 4
		}
		if n > best {
			best, at = n, i
		}
	}
	return key(t, at)
}

func key(s string, i int) uint32 {
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

func hashKey(k uint32) uint32 { return (k * 2654435761) >> 20 }

// candidates returns the items one of whose keys stands in the line.
func (a *anchors) candidates(s string) itemSet {
	found := a.always
	if len(s) < 4 {
		return found
	}
	k := key(s, 0) << 8
	for i := 3; i < len(s); i++ {
		if i == 3 {
			k = key(s, 0)
		} else {
			k = k>>8 | uint32(s[i])<<24
		}
		if a.bloom[hashKey(k)] {
			found.join(a.keys[k])
		}
	}
	return found
}

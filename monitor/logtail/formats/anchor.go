package formats

import (
	"math/bits"
	"strings"
)

// anchors finds in one pass over a line which texts of a list stand in it. Four
// bytes of each text are its key, by which it is looked for.
type anchors struct {
	bucketOf [1 << 13]uint8 // of a hashed key; 0 is empty
	buckets  [][]anchor
	always   itemSet // items without a text have to be known by something else
}

// anchor is one text of an item.
type anchor struct {
	key  uint32
	at   int // of the key in the text
	text string
	fold bool // the text is in lower case and stands for any case
	item int
}

// item is what may fit a line: any of its texts must stand in it.
type item struct {
	texts []string
	fold  bool
}

// itemSet is a set of items by their index; there are fewer than 192.
type itemSet [3]uint64

func (s *itemSet) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s *itemSet) join(o itemSet) {
	for w := range s {
		s[w] |= o[w]
	}
}

func (s itemSet) any() bool { return s[0]|s[1]|s[2] != 0 }

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

// newAnchors compiles items. More than 255 buckets, or an item too many, is a
// mistake of the caller.
func newAnchors(items []item) *anchors {
	a := &anchors{buckets: make([][]anchor, 1, 256)}
	for i, x := range items {
		if len(x.texts) == 0 {
			a.always.add(i)
		}
		for _, t := range x.texts {
			at := rarest(t)
			k := key(t[at:])
			b := &a.bucketOf[hashKey(k)]
			if *b == 0 {
				*b = uint8(len(a.buckets))
				a.buckets = append(a.buckets, nil)
			}
			a.buckets[*b] = append(a.buckets[*b], anchor{k, at, t, x.fold, i})
		}
	}
	return a
}

// frameTexts returns the texts of frames of which one must stand in a line.
func frameTexts(fs []frame) []item {
	items := make([]item, len(fs))
	for i := range fs {
		items[i].texts = fs[i].any
		if len(fs[i].all) > 0 {
			items[i].texts = []string{longest(fs[i].all)}
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

// byFrequency are the letters of English text, the commonest first.
const byFrequency = "etaoinsrhldcumfpgwybvkxjqz"

// rarest returns where the four bytes of a text begin that are least likely to
// stand in other lines. Texts are at least four bytes long.
func rarest(t string) int {
	best, at := -1, 0
	for i := 0; i+4 <= len(t); i++ {
		n, small := 0, 0
		for _, c := range []byte(t[i : i+4]) {
			switch {
			case c >= 'a' && c <= 'z':
				small++
				n += strings.IndexByte(byFrequency, c) / 3
			case c == ' ':
				n += 2
			default:
				n += 6
			}
		}
		if small > 0 && small < 4 {
			n += 4
		}
		if n > best {
			best, at = n, i
		}
	}
	return at
}

// key returns the first four bytes of s as one number, whatever their case.
func key(s string) uint32 {
	return (uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24) | 0x20202020
}

func hashKey(k uint32) uint32 { return (k * 2654435761) >> 19 }

// in returns the items of which a text stands in the line.
func (a *anchors) in(s string) itemSet {
	var found itemSet
	for rest := s; len(rest) >= 4; rest = rest[1:] {
		k := key(rest)
		bucket := a.bucketOf[hashKey(k)]
		if bucket == 0 {
			continue
		}
		i := len(s) - len(rest)
		for b := range a.buckets[bucket] {
			if x := &a.buckets[bucket][b]; x.key == k && x.stands(s, i-x.at) {
				found.add(x.item)
			}
		}
	}
	return found
}

// stands reports whether the text stands in s at i.
func (x *anchor) stands(s string, i int) bool {
	if i < 0 || i+len(x.text) > len(s) {
		return false
	}
	if s = s[i : i+len(x.text)]; x.fold {
		return equalFold(s, x.text)
	}
	return s == x.text
}

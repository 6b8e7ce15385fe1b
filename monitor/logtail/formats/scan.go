package formats

import "math/bits"

// The pre-filter sees every line of a log. Where its skipper stops, it looks at
// every byte: it is a bit-parallel automaton (Baeza-Yates and Gonnet's
// shift-and), with a bit per letter of each word, advanced all at once.
//
// Between two words a bit is left free. So no word's last letter runs into the
// next word's first, and "shift, then set the first letters" is one addition.

// hints says which kinds of words a line has.
type hints uint16

const (
	hintMemory   hints = 1 << iota // allocated, reserved, memory…
	hintSized                      // cache, device…: of memory if there is a size in the line
	hintFailure                    // out of memory, NCCL and CUDA errors
	hintProgress                   // step, iteration, epoch, batch
	hintPhase                      // saving, loading, evaluating…
	hintDigitG                     // 6.73G, the only sign of an Ultralytics row

	hintsOfFigures = hintMemory | hintSized | hintFailure | hintDigitG
)

// hintWords are the words of the pre-filter as spell reads them, cut to what
// tells them from other words. They fill two words of 64 bits, with a bit between
// each two.
var hintWords = [2][]hintWord{
	{
		{"lloc", hintMemory},
		{"reser", hintMemory},
		{"cach", hintSized},
		{"mem", hintMemory},
		{"[v ]ram", hintSized},
		{"[re]sv", hintSized},
		{"x_ma", hintMemory},
		{"vice", hintSized},
		{"_fre", hintSized},
		{"oom", hintFailure},
		{"cud", hintFailure},
		{"ot_i", hintFailure},
		{"0g ", hintDigitG},
		{"sav", hintPhase},
	},
	{
		{"step", hintProgress},
		{"iter", hintProgress},
		{"poch", hintProgress},
		{"bat", hintProgress},
		{"res[tu][am]", hintPhase},
		{"val", hintPhase},
		{"s[at][an][gi]", hintPhase}, // sanity, stage
		{"ckp", hintPhase},
		{"oadi", hintPhase},
		{"raini", hintPhase},
		{"rain!", hintPhase},
		{"infe", hintPhase},
	},
}

type hintWord struct {
	text string
	hint hints
}

// automaton is hintWords compiled.
type automaton struct {
	skip   *skipper
	masks  [256][2]uint64 // per byte, the letters it matches
	first  [2]uint64      // first letters
	last   [2]uint64      // last letters
	hintOf [2][64]hints   // of a last letter
}

// compiled is the automaton of hintWords.
var compiled = newAutomaton()

func newAutomaton() *automaton {
	a := &automaton{}
	var all []string
	for half, words := range hintWords {
		bit := 0
		for _, w := range words {
			all = append(all, w.text)
			a.first[half] |= 1 << bit
			n := spell(w.text, func(at int, c byte) { a.masks[c][half] |= 1 << (bit + at) })
			a.last[half] |= 1 << (bit + n - 1)
			a.hintOf[half][bit+n-1] = w.hint
			bit += n + 1
		}
	}
	a.skip = newSkipper(all...)
	return a
}

// scan returns the hints of a line.
func (a *automaton) scan(s string) hints {
	var seen0, seen1 uint64
	f0, f1 := a.first[0], a.first[1]
	for i := 0; ; {
		at := a.skip.ahead(s, i)
		if at == len(s) {
			break
		}
		s0, s1 := f0, f1 // what the next letter may match
		for i = max(i, at-skipBack); i < len(s) && (i < at+8 || s0 != f0 || s1 != f1); i++ {
			m := &a.masks[s[i]]
			s0 &= m[0]
			s1 &= m[1]
			seen0 |= s0
			seen1 |= s1
			s0 = f0 + s0<<1
			s1 = f1 + s1<<1
		}
		if i == len(s) {
			end := &a.masks['\n']
			seen0 |= s0 & end[0]
			seen1 |= s1 & end[1]
			break
		}
	}
	seen0 &= a.last[0]
	seen1 &= a.last[1]
	if seen0|seen1 == 0 {
		return 0
	}
	var h hints
	for w, seen := range [2]uint64{seen0, seen1} {
		for ; seen != 0; seen &= seen - 1 {
			h |= a.hintOf[w][bits.TrailingZeros64(seen)]
		}
	}
	return h
}

package formats

import "math/bits"

// The pre-filter looks at every byte of a log once. It is a bit-parallel
// automaton (Baeza-Yates and Gonnet's shift-and): a bit per letter of each
// word, advanced all at once, so that a line without any of the words costs
// two table look-ups a byte and no memory.

// hints says which kinds of words a line has.
type hints uint16

const (
	hintMemory   hints = 1 << iota // allocated, reserved, cached, memory…
	hintFailure                    // out of memory, NCCL and CUDA errors
	hintProgress                   // step, iteration, epoch, batch
	hintPhase                      // saving, loading, evaluating…
	hintRate                       // it/s, s/it
	hintDigitG                     // 6.73G, the only sign of an Ultralytics row
	hintControl                    // terminal escapes, control bytes
	hintBracket                    // '[', which a colour without its ESC byte begins with

	hintsOfBytes = hintControl | hintBracket
)

// hintWords are the words of the pre-filter, in lower case, cut to what tells
// them from other words. A '0' stands for any digit, a NUL for any control
// byte. They fill two words of 64 bits; a third would cost a third of the
// speed.
var hintWords = [...]struct {
	text string
	hint hints
}{
	{"lloc", hintMemory},
	{"reser", hintMemory},
	{"cach", hintMemory},
	{"mem", hintMemory},
	{"vram", hintMemory},
	{"rsv", hintMemory},
	{"resv", hintMemory},
	{"ax_ma", hintMemory},
	{"u ram", hintMemory},
	{"vice", hintMemory},
	{"_free", hintMemory},
	{"oom", hintFailure},
	{"cuda", hintFailure},
	{"not_i", hintFailure},
	{"0g ", hintDigitG},
	{"sav", hintPhase},

	{"step", hintProgress},
	{"iter", hintProgress},
	{"poch", hintProgress},
	{"bat", hintProgress},
	{"it/s", hintRate},
	{"s/it", hintRate},
	{"resta", hintPhase},
	{"resum", hintPhase},
	{"evalu", hintPhase},
	{"heckp", hintPhase},
	{"alid", hintPhase},
	{"loadi", hintPhase},
	{"raini", hintPhase},
	{"infer", hintPhase},
	{"\x00", hintControl},
	{"[", hintBracket},
}

// automaton is hintWords compiled.
type automaton struct {
	masks  [256][2]uint64 // per byte, the letters it matches
	first  [2]uint64      // first letters
	last   [2]uint64      // last letters
	hintOf [2][64]hints   // of a last letter
}

// compiled is the automaton of hintWords.
var compiled = newAutomaton()

func newAutomaton() *automaton {
	a := &automaton{}
	word, bit := 0, 0
	for _, w := range hintWords {
		if bit+len(w.text) > 64 {
			word, bit = word+1, 0
		}
		a.first[word] |= 1 << bit
		for i := 0; i < len(w.text); i++ {
			a.letter(w.text[i], word, bit+i)
		}
		bit += len(w.text)
		a.last[word] |= 1 << (bit - 1)
		a.hintOf[word][bit-1] = w.hint
	}
	return a
}

func (a *automaton) letter(c byte, word, bit int) {
	set := func(b byte) { a.masks[b][word] |= 1 << bit }
	switch {
	case c == 0:
		for d := byte(0); d < 0x20; d++ {
			if d != '\t' {
				set(d)
			}
		}
		set(0x7f)
	case c == '0':
		for d := byte('0'); d <= '9'; d++ {
			set(d)
		}
	case c >= 'a' && c <= 'z':
		set(c)
		set(c - 'a' + 'A')
	case c == ' ':
		set(' ')
		set('\t')
	default:
		set(c)
	}
}

// scan returns the hints of a line.
func (a *automaton) scan(s string) hints {
	var s0, s1, seen0, seen1 uint64
	f0, f1 := a.first[0], a.first[1]
	for i := 0; i < len(s); i++ {
		m := &a.masks[s[i]]
		s0 = (s0<<1 | f0) & m[0]
		s1 = (s1<<1 | f1) & m[1]
		seen0 |= s0
		seen1 |= s1
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

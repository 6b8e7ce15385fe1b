package formats

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
)

// hintWords are the words of the pre-filter, in lower case. A '0' stands for
// any digit.
var hintWords = [...]struct {
	text string
	hint hints
}{
	{"alloc", hintMemory},
	{"reserv", hintMemory},
	{"cach", hintMemory},
	{"mem", hintMemory},
	{"vram", hintMemory},
	{"rsv", hintMemory},
	{"resv", hintMemory},
	{"max_ma", hintMemory},
	{"gpu ram", hintMemory},
	{"device", hintMemory},
	{"gb_free", hintMemory},
	{"oom", hintFailure},
	{"cuda", hintFailure},
	{"_status_", hintFailure},
	{"hip o", hintFailure},
	{"0g ", hintDigitG},
	{"step", hintProgress},
	{"iter", hintProgress},
	{"epoch", hintProgress},
	{"batch", hintProgress},
	{"updates", hintProgress},
	{"ep 0", hintProgress},
	{"it/s", hintRate},
	{"s/it", hintRate},
	{"restart", hintPhase},
	{"resum", hintPhase},
	{"valid", hintPhase},
	{"evalu", hintPhase},
	{"checkp", hintPhase},
	{"saving", hintPhase},
	{"saved", hintPhase},
	{"loading", hintPhase},
	{"training", hintPhase},
	{"infer", hintPhase},
}

// automaton is hintWords compiled: up to three words of 64 letters.
type automaton struct {
	masks  [256][3]uint64 // per byte, the letters it matches
	first  [3]uint64      // first letters
	last   [3]uint64      // last letters
	hintOf [3][64]hints   // of a last letter
}

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
	var s0, s1, s2, seen0, seen1, seen2 uint64
	f0, f1, f2 := a.first[0], a.first[1], a.first[2]
	for i := 0; i < len(s); i++ {
		m := &a.masks[s[i]]
		s0 = (s0<<1 | f0) & m[0]
		s1 = (s1<<1 | f1) & m[1]
		s2 = (s2<<1 | f2) & m[2]
		seen0 |= s0
		seen1 |= s1
		seen2 |= s2
	}
	var h hints
	for w, seen := range [3]uint64{seen0 & a.last[0], seen1 & a.last[1], seen2 & a.last[2]} {
		for seen != 0 {
			bit := trailingZeros(seen)
			seen &= seen - 1
			h |= a.hintOf[w][bit]
		}
	}
	return h
}

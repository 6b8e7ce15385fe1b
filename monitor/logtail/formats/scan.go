package formats

import "math/bits"

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

// hintWords are the words of the first look, cut to what tells them from other
// words. Those without a hint are too common to be one; whether and where they
// stand is asked of the lines that have a hint.
var hintWords = []struct {
	text string
	hint hints
}{
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
	{"step", hintProgress},
	{"iter", hintProgress},
	{"poch", hintProgress},
	{"bat", hintProgress},
	{"res[tu][am]", hintPhase},
	{"val", hintPhase},
	{"s[at][an][gi]", hintPhase}, // sanity, stage
	{"ckp", hintPhase},
	{"oadi", hintPhase},
	{"rain[i!]", hintPhase},
	{"infe", hintPhase},
	{"it!", 0}, // of progressWords, as the next two
	{"ep!", 0},
	{"updat", 0},
	{"rank", 0},
	{"byte", 0},
	{"[kmgti]b", 0},
	{"![kmgtb]!", 0},
}

// firstLook finds hintWords.
var firstLook = func() *wordSet {
	var texts []string
	for _, w := range hintWords {
		texts = append(texts, w.text)
	}
	return newWordSet(texts...)
}()

// wordsWith returns the bits in firstLook of the words that are wanted.
func wordsWith(wanted func(text string, hint hints) bool) (bits uint64) {
	for i, w := range hintWords {
		if wanted(w.text, w.hint) {
			bits |= 3 << (2 * i)
		}
	}
	return bits
}

func bitsOfWord(text string) uint64 {
	return wordsWith(func(t string, _ hints) bool { return t == text })
}

// These are bits in firstLook.
var (
	hinted       = wordsWith(func(_ string, h hints) bool { return h != 0 })
	namesOfSteps = bitsOfWord("step") | bitsOfWord("iter") | bitsOfWord("bat") | bitsOfWord("poch") |
		bitsOfWord("it!") | bitsOfWord("ep!") | bitsOfWord("updat") | bitsOfWord("rain[i!]")
	namesOfRanks   = bitsOfWord("rank")
	endsOfUnits    = bitsOfWord("[kmgti]b") | bitsOfWord("byte")
	lettersOfUnits = bitsOfWord("![kmgtb]!")
)

// look is what the first look at a line tells.
type look struct {
	words uint64 // of hintWords, two bits each
	where spots  // they stand
}

func lookAt(s string) (l look) {
	l.words, l.where = firstLook.look(s)
	return l
}

// hints returns what the words of a line hint at. Every line of a log comes here,
// and most go no further.
func (l look) hints() (h hints) {
	for words := l.words & hinted; words != 0; words &= words - 1 {
		h |= hintWords[bits.TrailingZeros64(words)/2].hint
	}
	return h
}

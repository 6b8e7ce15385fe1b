package formats

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryWordOfTheFirstLookIsFound(t *testing.T) {
	for _, c := range []struct {
		hint  hints
		words string
	}{
		{hintMemory, "allocated RESERVED memory Mem: max_mem Max_MA mallocs"},
		{hintSized, "cached vram GPU-RAM|\x20RAM rsv resv device gb_free"},
		{hintFailure, "OOM cuda NOT_INIT"},
		{hintProgress, "step iteration epoch batch"},
		{hintPhase, "saving restarting resumed evaluating val validation sanity stage checkpoint loading training train train: inference"},
		{hintDigitG, "6.73G"},
	} {
		for _, w := range strings.Fields(c.words) {
			for _, text := range []string{w, "x " + w, w + " x", "12 " + w + "\t12"} {
				if compiled.scan(text)&c.hint == 0 && w != "GPU-RAM|" && w != "RAM" {
					t.Errorf("%q does not give the hint %x", text, c.hint)
				}
			}
		}
	}
	for _, text := range []string{"trainer", "train_loss", "/train/", "constrained", "queue depth 12", ""} {
		if h := compiled.scan(text); h != 0 {
			t.Errorf("%q gives the hints %x", text, h)
		}
	}
}

// nothingSkipped is a skipper that stops everywhere: an automaton with it looks
// at every letter.
func nothingSkipped() *skipper {
	k := &skipper{}
	for i := range k.first {
		k.first[i], k.second[i] = 1, 1
	}
	return k
}

// hintsByWords looks for every word at every place of a line.
func hintsByWords(s string) hints {
	s += "\n"
	var h hints
	for _, half := range hintWords {
		for _, w := range half {
			for from := range len(s) {
				found := 0
				n := spell(w.text, func(at int, c byte) {
					if from+at < len(s) && s[from+at] == c {
						found++
					}
				})
				if found == n {
					h |= w.hint
				}
			}
		}
	}
	return h
}

// wordEnds returns where a finder finds words.
func wordEnds(f *finder, s string) []int {
	var ends []int
	for i, state := f.next(s, 0, 0); i >= 0 && i < len(s); i, state = f.next(s, i+1, state) {
		ends = append(ends, i)
	}
	return ends
}

// sameAtEveryLetter fails unless what skips finds what a look at every letter
// finds.
func sameAtEveryLetter(t *testing.T, s string) {
	t.Helper()
	whole := *compiled
	whole.skip = nothingSkipped()
	if got, want := compiled.scan(s), whole.scan(s); got != want {
		t.Errorf("%q gives the hints %x, letter by letter %x", s, got, want)
	}
	for _, f := range []*finder{progressWords, sizeMarks} {
		whole := *f
		whole.skip = nothingSkipped()
		if d := cmp.Diff(wordEnds(&whole, s), wordEnds(f, s)); d != "" {
			t.Errorf("%q has words elsewhere (-letter by letter +skipping):\n%s", s, d)
		}
	}
	if got, want := hasControl(s), anyControl(s); got != want {
		t.Errorf("%q: control bytes %v, byte by byte %v", s, got, want)
	}
}

func TestWhatIsSkippedHasNoWord(t *testing.T) {
	r := rand.New(rand.NewPCG(95, 96))
	var words []string
	for _, half := range hintWords {
		for _, w := range half {
			words = append(words, strings.NewReplacer("[", "", "]", "", "!", " ", "0", "7").Replace(w.text))
		}
	}
	words = append(words, mutations...)
	words = append(words, "x", "Q", "-", "sa", "7", "1234567", "1,234,567", ".12345", "mib", "train", "ep", "it")
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteString(words[r.IntN(len(words))])
		}
		sameAtEveryLetter(t, b.String())
	}
	for _, l := range ordinaryLog(100) {
		sameAtEveryLetter(t, l)
		if got, want := compiled.scan(l), hintsByWords(l); got != want {
			t.Errorf("%q gives the hints %x, by its words %x", l, got, want)
		}
	}
}

func TestWhatIsSkippedInTheCorpusHasNoWord(t *testing.T) {
	r := rand.New(rand.NewPCG(97, 98))
	for _, row := range corpus(t) {
		for _, l := range strings.Split(row.Line, "\n") {
			sameAtEveryLetter(t, l)
			for range 10 {
				sameAtEveryLetter(t, mutated(r, l))
			}
		}
	}
}

func FuzzWhatIsSkippedHasNoWord(f *testing.F) {
	for _, e := range examples() {
		f.Add(e.text)
	}
	for _, l := range ordinaryLog(50) {
		f.Add(l)
	}
	f.Fuzz(sameAtEveryLetter)
}

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
				if hintsIn(text)&c.hint == 0 && w != "GPU-RAM|" && w != "RAM" {
					t.Errorf("%q does not give the hint %x", text, c.hint)
				}
			}
		}
	}
	for _, text := range []string{"trainer", "train_loss", "constrained", "queue depth 12", ""} {
		if h := hintsIn(text); h != 0 {
			t.Errorf("%q gives the hints %x", text, h)
		}
	}
}

func hintsIn(s string) hints {
	return lookAt(s).hints()
}

// wordByWord looks for every word at every place of a line, as a wordSet
// understands letters.
func wordByWord(s string) uint64 {
	s = "\n" + s + "\n"
	var found uint64
	for i, w := range hintWords {
		var letters [][32]bool
		spell(w.text, func(at int, c byte) {
			for at >= len(letters) {
				letters = append(letters, [32]bool{})
			}
			if c < 0x7f {
				letters[at][letterOf(c)] = true
			}
		})
		for from := range len(s) - len(letters) + 1 {
			fits := true
			for at, l := range letters {
				fits = fits && l[letterOf(s[from+at])]
			}
			if fits {
				found |= 3 << (2 * i)
			}
		}
	}
	return found
}

// bothWays sets both bits of every word that has one.
func bothWays(words uint64) uint64 {
	const lower = 0x5555555555555555
	return (words | words>>1) & lower * 3
}

// wordEnds returns where a finder finds words.
func wordEnds(f *finder, s string, where spots) []int {
	var ends []int
	for i, state := f.next(s, 0, 0, where); i >= 0 && i < len(s); i, state = f.next(s, i+1, state, where) {
		ends = append(ends, i)
	}
	return ends
}

// sameAtEveryLetter fails unless what skips finds what a look at every letter
// finds.
func sameAtEveryLetter(t *testing.T, s string) {
	t.Helper()
	first := lookAt(s)
	if want := wordByWord(s); bothWays(first.words) != want {
		t.Errorf("%q has the words %x, word by word %x", s, first.words, want)
	}
	if d := cmp.Diff(wordEnds(progressWords, s, everywhere), wordEnds(progressWords, s, first.where)); d != "" {
		t.Errorf("%q has words elsewhere (-letter by letter +skipping):\n%s", s, d)
	}
	if want := anyControl(s); hasControl(s) != want {
		t.Errorf("%q: control bytes %v", s, want)
	}
	s, _ = clean(s, nil)
	if got, want := hasSizeIn(s), hasSizeAt(s, 0, unitMarks, everywhere) || hasSizeAt(s, 0, numberMarks, everywhere); got != want {
		t.Errorf("%q has a size: %v, mark by mark %v", s, got, want)
	}
}

func TestWhatIsSkippedHasNoWord(t *testing.T) {
	r := rand.New(rand.NewPCG(95, 96))
	var words []string
	for _, w := range hintWords {
		words = append(words, strings.NewReplacer("[", "", "]", "", "!", " ", "0", "7").Replace(w.text))
	}
	words = append(words, mutations...)
	words = append(words, "x", "Q", "-", "sa", "7", "1234567", "1,234,567", ".12345", "mib", "train", "ep", "it")
	for range 6_000 {
		var b strings.Builder
		for range r.IntN(9) {
			b.WriteString(words[r.IntN(len(words))])
		}
		sameAtEveryLetter(t, b.String())
	}
	for _, l := range ordinaryLog(100) {
		sameAtEveryLetter(t, l)
	}
}

func TestAWordIsFoundAtEveryPlaceOfALongLine(t *testing.T) {
	for _, length := range []int{0, 1, 7, 8, 9, spotted - 1, spotted, spotted + 1, spotted + 8, 2 * spotted, 3*spotted + 5} {
		for at := max(0, length-20); at <= length; at++ {
			for _, word := range []string{"alloc", "reserv", " mem ", "step", " it ", "rank", "7 GB", "1234567", " trained", " train"} {
				rest := strings.Repeat("x", length-at)
				sameAtEveryLetter(t, strings.Repeat("x", at)+word+rest)
				sameAtEveryLetter(t, strings.Repeat("x", at)+word+" "+rest+" "+strings.Repeat("9.", at%40))
			}
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

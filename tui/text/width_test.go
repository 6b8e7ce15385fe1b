package text

import (
	"math/rand/v2"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestTheQuickWidthIsThatOfTheRenderer(t *testing.T) {
	pieces := []string{"a", " ", "│", "▆", "…", "⣿", "世", "e\u0301", "👩‍👩‍👧", "→", "\u2194", "▪", "▫", "·", "\x1b[1;33m", "\x1b[m", "\x1b[38;5;208m", "\x1b[2J", "\x1b]0;x\a", "\x00", "\x7f", "\ufe0f", "\u200d", "\xff"}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := ""
		for range r.IntN(8) {
			s += pieces[r.IntN(len(pieces))]
		}
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Fatalf("%q takes %d, the renderer says %d", s, got, want)
		}
	}
	for r := rune(0); r < 0x3000; r++ {
		if two := string(r) + "x" + string(r); Simple(r) && (ansi.StringWidth(string(r)) != 1 || ansi.StringWidth(two) != 3) {
			t.Errorf("%U is not simple: alone %d, twice with an x %d", r, ansi.StringWidth(string(r)), ansi.StringWidth(two))
		}
	}
}

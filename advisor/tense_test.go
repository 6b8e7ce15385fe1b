package advisor_test

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/vramscope/vramscope/advisor"
)

var presentTense = regexp.MustCompile(`\b(now|holds|stands|is full|are free|are held|are idle|takes|climbs|rises by|does not come back|stays)\b`)

func TestARecordingIsSpokenOfInThePast(t *testing.T) {
	said := 0
	for k, c := range causes() {
		m := newSim(rand.New(rand.NewPCG(uint64(k), 5)), 160, c.cards...)
		c.play(m)
		in := inputOf(m.samples())
		in.Over = true
		for _, f := range advisor.Advise(in) {
			said++
			if word := presentTense.FindString(f.Title); word != "" {
				t.Errorf("%s says %q of a recording: %s", f.ID, word, f.Title)
			}
		}
	}
	if said < 40 {
		t.Errorf("only %d findings were read", said)
	}
}

package formats

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

func TestALineWithoutAnythingThatCanBeASizeIsKnownBeforeItIsCutUp(t *testing.T) {
	for text, want := range map[string]bool{
		"memory allocated 3.25 GiB": true, "alloc=12MB": true, "allocated_gb 6.5": true, "gb_free=2.5": true, "MemGBPeak: 3": true,
		"allocated bytes: 512": true, "[MiB] 12": true, "6.73G": true, "0.25 G/11.91 G": true, "512[M]": true, "13G": true, "0 B": true,
		"memory_allocated=3446472704": true, "12,884,901,888": true, "memory_allocated 3.1457792": true, "at .123456": true,
		"cache hit rate 0.91": false, "via P2P/CUMEM/read 31123": false, "11:22:33.123456 cache warm": false, "library for embedding of 8 numbers": false,
		"cached 14 of 20": false, "2025-06-16 22:30:00,123 reserved port 29512": false, "allocated 16 workers": false, "": false, "12": false, "12 b": false,
		"gbm": false, "12 Gbps": false,
	} {
		if hasSizeIn(text) != want {
			t.Errorf("hasSize(%q) is %v", text, !want)
		}
	}
}

func hasSizeIn(s string) bool {
	l := lookAt(s)
	return hasSize(s, l.words, l.where)
}

// readWhole reads a line by the engine, whatever its first look says.
func readWhole(text string) (read, passed bool) {
	p := NewParser(Config{})
	p.text, p.cleanBuf = clean(text, nil)
	p.first = lookAt(p.text)
	p.survey = p.frames.survey(p.text, hintsIn(text)|hintMemory|hintDigitG)
	p.toks = tokenize(p.text, p.toks)
	p.lineplace = p.places()
	passed = !p.survey.ofFigures() && p.sizeless()
	return p.memoryLine(&monitor.LogLine{Text: text}), passed
}

func TestTheFirstLookPassesOverNoLineThatHasAFigure(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	pieces := []string{"GiB", "gb", " ", "  ", "_", ",", ".", "/", "(", "[", "]", "=", ": ", "1048576", "99999", "0.12345", "G", "M", "B", "byte", "é", "allocated", "reserved", "MemGB"}
	found := 0
	for _, e := range append(examples(), fresh...) {
		for _, line := range strings.Split(e.text, "\n") {
			for range 60 {
				text := line
				for range r.IntN(4) {
					at, cut := r.IntN(len(text)+1), r.IntN(3)
					text = text[:at] + pieces[r.IntN(len(pieces))] + text[min(len(text), at+cut):]
				}
				read, passed := readWhole(text)
				if read && passed {
					t.Fatalf("%q has a figure and is passed over", text)
				}
				if read {
					found++
				}
				if read && hintsIn(text)&hintsOfFigures == 0 {
					continue // "Memory" broken by a random piece: nothing looks at such a line
				}
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d lines had a figure", found)
	}
}

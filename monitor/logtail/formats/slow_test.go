package formats

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// sameAsSlow fails unless a log reads the same as when every line is taken for
// one that may have a size.
func sameAsSlow(t *testing.T, log string) {
	t.Helper()
	p := NewParser(Config{})
	p.slow = true
	slow, fast := parseWith(p, log), parseAll(log)
	if !reflect.DeepEqual(slow, fast) {
		t.Errorf("%q reads otherwise when lines are passed over (-slow +fast):\n%.1500s", log, cmp.Diff(written(slow), written(fast)))
	}
}

// written writes readings in full, failures' figures included.
func written(readings []monitor.LogReading) []string {
	out := make([]string, len(readings))
	for i, r := range readings {
		oom := r.OOM
		r.OOM = nil
		out[i] = fmt.Sprintf("%+v", r)
		if oom != nil {
			out[i] += fmt.Sprintf(" oom %+v", *oom)
		}
	}
	return out
}

// mutated changes a few places of a text.
func mutated(r *rand.Rand, text string) string {
	for range 1 + r.IntN(4) {
		at, cut := r.IntN(len(text)+1), r.IntN(4)
		text = text[:at] + mutations[r.IntN(len(mutations))] + text[min(len(text), at+cut):]
	}
	return text
}

var mutations = []string{
	"", " ", "  ", "\t", "_", ",", ".", "/", "(", "[", "]", "=", ": ", "|", "\"", "\\\"", "é", "\x1b[32m", "\x00", "\x7f", "\xff", "\r", "\n", "█",
	"GiB", "gb", "G ", "M", "B", "byte", "1048576", "99999", "0.12345", "12", "1e9", "%", "+3",
	"alloc", "reserved", "MemGB", "memory", "cache", "peak ", "max_", "VRAM", "gpu 3", "cuda:1", "rank 2", "OOM", "CUDA out of memory", "device",
	"step 7", "iter", "epoch 3", "batch", "it/s", "train", "val", "eval", "saving", "loading", "stage", "ckpt", "per ", "free", "host",
}

func TestNoLineThatSaysSomethingIsPassedOver(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	for _, e := range examples() {
		sameAsSlow(t, e.text)
		for range 12 {
			sameAsSlow(t, mutated(r, e.text))
		}
	}
	sameAsSlow(t, strings.Join(ordinaryLog(3000), "\n"))
}

func TestNoLineOfTheCorpusIsPassedOver(t *testing.T) {
	r := rand.New(rand.NewPCG(93, 94))
	for _, row := range corpus(t) {
		sameAsSlow(t, row.Line)
		for range 12 {
			sameAsSlow(t, mutated(r, row.Line))
		}
	}
}

func FuzzNoLineThatSaysSomethingIsPassedOver(f *testing.F) {
	for _, e := range examples() {
		f.Add(e.text)
	}
	for _, l := range ordinaryLog(50) {
		f.Add(l)
	}
	for _, l := range []string{"|Allocated memory|", "|Allocated memory|0  B", "ep 00 rAm", `cache step 3 {"rank": 3}`} {
		f.Add(l)
	}
	f.Fuzz(sameAsSlow)
}

func TestARowOfATableWithoutAFigureGivesNoReading(t *testing.T) {
	for _, row := range []string{"| Allocated memory |", "| Allocated memory | MiB |", "| Allocated memory | MiB | MiB |"} {
		if got := parseAll(row); len(got) > 0 {
			t.Errorf("%q gives %q", row, written(got))
		}
	}
}

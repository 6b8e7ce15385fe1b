package stack

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// picture is what the cells show, from zero: for each eighth the layer's first
// letter, a dot where there is nothing.
func picture(e Ends, cells int) string {
	var b strings.Builder
	for i := range cells {
		c := e.Cell(i * Eighths)
		above := "."
		if c.Over {
			above = c.Upper.Name()[:1]
		}
		b.WriteString(strings.Repeat(c.Layer.Name()[:1], c.Part) + strings.Repeat(above, Eighths-c.Part))
	}
	return b.String()
}

func TestTwoLayersMeetWithinACell(t *testing.T) {
	for _, c := range []struct {
		name    string
		lengths [3]int
		want    string
	}{
		{"each ends in a cell of its own", [3]int{3, 12, 20}, "aaarrrrr rrrruuuu uuuu...."},
		{"each ends with a cell", [3]int{8, 16, 24}, "aaaaaaaa rrrrrrrr uuuuuuuu"},
		{"one layer", [3]int{0, 0, 20}, "uuuuuuuu uuuuuuuu uuuu...."},
		{"nothing", [3]int{}, "........ ........ ........"},
		{"a layer shorter than the one inside it", [3]int{12, 3, 20}, "aaaaaaaa aaaauuuu uuuu...."},
		{"three in one cell: the innermost shows, then the larger part", [3]int{2, 4, 16}, "aauuuuuu uuuuuuuu ........"},
		{"three in one cell, the middle one larger", [3]int{1, 6, 16}, "arrrrrrr uuuuuuuu ........"},
		{"three that end together in one cell", [3]int{1, 5, 6}, "rrrrrr.. ........ ........"},
	} {
		if got := picture(EndsOf(c.lengths), 3); got != strings.ReplaceAll(c.want, " ", "") {
			t.Errorf("%s: %v is %s, want %s", c.name, c.lengths, got, c.want)
		}
	}
}

func TestThePileIsAsLongAsItsWidestLayerAndNoPartIsOffByACell(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 5000 {
		cells := 1 + r.IntN(30)
		lengths := []int{r.IntN(Eighths*cells + 1), r.IntN(Eighths*cells + 1), r.IntN(Eighths*cells + 1)}
		slices.Sort(lengths)
		got := strings.TrimRight(picture(EndsOf([3]int(lengths)), cells), ".")
		if len(got) != lengths[2] || strings.Contains(got, ".") {
			t.Fatalf("%v in %d cells is %q", lengths, cells, got)
		}
		begin := 0
		for i, layer := range Layers() {
			share := lengths[i] - begin
			if n := strings.Count(got, layer.Name()[:1]); n-share >= Eighths || share-n >= Eighths {
				t.Fatalf("%v in %d cells: %d eighths of %s, want %d: %q", lengths, cells, n, layer.Name(), share, got)
			}
			begin = lengths[i]
		}
	}
}

package history

import (
	"math"
	"math/rand/v2"
	"testing"
)

// values of one column: what seldom moves, what fits in 32 bits, what does not,
// and what is missing.
func someValue(rng *rand.Rand, sort int, i int) float64 {
	switch sort {
	case 0:
		return math.NaN()
	case 1:
		return 41
	case 2:
		return float64(i) / 4
	case 3:
		return float64(rng.Int64N(1<<50) | 1)
	case 4:
		if rng.IntN(2) == 0 {
			return math.NaN()
		}
		return float64(rng.IntN(3))
	}
	return []float64{0, math.Copysign(0, -1), math.Inf(1), 1 << 53}[rng.IntN(4)]
}

func TestAClosedPageOfSamplesGivesBackEachOfThem(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 7))
		width := 1 + rng.IntN(19)
		rows := make([]float64, pageSlots*width)
		for c := range width {
			sort := rng.IntN(6)
			for i := range pageSlots {
				rows[i*width+c] = someValue(rng, sort, i)
			}
		}
		p := closeSingles(rows, width)
		for at, want := range rows {
			got := p.single(at/width, at%width)
			if got != want && (got == got || want == want) {
				t.Fatalf("seed %d: slot %d, column %d is %v, was %v", seed, at/width, at%width, got, want)
			}
		}
	}
}

func TestAClosedPageOfBucketsGivesBackEachOfThem(t *testing.T) {
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 8))
		width := 1 + rng.IntN(19)
		rows := make([]figure, pageSlots*width)
		for c := range width {
			sort := rng.IntN(5)
			for i := range pageSlots {
				f := &rows[i*width+c]
				v := float32(i)
				switch sort {
				case 0:
					continue
				case 1:
					*f = figure{7, 7, 7, 20}
				case 2:
					*f = figure{v, v, v, uint16(1 + rng.IntN(math.MaxUint16))}
				case 3:
					*f = figure{v - 1, v + 1, v, 20}
				case 4:
					if rng.IntN(2) == 0 {
						*f = figure{v, v, v, 3}
					}
				}
			}
		}
		p := closeBuckets(rows, width)
		for at, want := range rows {
			got := p.figure(at/width, at%width)
			if got != want && (want.count > 0 || got.count > 0) {
				t.Fatalf("seed %d: slot %d, column %d is %v, was %v", seed, at/width, at%width, got, want)
			}
		}
	}
}

func TestFiguresThatStandStillTakeLittleRoom(t *testing.T) {
	const width = 13
	rows := make([]figure, pageSlots*width)
	for i := range rows {
		rows[i] = figure{5, 5, 5, 20}
	}
	if p := closeBuckets(rows, width); len(p)*4 > 250 {
		t.Errorf("%d bytes for %d figures that stand still", len(p)*4, width)
	}
	if p := closeBuckets(make([]figure, len(rows)), width); p != nil {
		t.Errorf("%d bytes for nothing", len(p)*4)
	}
}

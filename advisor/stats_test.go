package advisor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAQuantileIsThatOfTheSortedValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		values := make([]float64, n+1)
		for i := range values {
			if values[i] = r.NormFloat64(); n%3 == 0 {
				values[i] = math.Floor(3 * values[i]) // many alike
			}
		}
		if n%7 == 0 {
			slices.Sort(values)
		}
		before, sorted := slices.Clone(values), slices.Clone(values)
		slices.Sort(sorted)
		for _, q := range []float64{0, 0.1, 0.15, 0.5, 0.75, 0.9, 1} {
			if got, want := quantile(values, q), quantileSorted(sorted, q); math.Abs(got-want) > 1e-12 {
				t.Fatalf("%d values, quantile %g: %g, want %g", n+1, q, got, want)
			}
		}
		if !slices.Equal(values, before) {
			t.Fatal("the values were moved")
		}
	}
}

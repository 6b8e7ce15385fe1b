package advisor

import (
	"math"
	"slices"
)

// quantile returns the q-quantile (0 to 1) of the values; NaN for none. The
// values are not changed.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	at := q * float64(len(values)-1)
	i := int(at)
	low, rest := smallest(slices.Clone(values), i)
	if i+1 >= len(values) {
		return low
	}
	return low + (at-float64(i))*(minOf(rest)-low)
}

// smallest returns the value that would stand at place n if the values were
// sorted, and those that would stand after it, in any order. It moves the
// values about, which takes time in proportion to their number, unlike sorting.
func smallest(values []float64, n int) (float64, []float64) {
	lo, hi := 0, len(values)-1
	for hi-lo > 12 {
		pivot := median3(values[lo], values[(lo+hi)/2], values[hi])
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return values[n], values[n+1:]
		}
	}
	slices.Sort(values[lo : hi+1])
	return values[n], values[n+1:]
}

func median3(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

func quantileSorted(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

func median(values []float64) float64 { return quantile(values, 0.5) }

// theilSen returns the median of the slopes between all pairs of points and
// the 10 % and 90 % quantiles of those slopes. One outlier, or several, do not
// move it, unlike a least-squares line or a line through two points. It is
// quadratic: callers pass at most a few dozen points.
func theilSen(x, y []float64) (slope, low, high float64) {
	slopes := make([]float64, 0, len(x)*(len(x)-1)/2)
	for i := range x {
		for j := i + 1; j < len(x); j++ {
			if dx := x[j] - x[i]; dx > 0 {
				slopes = append(slopes, (y[j]-y[i])/dx)
			}
		}
	}
	if len(slopes) == 0 {
		return 0, 0, 0
	}
	slices.Sort(slopes)
	return quantileSorted(slopes, 0.5), quantileSorted(slopes, 0.1), quantileSorted(slopes, 0.9)
}

// offset returns the median distance of the points from a line of that slope
// through the origin.
func offset(x, y []float64, slope float64) float64 {
	rest := make([]float64, len(x))
	for i := range x {
		rest[i] = y[i] - slope*x[i]
	}
	return median(rest)
}

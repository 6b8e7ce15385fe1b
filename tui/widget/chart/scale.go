package chart

import "math"

const gib = float64(1 << 30)

// scale maps bytes to the height of the plot.
type scale struct {
	top   float64 // bytes at the upper edge
	total float64 // 0 when not known
	rows  int
}

// niceSteps are the factors that a scale or a distance of ticks may have.
var niceSteps = [...]float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10}

// newScale settles the upper edge: the total, what is higher than that, or
// where the total is not known or not wanted, a round figure over what is
// shown, which changes seldom.
func newScale(d *Data, fit bool, rows int) scale {
	highest := 0.0
	for _, series := range d.all() {
		for i := range *series {
			if f := figureAt(*series, i); f.known {
				highest = max(highest, f.high)
			}
		}
	}
	s := scale{total: d.total(), rows: rows}
	switch {
	case s.total == 0:
		s.top = roundUp(highest)
	case fit && highest <= s.total:
		s.top = min(roundUp(highest), s.total)
	default:
		s.top = max(s.total, highest)
	}
	return s
}

// roundUp returns the next round number of GiB, at least one.
func roundUp(bytes float64) float64 {
	v := max(bytes/gib, 1)
	base := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range niceSteps {
		if f*base >= v {
			return f * base * gib
		}
	}
	return 10 * base * gib
}

// eighths returns the height of a value in eighths of a cell, within the plot.
// What is not zero is at least the smallest height that can be drawn.
func (s *scale) eighths(bytes float64) int {
	if bytes <= 0 || s.top <= 0 {
		return 0
	}
	share := min(bytes/s.top, 1)
	return max(1, int(math.Round(share*float64(8*s.rows))))
}

// row returns the line of the plot, from the top, in which a value's edge lies.
func (s *scale) row(bytes float64) int {
	return s.rows - 1 - (max(s.eighths(bytes), 1)-1)/8
}

// tick is a figure on the axis.
type tick struct {
	row   int
	bytes float64
	total bool
}

// minTickRows is how many lines lie between ticks at least.
const minTickRows = 3

// ticks returns the figures on the axis but the zero: the upper edge or the
// total, and round ones below, apart from each other.
func (s *scale) ticks() []tick {
	out := []tick{{row: s.row(s.top), bytes: s.top, total: s.top == s.total}}
	if s.total > 0 && s.total < s.top && s.row(s.total)-out[0].row >= 1 {
		out = append(out, tick{row: s.row(s.total), bytes: s.total, total: true})
	}
	step := roundStep(s.top / gib / max(1, min(float64(s.rows)/minTickRows, 8)))
	if step <= 0 || math.IsInf(step, 0) {
		return out
	}
	for n := int(s.top / gib / step); n > 0; n-- {
		t := tick{bytes: float64(n) * step * gib}
		t.row = s.row(t.bytes)
		if last := out[len(out)-1]; t.row-last.row >= 2 && s.rows-t.row >= 2 {
			out = append(out, t)
		}
	}
	return out
}

// roundStep returns the next round distance in GiB, at least a tenth.
func roundStep(v float64) float64 {
	v = max(v, 0.1)
	base := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range [...]float64{1, 2, 2.5, 5, 10} {
		if f == 2.5 && base < 10 {
			continue
		}
		if f*base >= v*0.999 {
			return f * base
		}
	}
	return 10 * base
}

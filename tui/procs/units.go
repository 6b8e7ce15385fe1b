package procs

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// quantity is a value of a filter with how exact it was written.
type quantity struct {
	value, step float64 // step: one of its last digit
}

// number splits a text into a decimal and what follows it; false when it does
// not begin with one.
func number(s string) (q quantity, rest string, ok bool) {
	end, point := 0, -1
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' && point < 0) {
		if s[end] == '.' {
			point = end
		}
		end++
	}
	if end > 30 || end == 0 || end == 1 && point == 0 {
		return q, s, false
	}
	value, err := strconv.ParseFloat(s[:end], 64)
	if err != nil {
		return q, s, false
	}
	q = quantity{value: value, step: 1}
	if point >= 0 {
		q.step = math.Pow(10, -float64(end-1-point))
	}
	return q, s[end:], true
}

// sizeUnits are powers of two, as everywhere with GPUs: 2G is 2 GiB.
var sizeUnits = [...]struct {
	letter string
	bytes  float64
}{{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"p", 1 << 50}}

// parseSize reads 2G, 1.5GiB, 500MB, 0 or 512B.
func parseSize(s string) (quantity, string) {
	const problem = "a size is a number with a unit, such as 2G (2 GiB) or 500M"
	q, rest, ok := number(s)
	if !ok {
		return q, problem
	}
	unit := strings.ToLower(rest)
	switch {
	case unit == "" && q.value == 0, unit == "b":
		return q, ""
	case unit == "":
		return q, "a size needs a unit: " + s + "G, " + s + "M"
	}
	for _, u := range sizeUnits {
		if unit == u.letter || unit == u.letter+"b" || unit == u.letter+"ib" {
			return quantity{value: q.value * u.bytes, step: q.step * u.bytes}, ""
		}
	}
	return q, problem
}

// parsePercent reads 50, 50% or 12.5.
func parsePercent(s string) (quantity, string) {
	q, rest, ok := number(s)
	if !ok || rest != "" && rest != "%" {
		return q, "a share is a number in percent, such as 50 or 50%; 100 is one core"
	}
	return q, ""
}

// parseTime reads 90s, 1h30m, 2d. The step is the smallest unit written.
func parseTime(s string) (quantity, string) {
	const problem = "a time is written with units, such as 90s, 30m, 1h30m or 2d"
	if s == "0" {
		return quantity{step: float64(time.Second)}, ""
	}
	var sum quantity
	last := math.Inf(1)
	for rest := s; rest != ""; {
		q, after, ok := number(rest)
		if !ok || after == "" {
			return sum, problem
		}
		unit := timeUnit(after[0])
		if unit == 0 || unit >= last {
			return sum, problem
		}
		sum.value += q.value * unit
		sum.step, last = q.step*unit, unit
		rest = after[1:]
	}
	return sum, ""
}

func timeUnit(letter byte) float64 {
	const day = 24 * time.Hour
	switch letter {
	case 's', 'S':
		return float64(time.Second)
	case 'm', 'M':
		return float64(time.Minute)
	case 'h', 'H':
		return float64(time.Hour)
	case 'd', 'D':
		return float64(day)
	case 'w', 'W':
		return float64(7 * day)
	}
	return 0
}

package advisor

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// size writes bytes for people, in binary units with two or three digits.
func size(v float64) string {
	if !has(v) {
		return "an unknown amount"
	}
	sign := ""
	if v < 0 {
		sign, v = "−", -v
	}
	for _, u := range []struct {
		unit  string
		bytes float64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if v >= 0.9995*u.bytes {
			return sign + digits(v/u.bytes) + " " + u.unit
		}
	}
	return sign + strconv.FormatFloat(v, 'f', 0, 64) + " bytes"
}

// sizeOr writes bytes, or another word where they are not known.
func sizeOr(v float64, word string) string {
	if !has(v) {
		return word
	}
	return size(v)
}

// digits writes a number with about three digits and no idle zeros.
func digits(v float64) string {
	decimals := 2
	switch {
	case v >= 99.95:
		decimals = 0
	case v >= 9.995:
		decimals = 1
	}
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// percent writes a share of one in percent.
func percent(v float64) string {
	if !has(v) || math.IsInf(v, 0) {
		return "an unknown share"
	}
	if p := 100 * v; p < 0.95 && p > 0 {
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(100*v, 'f', 0, 64) + " %"
}

// rate writes bytes a second in the unit of time that makes it readable.
func rate(perSecond float64) string {
	const mib = 1 << 20
	switch {
	case perSecond >= 10*mib:
		return size(perSecond) + " a second"
	case perSecond*60 >= 10*mib:
		return size(perSecond*60) + " a minute"
	}
	return size(perSecond*3600) + " an hour"
}

// duration writes seconds for people: a decimal below ten of a unit, none above.
func duration(sec float64) string {
	if !has(sec) || sec < 0 || sec > 100*365*24*3600 {
		return "an unknown time"
	}
	const minute, hour, day = 60, 3600, 24 * 3600
	switch {
	case sec < 1:
		return "under a second"
	case sec < 59.5:
		return rounded(sec) + " s"
	case sec < 119.5*minute:
		return rounded(sec/minute) + " min"
	case sec < 47.5*hour:
		return rounded(sec/hour) + " h"
	}
	return rounded(sec/day) + " days"
}

func rounded(v float64) string {
	decimals := 0
	if v < 9.95 {
		decimals = 1
	}
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', decimals, 64), ".0")
}

// number writes a count.
func number(n int) string { return strconv.Itoa(n) }

// several writes a count with its noun.
func several(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

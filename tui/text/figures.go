package text

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// The widths of the figures in cells.
const (
	GiBWidth      = 5
	DurationWidth = 5
	PercentWidth  = 5
	sizeUnitWidth = 4 // " GiB"
)

const gib = 1 << 30

// GiB returns bytes in GiB in GiBWidth cells, right-aligned: " 91.2", "139.8",
// " 1118". What is not zero and rounds to zero is " <0.1"; what does not fit is
// ">9999".
func GiB(bytes int64) string {
	value := float64(bytes) / gib
	switch {
	case bytes > 0 && value < 0.05:
		return right("<0.1", GiBWidth)
	case bytes < 0 && value > -0.05:
		return right(">-0.1", GiBWidth)
	}
	for _, decimals := range []int{1, 0} {
		if s := strconv.FormatFloat(value, 'f', decimals, 64); len(s) <= GiBWidth {
			return right(s, GiBWidth)
		}
	}
	if bytes < 0 {
		return "<-999"
	}
	return ">9999"
}

var units = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Size returns bytes with the unit that suits them, right-aligned in exactly
// width cells: "139.8 GiB", " 512 B  ". Units stand in one column. As the
// width shrinks the decimal goes first ("140 GiB"), then the unit shrinks to
// a letter ("140G"); what still does not fit is drawn as "#". 10 cells show
// every value with its decimal.
func Size(bytes int64, width int) string {
	if width < 1 {
		return ""
	}
	value, unit := float64(bytes), 0
	// 1023.95 and more would round to 1024.0, which is the next unit's 1.0.
	for math.Abs(value) >= 1023.95 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	decimals := 1
	if unit == 0 {
		decimals = 0
	}
	exact := strconv.FormatFloat(value, 'f', decimals, 64)
	rounded := strconv.FormatFloat(value, 'f', 0, 64)
	name := units[unit]
	column := " " + name + strings.Repeat(" ", sizeUnitWidth-1-len(name))
	for _, s := range []string{exact + column, rounded + column, exact + name[:1], rounded + name[:1]} {
		if len(s) <= width {
			return right(s, width)
		}
	}
	return strings.Repeat("#", width)
}

// Duration returns d in DurationWidth cells, right-aligned and cut, not
// rounded: "  12s", "4m05s", "  12m", "1h04m", "  13h", "1d04h", "   3d",
// " 400d", "  12y". What is shorter than a second is "  <1s"; zero is "   0s". Negative
// ones keep one unit: " -12s".
func Duration(d time.Duration) string {
	if d < 0 {
		return right(negativeDuration(d), DurationWidth)
	}
	const day = 24 * time.Hour
	n := func(unit time.Duration) int { return int(d / unit) }
	var s string
	switch {
	case d == 0:
		s = "0s"
	case d < time.Second:
		s = "<1s"
	case d < time.Minute:
		s = strconv.Itoa(n(time.Second)) + "s"
	case d < 10*time.Minute:
		s = strconv.Itoa(n(time.Minute)) + "m" + two(n(time.Second)%60) + "s"
	case d < time.Hour:
		s = strconv.Itoa(n(time.Minute)) + "m"
	case d < 10*time.Hour:
		s = strconv.Itoa(n(time.Hour)) + "h" + two(n(time.Minute)%60) + "m"
	case d < day:
		s = strconv.Itoa(n(time.Hour)) + "h"
	case d < 10*day && n(time.Hour)%24 != 0:
		s = strconv.Itoa(n(day)) + "d" + two(n(time.Hour)%24) + "h"
	case d < 1000*day:
		s = strconv.Itoa(n(day)) + "d"
	default:
		s = strconv.Itoa(n(365*day)) + "y"
	}
	return right(s, DurationWidth)
}

func negativeDuration(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{365 * 24 * time.Hour, "y"}, {24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		// Days go up to 999, so that years begin where they do for ages.
		if n := d / u.unit; n < 0 && (u.name != "y" || d <= -1000*24*time.Hour) {
			return strconv.FormatInt(int64(n), 10) + u.name
		}
	}
	return "-<1s"
}

// Percent returns a percentage in PercentWidth cells, right-aligned: "  97%",
// " 100%", "1600%", "  13k%". What is not zero and rounds to zero is "  <1%".
// What is no number is "   -%".
func Percent(percent float64) string {
	var s string
	switch {
	case math.IsNaN(percent) || math.IsInf(percent, 0):
		s = "-%"
	case percent > 0 && percent < 0.5:
		s = "<1%"
	case percent < 0 && percent > -0.5:
		s = ">-1%"
	case percent >= 999_500:
		s = ">1M%"
	case percent <= -999.5:
		s = "<-1k%"
	case percent >= 9999.5:
		s = strconv.FormatFloat(percent/1000, 'f', 0, 64) + "k%"
	default:
		s = strconv.FormatFloat(percent, 'f', 0, 64) + "%"
	}
	return right(s, PercentWidth)
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// right pads ASCII text on the left.
func right(s string, width int) string { return spaces(width-len(s)) + s }

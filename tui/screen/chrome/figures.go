package chrome

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/text"
)

// FigureWidth is that of a figure in GiB.
const FigureWidth = text.GiBWidth

// GiB returns the reading in GiB, or the sign for an unknown value.
func GiB(r monitor.Reading[int64], unknown string) string {
	if v, ok := r.Get(); ok {
		return strings.TrimSpace(text.GiB(v))
	}
	return unknown
}

// Whole returns the reading rounded to a whole number with its unit, or the
// sign for an unknown value.
func Whole(r monitor.Reading[float64], unit, unknown string) string {
	v, ok := r.Get()
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return unknown
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + unit
}

// Count returns a number of things, or the sign for an unknown value.
func Count(r monitor.Reading[int64], unknown string) string {
	if v, ok := r.Get(); ok {
		return strconv.FormatInt(v, 10)
	}
	return unknown
}

// PercentOf returns part of whole in percent, empty when that says nothing.
func PercentOf(part, whole monitor.Reading[int64]) string {
	p, ok := part.Get()
	w, okWhole := whole.Get()
	if !ok || !okWhole || w <= 0 {
		return ""
	}
	return strings.TrimSpace(text.Percent(float64(p) / float64(w) * 100))
}

// Left returns s right-aligned in width columns. Every rune of s is one column
// wide.
func Left(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

// Age returns a short age: 0.8 s, 12 s, 3m10s.
func Age(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(max(d, 0).Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	}
	return strings.TrimSpace(text.Duration(d))
}

// Interval returns an interval as people say it: 100 ms, 1 s, 0.5 s.
func Interval(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
}

// Elapsed returns a place in a recording: 3:12, 1:04:09.
func Elapsed(d time.Duration) string {
	seconds := int64(max(d, 0) / time.Second)
	two := func(n int64) string {
		s := strconv.FormatInt(n, 10)
		if n < 10 {
			s = "0" + s
		}
		return s
	}
	if seconds < 3600 {
		return strconv.FormatInt(seconds/60, 10) + ":" + two(seconds%60)
	}
	return strconv.FormatInt(seconds/3600, 10) + ":" + two(seconds/60%60) + ":" + two(seconds%60)
}

// Plural returns "1 job", "2 jobs".
func Plural(n int, what, whats string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + whats
}

// OrElse returns text, or the fallback when it is empty.
func OrElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

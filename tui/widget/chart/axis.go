package chart

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// piece is a text at a column of a line.
type piece struct {
	column, width int
	role          theme.Role
	text          string
}

// pieces are the texts of a line that do not touch each other.
type pieces []piece

// air is how many columns lie between two texts at least.
const air = 2

// free tells whether the columns are free, with air around.
func (p pieces) free(column, width int) bool {
	for i := range p {
		if column < p[i].column+p[i].width+air && p[i].column < column+width+air {
			return false
		}
	}
	return true
}

// line joins the texts.
func (p pieces) line(th *theme.Theme, width int) string {
	slices.SortFunc(p, func(a, b piece) int { return cmp.Compare(a.column, b.column) })
	l := line.New(width, th)
	for i := range p {
		l.Pad(p[i].column)
		l.Add(th.Style(p[i].role), p[i].text)
	}
	return l.String()
}

func gibText(bytes float64) string { return text.GiB(whole(bytes)) }

// timeTick is a moment on the axis under the plot.
type timeTick struct {
	column int
	label  string
}

// timeSteps are the distances that moments on the axis may have.
var timeSteps = [...]time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
	2 * 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 365 * 24 * time.Hour,
}

const (
	labelColumns = 12 // a label and the air around it
	maxLabels    = 8
)

// timeStep returns the distance of the moments on the axis.
func timeStep(span time.Duration, columns int) time.Duration {
	count := max(1, min(columns/labelColumns, maxLabels))
	need := span / time.Duration(count)
	for _, s := range timeSteps {
		if s >= need {
			return s
		}
	}
	return timeSteps[len(timeSteps)-1]
}

// relativeTicks returns moments counted from now; the one at the right edge is
// called so when it is.
func (d *Data) relativeTicks(columns int, g *glyphs) []timeTick {
	span := d.To.Sub(d.From)
	step := timeStep(span, columns)
	width := float64(span) / float64(columns)
	now := d.now()
	var out []timeTick
	ago := max(now.Sub(d.To), 0).Truncate(step)
	for ; now.Add(-ago).After(d.From) || len(out) == 0; ago += step {
		column := columns - 1 - int(float64(d.To.Sub(now)+ago)/width)
		if column < 0 || len(out) > columns {
			break
		}
		if column >= columns {
			continue
		}
		label := "now"
		if ago > 0 {
			label = g.minus + agoText(ago, step)
		}
		out = append(out, timeTick{column, label})
	}
	if n := len(out); n > 0 && out[n-1].label != "now" {
		out[n-1].label += agoUnit(step)
	}
	return out
}

// clockTicks returns times of day.
func (d *Data) clockTicks(columns int) []timeTick {
	span := d.To.Sub(d.From)
	step := timeStep(span, columns)
	_, offset := d.From.Zone()
	shift := time.Duration(offset) * time.Second
	var out []timeTick
	for t := d.From.Add(shift).Truncate(step).Add(-shift); t.Before(d.To) && len(out) <= 2*maxLabels; t = t.Add(step) {
		if column, ok := d.columnOf(t, columns); ok {
			out = append(out, timeTick{column, clockText(t, step)})
		}
	}
	return out
}

func (d *Data) now() time.Time {
	if d.Now.IsZero() {
		return d.To
	}
	return d.Now
}

// agoText returns a time before now as a number of agoUnit.
func agoText(ago, step time.Duration) string {
	unit := time.Second
	switch {
	case step >= 24*time.Hour:
		unit = 24 * time.Hour
	case step >= time.Hour:
		unit = time.Hour
	case step >= time.Minute:
		unit = time.Minute
	}
	return strconv.FormatInt(int64(ago/unit), 10)
}

func agoUnit(step time.Duration) string {
	switch {
	case step >= 24*time.Hour:
		return " d"
	case step >= time.Hour:
		return " h"
	case step >= time.Minute:
		return " min"
	}
	return " s"
}

// clockText returns a time of day, as finely as the step needs, or the day
// where a day begins.
func clockText(t time.Time, step time.Duration) string {
	switch {
	case step >= 24*time.Hour, step >= time.Hour && t.Hour() == 0 && t.Minute() == 0:
		return t.Format("2 Jan")
	case step >= time.Minute:
		return t.Format("15:04")
	}
	return t.Format("15:04:05")
}

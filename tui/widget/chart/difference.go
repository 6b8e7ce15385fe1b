package chart

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Difference is what changed between two moments, the later minus the earlier
// whichever way round they were set.
type Difference struct {
	From, To                  time.Time
	Used, Reserved, Allocated monitor.Reading[int64] // bytes, negative where it fell
}

// Diff returns the difference between two moments.
func Diff(a, b Moment) Difference {
	if b.Time.Before(a.Time) {
		a, b = b, a
	}
	return Difference{
		From: a.Time, To: b.Time,
		Used:      change(a.Used.Bytes, b.Used.Bytes),
		Reserved:  change(a.Reserved.Bytes, b.Reserved.Bytes),
		Allocated: change(a.Allocated.Bytes, b.Allocated.Bytes),
	}
}

func change(a, b monitor.Reading[int64]) monitor.Reading[int64] {
	from, ok := a.Get()
	if !ok {
		return a
	}
	return monitor.Map(b, func(to int64) int64 { return to - from })
}

// Line returns the difference in at most width columns:
// "used +38.2 · reserved +38.2 · allocated 0.0 GiB in 4 m 10 s".
func (d *Difference) Line(th *theme.Theme, width int) string {
	l := line.New(width, th)
	for i, layer := range []struct {
		role  theme.Role
		name  string
		bytes monitor.Reading[int64]
	}{{theme.Used, "used", d.Used}, {theme.Reserved, "reserved", d.Reserved}, {theme.Allocated, "allocated", d.Allocated}} {
		if i > 0 {
			l.Add(th.Style(theme.Dim), " "+th.Glyphs.Dot+" ")
		}
		l.Add(th.Style(layer.role), layer.name)
		l.Add(th.Style(theme.Strong), " "+deltaText(layer.bytes, th))
	}
	l.Add(theme.Style{}, " GiB in "+SpanText(d.To.Sub(d.From)))
	return l.String()
}

// deltaText returns a change in GiB with its sign.
func deltaText(r monitor.Reading[int64], th *theme.Theme) string {
	v, ok := r.Get()
	if !ok {
		return th.Glyphs.Unknown
	}
	s := strings.TrimSpace(text.GiB(v))
	if v > 0 && s[0] != '<' && s[0] != '>' {
		s = "+" + s
	}
	return s
}

// SpanText returns a length of time as people say it, in at most two units:
// "4 m 10 s", "30 s", "1 h 5 m", "2 d 3 h".
func SpanText(d time.Duration) string {
	if d < 0 {
		return "-" + SpanText(-max(d, -math.MaxInt64))
	}
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	units := []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}}
	for i, u := range units {
		if d < u.length {
			continue
		}
		s := strconv.FormatInt(int64(d/u.length), 10) + " " + u.name
		if i+1 < len(units) {
			if rest := d % u.length / units[i+1].length; rest > 0 {
				s += " " + strconv.FormatInt(int64(rest), 10) + " " + units[i+1].name
			}
		}
		return s
	}
	return "0 s"
}

package overview

import (
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
	"github.com/vramscope/vramscope/tui/widget/spark"
)

func itoa(n int) string { return strconv.Itoa(n) }

// drawing is what one frame is drawn with.
type drawing struct {
	st     *screen.State
	th     *theme.Theme
	window time.Duration // of the sparklines
	height int           // of the screen
	*scratch
}

// scratch is memory that serves one frame after the other.
type scratch struct {
	cards   []card
	courses courses
}

// recentSpan is how old a figure may be that is not read with every sample.
const recentSpan = 5 * time.Second

// The windows of the sparklines: the short one until there is more to show.
const (
	shortWindow = time.Minute
	longWindow  = 5 * time.Minute
)

func newDrawing(st *screen.State, height int, s *scratch) *drawing {
	d := &drawing{st: st, th: st.Theme, window: shortWindow, height: height, scratch: s}
	d.cards = cardsOf(d.cards, st)
	if from, to := st.History.Span(); to.Sub(from) > shortWindow {
		d.window = longWindow
	}
	return d
}

func (d *drawing) style(r theme.Role) theme.Style { return d.th.Style(r) }

// points returns the last n spans of a card's series. Spans begin at multiples
// of their length, so that a sparkline moves in whole columns and does not
// shimmer. They hold until the next call.
func (d *drawing) points(c *card, metric history.Metric, n int) []spark.Point {
	width := d.window / time.Duration(n)
	to := d.st.Sample.Time.Truncate(width).Add(width)
	if c.log != nil {
		return logPoints(c.log, metric, to.Add(-d.window), width, d.st.Sample.Time, n)
	}
	key := history.Key{Metric: metric, GPU: c.series, Process: c.process}
	return d.courses.points(d.st.History, key, to, width, n)
}

// draw returns the lines of a card.
func (d *drawing) draw(c *card, f form, width int) []string {
	switch f {
	case formFull:
		return d.full(c, width)
	case formTwo:
		return d.two(c, width)
	case formOne:
		return []string{d.one(c, width)}
	}
	return nil
}

// grid draws so many rows of cards from the given row on.
func (d *drawing) grid(p plan, width, firstRow int) []string {
	w := cardWidth(width, p.across)
	lines := make([]string, 0, p.cardsH)
	if p.caption {
		captions := make([]string, p.across)
		for i := range captions {
			captions[i] = d.oneCaption(w)
		}
		lines = append(lines, beside(captions, w))
	}
	for r := firstRow; r < firstRow+p.cardRows; r++ {
		var columns [][]string
		for i := r * p.across; i < min((r+1)*p.across, len(d.cards)); i++ {
			columns = append(columns, d.draw(&d.cards[i], p.form, w))
		}
		for i := range p.form.lines() {
			row := make([]string, len(columns))
			for j := range columns {
				row[j] = columns[j][i]
			}
			lines = append(lines, beside(row, w))
		}
		if p.airy {
			lines = append(lines, "")
		}
	}
	return lines
}

// beside joins lines of cards with a gutter between them.
func beside(lines []string, width int) string {
	if len(lines) == 1 {
		return lines[0]
	}
	var out strings.Builder
	out.Grow(len(lines) * 2 * width)
	for i, text := range lines {
		if i > 0 {
			out.WriteString("   ")
		}
		out.WriteString(text)
		if i == len(lines)-1 {
			break
		}
		for n := line.Width(text); n < width; n++ {
			out.WriteByte(' ')
		}
	}
	return out.String()
}

package advisor

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Bounds of what is remembered of a job's log: lines, which are cut to
// maxHintBytes, and readings of about 640 bytes. With half as many the room is
// made that is needed next.
const (
	noteLines    = 1024
	noteReadings = 2048
	traceLines   = 60 // of a traceback, that are remembered
)

// Notes are what the advisor remembers of the log of a long run, in bounded
// memory, when its lines and readings are no longer kept by others: lines that
// announce a phase or name a trouble, and readings from the beginning on, ever
// further apart. The zero value is empty.
type Notes struct {
	lines    []monitor.LogLine
	readings []monitor.LogReading
	trace    int // lines of a traceback that are still to come, at most
}

// Add takes the lines and readings of a sample.
func (n *Notes) Add(lines []monitor.LogLine, readings []monitor.LogReading) {
	for _, l := range lines {
		if n.tells(short(l.Text)) {
			l.Text = strings.Clone(l.Text[:min(len(l.Text), maxHintBytes)])
			n.lines = append(n.lines, l)
		}
	}
	if len(n.lines) >= noteLines {
		n.lines = everySecondLine(n.lines)
	}
	if n.readings = append(n.readings, readings...); len(n.readings) >= noteReadings {
		n.readings = Thinned(n.readings, noteReadings)
	}
}

// tells reports whether a rule may ask for a line, in lower case, much later.
func (n *Notes) tells(text string) bool {
	n.trace--
	switch {
	case strings.Contains(text, "traceback (most recent call last)"):
		n.trace = traceLines
		return true
	case strings.Contains(text, "out of memory"):
		n.trace = 0
		return true
	case n.trace > 0:
		return true
	}
	if _, ok := phaseOf(text); ok {
		return true
	}
	_, ok := troubleOf(text)
	return ok
}

// everySecondLine leaves out every second line that only announces a phase, and
// every second of all where those are few.
func everySecondLine(all []monitor.LogLine) []monitor.LogLine {
	odd := false
	phases := func(l monitor.LogLine) bool {
		if _, ok := phaseOf(short(l.Text)); !ok {
			return false
		}
		odd = !odd
		return odd
	}
	if all = slices.DeleteFunc(all, phases); len(all) > noteLines*3/4 {
		all = slices.DeleteFunc(all, func(monitor.LogLine) bool { odd = !odd; return odd })
	}
	return all
}

// Thinned makes room where there are that many readings or more: of each log
// and rank every second line of memory or progress goes. Where that is not
// enough, as in a log of phases or failures alone, every second phase goes, and
// then every second failure.
func Thinned(all []monitor.LogReading, most int) []monitor.LogReading {
	if len(all) < most {
		return all
	}
	failure := func(r *monitor.LogReading) bool { return r.Kind == monitor.LogOOM }
	for _, stays := range []func(*monitor.LogReading) bool{
		func(r *monitor.LogReading) bool { return failure(r) || r.Phase != "" },
		failure,
		func(*monitor.LogReading) bool { return false },
	} {
		odd := map[logName]bool{}
		all = slices.DeleteFunc(all, func(r monitor.LogReading) bool {
			if stays(&r) {
				return false
			}
			name := logName{r.Source, r.PID, r.Rank.Or(-1)}
			odd[name] = !odd[name]
			return odd[name]
		})
		if len(all) <= most*3/4 {
			break
		}
	}
	return all
}

// Into adds to an input what lies before its own lines and readings, up to a
// time.
func (n *Notes) Into(in *Input, until time.Time) {
	end := until
	if len(in.Lines) > 0 && in.Lines[0].Time.Before(end) {
		end = in.Lines[0].Time
	}
	old := n.lines[:sort.Search(len(n.lines), func(i int) bool { return !n.lines[i].Time.Before(end) })]
	in.Lines = slices.Concat(old, in.Lines)
	in.Readings = slices.Concat(n.before(in.Window.Readings, until), in.Readings)
}

// before returns the readings that are older than those of a window, and those
// of its first moment that it has no room for: a log that is read in one go may
// give more at one time than a window keeps.
func (n *Notes) before(window []monitor.LogReading, until time.Time) []monitor.LogReading {
	have := map[lineName]bool{}
	if len(window) > 0 && window[0].Time.Before(until) {
		until = window[0].Time
		for i := range window {
			if window[i].Time.Equal(until) {
				have[nameOfLine(&window[i])] = true
			}
		}
	}
	at := sort.Search(len(n.readings), func(i int) bool { return !n.readings[i].Time.Before(until) })
	out := slices.Clip(n.readings[:at])
	for i := at; len(have) > 0 && i < len(n.readings) && n.readings[i].Time.Equal(until); i++ {
		if !have[nameOfLine(&n.readings[i])] {
			out = append(out, n.readings[i])
		}
	}
	return out
}

// lineName tells one line of a log from all others.
type lineName struct {
	source string
	pid    int
	line   int64
	kind   monitor.LogKind
}

func nameOfLine(r *monitor.LogReading) lineName { return lineName{r.Source, r.PID, r.Line, r.Kind} }

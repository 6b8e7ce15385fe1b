package tui

import (
	"slices"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/screen"
)

// logBook keeps the newest log lines that were understood, with what they say,
// and of older ones what the advisor may ask for.
type logBook struct {
	entries []screen.LogEntry
	notes   advisor.Notes
}

// The log screen goes back this far. Twice as many are kept at most, so that
// making room is seldom.
const keepLines = 400

// add takes the lines and readings of a sample.
func (b *logBook) add(s *monitor.Sample) {
	if len(s.Lines)+len(s.Readings) == 0 {
		return
	}
	b.notes.Add(s.Lines, s.Readings)
	first := len(b.entries)
	for _, l := range s.Lines {
		b.entries = append(b.entries, screen.LogEntry{Line: l})
	}
	for _, r := range s.Readings {
		b.read(first, r)
	}
	if extra := len(b.entries) - keepLines; extra > keepLines {
		b.entries = slices.Delete(b.entries, 0, extra)
	}
}

// read puts a reading beside the line it was read from; beside none when the
// sample does not carry that line.
func (b *logBook) read(first int, r monitor.LogReading) {
	for i := first; i < len(b.entries); i++ {
		l := &b.entries[i].Line
		if l.Source == r.Source && (l.Number == r.Line && l.Number != 0 || l.Number == 0 && l.Time.Equal(r.Time) && len(b.entries[i].Readings) == 0) {
			b.entries[i].Readings = append(b.entries[i].Readings, r)
			return
		}
	}
	b.entries = append(b.entries, screen.LogEntry{
		Line:     monitor.LogLine{Time: r.Time, Source: r.Source, PID: r.PID, Number: r.Line},
		Readings: []monitor.LogReading{r},
	})
}

// until returns the entries up to a time, all of them when the moment is not of
// the past.
func (b *logBook) until(at time.Time, past bool) []screen.LogEntry {
	if !past {
		return b.entries
	}
	n := len(b.entries)
	for n > 0 && b.entries[n-1].Line.Time.After(at) {
		n--
	}
	return b.entries[:n]
}

// input returns what the advisor judges of a log and a window up to a time.
func (b *logBook) input(w history.Window, at time.Time, over bool) advisor.Input {
	in := advisor.Input{Window: w, Lines: b.lines(at), Over: over}
	b.notes.Into(&in, at)
	return in
}

// lines returns a copy of the raw lines up to a time.
func (b *logBook) lines(at time.Time) []monitor.LogLine {
	var out []monitor.LogLine
	for i := range b.entries {
		if l := &b.entries[i].Line; l.Text != "" && !l.Time.After(at) {
			out = append(out, *l)
		}
	}
	return out
}

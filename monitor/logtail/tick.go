package logtail

import (
	"slices"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// tick collects what one Read hands over.
type tick struct {
	time     time.Time
	floor    time.Time // no line is given an earlier one: the newest that was handed over before
	aged     bool      // some lines are older than the Read
	budget   int64
	stop     func() bool
	lines    []monitor.LogLine
	readings []monitor.LogReading
	bytes    int
	progress int

	log    *follower
	source string
	pid    int
}

// amount is how much a Read hands over.
type amount struct{ lines, readings int }

// expect makes room for as much, so that what is read need not be moved: readings
// are large.
func (t *tick) expect(a amount) {
	if a.readings > 0 {
		t.lines = make([]monitor.LogLine, 0, a.lines)
		t.readings = make([]monitor.LogReading, 0, a.readings)
	}
}

// at sets the log that the next lines are from.
func (t *tick) at(l *follower) { t.log, t.source, t.pid = l, l.file.path, l.pid }

// full reports whether this Read has enough.
func (t *tick) full() bool {
	return t.budget <= 0 || len(t.readings) >= maxReadings || len(t.lines) >= maxLines || t.bytes >= maxLineBytes || t.stop()
}

// when is the time of the lines that are read now: this Read's, or that at which
// a quiet log has changed last, so that its figures are not taken for new. That
// is when the newest of them was printed at the latest.
func (t *tick) when() time.Time {
	if !t.log.file.old(t.time) {
		return t.time
	}
	t.aged = true
	if t.log.file.changed.Before(t.floor) {
		return t.floor
	}
	return t.log.file.changed
}

// inOrder sorts what was read by its time; the order within a log stays.
func (t *tick) inOrder() {
	if !t.aged {
		return
	}
	slices.SortStableFunc(t.lines, func(a, b monitor.LogLine) int { return a.Time.Compare(b.Time) })
	slices.SortStableFunc(t.readings, func(a, b monitor.LogReading) int { return a.Time.Compare(b.Time) })
}

// take reads one line and reports whether more are wanted.
func (t *tick) take(number int64, text []byte) bool {
	line := monitor.LogLine{Time: t.when(), Source: t.source, PID: t.pid, Number: number, Text: view(text)}
	got := t.log.parser.Line(line)
	if !t.log.parser.Used() {
		t.log.trace.add(line, text)
		return true
	}
	if t.log.trace.open() && tellsOfFailure(got) {
		for _, above := range t.log.trace.take() {
			t.lines = append(t.lines, above)
			t.bytes += len(above.Text)
		}
	}
	line.Text = strings.Clone(line.Text)
	if t.add(got) {
		t.lines = append(t.lines, line)
		t.bytes += len(line.Text)
	}
	return len(t.readings) < maxReadings && len(t.lines) < maxLines && t.bytes < maxLineBytes
}

// tellsOfFailure reports whether a line that matters is one of a failure, or may
// be its first: such a line says nothing by itself yet.
func tellsOfFailure(got []monitor.LogReading) bool {
	return len(got) == 0 || slices.ContainsFunc(got, func(r monitor.LogReading) bool { return r.Kind == monitor.LogOOM })
}

// add keeps readings. Of plain progress it keeps the first of a Read and then
// only the newest, since thousands of steps a second are one fact.
func (t *tick) add(got []monitor.LogReading) bool {
	if len(got) == 1 && got[0].Kind == monitor.LogProgress && got[0].Phase == "" {
		t.progress++
		if t.progress > maxProgress {
			if last := len(t.readings) - 1; last >= 0 && len(t.lines) > 0 && replaceable(&t.readings[last], &got[0]) {
				t.readings[last] = got[0]
				own(&t.readings[last])
				return false
			}
		}
	}
	for i := range got {
		t.readings = append(t.readings, got[i])
		own(&t.readings[len(t.readings)-1])
	}
	return true
}

// replaceable reports whether a reading is plain progress of the same place as a
// newer one.
func replaceable(o, r *monitor.LogReading) bool {
	return o.Kind == monitor.LogProgress && o.Phase == "" && o.Source == r.Source && o.Rank == r.Rank
}

// flush ends what is open in the parser of the log.
func (t *tick) flush() { t.add(t.log.parser.Flush(t.time)) }

// own makes a reading independent of the line that it was read from.
func own(r *monitor.LogReading) {
	if r.OOM == nil {
		return
	}
	f := *r.OOM
	f.Exception, f.API = strings.Clone(f.Exception), strings.Clone(f.API)
	r.OOM = &f
}

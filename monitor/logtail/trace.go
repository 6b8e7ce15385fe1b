package logtail

import (
	"bytes"
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// trace holds a stack while its lines come in. The stack stands above the error
// that it ended with, and says what the job was doing; whether the error is one
// that matters is known only there.
type trace struct {
	lines []monitor.LogLine
	bytes int
	left  int // lines until it is given up; 0 when none is open
}

// Bounds of a stack. Of a long one the last frames are kept: they stand next to
// the error.
const (
	maxTraceLines = 120
	maxTraceBytes = 32 << 10
	maxTraceAway  = 1000 // lines from its head to the error
)

// traceOpening ends the line above a stack (CPython, Lib/traceback.py).
var traceOpening = []byte("(most recent call last):")

// open reports whether a stack is coming in.
func (s *trace) open() bool { return s.left > 0 }

// add keeps a line that has no reading, if it may be one of a stack.
func (s *trace) add(line monitor.LogLine, text []byte) {
	if bytes.HasSuffix(text, traceOpening) {
		*s = trace{left: maxTraceAway}
	}
	if !s.open() {
		return
	}
	if s.left--; s.left == 0 || len(text) > maxTraceBytes {
		*s = trace{}
		return
	}
	line.Text = string(text)
	s.lines = append(s.lines, line)
	s.bytes += len(text)
	for len(s.lines) > maxTraceLines || s.bytes > maxTraceBytes {
		s.bytes -= len(s.lines[0].Text)
		s.lines = slices.Delete(s.lines, 0, 1)
	}
}

// take returns the lines of the stack above an error, and forgets them.
func (s *trace) take() []monitor.LogLine {
	lines := s.lines
	*s = trace{}
	return lines
}

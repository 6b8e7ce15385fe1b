package logtail

import (
	"bytes"
	"fmt"
)

// MaxLine is the longest line that is kept, in bytes. What is beyond is
// dropped up to the end of the line and CutNote stands in its place.
const MaxLine = 64 << 10

// CutNote ends a line that was longer than MaxLine.
var CutNote = fmt.Sprintf(" … [line cut at %d bytes]", MaxLine)

// Splitter cuts a stream of bytes into lines. A line ends with '\n' or with
// '\r', by which progress bars write one line over another, so that bars are
// read while they move; the two bytes together are one end. The cuts do not
// depend on how the stream is chunked. The zero Splitter starts a stream.
type Splitter struct {
	partial []byte
	cut     bool // the line is longer than MaxLine
	skip    bool // drop everything up to the next line end
	number  int64
	known   bool // numbers are known: the stream began at its start
}

// NewSplitter returns a splitter for a stream read from its start, whose lines
// have numbers from 1.
func NewSplitter() *Splitter { return &Splitter{number: 1, known: true} }

// newMiddleSplitter returns a splitter for a stream entered in the middle of a
// line, which it drops.
func newMiddleSplitter() *Splitter { return &Splitter{skip: true} }

// Write cuts the next bytes and calls line with every complete line: its
// number (0 when not known) and its text, which is only valid during the call.
// When line returns false Write stops and returns how many bytes it took.
func (s *Splitter) Write(b []byte, line func(number int64, text []byte) bool) int {
	for at := 0; at < len(b); {
		end := lineEnd(b[at:])
		if end < 0 {
			s.keep(b[at:])
			return len(b)
		}
		text := b[at : at+end]
		newline := b[at+end] == '\n'
		at += end + 1
		if !s.finish(text, newline, line) {
			return at
		}
	}
	return len(b)
}

// lineEnd returns where the first line end of b is, or −1.
func lineEnd(b []byte) int {
	n := bytes.IndexByte(b, '\n')
	if n < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if r := bytes.IndexByte(b[:n], '\r'); r >= 0 {
		return r
	}
	return n
}

// keep holds an unfinished line, up to MaxLine of it.
func (s *Splitter) keep(b []byte) {
	if s.skip {
		return
	}
	if room := MaxLine - len(s.partial); len(b) > room {
		b, s.cut = b[:room], true
	}
	s.partial = append(s.partial, b...)
}

// finish hands over the line that ends with text.
func (s *Splitter) finish(text []byte, newline bool, line func(int64, []byte) bool) bool {
	number := int64(0)
	if s.known {
		number = s.number
	}
	if newline {
		s.number++
	}
	if s.skip {
		s.skip = false
		return true
	}
	whole := text
	if len(s.partial) > 0 || s.cut || len(text) > MaxLine {
		s.keep(text)
		whole = s.partial
		if s.cut {
			whole = append(whole, CutNote...)
		}
	}
	s.cut = false
	goOn := true
	if len(whole) > 0 {
		goOn = line(number, whole)
	}
	s.partial = s.partial[:0]
	if cap(s.partial) > MaxLine/4 {
		s.partial = nil
	}
	return goOn
}

// End hands over the unfinished line at the end of the stream.
func (s *Splitter) End(line func(number int64, text []byte) bool) {
	if len(s.partial) > 0 {
		s.finish(nil, false, line)
	}
	s.partial, s.cut = nil, false
}

// Pending returns how many bytes of an unfinished line are held.
func (s *Splitter) Pending() int { return len(s.partial) }

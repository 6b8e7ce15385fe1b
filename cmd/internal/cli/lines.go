package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/vramscope/vramscope/monitor/logtail"
)

// eachLine calls f with every line of a log at rest and its number from 1.
// Memory stays bounded: of a line that is longer than a live log's may be, the
// parts between carriage returns, by which progress bars write one over
// another, come one after the other under its number, and what is longer
// without one is cut.
func eachLine(in io.Reader, f func(number int64, line string)) error {
	r := bufio.NewReaderSize(in, logtail.MaxLine)
	l := lineCutter{emit: f, number: 1}
	for {
		piece, err := r.ReadSlice('\n')
		l.add(piece, err == nil)
		if err == nil || errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		l.end()
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// lineCutter puts the pieces of lines together.
type lineCutter struct {
	emit    func(number int64, line string)
	number  int64
	pending []byte
	cut     bool // the rest of this part is dropped
}

// add takes the next piece; whole tells that it ends its line.
func (l *lineCutter) add(piece []byte, whole bool) {
	if l.cut {
		_, after, found := bytes.Cut(piece, []byte{'\r'})
		if found {
			piece, l.cut = after, false
		} else {
			piece = nil
		}
	}
	l.pending = append(l.pending, piece...)
	switch {
	case whole:
		if !l.cut {
			l.emit(l.number, string(bytes.TrimRight(l.pending, "\r\n")))
		}
		l.pending, l.cut = l.pending[:0], false
		l.number++
	case len(l.pending) >= logtail.MaxLine:
		l.shorten()
	}
}

// shorten hands over what is complete of a line that is too long.
func (l *lineCutter) shorten() {
	if at := bytes.LastIndexByte(l.pending, '\r'); at >= 0 {
		l.emit(l.number, string(l.pending[:at]))
		l.pending = append(l.pending[:0], l.pending[at+1:]...)
		return
	}
	l.emit(l.number, string(l.pending[:logtail.MaxLine])+logtail.CutNote)
	l.pending, l.cut = l.pending[:0], true
}

// end hands over a last line that has no end.
func (l *lineCutter) end() {
	if len(l.pending) > 0 {
		l.emit(l.number, string(bytes.TrimRight(l.pending, "\r\n")))
	}
}

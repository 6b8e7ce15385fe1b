package logtail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// RecentBytes is how much of a log that already exists is read when it is
// opened; with a 20 GB log that is its recent past.
const RecentBytes = 4 << 20

// printLength is how many bytes before the read position are remembered, to
// tell a file that was cut and has grown again from one that only grew.
const printLength = 64

// file follows one file by path.
type file struct {
	path   string
	opened string // path to open it by, when path does not lead there

	f         *os.File
	offset    int64
	lines     *Splitter
	print     [printLength]byte // the bytes before offset
	printN    int
	fresh     bool // did not exist when it was first looked for: read from its start
	looked    bool
	err       error // why it cannot be read just now
	skipped   int64 // bytes passed over because the log grew too fast
	behind    int64 // bytes not read yet
	fromStart bool

	changed time.Time // last, of a log that was there from the beginning
	before  int64     // its size then, in bytes
}

// restAfter is how long a log that is found has not changed when it is at rest:
// of a job that ended, or of another day.
const restAfter = 10 * time.Minute

// quietAfter is how long a log has not changed when what stands in it is not of
// now: its time is at most that of the last change.
const quietAfter = 2 * time.Second

// restBefore bounds what is believed of the time of a change: some file systems
// tell none, which is 1970.
const restBefore = 30 * 365 * 24 * time.Hour

// atRest reports whether the log had not changed for long when it was opened,
// nor since.
func (l *file) atRest(now time.Time) bool { return l.quietFor(restAfter, now) }

// quietFor reports whether the log had not changed for so long when it was
// opened, nor since.
func (l *file) quietFor(least time.Duration, now time.Time) bool {
	if l.changed.IsZero() || l.offset > l.before {
		return false
	}
	age := now.Sub(l.changed)
	return age >= least && age < restBefore
}

// old reports whether what is read next was there when a quiet log was opened.
func (l *file) old(now time.Time) bool { return l.quietFor(quietAfter, now) && l.offset < l.before }

// sink takes lines; it returns false when enough were taken.
type sink func(number int64, text []byte) bool

// poll reads what has come since, at most budget bytes, into buf by pieces, as
// long as take wants more and stop is false. It returns the bytes read.
func (l *file) poll(buf []byte, budget int64, stop func() bool, take sink) int64 {
	read := int64(0)
	for pass := 0; pass < 3; pass++ { // the old file to its end, then the new one
		if !l.ready(take) {
			return read
		}
		n, more := l.drain(buf, budget-read, stop, take)
		read += n
		if more || !l.replaced() {
			return read
		}
		l.close(take)
	}
	return read
}

// ready opens the file if need be and looks for truncation.
func (l *file) ready(take sink) bool {
	if l.f == nil && !l.open() {
		return false
	}
	info, err := l.f.Stat()
	if err != nil {
		l.fail(err)
		l.close(take) // a stale NFS handle: open it again next time
		return false
	}
	l.err = nil
	if info.Size() < l.offset || info.Size() > l.offset && !l.samePrint() {
		l.restart(take)
	}
	l.behind = info.Size() - l.offset
	return true
}

// open opens the file. A log that was there from the beginning is entered near
// its end, one that appears later is read whole.
func (l *file) open() bool {
	name := l.path
	if l.opened != "" {
		name = l.opened
	}
	first := !l.looked
	l.looked = true
	f, info, err := openRegular(name, l.path)
	if err != nil {
		l.fail(err)
		l.fresh = l.fresh || errors.Is(err, fs.ErrNotExist)
		return false
	}
	l.f, l.offset, l.printN, l.err = f, 0, 0, nil
	l.lines = NewSplitter()
	l.changed, l.before = time.Time{}, 0
	if !first || l.fresh {
		return true
	}
	size := info.Size()
	l.changed, l.before = info.ModTime(), size
	if !l.fromStart && size > RecentBytes {
		l.enter(size - RecentBytes)
	}
	return true
}

// openRegular opens a regular file, called that way in the error, and refuses
// anything else without waiting: whoever writes a log can put a pipe in its
// place at any moment.
func openRegular(name, called string) (*os.File, os.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", called)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// enter moves to the line that begins behind offset.
func (l *file) enter(offset int64) {
	l.offset, l.printN = offset, 0
	l.lines = newMiddleSplitter()
}

func (l *file) fail(err error) { l.err = err }

// restart goes back to the beginning of a file that was cut or written anew.
func (l *file) restart(take sink) {
	l.lines.End(take)
	l.offset, l.printN = 0, 0
	l.lines = NewSplitter()
}

// drain reads to the end of the file. more is true when it stopped before.
func (l *file) drain(buf []byte, budget int64, stop func() bool, take sink) (read int64, more bool) {
	for {
		if read >= budget || stop() {
			return read, l.behind > 0
		}
		n, err := l.f.ReadAt(buf[:min(int64(len(buf)), budget-read)], l.offset)
		if n > 0 {
			took := l.lines.Write(buf[:n], take)
			l.remember(buf[:took])
			l.offset += int64(took)
			l.behind = max(0, l.behind-int64(took))
			read += int64(took)
			if took < n {
				return read, true
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				l.fail(err)
			}
			l.behind = 0
			return read, false
		}
	}
}

// remember keeps the last bytes before the read position.
func (l *file) remember(b []byte) {
	if len(b) >= printLength {
		copy(l.print[:], b[len(b)-printLength:])
		l.printN = printLength
		return
	}
	keep := min(l.printN, printLength-len(b))
	copy(l.print[:], l.print[l.printN-keep:l.printN])
	copy(l.print[keep:], b)
	l.printN = keep + len(b)
}

// samePrint reports whether the file still has before the read position what
// was read there.
func (l *file) samePrint() bool {
	if l.printN == 0 {
		return true
	}
	var now [printLength]byte
	n, _ := l.f.ReadAt(now[:l.printN], l.offset-int64(l.printN))
	return n == l.printN && bytes.Equal(now[:n], l.print[:n])
}

// replaced reports whether the path leads to another file than the open one.
func (l *file) replaced() bool {
	name := l.path
	if l.opened != "" {
		name = l.opened
	}
	at, err := os.Stat(name)
	if err != nil {
		return false // gone: it may come back, and the old one may still grow
	}
	open, err := l.f.Stat()
	return err == nil && !os.SameFile(at, open)
}

// close ends the open file; its unfinished line is a line.
func (l *file) close(take sink) {
	if l.f == nil {
		return
	}
	if l.lines != nil {
		l.lines.End(take)
	}
	_ = l.f.Close()
	l.f, l.fresh, l.printN = nil, true, 0
}

// skipAhead gives up what lies between, when a log grows faster than it can be
// read, and goes on near its end.
func (l *file) skipAhead(take sink) {
	if l.f == nil || l.behind <= RecentBytes {
		return
	}
	to := l.offset + l.behind - RecentBytes
	l.skipped += to - l.offset
	l.lines.End(take)
	l.enter(to)
	l.behind = RecentBytes
}

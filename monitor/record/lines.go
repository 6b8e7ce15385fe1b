package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Limits on what a file may ask for.
const (
	maxLineBytes = 8 << 20
	maxLineRows  = 20_000
	maxFileBytes = 16 << 30 // after decompression
	maxHeldBytes = 4 << 30  // of samples, estimated
	// A recording of a machine that stands still shrinks to a forty-fifth. What
	// grows three times as much from gzip is made to fill a memory or to waste
	// time; a small file may.
	maxGrowth  = 150
	growthFrom = 64 << 20
	// maxPendingLines bounds what waits for the next sample.
	maxPendingLines = 200_000
)

// ErrNotRecording is returned for a file that does not begin as a recording.
var ErrNotRecording = errors.New("not a vramscope recording")

// ErrTooNew is returned for a recording of a later format.
var ErrTooNew = errors.New("made by a newer version of vramscope")

// IsRecording reports whether a file that begins with these bytes (some KiB) is
// a recording, or was meant as one: what is compressed, and what begins with
// something like a header, is then refused by Load with the reason rather than
// taken for a log.
func IsRecording(beginning []byte) bool {
	if bytes.HasPrefix(beginning, []byte{0x1f, 0x8b}) {
		return true
	}
	if isUTF16(beginning) { // enough of it to see what it was meant as
		beginning = bytes.ReplaceAll(beginning, []byte{0}, nil)
		beginning = bytes.TrimPrefix(bytes.TrimPrefix(beginning, []byte("\xff\xfe")), []byte("\xfe\xff"))
	}
	line, _, _ := bytes.Cut(bytes.TrimPrefix(beginning, byteOrderMark()), []byte{'\n'})
	line = bytes.TrimSpace(line)
	if !bytes.HasPrefix(line, []byte("{")) {
		return false
	}
	compact := bytes.ReplaceAll(line, []byte(" "), nil)
	return bytes.Contains(compact, []byte(`"type":"header"`)) || bytes.Contains(compact, []byte(`"type":"sample"`))
}

// byteOrderMark is what some programs put before UTF-8.
func byteOrderMark() []byte { return []byte("\xef\xbb\xbf") }

// isUTF16 reports whether a file that begins so is UTF-16: by its mark or, as
// far as recordings go, by every second byte of its first two characters.
func isUTF16(beginning []byte) bool {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff", "{\x00\"\x00", "\x00{\x00\""} {
		if bytes.HasPrefix(beginning, []byte(mark)) {
			return true
		}
	}
	return false
}

// lineReader gives the lines of a file, plain or gzip, within the limits.
type lineReader struct {
	r      *bufio.Reader
	number int // of the line given last, from 1
	total  int64
	buf    []byte
	packed *counter // what was read of a gzip file; nil for a plain one
}

// counter counts the bytes read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func newLineReader(r io.Reader) (*lineReader, error) {
	packed := &counter{r: r}
	in := bufio.NewReaderSize(packed, 64<<10)
	magic, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read: %w", err)
	}
	if isUTF16(magic) {
		return nil, fmt.Errorf("%w: it is UTF-16 and must be UTF-8: iconv -f UTF-16 -t UTF-8 makes it that", ErrNotRecording)
	}
	if !bytes.HasPrefix(magic, []byte{0x1f, 0x8b}) {
		return &lineReader{r: in}, nil
	}
	zip, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%w: gzip: %w", ErrNotRecording, err)
	}
	return &lineReader{r: bufio.NewReaderSize(zip, 64<<10), packed: packed}, nil
}

// errTorn means that the file ends within a line or within its compressed data.
var errTorn = errors.New("the file ends in the middle")

// next returns the next line without its end and without a mark before it, valid until the next call. At
// the end it returns io.EOF, or errTorn together with the piece of a line that
// was left.
func (l *lineReader) next() ([]byte, error) {
	l.buf = l.buf[:0]
	l.number++
	for {
		piece, err := l.r.ReadSlice('\n')
		l.buf = append(l.buf, piece...)
		l.total += int64(len(piece))
		switch {
		case len(l.buf) > maxLineBytes:
			return nil, fmt.Errorf("the line is longer than %d MiB", maxLineBytes>>20)
		case l.packed != nil && l.total > growthFrom && l.total/maxGrowth > l.packed.n:
			return nil, fmt.Errorf("%w: its compressed data grows more than %d-fold", ErrNotRecording, maxGrowth)
		case l.total > maxFileBytes:
			return nil, fmt.Errorf("the file is longer than %d GiB", maxFileBytes>>30)
		case err == nil:
			return bytes.TrimPrefix(bytes.TrimRight(l.buf, "\r\n"), byteOrderMark()), nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.buf) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return bytes.TrimPrefix(l.buf, byteOrderMark()), errTorn
		default:
			return nil, fmt.Errorf("read: %w", err)
		}
	}
}

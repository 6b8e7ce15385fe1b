package output

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of a Ring.
const (
	DefaultLines = 5000
	maxRunes     = 4096 // of one line; the rest is dropped
	maxBytes     = 4 << 20
	moving       = 32 // newest lines that cursor movements can reach
	tabStop      = 8
)

// Ring holds the newest lines of a stream of bytes as a terminal would show
// them: a carriage return writes over the line, so that a progress bar is one
// line, and the cursor movements of several bars are followed. Everything else
// that a terminal would obey is left out. The zero Ring is not usable. It may be
// used from any goroutine.
type Ring struct {
	mu      sync.Mutex
	max     int
	done    []string // lines that nothing can change any more
	bytes   int      // of done
	live    [][]rune // the newest lines
	row     int      // of the cursor in live
	column  int
	dropped int64 // lines that are no longer held
	parser  parser
	version uint64
}

// NewRing returns a ring of at most so many lines; 0 means DefaultLines.
func NewRing(lines int) *Ring {
	if lines <= 0 {
		lines = DefaultLines
	}
	return &Ring{max: max(lines, moving+1), live: [][]rune{nil}}
}

// Write takes the next bytes; it never fails.
func (r *Ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version++
	r.parser.feed(p, r)
	return len(p), nil
}

// Version changes with every write.
func (r *Ring) Version() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

// Len returns how many lines are held, and how many older ones are not.
func (r *Ring) Len() (held int, dropped int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.len(), r.dropped
}

// len leaves the empty line out on which the cursor waits.
func (r *Ring) len() int {
	n := len(r.done) + len(r.live)
	if len(r.live[len(r.live)-1]) == 0 {
		n--
	}
	return n
}

// Lines returns up to n lines from one on, counted from the oldest held. They
// hold no control characters; they are not clean otherwise.
func (r *Ring) Lines(from, n int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	from = max(0, from)
	var out []string
	for i := from; i < min(from+n, r.len()); i++ {
		if i < len(r.done) {
			out = append(out, r.done[i])
		} else {
			out = append(out, string(r.live[i-len(r.done)]))
		}
	}
	return out
}

// put writes one character at the cursor.
func (r *Ring) put(c rune) {
	if r.column >= maxRunes {
		return
	}
	line := r.live[r.row]
	for len(line) < r.column {
		line = append(line, ' ')
	}
	if r.column < len(line) {
		line[r.column] = c
	} else {
		line = append(line, c)
	}
	r.live[r.row] = line
	r.column++
}

// newline moves the cursor to the beginning of the next line. The stream's line
// ends come with and without a carriage return; both begin at the left.
func (r *Ring) newline() {
	r.column = 0
	if r.row++; r.row < len(r.live) {
		return
	}
	r.live = append(r.live, nil)
	if len(r.live) > moving {
		r.settle(string(r.live[0]))
		r.live = append(r.live[:0:0], r.live[1:]...)
		r.row--
	}
}

// settle takes a line out of reach of the cursor.
func (r *Ring) settle(line string) {
	line = strings.TrimRight(line, " ")
	r.done = append(r.done, line)
	r.bytes += len(line)
	for len(r.done) > r.max-moving || r.bytes > maxBytes {
		r.bytes -= len(r.done[0])
		r.done[0] = "" // let go of it before the slice is copied
		r.done, r.dropped = r.done[1:], r.dropped+1
	}
}

// control obeys one of the control characters that a log is made with.
func (r *Ring) control(c byte) {
	switch c {
	case '\n', '\v', '\f':
		r.newline()
	case '\r':
		r.column = 0
	case '\b':
		r.column = max(0, r.column-1)
	case '\t':
		r.column = min(maxRunes, (r.column/tabStop+1)*tabStop)
	}
}

// sequence obeys the cursor movements and erasures that progress bars use.
func (r *Ring) sequence(final byte, arg int) {
	switch n := max(1, min(arg, moving)); final {
	case 'A', 'F':
		r.row = max(0, r.row-n)
	case 'B', 'E':
		r.row = min(len(r.live)-1, r.row+n)
	case 'C':
		r.column = min(maxRunes, r.column+max(1, arg))
	case 'D':
		r.column = max(0, r.column-max(1, arg))
	case 'G':
		r.column = min(maxRunes, max(1, arg)-1)
	case 'K':
		r.erase(arg)
	}
	if final == 'E' || final == 'F' {
		r.column = 0
	}
}

// erase blanks a line from the cursor on (0), up to it (1) or whole (2).
func (r *Ring) erase(what int) {
	line := r.live[r.row]
	at := min(r.column, len(line))
	switch what {
	case 0:
		r.live[r.row] = line[:at]
	case 1:
		for i := range line[:at] {
			line[i] = ' '
		}
	case 2:
		r.live[r.row] = line[:0]
	}
}

// decode returns the first character of b and its length; 0 when b may be the
// beginning of one.
func decode(b []byte) (rune, int) {
	if c, n := utf8.DecodeRune(b); c != utf8.RuneError || n > 1 {
		return c, n
	}
	if !utf8.FullRune(b) {
		return 0, 0
	}
	return utf8.RuneError, 1
}

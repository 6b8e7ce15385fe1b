package terminal

import (
	"strconv"

	"github.com/charmbracelet/x/ansi"
)

// Draw makes the terminal show these lines, sending only what is different
// from what it shows already. Lines beyond the height are left out, missing
// ones are empty.
func (t *Terminal) Draw(lines []string) error {
	if !t.open || t.width <= 0 || t.height <= 0 {
		return nil
	}
	if t.stale {
		t.buf = append(t.buf, ansi.ResetStyle...)
		t.buf = append(t.buf, ansi.EraseEntireScreen...)
		for y := range t.rows {
			t.rows[y] = parse(t.rows[y][:0], "", t.width)
			t.lines[y] = ""
		}
		t.style, t.x, t.y, t.stale = "", -1, -1, false
	}
	for y := range t.rows {
		text := ""
		if y < len(lines) {
			text = lines[y]
		}
		if text == t.lines[y] {
			continue
		}
		t.fresh = parse(t.fresh[:0], text, t.width)
		t.row(y)
		t.rows[y], t.fresh = t.fresh, t.rows[y]
		t.lines[y] = text
	}
	if t.style != "" {
		t.buf = append(t.buf, "\x1b[m"...)
		t.style = ""
	}
	return t.Flush()
}

// skipAtMost is how many unchanged columns are written again rather than
// jumped over: a jump takes three bytes or more.
const skipAtMost = 3

// row sends the cells of a line that differ.
func (t *Terminal) row(y int) {
	old, fresh := t.rows[y], t.fresh
	end := t.erasable(old, fresh)
	for x := 0; x < end; x++ {
		if old[x] == fresh[x] {
			continue
		}
		for x > 0 && fresh[x].text == "" { // the right half of a wide character
			x--
		}
		last := x
		for i := x; i < end && i-last <= skipAtMost; i++ {
			if old[i] != fresh[i] || fresh[i].text == "" {
				last = i
			}
		}
		t.moveTo(x, y)
		for ; x <= last; x++ {
			t.put(fresh[x])
		}
		x--
	}
	if end < len(fresh) {
		t.moveTo(end, y)
		t.setStyle("")
		t.buf = append(t.buf, "\x1b[K"...)
	}
}

// erasable returns the column from which on the line is empty now and was not
// before, when erasing to the end is shorter than writing spaces.
func (t *Terminal) erasable(old, fresh []cell) int {
	tail := len(fresh)
	for tail > 0 && fresh[tail-1] == blank {
		tail--
	}
	changed := 0
	for x := tail; x < len(fresh); x++ {
		if old[x] != blank {
			changed++
		}
	}
	if changed > 4 {
		return tail
	}
	return len(fresh)
}

func (t *Terminal) put(c cell) {
	if c.text == "" {
		return
	}
	t.setStyle(c.style)
	t.buf = append(t.buf, c.text...)
	t.x++
	if len(c.text) > 1 {
		if _, w := cluster(c.text); w > 1 {
			t.x += w - 1
		}
	}
	if t.x >= t.width {
		t.x, t.y = -1, -1 // where the cursor stands after the last column is the terminal's affair
	}
}

func (t *Terminal) setStyle(style string) {
	if style == t.style {
		return
	}
	switch {
	case style == "":
		t.buf = append(t.buf, "\x1b[m"...)
	case t.style == "":
		t.buf = append(t.buf, style...)
	default: // "\x1b[0;1m" turns off and on in one
		t.buf = append(t.buf, "\x1b[;"...)
		t.buf = append(t.buf, style[2:]...)
	}
	t.style = style
}

// moveTo takes the shortest way to a cell that it knows.
func (t *Terminal) moveTo(x, y int) {
	if t.x == x && t.y == y {
		return
	}
	switch dx := x - t.x; {
	case t.y == y && t.x >= 0 && dx > 0:
		t.buf = append(t.buf, "\x1b["...)
		if dx > 1 {
			t.buf = strconv.AppendInt(t.buf, int64(dx), 10)
		}
		t.buf = append(t.buf, 'C')
	case t.y >= 0 && y == t.y+1 && x == 0:
		t.buf = append(t.buf, "\r\n"...)
	default:
		t.buf = append(t.buf, "\x1b["...)
		t.buf = strconv.AppendInt(t.buf, int64(y+1), 10)
		if x > 0 {
			t.buf = append(t.buf, ';')
			t.buf = strconv.AppendInt(t.buf, int64(x+1), 10)
		}
		t.buf = append(t.buf, 'H')
	}
	t.x, t.y = x, y
}

// Flush sends what is waiting, in one write.
func (t *Terminal) Flush() error {
	if len(t.buf) == 0 {
		return t.failed
	}
	out := t.buf
	if t.Synchronised && t.open {
		out = append(append([]byte(ansi.SetModeSynchronizedOutput), t.buf...), ansi.ResetModeSynchronizedOutput...)
	}
	_, err := t.out.Write(out)
	t.buf = t.buf[:0]
	if err != nil && t.failed == nil {
		t.failed = err
	}
	return t.failed
}

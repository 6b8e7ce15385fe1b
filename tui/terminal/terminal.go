package terminal

import (
	"encoding/base64"
	"io"
	"os"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// Mouse is what the terminal tells of its mouse.
type Mouse uint8

// What it tells.
const (
	MouseOff    Mouse = iota
	MouseClicks       // buttons, the wheel, and movement with a button down
	MouseHover        // every movement
)

// Terminal is a terminal in full-screen use. Use New.
type Terminal struct {
	// Synchronised wraps each frame so that the terminal shows it whole; set it
	// when the terminal has said that it can.
	Synchronised bool

	out    io.Writer
	tty    *os.File                   // nil when there is no mode to set
	saved  atomic.Pointer[term.State] // as Open found the terminal; nil while it is not ours
	buf    []byte
	failed error

	open          bool
	mouse         Mouse
	width, height int
	rows          [][]cell // what the terminal shows
	lines         []string // from which it was drawn
	fresh         []cell
	stale         bool // draw everything anew
	x, y          int  // of the cursor, −1 when not known
	style         string
}

// New returns a terminal that is written to out. The mode of tty is set while
// the terminal is open; nil sets none.
func New(out io.Writer, tty *os.File) *Terminal {
	return &Terminal{out: out, tty: tty, x: -1, y: -1}
}

// Open takes the terminal: raw mode, the alternate screen, no cursor. It may be
// called again to take it back after Close, or to repair its state.
func (t *Terminal) Open() error {
	if t.tty != nil {
		before, err := term.MakeRaw(t.tty.Fd())
		if err != nil {
			return err
		}
		if t.saved.Load() == nil {
			t.saved.Store(before)
		}
	}
	if !t.open {
		t.buf = append(t.buf, ansi.SetModeAltScreenSaveCursor...)
	}
	t.open = true
	t.buf = append(t.buf, ansi.ResetModeTextCursorEnable+ansi.SetModeBracketedPaste...)
	t.mouseMode()
	t.Invalidate()
	return t.Flush()
}

// Close gives the terminal back as it was. It may be called again.
func (t *Terminal) Close() error {
	if !t.open {
		return nil
	}
	mouse := t.mouse
	t.SetMouse(MouseOff)
	t.mouse = mouse // for the next Open
	t.open = false
	t.buf = append(t.buf, "\x1b[m"+ansi.ResetModeBracketedPaste+ansi.SetModeTextCursorEnable+ansi.ResetModeAltScreenSaveCursor...)
	err := t.Flush()
	if saved := t.saved.Load(); saved != nil {
		if restored := term.Restore(t.tty.Fd(), saved); err == nil {
			err = restored
		}
		t.saved.Store(nil)
	}
	return err
}

// Force gives the terminal back without knowing its state, for a program that is
// stuck. It too may be called while another goroutine is in Draw.
func (t *Terminal) Force() {
	t.Abandon()
	_, _ = io.WriteString(t.out, ansi.ResetModeMouseAnyEvent+ansi.ResetModeMouseButtonEvent+ansi.ResetModeMouseExtSgr+
		"\x1b[m"+ansi.ResetModeBracketedPaste+ansi.SetModeTextCursorEnable+ansi.ResetModeAltScreenSaveCursor)
}

// Abandon gives the terminal's mode back and writes nothing, for one that takes
// nothing any more. It may be called while another goroutine is in Draw.
func (t *Terminal) Abandon() {
	if saved := t.saved.Load(); saved != nil {
		_ = term.Restore(t.tty.Fd(), saved)
	}
}

// Resize says how large the terminal is now.
func (t *Terminal) Resize(width, height int) {
	if width == t.width && height == t.height {
		return
	}
	t.width, t.height = max(0, width), max(0, height)
	t.rows, t.lines = make([][]cell, t.height), make([]string, t.height)
	t.fresh = make([]cell, 0, t.width)
	for y := range t.rows {
		t.rows[y] = make([]cell, 0, t.width) // all that parse needs, and no more
	}
	t.Invalidate()
}

// Invalidate makes the next Draw send everything.
func (t *Terminal) Invalidate() { t.stale = true }

// SetMouse says what the terminal shall tell of its mouse.
func (t *Terminal) SetMouse(m Mouse) {
	if t.mouse == m {
		return
	}
	had := t.mouse
	t.mouse = m
	if !t.open {
		return
	}
	if had != MouseOff {
		t.buf = append(t.buf, ansi.ResetModeMouseAnyEvent+ansi.ResetModeMouseButtonEvent+ansi.ResetModeMouseExtSgr...)
	}
	t.mouseMode()
}

func (t *Terminal) mouseMode() {
	switch t.mouse {
	case MouseOff:
	case MouseClicks:
		t.buf = append(t.buf, ansi.SetModeMouseButtonEvent+ansi.SetModeMouseExtSgr...)
	case MouseHover:
		t.buf = append(t.buf, ansi.SetModeMouseAnyEvent+ansi.SetModeMouseExtSgr...)
	}
}

// AskSynchronised asks the terminal whether it can show a frame whole. The
// answer comes in with the keys.
func (t *Terminal) AskSynchronised() { t.buf = append(t.buf, ansi.RequestModeSynchronizedOutput...) }

// Bell rings.
func (t *Terminal) Bell() error {
	t.buf = append(t.buf, '\a')
	return t.Flush()
}

// Copy asks the terminal to put text on its clipboard (OSC 52). Whether it does
// cannot be known.
func (t *Terminal) Copy(text string) error {
	t.buf = append(t.buf, "\x1b]52;c;"...)
	t.buf = base64.StdEncoding.AppendEncode(t.buf, []byte(text))
	t.buf = append(t.buf, '\a')
	return t.Flush()
}

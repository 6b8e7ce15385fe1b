package terminal

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// line returns a random line of text, signs, wide characters and styles.
func line(r *rand.Rand) string {
	pieces := []string{"train.py ", "│", "▆▆▆", "世界", "e\u0301", "👩‍👩‍👧", "12.5", "   ", "─┄", "🇩🇪", "é", "●", "…"}
	styles := []string{"\x1b[1m", "\x1b[36m", "\x1b[1;33m", "\x1b[38;5;208m"}
	var b strings.Builder
	for range r.IntN(14) {
		text := pieces[r.IntN(len(pieces))]
		if r.IntN(2) == 0 {
			text = styles[r.IntN(len(styles))] + text + "\x1b[m"
		}
		b.WriteString(text)
	}
	return b.String()
}

// screen returns what a terminal shows, and its cells with their styles.
func screen(t *testing.T, e *vt.Emulator, raw []byte) (text, styled string) {
	t.Helper()
	if _, err := e.Write(raw); err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(e.String(), " \r\n"), e.Render()
}

func emulator(width, height int) *vt.Emulator {
	e := vt.NewEmulator(width, height)
	go func() { _, _ = io.Copy(io.Discard, e) }()
	return e
}

func TestWhatIsSentInPartsLooksLikeWhatIsSentWhole(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		width, height := 5+r.IntN(60), 1+r.IntN(8)
		var out bytes.Buffer
		term, parts := New(&out, nil), emulator(width, height)
		term.Resize(width, height)
		if err := term.Open(); err != nil {
			t.Fatal(err)
		}
		lines := make([]string, height)
		for range 8 {
			for y := range lines {
				if r.IntN(3) > 0 {
					lines[y] = line(r)
				}
			}
			if err := term.Draw(lines); err != nil {
				t.Fatal(err)
			}
			text, styled := screen(t, parts, out.Bytes())
			out.Reset()

			var once bytes.Buffer
			anew := New(&once, nil)
			anew.Resize(width, height)
			if err := errors.Join(anew.Open(), anew.Draw(lines)); err != nil {
				t.Fatal(err)
			}
			wholeText, wholeStyled := screen(t, emulator(width, height), once.Bytes())
			if text != wholeText || styled != wholeStyled {
				t.Fatalf("seed %d, %d×%d: in parts\n%q\nwhole\n%q", seed, width, height, styled, wholeStyled)
			}
			for y, l := range lines {
				want := strings.TrimRight(ansi.Strip(l), " ")
				if ansi.StringWidth(want) > width {
					continue
				}
				if got := strings.TrimRight(strings.Split(text+strings.Repeat("\n", height), "\n")[y], " \r"); got != want {
					t.Fatalf("seed %d: line %d shows %q, want %q", seed, y, got, want)
				}
			}
		}
	}
}

func TestAFrameThatChangesNothingSendsNothing(t *testing.T) {
	var out bytes.Buffer
	term := New(&out, nil)
	term.Resize(40, 3)
	lines := []string{"one", "\x1b[1mtwo\x1b[m", "世界"}
	if err := errors.Join(term.Open(), term.Draw(lines)); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := term.Draw(lines); err != nil || out.Len() > 0 {
		t.Errorf("%v, sent %q", err, out.String())
	}
	lines[0] = "ons"
	if err := term.Draw(lines); err != nil || out.Len() > 12 {
		t.Errorf("%v, one changed character took %q", err, out.String())
	}
}

func TestTheTerminalIsGivenBackAsItWas(t *testing.T) {
	var out bytes.Buffer
	term := New(&out, nil)
	term.SetMouse(MouseHover)
	if err := errors.Join(term.Open(), term.Close(), term.Close()); err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]string{
		{"\x1b[?1049h", "\x1b[?1049l"}, {"\x1b[?25l", "\x1b[?25h"}, {"\x1b[?1003h", "\x1b[?1003l"}, {"\x1b[?1006h", "\x1b[?1006l"}, {"\x1b[?2004h", "\x1b[?2004l"},
	} {
		on, off := strings.LastIndex(out.String(), pair[0]), strings.LastIndex(out.String(), pair[1])
		if on < 0 || off < on {
			t.Errorf("%q is not undone in %q", pair[0], out.String())
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestALostTerminalIsAnError(t *testing.T) {
	term := New(broken{}, nil)
	term.Resize(10, 2)
	if err := term.Open(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	if err := term.Draw([]string{"x"}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

func TestTheClipboardGetsTheTextItself(t *testing.T) {
	var out bytes.Buffer
	term := New(&out, nil)
	if err := term.Copy("reserved +38.2 GiB"); err != nil || !strings.Contains(out.String(), "]52;c;cmVzZXJ2ZWQgKzM4LjIgR2lC\a") {
		t.Errorf("%v, sent %q", err, out.String())
	}
}

// obeyed is what a frame of text and styles may send: cursor movements, erasing
// of a line, styles, and the terminal's own modes.
func obeyed(t *testing.T, sent string) {
	t.Helper()
	for i := 0; i < len(sent); {
		r, n := utf8.DecodeRuneInString(sent[i:])
		switch {
		case r == 0x1b:
			end := i + 2
			for end < len(sent) && (sent[end] < 0x40 || sent[end] > 0x7e) {
				end++
			}
			if end >= len(sent) || sent[i+1] != '[' || !strings.ContainsRune("mHGCKJABDdXhl", rune(sent[end])) {
				t.Fatalf("%q was sent in %q", sent[i:min(i+12, len(sent))], sent)
			}
			n = end + 1 - i
		case r == '\r' || r == '\n':
		case r == utf8.RuneError && n == 1, unicode.IsControl(r):
			t.Fatalf("%q was sent in %q", sent[i:i+n], sent)
		}
		i += n
	}
}

func FuzzNoLineMakesTheTerminalDoAnythingButDraw(f *testing.F) {
	for _, s := range []string{"a\x1b]0;owned\x07b", "\x1b]52;c;cm0=\x1b\\", "\x1b[2J", "\x1b[31mred\x1b[m", "\u009b31m", "\x9b31m", "\x1bPq", "\x1b", "\x1b[", "\r\n\b\x00\x7f", "\x1b[?1049l", "\x1b[38;5;1", "世\x1b]0;x\x07界"} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + max(0, width)%80
		var out bytes.Buffer
		term := New(&out, nil)
		term.Resize(width, 2)
		if err := term.Open(); err != nil {
			t.Fatal(err)
		}
		for _, lines := range [][]string{{s, "plain"}, {"plain", s}, {"\x1b[1m" + s + "\x1b[m", s + s}} {
			out.Reset()
			if err := term.Draw(lines); err != nil {
				t.Fatal(err)
			}
			obeyed(t, out.String())
		}
	})
}

package theme

import (
	"strings"
	"testing"

	"github.com/vramscope/vramscope/tui/text"
)

func TestTheLayersDifferByGlyph(t *testing.T) {
	for name, g := range map[string]Glyphs{"unicode": Unicode(), "ascii": ASCII()} {
		if g.Full[0] == g.Full[1] || g.Full[1] == g.Full[2] || g.Full[0] == g.Full[2] {
			t.Errorf("%s: two layers have the same glyph: %q", name, g.Full)
		}
	}
}

func TestGlyphsAreOneColumnWideAndASCIIIsASCII(t *testing.T) {
	for name, g := range map[string]Glyphs{"unicode": Unicode(), "ascii": ASCII()} {
		all := append([]string{
			g.Sliver, g.Peak, g.Edge, g.Ellipsis, g.Unknown, g.Dot, g.Rule, g.Pointer, g.Mark, g.Live, g.Partial,
			g.Off, g.Folded, g.Unfolded, g.Pause, g.Play, g.AtLeast, g.Times, g.Up, g.Down,
		}, g.Spark...)
		all = append(all, g.Full[:]...)
		for _, parts := range g.Part {
			all = append(all, parts...)
		}
		for _, s := range append(all, g.Degree[:len(g.Degree)-1]) {
			if text.Width(s) != 1 {
				t.Errorf("%s: %q takes %d columns", name, s, text.Width(s))
			}
			if g.ASCII && text.ASCII(s) != s {
				t.Errorf("%q is not ASCII", s)
			}
		}
	}
}

func TestMonoHasNoColour(t *testing.T) {
	th, err := New(Mono, false)
	if err != nil {
		t.Fatal(err)
	}
	for r := Role(0); r < roleCount; r++ {
		painted := th.Style(r).Paint("x")
		for _, colour := range []string{"[3", "[4", ";3", ";4"} {
			if strings.Contains(painted, colour) {
				t.Errorf("role %d is painted %q", r, painted)
			}
		}
	}
}

func TestEveryThemeIsThereAndNoOther(t *testing.T) {
	for _, name := range Names() {
		if th, err := New(name, false); err != nil || th.Name != name {
			t.Errorf("%q: %v, %v", name, th.Name, err)
		}
	}
	if _, err := New("neon", false); err == nil || !strings.Contains(err.Error(), Terminal) {
		t.Errorf("got %v, want an error that names the themes", err)
	}
}

func TestTheEnvironmentDecidesColourAndASCII(t *testing.T) {
	for _, tt := range []struct {
		environ           string
		colourless, ascii bool
	}{
		{"TERM=xterm-256color", false, false},
		{"TERM=xterm LANG=de_DE.UTF-8", false, false},
		{"TERM=xterm LANG=C", false, false}, // a container's shell: the terminal around it draws everything
		{"TERM=xterm LC_ALL=C LANG=de_DE.UTF-8", false, true},
		{"TERM=xterm LC_ALL=POSIX", false, true},
		{"TERM=xterm LC_ALL=C.UTF-8", false, false},
		{"TERM=xterm LANG=de_DE.ISO-8859-1", false, true},
		{"TERM=xterm LC_ALL=de_DE.utf8 LANG=de_DE.ISO-8859-1", false, false},
		{"TERM=linux", false, true},
		{"TERM=vt220", false, true},
		{"TERM=dumb", true, true},
		{"TERM=xterm NO_COLOR=1", true, false}, //nolint:misspell // its name
		{"TERM=xterm NO_COLOR=", false, false}, //nolint:misspell // its name
		{"", false, false},
	} {
		environ := strings.Fields(tt.environ)
		if got := Colourless(environ); got != tt.colourless {
			t.Errorf("%q: colourless %v", tt.environ, got)
		}
		if got := WantsASCII(environ); got != tt.ascii {
			t.Errorf("%q: ASCII %v", tt.environ, got)
		}
	}
}

func TestThemesOfManyColoursGiveWayWhereTheTerminalHasFew(t *testing.T) {
	for _, tt := range []struct{ name, environ, want string }{
		{Dark, "TERM=xterm-256color", Dark},
		{Dark, "TERM=xterm", Terminal},
		{ColourBlind, "TERM=xterm COLORTERM=truecolor", ColourBlind}, //nolint:misspell // its name
		{ColourBlind, "TERM=xterm-256color NO_COLOR=1", Mono},        //nolint:misspell // its name
		{Mono, "TERM=xterm", Mono},
	} {
		if got := Drawable(tt.name, strings.Fields(tt.environ)); got != tt.want {
			t.Errorf("%s with %q: %s, want %s", tt.name, tt.environ, got, tt.want)
		}
	}
}

package theme

import (
	"fmt"
	"strings"

	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/tui/text"
)

// Theme is everything a screen needs to draw: styles by role, and glyphs.
type Theme struct {
	Name   string
	Glyphs Glyphs
	styles [roleCount]Style
	on     [layerCount][roleCount]Style // on the ground of a layer
}

// The names of the themes.
const (
	Terminal    = "terminal" // the terminal's own sixteen colours
	Dark        = "dark"
	Light       = "light"
	Contrast    = "high-contrast"
	ColourBlind = "colour-blind" // told apart with every kind of colour vision
	Mono        = "mono"         // no colour: bold, faint and reverse alone
)

// Names returns the names that New knows, the default first.
func Names() []string { return []string{Terminal, Dark, Light, Contrast, ColourBlind, Mono} }

// New returns the theme of that name; the empty name is the default. The error
// names the theme that does not exist and those that do.
func New(name string, ascii bool) (Theme, error) {
	t := Theme{Name: name, Glyphs: Unicode()}
	if ascii {
		t.Glyphs = ASCII()
	}
	switch name {
	case "", Terminal:
		t.Name = Terminal
		t.styles, t.on = terminalPalette().build()
	case Dark:
		t.styles, t.on = darkPalette().build()
	case Light:
		t.styles, t.on = lightPalette().build()
	case Contrast:
		t.styles, t.on = contrastPalette().build()
	case ColourBlind:
		t.styles, t.on = colourBlindPalette().build()
	case Mono:
		t.styles, t.on = monoPalette().build()
	default:
		return Theme{}, fmt.Errorf("theme %q does not exist; there are %s", name, strings.Join(Names(), ", "))
	}
	return t, nil
}

// Style returns how text of that role looks.
func (t *Theme) Style(r Role) Style {
	if r < roleCount {
		return t.styles[r]
	}
	return Style{}
}

// On returns how text of that role looks on a cell that a layer fills; without
// colour nothing fills a cell, and it looks as anywhere else.
func (t *Theme) On(l Layer, r Role) Style {
	if l < layerCount && r < roleCount && t.Coloured() {
		return t.on[l][r]
	}
	return t.Style(r)
}

// Coloured tells whether the layers have colours.
func (t *Theme) Coloured() bool { return t.on[LayerUsed][Plain].open != "" }

// Outside makes text from outside fit to draw: without anything that a terminal
// obeys, and in ASCII where the glyphs are.
func (t *Theme) Outside(s string) string {
	if t.Glyphs.ASCII {
		return text.ASCII(s)
	}
	return clean.Line(s)
}

// noColour is the variable that asks for no colour (no-color.org).
const noColour = "NO_COLOR" //nolint:misspell // its name

// Colourless tells whether the environment asks for no colour: the variable set
// to anything but the empty string, or a terminal called dumb.
func Colourless(environ []string) bool {
	return lookup(environ, noColour) != "" || lookup(environ, "TERM") == "dumb"
}

// Drawable returns the theme of that name that the terminal can draw: those of
// 256 colours need a terminal that says it has them.
func Drawable(name string, environ []string) string {
	if Colourless(environ) {
		return Mono
	}
	term := lookup(environ, "TERM")
	many := strings.Contains(term, "256") || lookup(environ, "COLORTERM") != "" || //nolint:misspell // its name
		strings.Contains(term, "kitty") || strings.Contains(term, "ghostty") || strings.Contains(term, "alacritty") || strings.Contains(term, "wezterm") ||
		strings.Contains(term, "direct") || lookup(environ, "WT_SESSION") != ""
	switch name {
	case Dark, Light, Contrast, ColourBlind:
		if !many {
			return Terminal
		}
	}
	return name
}

// WantsASCII tells whether the environment names a terminal or a character set
// that does not draw Unicode. An unset locale says nothing: a shell inside a
// container has none although the terminal around it draws everything. LC_ALL is
// nobody's default: where it asks for the C locale, ASCII is meant.
func WantsASCII(environ []string) bool {
	switch term := lookup(environ, "TERM"); {
	case term == "dumb", term == "linux", strings.HasPrefix(term, "vt"):
		return true
	}
	if all := lookup(environ, "LC_ALL"); all == "C" || all == "POSIX" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := lookup(environ, name); locale != "" {
			_, set, stated := strings.Cut(locale, ".")
			set = strings.ToLower(strings.ReplaceAll(set, "-", ""))
			return stated && !strings.HasPrefix(set, "utf8")
		}
	}
	return false
}

// lookup returns the last value of that name, as the C library's users see it.
func lookup(environ []string, name string) (value string) {
	for _, entry := range environ {
		if key, v, ok := strings.Cut(entry, "="); ok && key == name {
			value = v
		}
	}
	return value
}

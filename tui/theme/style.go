package theme

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Role says what a piece of text is, so that a theme can decide how it looks.
type Role uint8

// The roles.
const (
	Plain     Role = iota
	Dim            // units, separators, what matters least
	Strong         // names of things
	Used           // the layer used
	Reserved       // the layer reserved
	Allocated      // the layer allocated
	Good           // live
	Warn           // stale, partial, a lower bound
	Bad            // unavailable, lost
	Heading        // column titles
	Selected       // the row under the selection
	Key            // a key in the help
	roleCount
)

// Layer is one of the three layers of memory.
type Layer uint8

// The layers, widest first.
const (
	LayerUsed Layer = iota
	LayerReserved
	LayerAllocated
	layerCount
)

// Role returns the role that text about the layer has.
func (l Layer) Role() Role {
	switch l {
	case LayerUsed:
		return Used
	case LayerReserved:
		return Reserved
	case LayerAllocated:
		return Allocated
	default:
		return Plain
	}
}

// Name returns the layer's name on screen.
func (l Layer) Name() string {
	switch l {
	case LayerUsed:
		return "used"
	case LayerReserved:
		return "reserved"
	case LayerAllocated:
		return "allocated"
	default:
		return ""
	}
}

// Style draws text. The zero Style draws it as it is.
type Style struct{ open string }

const closeStyle = "\x1b[m"

// Paint returns s in the style. s must hold no escape sequences.
func (s Style) Paint(text string) string {
	if s.open == "" || text == "" {
		return text
	}
	return s.open + text + closeStyle
}

// Write adds text in the style to b. text must hold no escape sequences.
func (s Style) Write(b *strings.Builder, text string) {
	if s.open == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(s.open)
	b.WriteString(text)
	b.WriteString(closeStyle)
}

// palette gives each role its attributes, and each layer the colour that fills
// a cell behind text, which it has none of where there is no colour.
type palette struct {
	roles   [roleCount]ansi.Style
	grounds [layerCount]ansi.Color //nolint:misspell // the type is so called
}

// build returns the styles of all roles, on the terminal's own ground and on
// that of each layer.
func (p palette) build() (styles [roleCount]Style, on [layerCount][roleCount]Style) {
	for role, attributes := range p.roles {
		styles[role] = styleOf(attributes)
		for layer, colour := range p.grounds {
			if colour != nil {
				on[layer][role] = styleOf(slices.Clone(attributes).BackgroundColor(colour))
			}
		}
	}
	return styles, on
}

func styleOf(attributes ansi.Style) Style {
	if len(attributes) == 0 {
		return Style{}
	}
	return Style{open: attributes.String()}
}

// layers gives the layers their colours.
func (p *palette) layers(used, reserved, allocated ansi.Color) { //nolint:misspell // the type is so called
	p.grounds[LayerUsed], p.grounds[LayerReserved], p.grounds[LayerAllocated] = used, reserved, allocated
	for layer, colour := range p.grounds {
		p.roles[Layer(layer).Role()] = ansi.NewStyle().ForegroundColor(colour)
	}
}

// terminalPalette uses the sixteen colours of the terminal's own theme, never
// black, white or their bright forms, so that it reads on light and dark.
func terminalPalette() palette {
	p := monoPalette()
	p.layers(ansi.Cyan, ansi.Magenta, ansi.Green)
	p.roles[Good] = ansi.NewStyle().ForegroundColor(ansi.Green)
	p.roles[Warn] = ansi.NewStyle().Bold().ForegroundColor(ansi.Yellow)
	p.roles[Bad] = ansi.NewStyle().Bold().ForegroundColor(ansi.Red)
	return p
}

// monoPalette uses weight and reverse video alone.
func monoPalette() palette {
	var p palette
	p.roles[Dim] = ansi.NewStyle().Faint()
	p.roles[Strong] = ansi.NewStyle().Bold()
	p.roles[Warn] = ansi.NewStyle().Bold()
	p.roles[Bad] = ansi.NewStyle().Bold()
	p.roles[Heading] = ansi.NewStyle().Bold()
	p.roles[Selected] = ansi.NewStyle().Reverse(true)
	p.roles[Key] = ansi.NewStyle().Bold()
	return p
}

// of256 returns the mono palette with colours of the 256 for the roles that
// carry meaning: the layers, what is well and what is not, keys and the rest.
func of256(used, reserved, allocated, good, warn, bad, key, dim uint8) palette {
	p := monoPalette()
	colour := func(n uint8) ansi.Style { return ansi.NewStyle().ForegroundColor(ansi.IndexedColor(n)) }
	bold := func(n uint8) ansi.Style { return ansi.NewStyle().Bold().ForegroundColor(ansi.IndexedColor(n)) }
	p.layers(ansi.IndexedColor(used), ansi.IndexedColor(reserved), ansi.IndexedColor(allocated))
	p.roles[Good], p.roles[Warn], p.roles[Bad], p.roles[Key] = colour(good), bold(warn), bold(bad), bold(key)
	p.roles[Dim] = colour(dim)
	return p
}

// darkPalette is for light text on a dark ground.
func darkPalette() palette { return of256(75, 176, 114, 114, 221, 203, 117, 245) }

// lightPalette is for dark text on a light ground.
func lightPalette() palette { return of256(25, 127, 28, 28, 130, 160, 24, 241) }

// contrastPalette keeps to the strongest colours and never fades.
func contrastPalette() palette {
	p := of256(51, 201, 46, 46, 226, 196, 51, 255)
	p.roles[Dim] = ansi.Style{}
	p.roles[Selected] = ansi.NewStyle().Bold().Reverse(true)
	return p
}

// colourBlindPalette takes the blue, the orange and the bluish green of Okabe
// and Ito, which stay apart with every kind of colour vision.
func colourBlindPalette() palette { return of256(74, 214, 36, 36, 220, 166, 74, 245) }

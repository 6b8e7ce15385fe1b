// Package keys is the one map from keys to what they do. Screens act on
// actions, never on keys, and the help is generated from this map, so that the
// two cannot disagree.
//
// It must not know what an action does to a screen.
package keys

import "strings"

// Action is what a key asks for.
type Action uint8

// The actions.
const (
	None Action = iota
	Quit
	Suspend
	Help
	Close // leave an overlay, clear the selection
	Redraw
	Pause
	Up
	Down
	PageUp
	PageDown
	Slower // longer interval
	Faster // shorter interval
	StepBack
	StepForward
	PlaySlower
	PlayFaster
	ToStart
	ToEnd
)

// Mode says for which kind of feed a binding works.
type Mode uint8

// The modes. A binding can work in both.
const (
	Live Mode = 1 << iota
	Replay
	Always = Live | Replay
)

// Binding ties keys to an action and says in plain words what it does.
type Binding struct {
	Action Action
	Mode   Mode
	Keys   []string // as the terminal library names them
	Label  string   // the key as people read it
	Hint   string   // on the hint line; empty when it is not on it
	Help   string   // on the help page
}

// Map is the whole of the bindings in the order of the help page.
type Map []Binding

// Default returns the bindings of vramscope: those of nvtop, htop and less where
// they have one.
func Default() Map {
	return Map{
		{Help, Always, []string{"?", "h", "f1"}, "?", "? help", "this help"},
		{Quit, Always, []string{"q", "ctrl+c", "f10"}, "q", "q quit", "quit"},
		{Pause, Live, []string{"space", "p"}, "space", "space pause", "pause the screen; sampling goes on"},
		{Pause, Replay, []string{"space", "p"}, "space", "space pause", "pause and go on"},
		{StepBack, Replay, []string{"left"}, "left", "", "pause, one sample back"},
		{StepForward, Replay, []string{"right"}, "right", "left/right step", "pause, one sample on"},
		{PlaySlower, Replay, []string{"["}, "[", "", "half the speed"},
		{PlayFaster, Replay, []string{"]"}, "]", "[/] speed", "twice the speed"},
		{ToStart, Replay, []string{"home"}, "home", "", "to the start of the recording"},
		{ToEnd, Replay, []string{"end"}, "end", "", "to the end of the recording"},
		{Up, Always, []string{"up", "k"}, "up", "", "select the process above"},
		{Down, Always, []string{"down", "j"}, "down", "up/down select", "select the process below"},
		{PageUp, Always, []string{"pgup"}, "pgup", "", "ten processes up"},
		{PageDown, Always, []string{"pgdown"}, "pgdn", "", "ten processes down"},
		{Close, Always, []string{"esc"}, "esc", "", "clear the selection, leave the help"},
		{Slower, Live, []string{"+", "="}, "+", "", "sample less often"},
		{Faster, Live, []string{"-", "_"}, "-", "+/- interval", "sample more often"},
		{Redraw, Always, []string{"r", "ctrl+l"}, "r", "", "draw the screen anew"},
		{Suspend, Always, []string{"ctrl+z"}, "ctrl+z", "", "suspend; fg comes back"},
	}
}

// Action returns what a key asks for in a mode; None when nothing.
func (m Map) Action(key string, mode Mode) Action {
	for _, b := range m {
		if b.Mode&mode == 0 {
			continue
		}
		for _, k := range b.Keys {
			if k == key {
				return b.Action
			}
		}
	}
	return None
}

// For returns the bindings that work in a mode.
func (m Map) For(mode Mode) Map {
	var out Map
	for _, b := range m {
		if b.Mode&mode != 0 {
			out = append(out, b)
		}
	}
	return out
}

// AlsoKeys returns the other keys of a binding in words, for the help page;
// empty when there are none.
func (b Binding) AlsoKeys() string {
	if len(b.Keys) < 2 {
		return ""
	}
	return strings.Join(b.Keys[1:], " ")
}

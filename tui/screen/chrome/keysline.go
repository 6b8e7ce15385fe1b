package chrome

import (
	"strings"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// hint is a key on the line of keys and where it stands.
type hint struct {
	binding     keys.Binding
	key, what   string
	first, last int // columns
	current     bool
}

// hintsOf lays out the line of keys: the screens first, then the rest as far as
// there is room. Where the screens do not fit with their names, their numbers
// stand alone.
func hintsOf(st *screen.State, width int) []hint {
	for _, long := range []bool{true, false} {
		hints, fit := layHints(st, width, long)
		if fit || !long {
			return hints
		}
	}
	return nil
}

func layHints(st *screen.State, width int, long bool) (hints []hint, fit bool) {
	x := 0
	fit = true
	for _, b := range st.Keys {
		if b.Hint == "" {
			continue
		}
		h := hint{binding: b, current: b.Hint == b.Label+" "+st.Screen.String()}
		h.key, h.what, _ = strings.Cut(b.Hint, " ")
		isScreen := b.Action >= keys.ShowOverview && b.Action <= keys.ShowOutput
		if isScreen && !long && !h.current {
			h.what = ""
		}
		gap := 0
		if x > 0 {
			gap = 2
			if isScreen {
				gap = 1
			}
		}
		need := gap + line.Width(h.key)
		if h.what != "" {
			need += 1 + line.Width(h.what)
		}
		if x+need > width {
			fit = fit && !isScreen
			continue
		}
		h.first, h.last = x+gap, x+need-1
		x += need
		hints = append(hints, h)
	}
	return hints, fit
}

// Keys draws the line of the most useful keys.
func Keys(st *screen.State, width int) string {
	th := st.Theme
	l := line.New(width, th)
	for _, h := range hintsOf(st, width) {
		l.Pad(h.first)
		if h.current {
			l.Add(th.Style(theme.Selected), strings.TrimSpace(h.key+" "+h.what))
			continue
		}
		l.Add(th.Style(theme.Key), h.key)
		if h.what != "" {
			l.Add(th.Style(theme.Dim), " "+h.what)
		}
	}
	return l.String()
}

// KeyAt returns what a click on the line of keys asks for.
func KeyAt(st *screen.State, width, column int) keys.Action {
	for _, h := range hintsOf(st, width) {
		if column >= h.first && column <= h.last {
			return h.binding.Action
		}
	}
	return keys.None
}

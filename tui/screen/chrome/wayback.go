package chrome

import (
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
)

// WayBack says which keys lead back to where there was something to see; empty
// where nothing lies before the moment on screen.
func WayBack(st *screen.State) string {
	from, _ := st.History.Span()
	if st.Sample == nil || from.IsZero() || !from.Before(st.Sample.Time) {
		return ""
	}
	text := "The " + label(st, keys.StepBack) + " key goes back in time, " + label(st, keys.LeapBack) + " ten times as far"
	if st.Position != nil {
		text += "; " + label(st, keys.ToStart) + " and then " + label(st, keys.Pause) + " play it from the start"
	}
	return text + "."
}

// AtEnd tells whether the moment on screen is the last there will be.
func AtEnd(st *screen.State) bool {
	if st.Past {
		return false
	}
	return st.Ended || st.Position != nil && !st.Position.At.Before(st.Position.End)
}

func label(st *screen.State, action keys.Action) string {
	for _, b := range st.Keys {
		if b.Action == action {
			return b.Label
		}
	}
	return ""
}

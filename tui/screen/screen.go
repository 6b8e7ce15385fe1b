// Package screen is what all screens share: the state they draw, and the
// contract between a screen and the root model.
//
// A screen is a pointer with its own view state (selection, scrolling); the
// data are the root's and come in with every call. Screens do not know of each
// other.
package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/theme"
)

// Screen is one page of the interface.
type Screen interface {
	// Update acts on what a key asked for. It must not block.
	Update(st *State, action keys.Action) tea.Cmd
	// View returns at most height lines, none wider than width columns. It
	// changes nothing but the screen's own scrolling.
	View(st *State, width, height int) []string
}

// State is what the root model gives a screen to draw. A screen reads it and
// keeps nothing of it.
type State struct {
	// Sample is the moment on screen; nil before the first one came.
	Sample  *monitor.Sample
	History *history.Store
	Theme   *theme.Theme
	Keys    keys.Map // of the current mode

	// Now is the time to measure ages against: the wall clock while live, the
	// moment shown while paused or in a replay.
	Now      time.Time
	Interval time.Duration // between samples; 0 when not known
	Title    string        // clean; what is being watched, when not this machine
	Mode     string        // clean; one word such as live or demo
	Paused   bool
	Position *Position // nil in a live feed

	Ended bool   // the feed is at its end
	Fault string // clean; what the feed last failed with
}

// Stalled tells whether the feed is live and has been silent for longer than
// two and a half intervals, so that what is shown is no longer so.
func (s *State) Stalled() bool {
	if s.Sample == nil || s.Paused || s.Position != nil || s.Interval <= 0 {
		return false
	}
	return s.Now.Sub(s.Sample.Time) > s.Interval*5/2
}

// Position is where a replay stands.
type Position struct {
	Start, End time.Time // of the recording
	At         time.Time // of the last sample handed over
	Speed      float64   // 1 is as recorded
	Paused     bool
}

// Package screen is what all screens share: the state they draw, and the
// contract between a screen and the root model.
//
// A screen is a pointer with its own view state (selection, scrolling); the
// data are the root's and come in with every call. What a screen wants done it
// asks for (Ask). Screens do not know of each other.
package screen

import (
	"slices"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/theme"
)

// ID names a screen.
type ID uint8

// The screens.
const (
	Overview ID = iota
	GPU
	Process
	Advice
	Log
	Sources
	Output
	Setup
	Help
	Count
)

var names = [Count]string{"overview", "gpu", "process", "advice", "log", "sources", "output", "settings", "help"}

// String returns the name as it stands on the line of keys.
func (id ID) String() string {
	if id < Count {
		return names[id]
	}
	return ""
}

// Place returns the screen as the key map names it.
func (id ID) Place() keys.Place { return keys.Place(1) << id }

// Screen is one page of the interface.
type Screen interface {
	// Update acts on what the user did and returns what it wants done, nil for
	// nothing. It must not block.
	Update(st *State, in Input) Ask
	// View returns at most height lines, none wider than width columns. It
	// changes nothing but the screen's own scrolling.
	View(st *State, width, height int) []string
}

// Hoverer is a screen that answers to the mouse moving over it.
type Hoverer interface{ Hovers() }

// Strider is a screen on which a step through time is longer than a sample.
type Strider interface {
	// Stride returns the length of a step, 0 for one sample.
	Stride() time.Duration
}

// Input is what the user did: an action, or something with the mouse.
type Input struct {
	Action keys.Action
	Mouse  Mouse
}

// MouseKind is what the mouse did.
type MouseKind uint8

// The kinds. MouseNone means that the input is no mouse's.
const (
	MouseNone MouseKind = iota
	MousePress
	MouseDrag
	MouseMove
	MouseWheelUp
	MouseWheelDown
)

// Mouse is what the mouse did, and where: columns and lines of the screen from
// 0.
type Mouse struct {
	Kind MouseKind
	X, Y int
}

// State is what the root model gives a screen to draw. A screen reads it and
// keeps nothing of it; Focus alone it may change, in Update.
type State struct {
	// Sample is the moment on screen; nil before the first one came.
	Sample *monitor.Sample
	// Early tells that Sample is what one source said before the others were
	// asked.
	Early   bool
	History *history.Store
	Theme   *theme.Theme
	Keys    keys.Map // of the current mode and screen
	Screen  ID
	Focus   *Focus

	// Findings are those of the moment on screen, most important first; muted
	// ones come last.
	Findings []advisor.Tracked
	// Judged tells whether the moment on screen was judged: no findings then mean
	// that all is well. Until it is there are none to show.
	Judged bool
	// JudgedOf is the moment that was judged, where it lies behind the one on
	// screen; else zero.
	JudgedOf time.Time
	// Log is what was understood of the logs up to the moment on screen, oldest
	// first.
	Log   []LogEntry
	Marks []monitor.Mark

	// Now is the time to measure ages against: the wall clock while live, the
	// moment shown while paused or in a replay.
	Now      time.Time
	Interval time.Duration // between samples; 0 when not known
	Waiting  string        // what is waited for before the first sample, a sentence
	Title    string        // clean; what is being watched, when not this machine
	Note     string        // clean; how the job is that runs under vramscope
	Mode     string        // clean; one word such as live or demo
	Paused   bool
	// Past tells that the moment on screen is not the newest one known; At is
	// then the moment that was asked for.
	Past bool
	At   time.Time
	// Lost tells that the samples of At are no longer kept whole: Sample is the
	// oldest that is, and only the history's series know more.
	Lost     bool
	Position *Position // nil in a live feed
	Settings Settings
	User     string // who runs vramscope; empty when not known

	// JobEnded tells that the job that ran under vramscope is over: what its log
	// said last is of the past.
	JobEnded bool

	Ended bool   // the feed is at its end
	Fault string // clean; what the feed last failed with
}

// Focus is what the user looks at; it is shared by all screens.
type Focus struct {
	Process    monitor.ProcessKey
	HasProcess bool
	GPU        string // monitor.GPU.ID; empty for the first one
	Finding    advisor.Key
	HasFinding bool
}

// LogEntry is a line of a log and what it says.
type LogEntry struct {
	Line     monitor.LogLine
	Readings []monitor.LogReading
}

// Settings is what the user chose and may keep. Its fields are those of the
// configuration file.
type Settings struct {
	Theme    string
	ASCII    bool
	Mouse    bool
	Bell     bool // on a new critical finding
	ReadOnly bool // no signals
	Columns  []string
	Sort     string // name of a column, "" for the natural order
	Reverse  bool
	Tree     bool
	Group    bool
}

// Stalled tells whether the feed is live and has been silent for longer than
// two and a half intervals, so that what is shown is no longer so.
func (s *State) Stalled() bool {
	if s.Sample == nil || s.Paused || s.Past || s.Position != nil || s.Interval <= 0 {
		return false
	}
	return s.Now.Sub(s.Sample.Time) > s.Interval*5/2
}

// HasEnded tells whether the process that a finding is about is not there at the
// moment on screen, so that the finding is of the past. What was mended before
// stays mended.
func (s *State) HasEnded(f *advisor.Tracked) bool {
	switch {
	case f.State != advisor.Active:
		return f.State == advisor.Ended
	case s.Sample == nil:
		return false
	case f.PID == nil || *f.PID <= 0:
		return s.JobEnded && len(s.Sample.GPUs) == 0 // only the job's log tells of anything
	case s.JobEnded && onlyLogged(s.Sample, *f.PID):
		return true
	}
	return !advisor.Lives(s.Sample)(*f.PID)
}

// onlyLogged tells whether nothing but figures of a log is there of a process:
// they stay when it is gone.
func onlyLogged(s *monitor.Sample, pid int) bool {
	return !slices.ContainsFunc(s.Processes, func(p monitor.Process) bool { return p.PID == pid }) &&
		!slices.ContainsFunc(s.Holders, func(h monitor.Holder) bool { return h.PID == pid }) &&
		!slices.ContainsFunc(s.Torch, func(a monitor.Allocator) bool { return a.PID == pid && a.Origin != monitor.OriginLog })
}

// GPU returns the device in focus, else the first; nil when there is none.
func (s *State) GPU() *monitor.GPU {
	if s.Sample == nil || len(s.Sample.GPUs) == 0 {
		return nil
	}
	for i := range s.Sample.GPUs {
		if s.Focus != nil && s.Focus.GPU != "" && s.Sample.GPUs[i].ID() == s.Focus.GPU {
			return &s.Sample.GPUs[i]
		}
	}
	return &s.Sample.GPUs[0]
}

// Position is where a replay stands.
type Position struct {
	Start, End time.Time // of the recording
	At         time.Time // of the last sample handed over
	Speed      float64   // 1 is as recorded
	Paused     bool
}

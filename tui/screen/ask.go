package screen

import (
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs/signal"
	"github.com/vramscope/vramscope/tui/theme"
)

// Ask is what a screen wants the root model to do.
type Ask interface{ ask() }

// Open asks for another screen.
type Open struct{ Screen ID }

// Travel asks to show another moment: the newest sample at or before At. Zero
// comes back to now.
type Travel struct{ At time.Time }

// Prompt asks the user for a line of text.
type Prompt struct {
	Label string
	Text  string // what stands there to begin with
	Hint  string // what may be written, where there is room
	// Changed is called with every change, Done with the text at the end; both
	// may be nil. A cancelled prompt calls Changed with the text it began with.
	Changed func(text string)
	Done    func(text string) Ask
}

// Confirm says something in sentences, the question last, which y answers with
// yes and everything else with no.
type Confirm struct {
	Lines []string
	Yes   func() Ask
}

// Choose asks the user to pick one of several by its key.
type Choose struct {
	Question string
	Options  []Option
}

// Option is one answer of a Choose.
type Option struct {
	Key, Label string
	Pick       func() Ask
}

// Say shows a sentence until the next key.
type Say struct {
	Text string
	Role theme.Role
}

// Copy asks to hand text to the clipboard; File writes it to a file instead.
type Copy struct {
	What, Text string
	File       bool
}

// Judge changes what the user did about a finding.
type Judge struct {
	Finding     advisor.Key
	Acknowledge bool // turn acknowledged on or off
	Mute        bool // turn muted on or off
}

// Change asks for other settings; Interval is 0 to leave it.
type Change struct {
	Settings Settings
	Interval time.Duration
	Save     bool // write them to the configuration file
}

// SetSignal asks to send a signal to a process that is checked again to be the
// one that is meant.
type SetSignal struct {
	Target monitor.ProcessKey
	Signal signal.Signal
}

func (Open) ask()      {}
func (Travel) ask()    {}
func (Prompt) ask()    {}
func (Confirm) ask()   {}
func (Choose) ask()    {}
func (Say) ask()       {}
func (Copy) ask()      {}
func (Judge) ask()     {}
func (Change) ask()    {}
func (SetSignal) ask() {}

// Back asks to leave a screen for the one before it.
type Back struct{}

func (Back) ask() {}

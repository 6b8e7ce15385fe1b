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
	Close // leave an overlay, clear the selection, back to now
	Redraw
	ShowOverview
	ShowGPU
	ShowProcess
	ShowAdvice
	ShowLog
	ShowSources
	ShowOutput
	ShowSettings
	Enter
	Up
	Down
	PageUp
	PageDown
	Pause
	StepBack
	StepForward
	LeapBack
	LeapForward
	PreviousEvent
	NextEvent
	ToStart
	ToEnd
	PlaySlower
	PlayFaster
	Slower // longer interval
	Faster // shorter interval
	Filter
	Sort
	SortBack
	Reverse
	Tree
	Group
	Columns
	Signal
	ZoomIn
	ZoomOut
	PanBack
	PanForward
	Cursor
	PreviousGPU
	NextGPU
	Mark
	Save
	Copy
	CopyFile
	Acknowledge
	Mute
	SaveSettings
)

// Mode says for which kind of feed a binding works.
type Mode uint8

// The modes. A binding can work in both.
const (
	Live Mode = 1 << iota
	Replay
	Always = Live | Replay
)

// Place is the set of screens on which a binding works; 0 is every one.
type Place uint16

// The screens.
const (
	OnOverview Place = 1 << iota
	OnGPU
	OnProcess
	OnAdvice
	OnLog
	OnSources
	OnOutput
	OnSettings
	OnHelp
)

// Binding ties keys to an action and says in plain words what it does.
type Binding struct {
	Action Action
	Mode   Mode
	On     Place
	Keys   []string // as the terminal library names them
	Label  string   // the key as people read it
	Hint   string   // on the hint line; empty when it is not on it
	Help   string   // on the help page
	Group  string   // the heading on the help page
}

// Map is the whole of the bindings in the order of the help page.
type Map []Binding

// The headings of the help page.
const (
	general   = "Everywhere"
	pages     = "Screens"
	timeAxis  = "Time"
	processes = "Processes"
	chart     = "The chart"
	together  = "Two people, one job"
	findings  = "Advice"
)

// Default returns the bindings of vramscope: those of nvtop, htop and less where
// they have one.
func Default() Map {
	var m Map
	for _, part := range [][]Binding{screens(), everywhere(), ofTime(), ofProcesses(), ofChart(), ofAdvice(), ofPairs()} {
		m = append(m, part...)
	}
	return m
}

func screens() []Binding {
	return []Binding{
		{ShowOverview, Always, 0, []string{"1"}, "1", "1 overview", "overview: every GPU, its layers, the processes", pages},
		{ShowGPU, Always, 0, []string{"2"}, "2", "2 gpu", "one GPU: the three layers over time", pages},
		{ShowProcess, Always, 0, []string{"3"}, "3", "3 process", "one process: layers, gaps, counters, surroundings", pages},
		{ShowAdvice, Always, 0, []string{"4", "a"}, "4", "4 advice", "what is wrong, the evidence, what to change", pages},
		{ShowLog, Always, 0, []string{"5"}, "5", "5 log", "the log lines understood and what was read out of them", pages},
		{ShowSources, Always, 0, []string{"6"}, "6", "6 sources", "where the figures come from and what is missing", pages},
		{ShowOutput, Live, 0, []string{"o"}, "o", "", "what the job prints, with vramscope run; enter types to it", pages},
		{ShowSettings, Always, 0, []string{"f2", "7"}, "F2", "", "settings", pages},
		{Help, Always, 0, []string{"?", "h", "f1"}, "?", "? help", "this help; / searches it", pages},
	}
}

func everywhere() []Binding {
	return []Binding{
		{Quit, Always, 0, []string{"q", "ctrl+c", "f10"}, "q", "q quit", "quit", general},
		{Up, Always, 0, []string{"up", "k"}, "up", "", "up: a process, a GPU, a finding, a line", general},
		{Down, Always, 0, []string{"down", "j"}, "down", "", "down", general},
		{PageUp, Always, 0, []string{"pgup"}, "pgup", "", "ten up", general},
		{PageDown, Always, 0, []string{"pgdown"}, "pgdn", "", "ten down", general},
		{Enter, Always, 0, []string{"enter"}, "enter", "", "open what is selected", general},
		{Close, Always, 0, []string{"esc"}, "esc", "", "leave, clear the selection or the filter, come back to now", general},
		{Redraw, Always, 0, []string{"r", "ctrl+l"}, "r", "", "draw the screen anew", general},
		{Suspend, Always, 0, []string{"ctrl+z"}, "ctrl+z", "", "suspend; fg comes back", general},
		{Slower, Live, 0, []string{"+", "="}, "+", "", "sample less often", general},
		{Faster, Live, 0, []string{"-", "_"}, "-", "", "sample more often", general},
		{SaveSettings, Always, 0, []string{"f12"}, "F12", "", "write the settings to the configuration file", general},
	}
}

func ofTime() []Binding {
	return []Binding{
		{Pause, Live, 0, []string{"space", "p"}, "space", "space pause", "pause the screen; sampling goes on", timeAxis},
		{Pause, Replay, 0, []string{"space", "p"}, "space", "space pause", "pause and go on", timeAxis},
		{StepBack, Always, 0, []string{"left", ","}, "left", "", "pause, one sample back; on the chart one column", timeAxis},
		{StepForward, Always, 0, []string{"right", "."}, "right", "", "one sample on", timeAxis},
		{LeapBack, Always, 0, []string{"shift+left", "H"}, "H", "", "ten times as far back", timeAxis},
		{LeapForward, Always, 0, []string{"shift+right", "L"}, "L", "", "ten times as far on", timeAxis},
		{PreviousEvent, Always, 0, []string{"N"}, "N", "", "to the previous mark, finding or failure", timeAxis},
		{NextEvent, Always, 0, []string{"n"}, "n", "", "to the next one", timeAxis},
		{ToStart, Always, 0, []string{"home"}, "home", "", "to the oldest sample that is kept", timeAxis},
		{ToEnd, Always, 0, []string{"end"}, "end", "", "to now; of a recording, to its end", timeAxis},
		{PlaySlower, Replay, 0, []string{"["}, "[", "", "half the speed", timeAxis},
		{PlayFaster, Replay, 0, []string{"]"}, "]", "[/] speed", "twice the speed", timeAxis},
	}
}

func ofProcesses() []Binding {
	const on = OnOverview
	return []Binding{
		{Filter, Always, on | OnLog | OnHelp, []string{"/", "\\", "f3", "f4"}, "/", "/ filter", "filter: user:ann gpu:1 mem>2G torch; on the log and the help, search", processes},
		{Sort, Always, on, []string{"s", ">", "f6"}, "s", "s sort", "sort by the next column", processes},
		{SortBack, Always, on, []string{"S", "<"}, "S", "", "sort by the column before", processes},
		{Reverse, Always, on, []string{"I"}, "I", "", "the other way round", processes},
		{Tree, Always, on, []string{"t", "f5"}, "t", "", "tree: children under their parents", processes},
		{Group, Always, on, []string{"g"}, "g", "g job", "group by job: the ranks of one job under a line of sums", processes},
		{Columns, Always, on, []string{"c"}, "c", "", "choose the columns", processes},
		{Signal, Live, on | OnProcess, []string{"K", "f9"}, "K", "", "send a signal, after a question", processes},
	}
}

func ofChart() []Binding {
	const on = OnGPU
	return []Binding{
		{ZoomIn, Always, on, []string{"z"}, "z", "z zoom", "a shorter time: 30 s at the least", chart},
		{ZoomOut, Always, on, []string{"Z", "x"}, "Z", "", "a longer time: everything at the most", chart},
		{PanBack, Always, on, []string{"(", "b"}, "(", "", "pan back by half of the chart", chart},
		{PanForward, Always, on, []string{")", "f"}, ")", "", "pan on", chart},
		{Cursor, Always, on, []string{"c"}, "c", "c cursor", "set the second cursor here; again takes it away", chart},
		{NextGPU, Always, on | OnProcess, []string{"tab"}, "tab", "", "the next GPU; on a process, the next process", chart},
		{PreviousGPU, Always, on | OnProcess, []string{"shift+tab"}, "shift+tab", "", "the one before", chart},
	}
}

func ofAdvice() []Binding {
	const on = OnAdvice
	return []Binding{
		{Acknowledge, Always, on, []string{"x"}, "x", "x seen", "acknowledge: it no longer stands on the overview", findings},
		{Mute, Always, on, []string{"u"}, "u", "u mute", "mute or unmute this cause on this GPU and process", findings},
	}
}

func ofPairs() []Binding {
	return []Binding{
		{Mark, Always, 0, []string{"m"}, "m", "m mark", "set a mark with a name at this moment", together},
		{Save, Always, 0, []string{"w"}, "w", "", "write the last 10 minutes as a recording to hand over", together},
		{Copy, Always, 0, []string{"y"}, "y", "y copy", "copy the finding with its evidence (OSC 52)", together},
		{CopyFile, Always, 0, []string{"Y"}, "Y", "", "write it to a file instead", together},
	}
}

// WithHint returns the bindings with that hint on an action's.
func (m Map) WithHint(action Action, hint string) Map {
	out := append(Map{}, m...)
	for i := range out {
		if out[i].Action == action {
			out[i].Hint = hint
		}
	}
	return out
}

// Action returns what a key asks for in a mode on a screen; None when nothing.
func (m Map) Action(key string, mode Mode, on Place) Action {
	for _, b := range m {
		if !b.works(mode, on) {
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

func (b Binding) works(mode Mode, on Place) bool {
	return b.Mode&mode != 0 && (b.On == 0 || b.On&on != 0)
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

// On returns the bindings that work on a screen.
func (m Map) On(place Place) Map {
	out := make(Map, 0, len(m))
	for _, b := range m {
		if b.On == 0 || b.On&place != 0 {
			out = append(out, b)
		}
	}
	return out
}

// AlsoKeys returns the other keys of a binding than the one that its label
// names, in words, for the help page; empty when there are none.
func (b Binding) AlsoKeys() string {
	named := 0
	for i, k := range b.Keys {
		if k == b.Label || len(b.Label) > 1 && strings.EqualFold(k, b.Label) {
			named = i
		}
	}
	var also []string
	for i, k := range b.Keys {
		if i != named {
			also = append(also, k)
		}
	}
	return strings.Join(also, " ")
}

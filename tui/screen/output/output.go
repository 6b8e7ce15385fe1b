package output

import (
	"strconv"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Job is what the page shows and does. None of its methods may block.
type Job interface {
	// Output returns what the job prints.
	Output() *Ring
	// Status says in a few words how the job is: "pid 812 runs", "pid 812 exited
	// with code 1".
	Status() string
	// Running reports whether there is somebody to type to.
	Running() bool
	// Type types text on the job's terminal.
	Type(text string) error
}

// Output is the page's own state: where it is scrolled to.
type Output struct {
	job    Job
	behind int // lines between the end of the page and the newest; 0 follows
}

// New returns the page of a job, at the newest line; nil is no job.
func New(job Job) *Output { return &Output{job: job} }

var _ screen.Screen = (*Output)(nil)

const pageRows = 10

// Update scrolls, or asks for a line to type to the job.
func (o *Output) Update(_ *screen.State, in screen.Input) screen.Ask {
	if o.job == nil {
		return nil
	}
	switch in.Action {
	case keys.Up:
		o.scroll(1)
	case keys.Down:
		o.scroll(-1)
	case keys.PageUp:
		o.scroll(pageRows)
	case keys.PageDown:
		o.scroll(-pageRows)
	case keys.Close:
		o.behind = 0
	case keys.Enter:
		return o.typing()
	default:
	}
	switch in.Mouse.Kind {
	case screen.MouseWheelUp:
		o.scroll(3)
	case screen.MouseWheelDown:
		o.scroll(-3)
	default:
	}
	return nil
}

func (o *Output) scroll(by int) {
	held, _ := o.job.Output().Len()
	o.behind = max(0, min(o.behind+by, held-1))
}

// typing asks for a line to type to the job.
func (o *Output) typing() screen.Ask {
	if !o.job.Running() {
		return screen.Say{Text: "The job has ended: nobody reads what is typed.", Role: theme.Dim}
	}
	return screen.Prompt{Label: "to the job:", Hint: "a line for its standard input", Done: func(text string) screen.Ask {
		if err := o.job.Type(text + "\n"); err != nil {
			return screen.Say{Text: err.Error(), Role: theme.Bad}
		}
		o.behind = 0
		return nil
	}}
}

// View draws the page.
func (o *Output) View(st *screen.State, width, height int) []string {
	return chrome.Page(st, width, height, func(width, height int) []string {
		if o.job == nil {
			return chrome.Message(st, width, height, "No job runs under this program.", "vramscope run -- CMD starts one and shows here what it prints.")
		}
		return o.body(st, width, height)
	})
}

func (o *Output) body(st *screen.State, width, height int) []string {
	ring := o.job.Output()
	held, dropped := ring.Len()
	o.behind = max(0, min(o.behind, held-1))
	note := st.Theme.Outside(o.job.Status())
	if o.behind > 0 {
		note += ", " + chrome.Plural(o.behind, "newer line", "newer lines") + " below"
	} else if dropped > 0 && held < height {
		note += ", " + strconv.FormatInt(dropped, 10) + " older lines are not kept"
	}
	lines := []string{chrome.Title(st, width, "Output", note)}
	if held == 0 {
		return append(lines, chrome.Message(st, width, height-1, "The job has printed nothing so far.")...)
	}
	room := max(0, height-1)
	end := held - o.behind
	for _, text := range ring.Lines(end-room, min(room, end)) {
		l := line.New(width, st.Theme)
		l.Add(theme.Style{}, st.Theme.Outside(text))
		lines = append(lines, l.String())
	}
	return lines
}

// Leave asks what shall become of a job that still runs when the screen is to be
// left. The root model asks it in place of quitting.
func Leave(job Job, goOn, end func() screen.Ask) screen.Ask {
	return screen.Choose{Question: "The job still runs (" + job.Status() + "). Leave it running, or end it?", Options: []screen.Option{
		{Key: "g", Label: "let it go on", Pick: goOn},
		{Key: "e", Label: "end it", Pick: end},
		{Key: "esc", Label: "back", Pick: func() screen.Ask { return nil }},
	}}
}

package cli

import (
	"fmt"
	"io"

	"github.com/vramscope/vramscope/cmd/internal/job"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/tui/screen/output"
	"github.com/vramscope/vramscope/tui/text"
)

// page is the job for the screen's page of output.
type page struct {
	job  *job.Job
	ring *output.Ring
}

var _ output.Job = (*page)(nil)

// Output returns what the job prints.
func (p *page) Output() *output.Ring { return p.ring }

// Running reports whether there is somebody to type to.
func (p *page) Running() bool {
	state, _ := p.job.State()
	return state != job.Ended
}

// Type types text on the job's terminal.
func (p *page) Type(text string) error {
	_, err := p.job.Write([]byte(text))
	return err
}

// Status says how the job is: "pid 812 runs".
func (p *page) Status() string {
	who := fmt.Sprintf("pid %d ", p.job.PID())
	state, result := p.job.State()
	switch state {
	case job.Running:
		who += "runs"
	case job.Stopped:
		who += "is stopped"
	case job.Ended:
		who += result.String()
	}
	if trouble := p.job.Trouble(); trouble != "" {
		who += "; its output is not written: " + trouble
	}
	return who
}

// tailLines is how much of a failed job's output is left on the terminal: an
// error with its traceback.
const tailLines = 20

// tail prints the newest lines of the output.
func (p *page) tail(w io.Writer, opts *options) {
	held, _ := p.ring.Len()
	for _, l := range p.ring.Lines(held-tailLines, tailLines) {
		if opts.ascii {
			l = text.ASCII(l)
		} else {
			l = clean.Line(l)
		}
		_, _ = fmt.Fprintln(w, "| "+l)
	}
}

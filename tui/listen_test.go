package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/output"
	"github.com/vramscope/vramscope/tui/theme"
)

// theJob is a job that runs under the program.
type theJob struct {
	ring    *output.Ring
	running bool
}

func (j *theJob) Output() *output.Ring { return j.ring }
func (j *theJob) Status() string       { return "pid 812 runs" }
func (j *theJob) Running() bool        { return j.running }
func (j *theJob) Type(string) error    { return nil }

func modelWithJob(job *theJob, width int) *Model {
	m := New(Options{Job: job, Note: job.Status, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, Quit: func() screen.Ask {
		if !job.running {
			return nil
		}
		return output.Leave(job, func() screen.Ask { return nil }, func() screen.Ask { return nil })
	}})
	m.Update(tea.WindowSizeMsg{Width: width, Height: 24})
	return m
}

func TestThePageOfOutputIsDrawnAnewWhenTheJobPrints(t *testing.T) {
	job := &theJob{ring: output.NewRing(0), running: true}
	m := modelWithJob(job, 80)
	press(m, "o")
	m.heard()
	m.dirty = false
	m.heard()
	if m.dirty {
		t.Error("a frame for nothing")
	}
	_, _ = job.ring.Write([]byte("step 1\n"))
	m.heard()
	if !m.dirty || !strings.Contains(plain(m.frame()), "step 1") {
		t.Errorf("drawn: %v\n%s", m.dirty, plain(m.frame()))
	}
}

func TestQuittingAsksWhileTheJobRunsAndEveryAnswerIsInSight(t *testing.T) {
	job := &theJob{ring: output.NewRing(0), running: true}
	for _, width := range []int{40, 80, 120} {
		m := modelWithJob(job, width)
		press(m, "q")
		for _, want := range []string{"still runs", "g let it go on", "e end it"} {
			if !strings.Contains(plain(m.frame()), want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, plain(m.frame()))
			}
		}
	}
	job.running = false
	m := modelWithJob(job, 80)
	press(m, "q")
	if m.ctx.Err() == nil {
		t.Error("the screen stays after the end of the job")
	}
}

func TestWithoutAJobThePageOfOutputSaysHowToStartOne(t *testing.T) {
	m := New(Options{Environ: []string{"TERM=xterm-256color"}})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press(m, "o")
	if got := plain(m.frame()); !strings.Contains(got, "vramscope run -- CMD") || strings.Contains(got, "o output") {
		t.Errorf("got\n%s", got)
	}
}

func TestTheHeaderSaysHowTheJobIs(t *testing.T) {
	job := &theJob{ring: output.NewRing(0), running: true}
	for _, width := range []int{60, 80, 120} {
		m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, width, 24)
		m.opts.Note, m.opts.Title = job.Status, "python train.py --with --many --words --in --its --command line"
		if top, _, _ := strings.Cut(plain(m.frame()), "\n"); !strings.Contains(top, "pid 812 runs") {
			t.Errorf("%d columns: %q", width, top)
		}
	}
}

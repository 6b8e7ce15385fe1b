package tui

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestAFindingEndsWithItsProcess(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	last := *m.newest
	last.Time = last.Time.Add(time.Second)
	last.Holders, last.Torch, last.Processes = nil, nil, nil
	found := m.judge.shown
	if len(found) == 0 || found[0].PID == nil || found[0].State != advisor.Active {
		t.Fatalf("no finding about a process: %+v", found)
	}
	found[0].Title, found[0].Past = "It grows", "It grew"
	m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{last}}})
	for page, want := range map[string]string{"1": "ended ·", "4": "ended with its process"} {
		press(m, page)
		if got := plain(m.frame()); !strings.Contains(got, want) || strings.Contains(got, ", active") || !strings.Contains(got, "It grew") || strings.Contains(got, "It grows") {
			t.Errorf("screen %s: no %q in\n%s", page, want, got)
		}
	}
}

func TestACardSaysThatItsJobEndedAndNotThatNoneWasSeen(t *testing.T) {
	sc := scene.ReservedGrowth()
	m := modelOf(t, sc, theme.Mono, false, 120, 40)
	last := *m.newest
	last.Time = last.Time.Add(time.Second)
	last.Holders, last.Torch, last.Processes = nil, nil, nil
	m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{last}}})
	mustShow(t, plain(m.frame()), "the PyTorch job ended")
	alone := sc
	last.Time = sc.Samples[0].Time
	alone.Samples = []monitor.Sample{last}
	mustShow(t, plain(modelOf(t, alone, theme.Mono, false, 120, 40).frame()), "no PyTorch job seen")
}

func TestWithoutADriverTheEndOfTheJobIsSaidOfItsLastFigures(t *testing.T) {
	m := modelOf(t, scene.LogOnly(), theme.Mono, false, 120, 40)
	pid := 812
	m.judge.shown = []advisor.Tracked{
		{Finding: advisor.Finding{ID: "leak", Severity: advisor.Warning, Title: "It grows", Past: "It grew"}, Shown: true},
		{Finding: advisor.Finding{ID: "fragmentation", Severity: advisor.Warning, PID: &pid, Title: "It rises", Past: "It rose"}, Shown: true},
	}
	m.newest.Torch[0].PID = pid
	for _, over := range []bool{false, true} {
		if over {
			m.opts.Job = endedJob{}
		}
		st := m.state()
		for i := range st.Findings {
			if st.HasEnded(&st.Findings[i]) != over {
				t.Errorf("the job is over: %v; finding %d has ended: %v", over, i, !over)
			}
		}
		if got := plain(m.frame()); strings.Contains(got, "the job ended") != over {
			t.Errorf("the job is over: %v\n%s", over, got)
		}
	}
}

func TestAtTheEndAnEmptyScreenSaysHowToGoBack(t *testing.T) {
	sc := scene.ReservedGrowth()
	m := modelOf(t, sc, theme.Mono, false, 80, 24)
	last := *m.newest
	last.Time = last.Time.Add(time.Second)
	last.Holders, last.Torch, last.Processes = nil, nil, nil
	press(m, "3") // the process is remembered
	m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{last}}})
	const back = "The left key goes back in time, H ten times as far"
	mustShow(t, plain(m.frame()), "No process to show at this moment.", back+".")
	press(m, "1")
	if got := plain(m.frame()); strings.Contains(got, back) {
		t.Errorf("more is to come, and still\n%s", got)
	}
	m.opts.Playback = &deck{at: screen.Position{Start: sc.Samples[0].Time, End: last.Time, At: last.Time}, speed: 1}
	mustShow(t, plain(m.frame()), "No process at the end. "+back, "start.\n")
	press(m, "3")
	mustShow(t, plain(m.frame()), back+";", "start.\n")
	m.opts.Playback = nil
	m.take(batchMsg{err: io.EOF})
	press(m, "1")
	mustShow(t, plain(m.frame()), "No process at the end. "+back)
	press(m, "left")
	if got := plain(m.frame()); strings.Contains(got, back) || !strings.Contains(got, "train.py") {
		t.Errorf("left leads to\n%s", got)
	}
}

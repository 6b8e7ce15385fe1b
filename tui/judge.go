package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/tui/theme"
)

// The pace of judging. It runs beside the screen on a copy of the history;
// where that takes long it runs less often, so that it stays a small part of
// what the screen costs.
const (
	judgeEvery   = 2 * time.Second
	judgePast    = 300 * time.Millisecond
	judgeShare   = 1000 // at most one part in so many of the time
	judgeSlowest = 30 * time.Second
	replayShare  = 10 // of a replay, whose reader waits for it
)

// slowJudging is how long a pass may take before the log is told of it.
const slowJudging = 500 * time.Millisecond

// judge is what the advisor said and what the user did about it.
type judge struct {
	tracker advisor.Tracker
	shown   []advisor.Tracked // of the moment on screen
	past    bool              // shown is of a moment of the past
	done    bool
	at      time.Time // the moment of what is shown
	passed  time.Time // the moment of the newest pass that the tracker has
	seq     uint64    // of the newest judgement asked for
	running bool
	waiting bool      // for its turn
	subject time.Time // the moment on screen that was judged last
	wasPast bool
	wasOver bool
	tracked time.Time // the newest moment that was judged
	started time.Time
	took    time.Duration
	alerted map[advisor.Key]bool
}

func newJudge() judge { return judge{alerted: map[advisor.Key]bool{}} }

// reset forgets the findings, but not of which an alarm told: a replay that goes
// back gives none twice. A judgement on its way is of another history.
func (j *judge) reset() {
	*j = judge{seq: j.seq + 1, running: j.running, took: j.took, started: j.started, alerted: j.alerted}
}

// judgedMsg is what the advisor said of a window.
type judgedMsg struct {
	seq   uint64
	at    time.Time
	past  bool
	found []advisor.Finding
	took  time.Duration
	fault string // what made the advisor give up; there are no findings then
}

// judgeMsg says that it is time to judge again.
type judgeMsg struct{}

// judgeSoon returns the command that judges the moment on screen, when that was
// not judged yet and it is time; and while another moment than now is on screen
// also now, so that an alarm does not wait for the reader.
func (m *Model) judgeSoon() tea.Cmd {
	j := &m.judge
	if m.newest == nil || j.running || m.onTheWay {
		return nil
	}
	at, past, gap, atEnd := m.now(), m.moment.past, judgePast, m.atEnd()
	if j.subject.Equal(at) && j.wasPast == past && j.wasOver == (past || atEnd) {
		if m.moment.live() || !j.tracked.Before(m.newest.Time) {
			return nil
		}
		at, past = m.newest.Time, false
	}
	now := !past && at.Equal(m.newest.Time)
	if now {
		gap = m.pace()
	}
	if wait := gap - m.opts.Now().Sub(j.started); !j.started.IsZero() && wait > 0 {
		if j.waiting || now && m.opts.Playback == nil && !m.ended {
			return nil // the next sample of a live feed comes by itself
		}
		j.waiting = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return judgeMsg{} })
	}
	j.seq++
	j.running, j.started = true, m.opts.Now()
	if at.Equal(m.now()) && past == m.moment.past {
		j.subject, j.wasPast, j.wasOver = at, past, past || atEnd
	}
	if now {
		j.tracked = at
	}
	from, _ := m.store.Span()
	in := m.log.input(m.store.Window(from, at), at, past || atEnd)
	copied := m.opts.Now().Sub(j.started)
	return m.guard(judging(in, judgedMsg{seq: j.seq, at: at, past: past, took: copied}, m.opts.Now))
}

// atEnd tells that the newest sample is the last there will be, as of a
// recording that was played: it is no present any more.
func (m *Model) atEnd() bool {
	if m.opts.Playback == nil || m.newest == nil {
		return m.ended
	}
	_, end := m.opts.Playback.Span()
	return m.ended || !m.newest.Time.Before(end)
}

// judging touches nothing of the model: it runs beside it. A rule that falls
// over costs the findings, never the screen.
func judging(in advisor.Input, out judgedMsg, now func() time.Time) tea.Cmd {
	return func() (msg tea.Msg) {
		start := now()
		defer func() {
			if r := recover(); r != nil {
				out.found, out.fault = nil, fmt.Sprint(r)
				msg = out
			}
		}()
		out.found = advisor.Advise(in)
		out.took += now().Sub(start)
		return out
	}
}

// takeFindings puts what the advisor said on screen, unless something newer was
// asked for meanwhile.
func (m *Model) takeFindings(msg judgedMsg) tea.Cmd {
	j := &m.judge
	j.running = false
	j.took = msg.took
	if msg.seq != j.seq {
		return nil
	}
	if msg.took > slowJudging {
		m.opts.Log.Info("slow judging", "took", msg.took, "findings", len(msg.found))
	}
	if msg.fault != "" {
		m.opts.Log.Info("the advisor fell over", "why", msg.fault)
		m.line.say("The advisor gave up on what it saw: "+m.theme.Outside(msg.fault), theme.Bad)
		m.dirty = true
		return nil
	}
	if msg.past {
		j.shown, j.past, j.done, j.at = asTracked(msg.found), true, true, msg.at
		m.dirty = true
		return nil
	}
	if m.opts.Playback != nil && !m.near(msg.at, j.passed) {
		// After a jump there was no pass before this one that could confirm it.
		j.tracker = j.tracker.Update(msg.at, msg.found, m.lives())
	}
	j.tracker, j.passed = j.tracker.Update(msg.at, msg.found, m.lives()), msg.at
	if m.moment.live() || !m.moment.past && m.moment.sample.Time.Equal(msg.at) {
		j.done = true
		m.showFindings()
	}
	return m.alert()
}

// lives tells which processes are there in the newest sample.
func (m *Model) lives() func(pid int) bool {
	if m.newest == nil {
		return nil
	}
	return advisor.Lives(m.newest)
}

// showFindings lists what the tracker has, the muted ones last.
func (m *Model) showFindings() {
	j := &m.judge
	j.shown, j.past = append(j.tracker.Findings(), j.tracker.Muted()...), false
	j.at = j.passed
	m.dirty = true
}

// asTracked lists the findings of a moment of the past, in which nothing comes
// and goes.
func asTracked(found []advisor.Finding) []advisor.Tracked {
	out := make([]advisor.Tracked, len(found))
	for i, f := range found {
		out[i] = advisor.Tracked{Finding: f, Since: f.From, Seen: f.To, Shown: true}
	}
	return out
}

// alert rings and calls once for each critical finding that is new.
func (m *Model) alert() tea.Cmd {
	var cmds []tea.Cmd
	for _, f := range m.judge.tracker.Findings() {
		if f.Severity != advisor.Critical || f.State != advisor.Active || f.Muted || m.judge.alerted[f.Key()] {
			continue
		}
		m.judge.alerted[f.Key()] = true
		if m.settings.Bell && m.term != nil {
			m.loss(m.term.Bell())
		}
		if call := m.opts.OnFinding; call != nil {
			cmds = append(cmds, m.guard(func() tea.Msg {
				if err := call(f.Finding); err != nil {
					return failed(err)
				}
				return nil
			}))
		}
	}
	return batch(cmds...)
}

package tui

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/tui/procs/signal"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

// saidMsg is a sentence for the user from something that ran beside the screen.
type saidMsg struct {
	text string
	role theme.Role
}

func failed(err error) saidMsg { return saidMsg{text: err.Error(), role: theme.Bad} }

// do does what a screen asked for.
func (m *Model) do(a screen.Ask) tea.Cmd {
	if a != nil {
		m.dirty = true
	}
	switch a := a.(type) {
	case nil:
	case screen.Open:
		if a.Screen == screen.Help || a.Screen == screen.Setup {
			m.toggle(a.Screen)
		} else {
			m.open(a.Screen)
		}
	case screen.Back:
		m.toggle(m.current)
	case screen.Travel:
		return m.goTo(a.At)
	case screen.Prompt, screen.Confirm, screen.Choose:
		m.line.ask(a)
	case screen.Say:
		m.line.say(a.Text, a.Role)
	case screen.Copy:
		return m.copy(a)
	case screen.Judge:
		m.judged(a)
	case screen.Change:
		return m.change(a)
	case screen.SetSignal:
		return m.signal(a)
	}
	return nil
}

// goTo shows another moment, or now.
func (m *Model) goTo(at time.Time) tea.Cmd {
	if m.newest == nil {
		return nil
	}
	if at.IsZero() {
		m.toNewest()
		return m.watch()
	}
	m.hold()
	m.travelTo(at)
	return nil
}

// judged notes what the user did about a finding.
func (m *Model) judged(a screen.Judge) {
	j := &m.judge
	for _, f := range j.shown {
		if f.Key() != a.Finding {
			continue
		}
		if a.Acknowledge {
			j.tracker = j.tracker.Acknowledge(a.Finding, !f.Acked)
		}
		if a.Mute {
			j.tracker = j.tracker.Mute(a.Finding, !f.Muted)
		}
	}
	if !m.moment.past {
		m.showFindings()
	}
}

// askMark asks for the name of a mark at the moment on screen.
func (m *Model) askMark() screen.Ask {
	at := m.now()
	if at.IsZero() {
		return nil
	}
	past := m.moment.past
	return screen.Prompt{Label: "mark:", Hint: "a name for this moment", Done: func(text string) screen.Ask {
		text = strings.TrimSpace(text)
		if text == "" {
			return nil
		}
		mark := monitor.Mark{Time: at, Text: text}
		if m.opts.Mark != nil && !past && m.opts.Playback == nil {
			m.opts.Mark(mark)
		} else {
			m.beside = append(m.beside, mark)
		}
		return screen.Say{Text: "Marked " + at.Format("15:04:05") + ": " + text, Role: theme.Good}
	}}
}

// handOver is how much a saved recording holds.
const handOver = 10 * time.Minute

// save writes the last minutes before the moment on screen as a recording.
func (m *Model) save() tea.Cmd {
	if m.opts.Save == nil || m.newest == nil {
		m.line.say("There is nothing to write, or nowhere to write it.", theme.Warn)
		return nil
	}
	to := m.now()
	samples := m.store.Wholes(to.Add(-handOver), to)
	if len(samples) == 0 {
		m.line.say("The samples of that time are no longer kept whole.", theme.Warn)
		return nil
	}
	samples = withMarks(samples, m.beside, to)
	write := m.opts.Save
	return m.guard(func() tea.Msg {
		name, err := write(samples)
		if err != nil {
			return failed(err)
		}
		span := samples[len(samples)-1].Time.Sub(samples[0].Time).Round(time.Second)
		return saidMsg{text: "The last " + span.String() + " are in " + name + "; vramscope replay opens it.", role: theme.Good}
	})
}

// withMarks adds the marks of their time to samples, each to the first that is
// not before it, or to the last.
func withMarks(samples []monitor.Sample, marks []monitor.Mark, to time.Time) []monitor.Sample {
	for _, k := range marks {
		if k.Time.Before(samples[0].Time) || k.Time.After(to) {
			continue
		}
		i := slices.IndexFunc(samples, func(s monitor.Sample) bool { return !s.Time.Before(k.Time) })
		if i < 0 {
			i = len(samples) - 1
		}
		samples[i].Marks = append(append([]monitor.Mark{}, samples[i].Marks...), k)
	}
	return samples
}

// copyFinding asks to copy the finding in focus, else the most important one.
func (m *Model) copyFinding(file bool) screen.Ask {
	if len(m.judge.shown) == 0 {
		return screen.Say{Text: "There is no finding to copy.", Role: theme.Dim}
	}
	chosen := m.judge.shown[0]
	for _, f := range m.judge.shown {
		if m.focus.HasFinding && f.Key() == m.focus.Finding {
			chosen = f
		}
	}
	var b strings.Builder
	if m.newest.Host != "" {
		b.WriteString("vramscope on " + clean.Line(m.newest.Host) + ", " + m.now().Format(time.RFC3339) + "\n\n")
	}
	if err := advisor.WriteText(&b, []advisor.Finding{chosen.Finding}, advisor.TextOptions{}); err != nil {
		return screen.Say{Text: err.Error(), Role: theme.Bad}
	}
	return screen.Copy{What: "finding", Text: b.String(), File: file}
}

// copy hands a text over: to the terminal's clipboard, or to a file where that
// is asked for or the terminal is known to have none.
func (m *Model) copy(a screen.Copy) tea.Cmd {
	if !a.File && m.term != nil && hasClipboard(m.opts.Environ) {
		m.loss(m.term.Copy(a.Text))
		m.line.say("The "+a.What+" was handed to the clipboard. If it is not there, Y writes a file.", theme.Good)
		return nil
	}
	if m.opts.WriteText == nil {
		m.line.say("This terminal has no clipboard to write to.", theme.Warn)
		return nil
	}
	write := m.opts.WriteText
	return m.guard(func() tea.Msg {
		name, err := write(a.What, a.Text)
		if err != nil {
			return failed(err)
		}
		return saidMsg{text: "The " + a.What + " is in " + name, role: theme.Good}
	})
}

// change takes other settings over and writes them where asked.
func (m *Model) change(a screen.Change) tea.Cmd {
	if a.Settings.Theme != m.settings.Theme || a.Settings.ASCII != m.settings.ASCII {
		m.redraw()
	}
	m.settings = a.Settings
	m.theme = chooseTheme(m.settings, m.opts.Environ)
	if a.Interval > 0 && m.opts.SetInterval != nil && a.Interval != m.interval {
		m.interval = a.Interval
		m.store.SetInterval(a.Interval)
		m.opts.SetInterval(a.Interval)
	}
	if !a.Save {
		return nil
	}
	if m.opts.SaveSettings == nil {
		m.line.say("There is no configuration file to write to.", theme.Warn)
		return nil
	}
	write, settings, interval := m.opts.SaveSettings, m.settings, m.interval
	if m.opts.Playback != nil {
		interval = 0 // the recording's, which is not the user's choice
	}
	return m.guard(func() tea.Msg {
		name, kept, err := write(settings, interval)
		if err != nil {
			return failed(err)
		}
		text := "The settings are in " + name
		if kept != "" {
			text += "; the old file is kept as " + kept
		}
		return saidMsg{text: text, role: theme.Good}
	})
}

// signal sends a signal, beside the screen.
func (m *Model) signal(a screen.SetSignal) tea.Cmd {
	if m.settings.ReadOnly {
		m.line.say("Signals are off: vramscope runs read-only.", theme.Warn)
		return nil
	}
	return m.guard(func() tea.Msg {
		if err := signal.Send(a.Target, a.Signal, signal.Self{PID: os.Getpid(), UID: os.Getuid()}); err != nil {
			return failed(err)
		}
		return saidMsg{text: a.Signal.String() + " was sent to PID " + strconv.Itoa(a.Target.PID) + ".", role: theme.Good}
	})
}

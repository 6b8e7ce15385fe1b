package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

// moment is which moment is on screen.
type moment struct {
	sample *monitor.Sample
	paused bool      // a live feed: the screen stands still
	past   bool      // not the newest moment known
	at     time.Time // asked for, when past
	lost   bool      // the samples of that moment are no longer kept whole; sample is the oldest that is
}

// live tells that the newest sample is shown as it comes.
func (m *moment) live() bool { return !m.paused && !m.past }

// pause stops the screen of a live feed, whose samples go on into the history,
// or the replay itself; and lets it go on from the moment on screen.
func (m *Model) pause() tea.Cmd {
	p := m.opts.Playback
	switch {
	case m.loading:
		return nil // nothing moves yet
	case p != nil && m.moment.past:
		p.Seek(m.moment.at)
		p.Pause(false)
		m.toNewest()
		return m.goOn()
	case p != nil:
		p.Pause(!p.Paused())
		return m.goOn()
	case m.moment.past:
		m.toNewest()
	default:
		m.moment.paused = !m.moment.paused
		if !m.moment.paused {
			m.toNewest()
		}
	}
	return m.watch()
}

// toNewest comes back to now.
func (m *Model) toNewest() {
	m.moment = moment{sample: m.newest}
	if m.judge.done {
		m.showFindings()
	}
}

// travel moves through time as a key asks.
func (m *Model) travel(action keys.Action) tea.Cmd {
	if m.newest == nil {
		return nil
	}
	p := m.opts.Playback
	switch action {
	case keys.StepBack, keys.LeapBack:
		m.hold()
		m.stepBack(m.stride(action))
	case keys.StepForward, keys.LeapForward:
		return m.stepForward(m.stride(action), action)
	case keys.PreviousEvent, keys.NextEvent:
		return m.toEvent(action == keys.NextEvent)
	case keys.ToStart:
		m.hold()
		from, _ := m.store.Span()
		m.travelTo(from)
	case keys.ToEnd:
		m.toNewest()
		if p != nil {
			_, end := p.Span()
			p.Seek(end)
			return m.goOn()
		}
	default:
	}
	return nil
}

// hold pauses what would otherwise move on under the reader.
func (m *Model) hold() {
	if p := m.opts.Playback; p != nil {
		p.Pause(true)
		return
	}
	m.moment.paused = true
}

// stride is how far a step goes: 0 for one sample.
func (m *Model) stride(action keys.Action) time.Duration {
	var column time.Duration
	if s, ok := m.screens[m.current].(screen.Strider); ok {
		column = s.Stride()
	}
	if action == keys.LeapBack || action == keys.LeapForward {
		return 10 * max(column, m.store.Interval(), time.Millisecond)
	}
	if column <= m.store.Interval() {
		return 0
	}
	return column
}

// now returns the time of the moment on screen.
func (m *Model) now() time.Time {
	if m.moment.past {
		return m.moment.at
	}
	if m.moment.sample != nil {
		return m.moment.sample.Time
	}
	return time.Time{}
}

func (m *Model) stepBack(stride time.Duration) {
	at := m.now()
	if stride > 0 {
		m.travelTo(at.Add(-stride))
		return
	}
	if s, ok := m.store.At(at.Add(-1)); ok {
		m.show(s)
		return
	}
	m.travelTo(at.Add(-max(m.store.Interval(), time.Millisecond)))
}

func (m *Model) stepForward(stride time.Duration, action keys.Action) tea.Cmd {
	if p := m.opts.Playback; p != nil {
		p.Pause(true)
		if !m.moment.past {
			n := 1
			if action == keys.LeapForward {
				n = 10
			}
			p.Step(n)
			return m.goOn()
		}
	}
	if !m.moment.past {
		return nil
	}
	at := m.now()
	if stride > 0 {
		m.travelTo(at.Add(stride))
		return nil
	}
	if s, ok := m.after(at); ok {
		m.show(s)
	}
	return nil
}

// after returns the first sample later than a time.
func (m *Model) after(at time.Time) (monitor.Sample, bool) {
	step := max(m.store.Interval(), time.Millisecond)
	var found monitor.Sample
	for to := at.Add(step); ; to = to.Add(step) {
		s, ok := m.store.At(to)
		if ok && s.Time.After(at) {
			found = s
			break
		}
		if to.After(m.newest.Time) {
			return s, false
		}
		step *= 2
	}
	for {
		s, ok := m.store.At(found.Time.Add(-1))
		if !ok || !s.Time.After(at) {
			return found, true
		}
		found = s
	}
}

// show puts a sample of the past on screen.
func (m *Model) show(s monitor.Sample) {
	if !s.Time.Before(m.newest.Time) {
		m.moment.sample, m.moment.past, m.moment.lost = m.newest, false, false
		return
	}
	m.moment.sample, m.moment.past, m.moment.at, m.moment.lost = &s, true, s.Time, false
}

// travelTo shows the newest sample at or before a time. Before the oldest that
// is kept whole, the history's figures are shown for that time and the oldest
// sample for the rest.
func (m *Model) travelTo(at time.Time) {
	from, to := m.store.Span()
	if at.Before(from) {
		at = from
	}
	if !at.Before(to) {
		m.show(*m.newest)
		return
	}
	if s, ok := m.store.At(at); ok {
		m.show(s)
		m.moment.at = at
		if !m.moment.past {
			m.moment.at = time.Time{}
		}
		return
	}
	oldest, _, ok := m.store.WholeSpan()
	if !ok {
		return
	}
	s, _ := m.store.At(oldest)
	m.moment.sample, m.moment.past, m.moment.at, m.moment.lost = &s, true, at, true
}

// play changes the speed of a replay.
func (m *Model) play(action keys.Action) tea.Cmd {
	p := m.opts.Playback
	if p == nil {
		return nil
	}
	if action == keys.PlaySlower {
		p.SetSpeed(max(p.Speed()/2, slowestSpeed))
	} else {
		p.SetSpeed(min(p.Speed()*2, fastestSpeed))
	}
	return m.goOn()
}

// goOn waits for a replay again that had come to its end.
func (m *Model) goOn() tea.Cmd {
	m.ended = false
	return m.wait()
}

// toEvent goes to the next or the previous thing that has a name: a mark, the
// beginning of a finding, a failure or a phase in the log.
func (m *Model) toEvent(forward bool) tea.Cmd {
	at := m.now()
	best, found := event{}, false
	for _, e := range m.events() {
		if forward && e.at.After(at) && (!found || e.at.Before(best.at)) ||
			!forward && e.at.Before(at) && (!found || e.at.After(best.at)) {
			best, found = e, true
		}
	}
	if !found {
		m.line.say(map[bool]string{true: "Nothing later has a mark or a finding.", false: "Nothing earlier has a mark or a finding."}[forward], theme.Dim)
		return nil
	}
	m.hold()
	m.travelTo(best.at)
	m.line.say(m.theme.Outside(best.text), theme.Strong)
	return nil
}

// event is a moment with a name.
type event struct {
	at   time.Time
	text string
}

func (m *Model) events() []event {
	var out []event
	for _, k := range m.marks() {
		out = append(out, event{k.Time, "mark: " + k.Text})
	}
	for i := range m.judge.shown {
		f := &m.judge.shown[i]
		if !f.Muted {
			out = append(out, event{f.From, "finding: " + f.Title})
		}
	}
	for _, r := range m.store.Readings() {
		switch {
		case r.Kind == monitor.LogOOM:
			out = append(out, event{r.Time, "out of memory, as the log says"})
		case r.Phase != "":
			out = append(out, event{r.Time, "log: " + r.Phase})
		}
	}
	return out
}

// marks returns the marks of the feed and those set beside it.
func (m *Model) marks() []monitor.Mark {
	kept := m.store.Marks()
	if len(m.beside) == 0 {
		return kept
	}
	return append(append([]monitor.Mark{}, kept...), m.beside...)
}

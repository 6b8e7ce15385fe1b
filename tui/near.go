package tui

import "time"

// nearBy is how far two moments may lie apart at least to count as one.
const nearBy = 5 * time.Second

// passesBehind is how many times as long as a pass takes to come round what it
// found is shown in a replay.
const passesBehind = 4

// pace is the time between two judgements of what goes on.
func (m *Model) pace() time.Duration {
	if m.opts.Playback != nil {
		return min(max(judgePast, replayShare*m.judge.took), judgeSlowest)
	}
	return min(max(judgeEvery, judgeShare*m.judge.took), judgeSlowest)
}

// near tells whether two moments are so close that what was found at one can be
// said of the other.
func (m *Model) near(a, b time.Time) bool {
	limit := max(nearBy, 3*m.store.Interval())
	if m.opts.Playback == nil && m.moment.live() {
		limit = max(limit, 3*m.pace())
	}
	return a.Sub(b).Abs() <= limit
}

// judgedOf tells whether what the advisor said can be said of the moment on
// screen, and of which moment it is where that is another one: in a fast replay
// the newest pass that is done lies behind, and it holds until the next says
// otherwise.
func (m *Model) judgedOf() (judged bool, of time.Time) {
	j := &m.judge
	switch behind := m.now().Sub(j.at); {
	case !j.done:
		return false, time.Time{}
	case m.near(m.now(), j.at):
		return true, time.Time{}
	case m.opts.Playback == nil || !m.moment.live() || j.past || behind < 0:
		return false, time.Time{}
	default:
		return behind <= time.Duration(passesBehind*m.opts.Playback.Speed()*float64(m.pace())), j.at
	}
}

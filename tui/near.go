package tui

import "time"

// nearBy is how far two moments may lie apart at least to count as one.
const nearBy = 5 * time.Second

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

// isJudged tells whether what the advisor said is of the moment on screen.
func (m *Model) isJudged() bool {
	return m.judge.done && m.near(m.now(), m.judge.at)
}

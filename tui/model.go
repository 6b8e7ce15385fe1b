package tui

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/terminal"
	"github.com/vramscope/vramscope/tui/theme"
)

// Model is the root of the interface. It is a pointer that changes itself; use
// New.
type Model struct {
	opts     Options
	settings screen.Settings
	theme    theme.Theme
	keymap   keys.Map
	here     struct { // of the keymap, what one screen has
		keys  keys.Map
		place keys.Place
	}
	mode  keys.Mode
	store *history.Store
	term  *terminal.Terminal // nil where nothing is drawn, as in some tests

	// ctx ends a wait for the feed when the screen ends.
	ctx    context.Context
	cancel context.CancelFunc

	screens [screen.Count]screen.Screen
	current screen.ID
	before  screen.ID // to come back to from help and settings
	focus   screen.Focus
	line    bottom // what has taken the place of the line of keys

	newest *monitor.Sample
	moment moment
	log    logBook
	beside []monitor.Mark // marks that are not in the feed
	judge  judge
	prints prints

	interval time.Duration
	ended    bool
	fault    string
	loading  bool // of what is to be shown
	waiting  bool // for the feed
	onTheWay bool // to a moment of the recording; there is more to take in first
	watching bool // for its silence
	lastSeen time.Time

	width, height int
	fitting       []string // the lines of the frame before, none wider than the screen
	dirty         bool
	painting      bool // a frame is due soon
	painted       time.Time
	figures       bool             // some were drawn
	lost          error            // the terminal went away
	unreadable    error            // what was to be loaded
	halt          func(whole bool) // stops the process until it is continued; nil where that cannot be
}

// New returns the model of the screen. An unknown theme falls back to the
// default; Run refuses it instead.
func New(opts Options) *Model {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &Model{
		opts: opts, settings: opts.Settings, ctx: ctx, cancel: cancel, store: opts.History, interval: opts.Interval,
		mode: keys.Live, screens: newScreens(opts.Job), judge: newJudge(), dirty: true,
	}
	if opts.Playback != nil || opts.Load != nil {
		m.mode = keys.Replay
	}
	m.keymap = keys.Default().For(m.mode)
	if opts.Job != nil {
		m.keymap = m.keymap.WithHint(keys.ShowOutput, "o output")
	}
	if m.store == nil {
		m.store = history.New(history.Config{Interval: opts.Interval})
	}
	m.theme = chooseTheme(m.settings, opts.Environ)
	return m
}

func chooseTheme(s screen.Settings, environ []string) theme.Theme {
	name := theme.Drawable(s.Theme, environ)
	ascii := s.ASCII || theme.WantsASCII(environ)
	th, err := theme.New(name, ascii)
	if err != nil {
		th, _ = theme.New("", ascii)
	}
	return th
}

// Close ends a wait for the feed. The feed itself stays open.
func (m *Model) Close() { m.cancel() }

// batchMsg is what came from the feed.
type batchMsg struct {
	batch monitor.Batch
	err   error
}

// silenceMsg asks whether the feed has been silent for long.
type silenceMsg struct{}

// retryMsg asks to wait for a feed again that failed.
type retryMsg struct{}

// retryAfter is how long a failed feed is left alone.
const retryAfter = time.Second

// Init starts to wait for the feed, or loads it.
func (m *Model) Init() tea.Cmd { return batch(m.load(), m.wait()) }

// wait returns the command that waits for the next batch. It touches nothing of
// the model, since it runs beside it.
func (m *Model) wait() tea.Cmd {
	if m.opts.Feed == nil || m.waiting {
		return nil
	}
	m.waiting = true
	feed, ctx := m.opts.Feed, m.ctx
	return m.guard(func() tea.Msg {
		batch, err := feed.Next(ctx)
		return batchMsg{batch: batch, err: err}
	})
}

// Update takes in one message and shows what came of it.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer m.restoreOnPanic()
	cmd := m.take(msg)
	return m, batch(cmd, m.judgeSoon(), m.listen(), m.paint())
}

// batch is tea.Batch without its cost where there is one command at most.
func batch(cmds ...tea.Cmd) tea.Cmd {
	var kept []tea.Cmd
	for _, c := range cmds {
		if c != nil {
			kept = append(kept, c)
		}
	}
	switch len(kept) {
	case 0:
		return nil
	case 1:
		return kept[0]
	}
	return tea.Batch(kept...)
}

func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		m.line.insert(m.theme.Outside(msg.Content))
		m.dirty = true
	case tea.MouseMsg:
		return m.mouse(msg)
	case batchMsg:
		return m.takeBatch(msg)
	case silenceMsg:
		m.watching = false
		m.dirty = m.dirty || m.state().Stalled()
		return m.watch()
	case loadedMsg:
		return m.takeLoaded(msg)
	case progressMsg:
		return m.progress()
	case retryMsg:
		return m.wait()
	case paintMsg:
		m.painting = false
	case printedMsg:
		m.heard()
	case judgedMsg:
		return m.takeFindings(msg)
	case judgeMsg:
		m.judge.waiting = false
	case saidMsg:
		m.line.say(m.theme.Outside(msg.text), msg.role)
		m.dirty = true
	default:
		return m.terminalMsg(msg)
	}
	return nil
}

// takeBatch puts a batch into the history and on screen.
func (m *Model) takeBatch(msg batchMsg) tea.Cmd {
	m.waiting = false
	if msg.batch.Reset {
		m.store.Reset()
		m.log = logBook{}
		m.newest, m.moment = nil, moment{}
		m.judge.reset()
	}
	for i := range msg.batch.Samples {
		m.store.Append(msg.batch.Samples[i])
		m.log.add(&msg.batch.Samples[i])
	}
	n := len(msg.batch.Samples)
	m.onTheWay = msg.batch.More && n > 0
	if n > 0 {
		m.newest = &msg.batch.Samples[n-1]
		m.lastSeen = m.opts.Now()
		m.fault = ""
	}
	if m.moment.live() || m.moment.sample == nil {
		m.moment.sample = m.newest
		m.dirty = true
	}
	switch {
	case msg.err == nil:
		m.ended = false
		return batch(m.wait(), m.watch())
	case errors.Is(msg.err, io.EOF):
		m.ended, m.dirty = true, true
		return nil
	case m.ctx.Err() != nil:
		return nil
	}
	m.fault, m.dirty = m.theme.Outside(msg.err.Error()), true
	return batch(tea.Tick(retryAfter, func(time.Time) tea.Msg { return retryMsg{} }), m.watch())
}

// watch returns the command that looks for silence of a live feed. At most one
// is on its way, so that a lively feed costs few wake-ups.
func (m *Model) watch() tea.Cmd {
	if m.watching || !m.moment.live() || m.ended || m.opts.Playback != nil || m.interval <= 0 || m.newest == nil {
		return nil
	}
	m.watching = true
	silent := m.opts.Now().Sub(m.lastSeen)
	wait := m.interval*5/2 - silent
	return tea.Tick(max(wait, time.Second), func(time.Time) tea.Msg { return silenceMsg{} })
}

// keysHere returns the keys of the screen that is shown.
func (m *Model) keysHere() keys.Map {
	if place := m.current.Place(); m.here.place != place {
		m.here.keys, m.here.place = m.keymap.On(place), place
	}
	return m.here.keys
}

// state returns what a screen draws from.
func (m *Model) state() *screen.State {
	st := &screen.State{
		Sample: m.moment.sample, History: m.store, Theme: &m.theme, Keys: m.keysHere(),
		Screen: m.current, Focus: &m.focus, Settings: m.settings, User: m.opts.User,
		Interval: m.interval, Title: m.theme.Outside(m.opts.Title), Mode: m.theme.Outside(m.opts.Mode),
		Paused: m.moment.paused, Past: m.moment.past, At: m.moment.at, Lost: m.moment.lost, Ended: m.ended, Fault: m.fault,
		Marks: m.marks(), Waiting: m.waitingFor(),
	}
	st.JobEnded = m.opts.Job != nil && !m.moment.past && !m.opts.Job.Running()
	st.Judged, st.JudgedOf = m.judgedOf()
	if st.Sample == nil && m.opts.First != nil {
		st.Sample, st.Early = m.opts.First, true
	}
	if st.Judged {
		st.Findings = m.judge.shown
	}
	if st.Interval <= 0 {
		st.Interval = m.store.Interval()
	}
	if m.opts.Playback != nil {
		st.Position = positionOf(m.opts.Playback)
		if m.onTheWay { // the figures are not yet those of where it was told to go
			st.Position.At = m.newest.Time
		}
	}
	if m.opts.Note != nil {
		st.Note = m.theme.Outside(m.opts.Note())
	}
	st.Now = m.opts.Now()
	if st.Sample != nil {
		if m.moment.paused || m.moment.past || m.ended || st.Position != nil {
			st.Now = st.Sample.Time
		}
		st.Log = m.log.until(st.Sample.Time, m.moment.past)
	}
	return st
}

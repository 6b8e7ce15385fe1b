package tui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/help"
	"github.com/vramscope/vramscope/tui/screen/overview"
	"github.com/vramscope/vramscope/tui/theme"
)

// Model is the root of the interface. It is a pointer that changes itself; use
// New.
type Model struct {
	opts  Options
	theme theme.Theme
	keys  keys.Map
	mode  keys.Mode
	store *history.Store

	// ctx ends a wait for the feed when the screen ends.
	ctx    context.Context
	cancel context.CancelFunc

	overview screen.Screen
	help     screen.Screen
	helping  bool

	newest   *monitor.Sample
	shown    *monitor.Sample // the newest, or the one at which the screen was paused
	paused   bool
	interval time.Duration
	ended    bool
	fault    string
	waiting  bool // for the feed
	watching bool // for its silence
	lastSeen time.Time

	width, height int
	content       string
	dirty         bool
}

// New returns the model of the screen. An unknown theme falls back to the
// default; Run refuses it instead.
func New(opts Options) *Model {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &Model{
		opts: opts, ctx: ctx, cancel: cancel, store: opts.History, interval: opts.Interval,
		mode: keys.Live, overview: overview.New(), help: help.New(), dirty: true,
	}
	if opts.Playback != nil {
		m.mode = keys.Replay
	}
	m.keys = keys.Default().For(m.mode)
	if m.store == nil {
		m.store = history.New(history.Config{Interval: opts.Interval})
	}
	m.theme = chooseTheme(opts)
	return m
}

func chooseTheme(opts Options) theme.Theme {
	name := opts.Theme
	if theme.Colourless(opts.Environ) {
		name = theme.Mono
	}
	ascii := opts.ASCII || theme.WantsASCII(opts.Environ)
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

// Init starts to wait for the feed.
func (m *Model) Init() tea.Cmd { return m.wait() }

// wait returns the command that waits for the next batch. It touches nothing of
// the model, since it runs beside it.
func (m *Model) wait() tea.Cmd {
	if m.opts.Feed == nil || m.waiting {
		return nil
	}
	m.waiting = true
	feed, ctx := m.opts.Feed, m.ctx
	return func() tea.Msg {
		batch, err := feed.Next(ctx)
		return batchMsg{batch: batch, err: err}
	}
}

// Update takes in one message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.dirty = m.dirty || msg.Width != m.width || msg.Height != m.height
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return m, m.key(msg.String())
	case batchMsg:
		return m, m.take(msg)
	case silenceMsg:
		m.watching = false
		m.dirty = m.dirty || m.state().Stalled()
		return m, m.watch()
	case retryMsg:
		return m, m.wait()
	case tea.ResumeMsg:
		return m, tea.ClearScreen
	}
	return m, nil
}

// take puts a batch into the history and on screen.
func (m *Model) take(msg batchMsg) tea.Cmd {
	m.waiting = false
	if msg.batch.Reset {
		m.store.Reset()
		m.newest = nil
	}
	for i := range msg.batch.Samples {
		m.store.Append(msg.batch.Samples[i])
	}
	if n := len(msg.batch.Samples); n > 0 {
		m.newest = &msg.batch.Samples[n-1]
		m.lastSeen = m.opts.Now()
		m.fault = ""
	}
	if !m.paused {
		m.shown = m.newest
		m.dirty = true
	}
	switch {
	case msg.err == nil:
		m.ended = false
		return tea.Batch(m.wait(), m.watch())
	case errors.Is(msg.err, io.EOF):
		m.ended, m.dirty = true, true
		return nil
	case m.ctx.Err() != nil:
		return nil
	}
	m.fault, m.dirty = m.theme.Outside(msg.err.Error()), true
	return tea.Batch(tea.Tick(retryAfter, func(time.Time) tea.Msg { return retryMsg{} }), m.watch())
}

// watch returns the command that looks for silence of a live feed. At most one
// is on its way, so that a lively feed costs few wake-ups.
func (m *Model) watch() tea.Cmd {
	if m.watching || m.paused || m.ended || m.opts.Playback != nil || m.interval <= 0 || m.newest == nil {
		return nil
	}
	m.watching = true
	silent := m.opts.Now().Sub(m.lastSeen)
	wait := m.interval*5/2 - silent
	return tea.Tick(max(wait, time.Second), func(time.Time) tea.Msg { return silenceMsg{} })
}

// state returns what a screen draws from.
func (m *Model) state() *screen.State {
	st := &screen.State{
		Sample: m.shown, History: m.store, Theme: &m.theme, Keys: m.keys,
		Interval: m.interval, Title: m.theme.Outside(m.opts.Title), Mode: m.theme.Outside(m.opts.Mode),
		Paused: m.paused, Ended: m.ended, Fault: m.fault,
	}
	if st.Interval <= 0 {
		st.Interval = m.store.Interval()
	}
	if m.opts.Playback != nil {
		st.Position = positionOf(m.opts.Playback)
	}
	st.Now = m.opts.Now()
	if m.shown != nil && (m.paused || m.ended || st.Position != nil) {
		st.Now = m.shown.Time
	}
	return st
}

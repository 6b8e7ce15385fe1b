package tui

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/screen/output"
)

// Options is what the screen is made of. Only Feed or Load is needed. The functions are
// the screen's hands: what is nil cannot be done and is said so.
type Options struct {
	// Feed gives the samples. The caller closes it after Run.
	Feed monitor.Feed
	// First is what one source said already, of a live feed. It is drawn until
	// the first sample comes, and not kept; nil for none.
	First *monitor.Sample
	// Load reads what is to be shown, where that takes long: Feed, Playback and
	// History are then what it returns, and an error of it ends the screen. It
	// runs beside the screen, which shows meanwhile what Loading says; that must
	// not block.
	Load    func(ctx context.Context) (Loaded, error)
	Loading func() string
	// Playback controls a replay; nil for a live feed.
	Playback Playback
	// History keeps the samples; made inside when nil. From Run on it belongs
	// to the screen.
	History *history.Store

	// Settings is what the user chose so far: theme, mouse, columns.
	Settings screen.Settings

	// Job is the job that runs under the program; nil for none. It has a page.
	Job output.Job
	// Note says in a few words how that job is. It must not block.
	Note func() string
	// Quit returns what to ask before the screen is left, nil for nothing. It
	// must not block.
	Quit func() screen.Ask

	// CanStop tells whether somebody will continue the program when it stops
	// itself on ctrl-z. Nil looks whether a shell of its session started it: as
	// the first process of a session, which docker exec and kubectl exec make
	// of it, it would stand still for good.
	CanStop func() bool

	User  string // who runs the program, to say when a process is another's
	Title string // what is watched when it is not this machine, such as a file's name
	Mode  string // one word for the state, such as demo; empty for live or replay

	// Interval is the time between samples, 0 when not known.
	Interval time.Duration
	// SetInterval is called when the user asks for another interval. It must
	// not block.
	SetInterval func(time.Duration)
	// Mark puts a mark into the feed, with which it comes back. It must not
	// block. Without it marks are kept beside the history.
	Mark func(monitor.Mark)
	// Save writes samples, oldest first, as a recording and returns its name.
	Save func([]monitor.Sample) (name string, err error)
	// WriteText writes a text to a file of the user's and returns its name.
	WriteText func(what, text string) (name string, err error)
	// SaveSettings writes the settings to the configuration file, the interval as
	// well where it is not 0 as that of a replay, and returns
	// its name, and the name under which what stood there is kept; empty where
	// nothing had to be.
	SaveSettings func(screen.Settings, time.Duration) (name, kept string, err error)
	// OnFinding is told of each new critical finding, once for each. It runs
	// beside the screen.
	OnFinding func(advisor.Finding) error
	// Now is the clock; time.Now when nil.
	Now func() time.Time

	// Log is told what goes wrong inside and has no place on the screen; nothing
	// when nil.
	Log *slog.Logger

	Input   io.Reader // the terminal's standard input when nil
	Output  io.Writer // the standard output when nil
	Environ []string  // "KEY=value"; in Run the process's own when nil
}

// Playback controls a replay; record.Player is one. None of its methods may
// block: they say what is wanted, and the feed hands over what follows from it.
type Playback interface {
	Pause(on bool)
	Paused() bool
	Step(samples int)   // so many samples on or, when negative, back
	Seek(at time.Time)  // to the newest sample at or before that time
	SetSpeed(x float64) // recorded seconds in one second
	Speed() float64
	Span() (from, to time.Time)           // of the whole recording
	Position() (played int, at time.Time) // the newest sample handed over
}

// positionOf returns where a replay stands.
func positionOf(p Playback) *screen.Position {
	var out screen.Position
	out.Start, out.End = p.Span()
	_, out.At = p.Position()
	out.Speed, out.Paused = p.Speed(), p.Paused()
	return &out
}

// intervals are those that the user can step through.
func intervals() []time.Duration {
	return []time.Duration{
		100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute,
	}
}

// nextInterval returns the next longer one, or the next shorter one.
func nextInterval(now time.Duration, longer bool) time.Duration {
	all := intervals()
	if longer {
		for _, d := range all {
			if d > now {
				return d
			}
		}
		return all[len(all)-1]
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] < now {
			return all[i]
		}
	}
	return all[0]
}

// The speeds of a replay that the user can step through.
const (
	slowestSpeed = 1.0 / 16
	fastestSpeed = 1024
)

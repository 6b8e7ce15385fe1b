package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen"
)

func TestTheWholeProgramDrawsAMinuteOfAJob(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 40}} {
		var raw []byte
		sc := scene.DDP()
		withUser(t, Options{Feed: feedOf(sc, silent), Interval: sc.Interval}, size[0], size[1], func(u *user) {
			u.wait(60 * time.Second)
			raw = u.out.bytes()
		})
		golden(t, fmt.Sprintf("program_ddp_%dx%d", size[0], size[1]), screenText(t, raw, size[0], size[1]))
	}
}

func TestQuittingDoesNotWaitForAFeedThatHangs(t *testing.T) {
	release := make(chan struct{})
	hang := func(context.Context) (monitor.Batch, error) {
		<-release
		return monitor.Batch{}, errors.New("too late")
	}
	synctestRelease := func() { close(release) }
	var took time.Duration
	var raw []byte
	synctest.Test(t, func(t *testing.T) {
		release = make(chan struct{})
		sc := scene.DDP()
		sc.Samples = sc.Samples[:1]
		u := &user{t: t, out: &recorder{}, done: make(chan error, 1)}
		u.start(Options{Feed: feedOf(sc, hang), Interval: sc.Interval, Environ: []string{"TERM=xterm"}}, 80, 24)
		u.wait(time.Second)
		start := time.Now()
		u.program.Send(tea.KeyPressMsg{Code: 'q', Text: "q"})
		if err := <-u.done; err != nil {
			t.Error(err)
		}
		took = time.Since(start)
		raw = u.out.bytes()
		synctestRelease()
		time.Sleep(time.Minute)
	})
	if took > 50*time.Millisecond {
		t.Errorf("quitting took %v of fake time", took)
	}
	if !bytes.Contains(raw, []byte("\x1b[?1049l")) || !bytes.Contains(raw, []byte("\x1b[?25h")) {
		t.Error("the alternate screen was not left or the cursor not shown")
	}
}

func TestAKeyIsAnsweredWithin50MillisecondsWhileAFeedHangs(t *testing.T) {
	sc := scene.DDP()
	sc.Samples = sc.Samples[:3]
	withUser(t, Options{Feed: feedOf(sc, silent), Interval: sc.Interval}, 120, 40, func(u *user) {
		u.wait(10 * time.Second)
		for _, key := range []struct {
			press rune
			see   string
		}{{'2', "zoom"}, {'6', "History"}, {'?', "Everywhere"}, {'1', "COMMAND"}} {
			before := len(u.out.bytes())
			start := time.Now()
			u.program.Send(tea.KeyPressMsg{Code: key.press, Text: string(key.press)})
			for !bytes.Contains(u.out.bytes()[before:], []byte(key.see)) && time.Since(start) < time.Second {
				time.Sleep(time.Millisecond)
				synctest.Wait()
			}
			if took := time.Since(start); took > 50*time.Millisecond {
				t.Errorf("%c took %v of fake time", key.press, took)
			}
		}
	})
}

func TestNothingWakesUpToDrawNothing(t *testing.T) {
	sc := scene.DDP()
	sc.Samples = sc.Samples[:1]
	var frames, later int
	withUser(t, Options{Feed: feedOf(sc, silent), Interval: 20 * time.Second}, 120, 40, func(u *user) {
		u.wait(5 * time.Second)
		frames = len(u.out.bytes())
		u.wait(30 * time.Second)
		later = len(u.out.bytes())
	})
	if later != frames {
		t.Errorf("%d bytes were sent in 30 s without a sample", later-frames)
	}
}

func TestAFeedThatFallsSilentIsSaid(t *testing.T) {
	var before, after []byte
	sc := scene.DDP()
	sc.Samples = sc.Samples[:3]
	withUser(t, Options{Feed: feedOf(sc, silent), Interval: sc.Interval}, 80, 24, func(u *user) {
		u.wait(2 * time.Second)
		before = u.out.bytes()
		u.wait(8 * time.Second)
		after = u.out.bytes()
	})
	mustShow(t, screenText(t, before, 80, 24), "● live")
	mustShow(t, screenText(t, after, 80, 24), "▲ no data for")
}

func TestPausingStopsTheScreenAndNotTheSampling(t *testing.T) {
	var paused, later, resumed []byte
	var kept int
	sc := scene.DDP()
	withUser(t, Options{Feed: feedOf(sc, silent), Interval: sc.Interval}, 80, 24, func(u *user) {
		u.wait(5 * time.Second)
		u.press(' ')
		paused = u.out.bytes()
		u.wait(10 * time.Second)
		later = u.out.bytes()
		from, to := u.model.store.Span()
		kept = int(to.Sub(from) / time.Second)
		u.press(' ')
		resumed = u.out.bytes()
	})
	mustShow(t, screenText(t, paused, 80, 24), "‖ paused")
	if n := len(later) - len(paused); n != 0 {
		t.Errorf("a paused screen wrote %d bytes", n)
	}
	if kept < 14 {
		t.Errorf("the history spans %d s of 15", kept)
	}
	mustShow(t, screenText(t, resumed, 80, 24), "● live")
}

func TestAFailingFeedIsNamedAndTriedAgain(t *testing.T) {
	fail := func(context.Context) (monitor.Batch, error) {
		return monitor.Batch{}, errors.New("the \x1b[2Jdriver went away")
	}
	var raw []byte
	sc := scene.DDP()
	sc.Samples = sc.Samples[:1]
	feed := feedOf(sc, fail)
	withUser(t, Options{Feed: feed, Interval: sc.Interval}, 80, 24, func(u *user) {
		u.wait(5 * time.Second)
		raw = u.out.bytes()
	})
	mustShow(t, screenText(t, raw, 80, 24), "the driver went away")
	if feed.asked < 4 || feed.asked > 12 {
		t.Errorf("the feed was asked %d times in 5 s", feed.asked)
	}
}

func TestTheIntervalGoesUpAndDownInSteps(t *testing.T) {
	var asked []time.Duration
	sc := scene.DDP()
	opts := Options{Feed: feedOf(sc, silent), Interval: sc.Interval, SetInterval: func(d time.Duration) { asked = append(asked, d) }}
	var raw []byte
	withUser(t, opts, 120, 40, func(u *user) {
		u.press('+', '+', '-', '-', '-')
		raw = u.out.bytes()
	})
	want := []time.Duration{2 * time.Second, 5 * time.Second, 2 * time.Second, time.Second, 500 * time.Millisecond}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	mustShow(t, screenText(t, raw, 120, 40), "every 500 ms")
}

func TestSelectingARowSaysWhyFiguresAreMissing(t *testing.T) {
	var raw []byte
	sc := scene.Denied()
	withUser(t, Options{Feed: feedOf(sc, silent), Interval: sc.Interval}, 120, 40, func(u *user) {
		u.press(tea.KeyDown)
		raw = u.out.bytes()
	})
	mustShow(t, screenText(t, raw, 120, 40), "PID 446 on GPU 0: allocated and reserved unknown: reading the memory of PID 446 is not permitted")
}

func TestHelpShowsEveryKeyAndGoesAway(t *testing.T) {
	var open, closed []byte
	sc := scene.DDP()
	withUser(t, Options{Feed: feedOf(sc, silent), Interval: sc.Interval}, 80, 50, func(u *user) {
		u.press('?')
		open = u.out.bytes()
		u.press(tea.KeyEscape)
		closed = u.out.bytes()
	})
	golden(t, "program_help_80x50", screenText(t, open, 80, 50))
	mustShow(t, screenText(t, closed, 80, 50), "GPU 0")
}

func TestResizingDrawsTheOtherSize(t *testing.T) {
	var raw []byte
	sc := scene.DDP()
	withUser(t, Options{Feed: feedOf(sc, silent), Interval: sc.Interval}, 120, 40, func(u *user) {
		u.program.Send(tea.WindowSizeMsg{Width: 40, Height: 10})
		u.wait(time.Second)
		raw = u.out.bytes()
	})
	text := screenText(t, raw[bytes.LastIndex(raw, []byte("\x1b[2J")):], 40, 10)
	mustShow(t, text, "0 ", " of 140.4")
}

// deck is a playback that notes what it was asked.
type deck struct {
	at     screen.Position
	paused bool
	speed  float64
	did    []string
}

func (d *deck) Pause(on bool) {
	d.paused = on
	d.did = append(d.did, map[bool]string{true: "pause", false: "go"}[on])
}
func (d *deck) Step(n int)                 { d.did = append(d.did, fmt.Sprint("step ", n)) }
func (d *deck) Seek(at time.Time)          { d.did = append(d.did, "seek "+at.Sub(d.at.Start).String()) }
func (d *deck) SetSpeed(x float64)         { d.speed = x }
func (d *deck) Speed() float64             { return d.speed }
func (d *deck) Paused() bool               { return d.paused }
func (d *deck) Span() (from, to time.Time) { return d.at.Start, d.at.End }
func (d *deck) Position() (int, time.Time) { return 1, d.at.At }

func TestAReplayIsPausedSteppedSoughtAndGoesOnFromItsEnd(t *testing.T) {
	d := &deck{at: screen.Position{Start: scene.Start(), End: scene.Start().Add(12 * time.Minute), At: scene.Start().Add(192 * time.Second)}, speed: 1}
	sc := scene.DDP()
	sc.Samples = sc.Samples[:1]
	feed := feedOf(sc, ended)
	var raw []byte
	var asked int
	withUser(t, Options{Feed: feed, Playback: d, Interval: sc.Interval, Title: "growth.jsonl"}, 120, 40, func(u *user) {
		u.wait(time.Second)
		asked = feed.asked
		u.press(' ', tea.KeyRight, tea.KeyLeft, ']', ']', '[', tea.KeyEnd, tea.KeyHome, ' ')
		raw = u.out.bytes()
	})
	want := []string{"pause", "pause", "step 1", "pause", "seek 12m0s", "pause", "go"}
	if diff := cmp.Diff(want, d.did); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if d.speed != 2 {
		t.Errorf("speed %v, want 2", d.speed)
	}
	if feed.asked <= asked {
		t.Error("at its end, the feed was not asked again after a seek")
	}
	mustShow(t, screenText(t, raw, 120, 40), "growth.jsonl", "×2", "3:12 of 12:00")
}

func TestAReplayThatGoesBackForgetsWhatCameAfter(t *testing.T) {
	m := New(Options{Environ: []string{"TERM=xterm"}})
	sc := scene.DDP()
	m.Update(batchMsg{batch: monitor.Batch{Samples: sc.Samples}})
	m.Update(batchMsg{batch: monitor.Batch{Samples: sc.Samples[:3], Reset: true}})
	if _, to := m.store.Span(); !to.Equal(sc.Samples[2].Time) {
		t.Errorf("the history ends at %v, want %v", to, sc.Samples[2].Time)
	}
	if m.moment.sample.Seq != 3 {
		t.Errorf("sample %d is on screen, want 3", m.moment.sample.Seq)
	}
}

func TestAnUnknownThemeIsRefusedByName(t *testing.T) {
	err := Run(t.Context(), Options{Settings: screen.Settings{Theme: "neon"}, Output: io.Discard, Input: strings.NewReader(""), Environ: []string{}})
	if err == nil || !strings.Contains(err.Error(), `"neon"`) {
		t.Errorf("got %v", err)
	}
}

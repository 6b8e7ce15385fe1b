package tui

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestWhatWasFoundIsToldInThePastOnceTheRecordingIsOver(t *testing.T) {
	sc := scene.ReservedGrowth()
	m := modelOf(t, sc, theme.Mono, false, 160, 40)
	m.opts.Playback = &deck{at: screen.Position{Start: sc.Samples[0].Time, End: sc.Last().Time.Add(time.Hour)}, speed: 1}
	forecast := func() string {
		for _, f := range m.judge.shown {
			if f.ID == "forecast-full" {
				return f.Title
			}
		}
		t.Fatalf("no forecast in %+v", m.judge.shown)
		return ""
	}
	for _, step := range []struct {
		name string
		do   func()
		past bool
	}{
		{"it plays", func() {}, false},
		{"it ended", func() { m.take(batchMsg{err: io.EOF}) }, true},
		{"it goes on", func() { m.goOn() }, false},
		{"one sample back", func() { press(m, "left") }, true},
		{"back at the newest", func() { press(m, "right") }, false},
		{"the last sample", func() {
			m.opts.Playback = &deck{at: screen.Position{Start: sc.Samples[0].Time, End: sc.Last().Time}, speed: 1}
		}, true},
	} {
		step.do()
		m.judge.running, m.judge.started = false, time.Time{}
		if cmd := m.judgeSoon(); cmd != nil {
			m.take(cmd())
		} else if step.name != "it plays" {
			t.Errorf("%s: it is not judged anew", step.name)
		}
		t.Log(step.name, forecast())
		if past := !strings.Contains(forecast(), " is full "); past != step.past {
			t.Errorf("%s: %s", step.name, forecast())
		}
	}
}

func TestTheEndOfALiveFeedIsJudgedTooThoughItComesSoonAfterASample(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 160, 40)
	m.judge.started = m.opts.Now()
	if m.judgeSoon() != nil {
		t.Fatal("judged twice")
	}
	m.take(batchMsg{err: io.EOF})
	if m.judgeSoon() == nil {
		t.Error("no command to judge it")
	}
}

package tui

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/terminal"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestTheEndOfALongSentenceIsSeenAtEightyColumns(t *testing.T) {
	m := modelOf(t, scene.DDP(), theme.Mono, false, 80, 24)
	for _, word := range []string{"usr:ann", "mem>", "user:", "mem > 2G", "a |", `"`, "mem>much"} {
		press(m, "/")
		m.line.insert(word)
		press(m, "enter")
		if m.line.said == "" {
			t.Errorf("%q was taken", word)
			continue
		}
		end := m.line.said[strings.LastIndex(m.line.said, " ")+1:]
		shown := plain(m.frame()[24-saidLines:])
		if strings.Contains(shown, "…") || !strings.HasSuffix(shown, end+"\n") {
			t.Errorf("%q: the end of %q is not in\n%s", word, m.line.said, shown)
		}
		checkFrame(t, m.frame(), 80, 24, false)
	}
	m.term = terminal.New(&bytes.Buffer{}, nil)
	m.do(screen.Copy{What: "finding", Text: "text"})
	mustShow(t, plain(m.frame()), "Y writes a file.")
}

func TestSavingTheSettingsOfAReplayLeavesTheIntervalAlone(t *testing.T) {
	sc := scene.DDP()
	for _, replay := range []bool{false, true} {
		m := modelOf(t, sc, theme.Mono, false, 80, 24)
		m.interval = 200 * time.Millisecond
		want := m.interval
		if replay {
			m.opts.Playback, want = &deck{at: screen.Position{Start: sc.Samples[0].Time, End: sc.Last().Time, At: sc.Last().Time}, speed: 1}, 0
		}
		got := time.Duration(-1)
		m.opts.SaveSettings = func(_ screen.Settings, interval time.Duration) (string, string, error) {
			got = interval
			return "a.toml", "", nil
		}
		m.change(screen.Change{Settings: m.settings, Save: true})()
		if got != want {
			t.Errorf("replay %v: the interval %v is saved, want %v", replay, got, want)
		}
	}
}

func TestSavingSettingsSaysWhereTheOldFileIs(t *testing.T) {
	for kept, want := range map[string]string{"": "The settings are in a.toml\n", "a.toml.bak": "is kept as a.toml.bak\n"} {
		m := modelOf(t, scene.DDP(), theme.Mono, false, 80, 24)
		m.opts.SaveSettings = func(screen.Settings, time.Duration) (string, string, error) { return "a.toml", kept, nil }
		_, cmd := m.Update(keyPress("f12"))
		m.Update(cmd())
		mustShow(t, plain(m.frame()), want)
	}
}

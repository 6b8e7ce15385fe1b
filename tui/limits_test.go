package tui

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/terminal"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestATerminalThatClaimsAnAbsurdSizeIsDrawnInItsCorner(t *testing.T) {
	var out bytes.Buffer
	m := modelOf(t, scene.DDP(), theme.Mono, false, 80, 24)
	m.term = terminal.New(&out, nil)
	if err := m.term.Open(); err != nil {
		t.Fatal(err)
	}
	m.Update(tea.WindowSizeMsg{Width: 65535, Height: 65535})
	if m.width != maxWidth || m.height != maxHeight {
		t.Fatalf("%d columns and %d lines are drawn", m.width, m.height)
	}
	checkFrame(t, m.frame(), maxWidth, maxHeight, false)
	if out.Len() == 0 || out.Len() > maxWidth*maxHeight*4 {
		t.Errorf("%d bytes were sent", out.Len())
	}
	m.Update(tea.WindowSizeMsg{Width: 65535, Height: 20})
	if m.width != maxWidth || m.height != 20 {
		t.Errorf("%d columns and %d lines of 20", m.width, m.height)
	}
}

func TestTheDebugLogHasTheDriversTimeOfALiveFeedOnly(t *testing.T) {
	for _, replay := range []bool{false, true} {
		var log bytes.Buffer
		m := modelOf(t, scene.DDP(), theme.Mono, false, 80, 24)
		m.opts.Log = slog.New(slog.NewTextHandler(&log, nil))
		if replay {
			m.opts.Playback = &deck{}
		}
		m.noteFrame(m.opts.Now())
		if got := log.String(); !strings.Contains(got, "first figures") || strings.Contains(got, "after_the_driver") == replay {
			t.Errorf("replay %v: %s", replay, got)
		}
	}
}

package help

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

func stateOf(tb testing.TB, mode keys.Mode, ascii bool) *screen.State {
	tb.Helper()
	th, err := theme.New(theme.Mono, ascii)
	if err != nil {
		tb.Fatal(err)
	}
	st := &screen.State{Theme: &th, Keys: keys.Default().For(mode)}
	if mode == keys.Replay {
		st.Position = &screen.Position{}
	}
	return st
}

func TestTheHelpNamesEveryKeyOfItsModeAndNoOther(t *testing.T) {
	for _, mode := range []keys.Mode{keys.Live, keys.Replay} {
		text := ansi.Strip(strings.Join(New().View(stateOf(t, mode, false), 160, 200), "\n"))
		for _, b := range keys.Default() {
			has := strings.Contains(text, b.Help)
			if want := b.Mode&mode != 0; has != want {
				t.Errorf("mode %d: %q is on the page: %v, want %v", mode, b.Help, has, want)
			}
		}
	}
}

func TestTheHelpFitsAnySizeAndAllOfItCanBeReached(t *testing.T) {
	for width := 1; width <= 120; width += 7 {
		for height := 1; height <= 60; height += 3 {
			for _, ascii := range []bool{false, true} {
				st := stateOf(t, keys.Live, ascii)
				h := New()
				for range 3 {
					lines := h.View(st, width, height)
					if len(lines) > height {
						t.Fatalf("%d×%d: %d lines", width, height, len(lines))
					}
					for _, l := range lines {
						if ansi.StringWidth(l) > width {
							t.Fatalf("%d×%d: %q", width, height, l)
						}
					}
					h.Update(st, screen.Input{Action: keys.PageDown})
				}
			}
		}
	}
	st := stateOf(t, keys.Live, false)
	h := New()
	last := New().View(st, 40, 1000)
	want := strings.TrimSpace(ansi.Strip(last[len(last)-1]))
	for range 300 {
		h.View(st, 40, 10)
		h.Update(st, screen.Input{Action: keys.Down})
	}
	if text := ansi.Strip(strings.Join(h.View(st, 40, 10), "\n")); !strings.Contains(text, want) {
		t.Errorf("the end %q is not reached:\n%s", want, text)
	}
}

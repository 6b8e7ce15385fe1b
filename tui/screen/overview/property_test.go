package overview

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

// checkFrame fails when a frame does not fit the terminal or holds what a
// terminal would obey.
func checkFrame(t *testing.T, lines []string, width, height int, ascii bool) {
	t.Helper()
	if len(lines) > height {
		t.Errorf("%d×%d: %d lines", width, height, len(lines))
	}
	for _, l := range lines {
		if w := ansi.StringWidth(l); w > width {
			t.Errorf("%d×%d: a line of %d columns: %q", width, height, w, l)
		}
		for _, r := range stripStyles(l) {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%d×%d: %U in %q", width, height, r, l)
			}
			if ascii && r > '~' {
				t.Errorf("%d×%d: %U on an ASCII screen: %q", width, height, r, l)
			}
		}
	}
}

// stripStyles removes the styles that the theme writes and nothing else.
func stripStyles(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r != ';' && (r < '0' || r > '9') })
		if end < 0 || after[end] != 'm' {
			b.WriteString("\x1b") // not a style: let the check find it
			s = after
			continue
		}
		s = after[end+1:]
	}
}

func TestNoLineIsWiderThanTheTerminalForAnySizeAndData(t *testing.T) {
	rounds := 250
	if testing.Short() {
		rounds = 60
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		sc := scene.Random(r)
		width, height := 20+r.IntN(281), 5+r.IntN(96)
		ascii := r.IntN(2) == 0
		st := stateOf(t, sc, []string{theme.Mono, theme.Terminal}[r.IntN(2)], ascii)
		randomState(r, st)
		o := New()
		for range 3 {
			actions := []keys.Action{keys.Up, keys.Down, keys.PageUp, keys.PageDown, keys.Close, keys.Enter, keys.Sort, keys.Reverse, keys.Tree, keys.Group, keys.Signal}
			if change, ok := o.Update(st, screen.Input{Action: actions[r.IntN(len(actions))]}).(screen.Change); ok {
				st.Settings = change.Settings
			}
			o.Update(st, screen.Input{Mouse: screen.Mouse{Kind: screen.MouseKind(r.IntN(6)), X: r.IntN(width), Y: r.IntN(height)}})
			checkFrame(t, o.View(st, width, height), width, height, ascii)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func randomState(r *rand.Rand, st *screen.State) {
	st.Now = st.Now.Add(time.Duration(r.IntN(100)) * time.Second)
	st.Paused, st.Ended = r.IntN(4) == 0, r.IntN(4) == 0
	if r.IntN(3) == 0 {
		st.Interval = 0
	}
	if r.IntN(2) == 0 {
		st.Title = st.Theme.Outside("a recording with a name that is long enough to matter.jsonl")
	}
	if r.IntN(4) == 0 {
		st.Fault = "the feed failed"
	}
	if r.IntN(3) == 0 {
		st.Position = &screen.Position{Start: scene.Start(), End: scene.Start().Add(40 * time.Hour), At: st.Sample.Time, Speed: 0.125}
	}
}

func TestEverySizeHoldsForEveryScene(t *testing.T) {
	for _, sc := range scene.All() {
		st := stateOf(t, sc, theme.Mono, false)
		for width := 20; width <= 300; width += 14 {
			for height := 5; height <= 100; height += 7 {
				checkFrame(t, New().View(st, width, height), width, height, false)
			}
		}
	}
}

func TestTheSmallestTerminalsDoNotPanic(t *testing.T) {
	st := stateOf(t, scene.Full(), theme.Mono, false)
	for width := -1; width < 22; width++ {
		for height := -1; height < 12; height++ {
			lines := New().View(st, width, height)
			checkFrame(t, lines, max(width, 0), max(height, 0), false)
		}
	}
}

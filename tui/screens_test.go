package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

// modelOf returns the screen after a scene, judged, without a terminal.
func modelOf(tb testing.TB, sc scene.Scene, name string, ascii bool, width, height int) *Model {
	tb.Helper()
	m := New(Options{
		Settings: screen.Settings{Theme: name, ASCII: ascii, Mouse: true}, Interval: sc.Interval, User: "ann",
		Now: sc.Last().Time.Local, Environ: []string{"TERM=xterm-256color"},
	})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	for _, s := range sc.Samples {
		m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{s}}})
	}
	judgeNow(m)
	return m
}

// judgeNow judges the moment on screen at once, twice: what was found once only
// is not shown.
func judgeNow(m *Model) {
	for range 2 {
		m.judge.started, m.judge.subject = m.judge.started.AddDate(-1, 0, 0), m.judge.subject.AddDate(-1, 0, 0)
		m.judge.running = false
		if cmd := m.judgeSoon(); cmd != nil {
			m.take(cmd())
		}
	}
}

// press presses keys by the names that the key map has for them.
func press(m *Model, names ...string) {
	for _, name := range names {
		m.Update(keyPress(name))
	}
}

func keyPress(name string) tea.KeyPressMsg {
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "tab": tea.KeyTab, "space": ' ',
		"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6, "f9": tea.KeyF9, "f10": tea.KeyF10, "f12": tea.KeyF12,
		"backspace": tea.KeyBackspace,
	}
	base, mod := name, tea.KeyMod(0)
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "shift+": tea.ModShift} {
		if rest, ok := strings.CutPrefix(base, prefix); ok && rest != "" {
			base, mod = rest, mod|m
		}
	}
	if code, ok := special[base]; ok {
		msg := tea.KeyPressMsg{Code: code, Mod: mod}
		if name == "space" {
			msg.Text = " "
		}
		return msg
	}
	msg := tea.KeyPressMsg{Code: []rune(base)[0], Mod: mod}
	if mod == 0 {
		msg.Text = base
	}
	return msg
}

// plain returns lines as text without styles and without space at the ends.
func plain(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(ansi.Strip(l), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// sizes are the steps of the layout.
func sizes() [][2]int { return [][2]int{{40, 10}, {80, 24}, {120, 40}, {200, 60}} }

func TestEveryScreenLooksAsItDid(t *testing.T) {
	looks := []struct {
		name  string
		scene scene.Scene
		keys  []string
	}{
		{"gpu", scene.ReservedGrowth(), []string{"2"}},
		{"gpu_past", scene.ReservedGrowth(), []string{"2", "H", "H", "c", "H"}},
		{"gpu_ddp", scene.DDP(), []string{"2", "tab"}},
		{"gpu_log", scene.LogOnly(), []string{"2"}},
		{"process", scene.ReservedGrowth(), []string{"down", "3"}},
		{"process_denied", scene.Denied(), []string{"3"}},
		{"advice", scene.ReservedGrowth(), []string{"4"}},
		{"advice_none", scene.DDP(), []string{"4"}},
		{"log", scene.LogOnly(), []string{"5"}},
		{"log_none", scene.DDP(), []string{"5"}},
		{"sources", scene.Stale(), []string{"6"}},
		{"settings", scene.DDP(), []string{"f2"}},
		{"help", scene.DDP(), []string{"?"}},
		{"overview_found", scene.ReservedGrowth(), nil},
		{"overview_job", scene.DDP(), []string{"g"}},
		{"overview_tree", scene.DDP(), []string{"t", "down"}},
		{"overview_filter", scene.Full(), []string{"/", "g", "p", "u", ":", "1"}},
		{"overview_signal", scene.ReservedGrowth(), []string{"down", "down", "K", "t"}},
	}
	for _, look := range looks {
		for _, size := range sizes() {
			for _, ascii := range []bool{false, true} {
				name := fmt.Sprintf("%s_%dx%d_%s", look.name, size[0], size[1], map[bool]string{false: "unicode", true: "ascii"}[ascii])
				t.Run(name, func(t *testing.T) {
					m := modelOf(t, look.scene, theme.Mono, ascii, size[0], size[1])
					m.frame() // what a step is depends on what is drawn
					for _, k := range look.keys {
						press(m, k)
						m.frame()
					}
					judgeNow(m)
					golden(t, name, plain(m.frame()))
				})
			}
		}
	}
}

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
		for _, r := range withoutStyles(l) {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("%d×%d: %U in %q", width, height, r, l)
			}
			if ascii && r > '~' {
				t.Errorf("%d×%d: %U on an ASCII screen: %q", width, height, r, l)
			}
		}
	}
}

// withoutStyles removes the styles that the theme writes and nothing else.
func withoutStyles(s string) string {
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

// everyKey returns the names of all keys but those that end or stop the
// program.
func everyKey() []string {
	var out []string
	for _, b := range keys.Default().For(keys.Live) {
		if b.Action != keys.Quit && b.Action != keys.Suspend {
			out = append(out, b.Keys...)
		}
	}
	return append(out, "a", "1", "9", "G", "x", "backspace", "i", "y")
}

func TestAnyKeysOnAnyDataFitAnyTerminal(t *testing.T) {
	rounds := 120
	if testing.Short() {
		rounds = 25
	}
	all := everyKey()
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		sc := scene.Random(r)
		if seed%4 == 0 {
			known := scene.All()
			sc = known[r.IntN(len(known))]
		}
		width, height, ascii := 20+r.IntN(281), 5+r.IntN(96), r.IntN(2) == 0
		m := modelOf(t, sc, theme.Names()[r.IntN(len(theme.Names()))], ascii, width, height)
		var pressed []string
		for range 40 {
			if r.IntN(6) == 0 {
				mouse := tea.Mouse{X: r.IntN(width), Y: r.IntN(height), Button: []tea.MouseButton{tea.MouseLeft, tea.MouseWheelUp, tea.MouseWheelDown}[r.IntN(3)]}
				m.Update([]tea.Msg{tea.MouseClickMsg(mouse), tea.MouseWheelMsg(mouse), tea.MouseMotionMsg(mouse)}[r.IntN(3)])
				pressed = append(pressed, "mouse")
			} else {
				k := all[r.IntN(len(all))]
				pressed = append(pressed, k)
				press(m, k)
			}
			if ascii != m.theme.Glyphs.ASCII { // a setting changed it
				ascii = m.theme.Glyphs.ASCII
			}
			checkFrame(t, m.frame(), width, height, ascii)
			if t.Failed() {
				t.Fatalf("seed %d on screen %v after %q", seed, m.current, pressed)
			}
		}
	}
}

func TestEveryScreenFitsEverySizeForEveryScene(t *testing.T) {
	for _, sc := range scene.All() {
		m := modelOf(t, sc, theme.Mono, false, 80, 24)
		for id := range screen.Count {
			m.current = id
			for width := 20; width <= 300; width += 28 {
				for height := 5; height <= 100; height += 13 {
					m.width, m.height = width, height
					checkFrame(t, m.screens[id].View(m.state(), width, height), width, height, false)
				}
			}
			if t.Failed() {
				t.Fatalf("%s, screen %v", sc.Name, id)
			}
		}
	}
}

// undrawn returns the words and figures of a screen: charts and bars are filled
// in one way with colour and in another without.
func undrawn(lines []string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\u2500' && r <= '\u259f' {
			return ' '
		}
		return r
	}, plain(lines))
}

// Colour only adds: what a screen says without it is what it says with it.
func TestEveryThemeSaysTheSame(t *testing.T) {
	for _, sc := range []scene.Scene{scene.ReservedGrowth(), scene.Stale(), scene.Full()} {
		for id := range screen.Setup { // the settings name the theme
			want := ""
			for _, name := range theme.Names() {
				m := modelOf(t, sc, name, false, 120, 40)
				m.current = id
				lines := m.frame()
				if name == theme.Names()[0] {
					want = undrawn(lines)
				}
				if got := undrawn(lines); got != want {
					t.Errorf("%s, screen %v: %s says\n%s\nnot\n%s", sc.Name, id, name, got, want)
				}
				coloured := strings.Contains(strings.Join(lines, ""), "\x1b[3") || strings.Contains(strings.Join(lines, ""), ";3")
				if (name == theme.Mono) == coloured && id != screen.Log {
					t.Errorf("%s, screen %v: theme %s, coloured %v", sc.Name, id, name, coloured)
				}
			}
		}
	}
}

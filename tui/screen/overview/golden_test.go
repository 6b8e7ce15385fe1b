package overview

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

var update = flag.Bool("update", false, "write the golden files anew")

// stateOf returns what the root model would give the screen after the scene.
func stateOf(tb testing.TB, sc scene.Scene, name string, ascii bool) *screen.State {
	tb.Helper()
	th, err := theme.New(name, ascii)
	if err != nil {
		tb.Fatal(err)
	}
	store := history.New(history.Config{Interval: sc.Interval})
	for i := range sc.Samples {
		store.Append(sc.Samples[i])
	}
	return &screen.State{
		Sample: sc.Last(), History: store, Theme: &th, Keys: keys.Default().For(keys.Live).On(keys.OnOverview), Focus: &screen.Focus{},
		Now: sc.Last().Time, Interval: sc.Interval,
	}
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

// golden compares got with the file of that name in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the screen %s changed (-want +got):\n%s", name, diff)
	}
}

func TestScreensLookAsTheyDid(t *testing.T) {
	for _, sc := range scene.All() {
		for _, size := range [][2]int{{40, 10}, {80, 24}, {120, 40}, {200, 60}} {
			for _, ascii := range []bool{false, true} {
				glyphs := "unicode"
				if ascii {
					glyphs = "ascii"
				}
				name := fmt.Sprintf("%s_%dx%d_%s", sc.Name, size[0], size[1], glyphs)
				t.Run(name, func(t *testing.T) {
					st := stateOf(t, sc, theme.Mono, ascii)
					golden(t, name, plain(New().View(st, size[0], size[1])))
				})
			}
		}
	}
}

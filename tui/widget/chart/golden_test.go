package chart

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/tui/theme"
)

var update = flag.Bool("update", false, "write the golden files anew")

func themed(tb testing.TB, name string, ascii bool) *theme.Theme {
	tb.Helper()
	th, err := theme.New(name, ascii)
	if err != nil {
		tb.Fatal(err)
	}
	return &th
}

// plain returns lines as text without styles.
func plainText(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight(ansi.Strip(l), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

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
		t.Errorf("the chart %s changed (-want +got):\n%s", name, diff)
	}
}

func TestChartsLookAsTheyDid(t *testing.T) {
	for _, s := range stories() {
		for _, size := range []Size{{Width: 36, Height: 5}, {Width: 60, Height: 12}, {Width: 78, Height: 18}, {Width: 120, Height: 30}} {
			for _, ascii := range []bool{false, true} {
				glyphs := "unicode"
				if ascii {
					glyphs = "ascii"
				}
				name := fmt.Sprintf("%s_%dx%d_%s", s.name, size.Width, size.Height, glyphs)
				t.Run(name, func(t *testing.T) {
					d := s.data(size)
					golden(t, name, plainText(s.model.Render(&d, size, themed(t, theme.Mono, ascii))))
				})
			}
		}
	}
}

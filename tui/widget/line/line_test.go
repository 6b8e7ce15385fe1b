package line

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/tui/theme"
)

func mono(tb testing.TB) *theme.Theme {
	tb.Helper()
	th, err := theme.New(theme.Mono, false)
	if err != nil {
		tb.Fatal(err)
	}
	return &th
}

func TestWhatDoesNotFitIsCutWithASign(t *testing.T) {
	l := New(8, mono(t))
	l.Add(theme.Style{}, "12345")
	l.Add(theme.Style{}, "6789")
	l.Add(theme.Style{}, "never")
	if got := l.String(); got != "1234567…" {
		t.Errorf("got %q", got)
	}
}

func TestACutRightAtTheEndHasASignToo(t *testing.T) {
	l := New(5, mono(t))
	l.Add(mono(t).Style(theme.Strong), "12345")
	l.Add(theme.Style{}, "6")
	if got := ansi.Strip(l.String()); got != "1234…" {
		t.Errorf("got %q", got)
	}
}

func TestAWideCharacterIsNotCutInHalf(t *testing.T) {
	for width := range 9 {
		l := New(width, mono(t))
		l.Add(theme.Style{}, "世界世界")
		if Width(l.String()) > width {
			t.Errorf("%d columns for a width of %d", Width(l.String()), width)
		}
	}
}

func TestPadAndSpaceStayInside(t *testing.T) {
	l := New(5, mono(t))
	l.Pad(3)
	l.Space(9)
	l.Pad(1)
	if got := l.String(); got != "     " || l.Left() != 0 {
		t.Errorf("got %q with %d left", got, l.Left())
	}
}

func TestStylesTakeNoColumns(t *testing.T) {
	th := mono(t)
	if got := Width(th.Style(theme.Strong).Paint("abc")); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestWrapBreaksBetweenWordsAndSaysWhatIsMissing(t *testing.T) {
	text := "reading the memory of PID 446 is not permitted"
	for _, tt := range []struct {
		width, lines int
		want         []string
	}{
		{80, 2, []string{text}},
		{20, 5, []string{"reading the memory", "of PID 446 is not", "permitted"}},
		{20, 2, []string{"reading the memory", "of PID 446 is not p…"}},
		{20, 1, []string{"reading the memory …"}},
		{4, 2, []string{"rea…", "the…"}},
		{0, 2, nil},
	} {
		if diff := cmp.Diff(tt.want, Wrap(text, tt.width, tt.lines, "…")); diff != "" {
			t.Errorf("width %d, %d lines: -want +got:\n%s", tt.width, tt.lines, diff)
		}
	}
	for _, l := range Wrap(strings.Repeat("x", 90), 10, 3, "…") {
		if Width(l) > 10 {
			t.Errorf("a word of %d columns", Width(l))
		}
	}
}

package text_test

import (
	"math"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vramscope/vramscope/tui/text"
)

func TestFitGivesExactlyTheWidth(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		marks text.Marks
		want  string
	}{
		{"abc", 5, text.Unicode, "abc  "},
		{"abcdef", 5, text.Unicode, "abcd…"},
		{"abcdef", 5, text.ASCIIOnly, "abcd~"},
		{"学習学習", 5, text.Unicode, "学習…"},
		{"学習学習", 4, text.Unicode, "学… "},
		{"学習", 5, text.ASCIIOnly, "???? "},
		{"学", 1, text.Unicode, "…"},
		{"abc", 0, text.Unicode, ""},
		{"abc", -3, text.Unicode, ""},
		{"", 2, text.Unicode, "  "},
		{"a\x1b[31mb", 3, text.Unicode, "ab "},
	} {
		if got := text.Fit(c.in, c.width, c.marks); got != c.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func FuzzFitHoldsForAnyText(f *testing.F) {
	for _, s := range []string{"abc", "\x1b[31m", "\x9b31m", "学\u0301\u200d", "\U0001f1e9\U0001f1ea", "\xe1\x84\x80\xe1\x85\xa1", "\x1b]", "\u202e", "\x90\x1b", "각ᆨᆨ", "🏳️‍🌈"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		for _, r := range text.ASCII(s) {
			if r < ' ' || r > '~' {
				t.Errorf("ASCII(%q) holds %U", s, r)
			}
		}
		width = width % 200
		for _, marks := range []text.Marks{text.Unicode, text.ASCIIOnly} {
			fit := text.Fit(s, width, marks)
			if got := text.Width(fit); got != max(width, 0) {
				t.Errorf("Fit(%q, %d) = %q is %d wide", s, width, fit, got)
			}
			checkHarmless(t, s, fit)
		}
	})
}

func checkHarmless(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%q became invalid UTF-8 %q", in, out)
	}
	for _, r := range out {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			t.Errorf("%q kept %U in %q", in, r, out)
		}
	}
}

func TestGiBNeverMoves(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		bytes int64
		want  string
	}{
		{0, "  0.0"}, {1, " <0.1"}, {-1, ">-0.1"}, {gib / 10, "  0.1"}, {912 * gib / 10, " 91.2"},
		{1398 * gib / 10, "139.8"}, {1118 * gib, " 1118"}, {-12 * gib, "-12.0"}, {-1000 * gib, "-1000"},
		{99999 * gib, "99999"}, {1 << 62, ">9999"}, {math.MinInt64, "<-999"},
	} {
		if got := text.GiB(c.bytes); got != c.want {
			t.Errorf("GiB(%d) = %q, want %q", c.bytes, got, c.want)
		}
	}
}

func TestSizeSuitsUnitAndWidth(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		width int
		want  string
	}{
		{0, 10, "     0 B  "}, {512, 10, "   512 B  "}, {1023, 10, "  1023 B  "}, {1024, 10, "   1.0 KiB"},
		{1398 << 30 / 10, 10, " 139.8 GiB"}, {1398 << 30 / 10, 7, "140 GiB"}, {1398 << 30 / 10, 6, "139.8G"},
		{1398 << 30 / 10, 4, "140G"}, {1398 << 30 / 10, 3, "###"}, {1<<40 - 1, 10, "   1.0 TiB"},
		{1023 << 20, 10, "1023.0 MiB"}, {-(5 << 20), 10, "  -5.0 MiB"}, {math.MaxInt64, 10, "   8.0 EiB"}, {1, 0, ""},
	} {
		if got := text.Size(c.bytes, c.width); got != c.want {
			t.Errorf("Size(%d, %d) = %q, want %q", c.bytes, c.width, got, c.want)
		}
	}
}

func TestDurationIsCutAndNeverMoves(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		d    time.Duration
		want string
	}{
		{0, "   0s"}, {time.Millisecond, "  <1s"}, {12*time.Second + 900*time.Millisecond, "  12s"}, {4*time.Minute + 5*time.Second, "4m05s"},
		{12*time.Minute + 59*time.Second, "  12m"}, {time.Hour + 4*time.Minute, "1h04m"}, {13 * time.Hour, "  13h"},
		{28 * time.Hour, "1d04h"}, {3 * day, "   3d"}, {400 * day, " 400d"}, {12 * 365 * day, "  12y"},
		{math.MaxInt64, " 292y"}, {-12 * time.Second, " -12s"}, {-999 * day, "-999d"}, {math.MinInt64, "-292y"}, {-1, " -<1s"},
	} {
		if got := text.Duration(c.d); got != c.want {
			t.Errorf("Duration(%v) = %q, want %q", c.d, got, c.want)
		}
	}
}

func TestPercentNeverMoves(t *testing.T) {
	for _, c := range []struct {
		percent float64
		want    string
	}{
		{0, "   0%"}, {0.2, "  <1%"}, {97.4, "  97%"}, {100, " 100%"}, {1600, "1600%"}, {12800, "  13k%"[1:]},
		{-0.2, " >-1%"}, {-12, " -12%"}, {math.NaN(), "   -%"}, {math.Inf(1), "   -%"}, {1e12, " >1M%"}, {-1e12, "<-1k%"},
	} {
		if got := text.Percent(c.percent); got != c.want {
			t.Errorf("Percent(%v) = %q, want %q", c.percent, got, c.want)
		}
	}
}

func FuzzFiguresHaveTheirWidth(f *testing.F) {
	f.Add(int64(1)<<40, 9, 99.5)
	f.Add(int64(-1), 1, -99.5)
	f.Fuzz(func(t *testing.T, n int64, width int, percent float64) {
		width = max(width%100, 0)
		for _, c := range []struct {
			name, got string
			want      int
		}{
			{"GiB", text.GiB(n), text.GiBWidth},
			{"Size", text.Size(n, width), width},
			{"Duration", text.Duration(time.Duration(n)), text.DurationWidth},
			{"Percent", text.Percent(percent), text.PercentWidth},
		} {
			if len(c.got) != c.want {
				t.Errorf("%s of %d, %v gives %q, want %d cells", c.name, n, percent, c.got, c.want)
			}
		}
	})
}

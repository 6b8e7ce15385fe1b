package clean_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/vramscope/vramscope/monitor/clean"
)

func TestNothingIsLeftThatATerminalObeys(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "python train.py --lr 1e-4", "python train.py --lr 1e-4"},
		{"letters of other scripts stay", "Übung 学習 тест שלום", "Übung 学習 тест שלום"},
		{"colours go", "\x1b[31mred\x1b[0m", "red"},
		{"titles go", "a\x1b]0;owned\x07b", "ab"},
		{"clipboard writes go", "a\x1b]52;c;cm0=\x1b\\b", "ab"},
		{"device control strings go", "a\x1bP1$r\x1b\\b", "ab"},
		{"the UTF-8 form of C1 goes", "a\u009b31mb", "a31mb"},
		{"carriage returns and tabs become spaces", "a\r\nb\tc", "a  b c"},
		{"backspace, NUL, DEL and bell go", "a\b\x00\x7f\x07b", "ab"},
		{"bidirectional overrides go", "a\u202eb\u2066c\u200fd\u061ce", "abcde"},
		{"zero-width characters go", "a\u200bb\ufeffc\u2060d\u00ade\u034ff\u3164g", "abcdefg"},
		{"variation selectors go", "a\ufe0fb\U000e0101c", "abc"},
		{"tags go", "a\U000e0041b", "ab"},
		{"line separators become spaces", "a\u2028b\u2029c\u0085d", "a b c d"},
		{"wide and thin spaces become spaces", "a\u3000b\u2009c\u00a0d", "a b c d"},
		{"invalid UTF-8 is pictured", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"private and unassigned characters are pictured", "a\ue000b\U000e0fffc", "a\ufffdbc"},
		{"towers of marks are cut", "a" + strings.Repeat("\u0301", 50) + "b", "a\u0301\u0301\u0301b"},
		{"a mark without a letter goes", "\u0301a \u0301b", "a b"},
		{"joined emoji come apart", "👩\u200d💻", "👩💻"},
	} {
		if got := clean.Line(c.in); got != c.want {
			t.Errorf("%s: Line(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestASequenceWithoutEndDoesNotHideAName(t *testing.T) {
	if got := clean.Line("\x1b]miner"); !strings.Contains(got, "miner") {
		t.Errorf("Line hides the name: %q", got)
	}
}

func FuzzLineIsHarmlessAndIdempotent(f *testing.F) {
	for _, s := range []string{"abc", "\x1b[31m", "\x9b31m", "学\u0301\u200d", "\x1b]", "\u202e", "\x90\x1b", "각ᆨᆨ", "🏳️‍🌈"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line := clean.Line(s)
		if again := clean.Line(line); again != line {
			t.Errorf("Line is not idempotent on %q: %q then %q", s, line, again)
		}
		checkHarmless(t, s, line)
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

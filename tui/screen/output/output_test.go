package output

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/tui/keys"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/text"
	"github.com/vramscope/vramscope/tui/theme"
)

func linesOf(input string) []string {
	r := NewRing(0)
	_, _ = r.Write([]byte(input))
	n, _ := r.Len()
	return r.Lines(0, n)
}

func TestTheLinesAreThoseThatATerminalWouldShow(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"lines":                   {"a\nb\n", []string{"a", "b"}},
		"line ends of a terminal": {"a\r\nb\r\n", []string{"a", "b"}},
		"an unfinished line":      {"a\nb", []string{"a", "b"}},
		"empty lines":             {"a\n\nb\n", []string{"a", "", "b"}},
		"a progress bar":          {"\r 10%|#\r 20%|##\r100%|####\ndone\n", []string{"100%|####", "done"}},
		"a shorter text over it":  {"loading\rok\n", []string{"okading"}},
		"erased before":           {"loading\r\x1b[Kok\n", []string{"ok"}},
		"two bars":                {"a 1\nb 1\x1b[A\ra 2\nb 2\n", []string{"a 2", "b 2"}},
		"colours":                 {"\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[m\n", []string{"red true"}},
		"a title and a link":      {"\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\n", []string{"xlink"}},
		"a backspace":             {"abc\b\bX\n", []string{"aXc"}},
		"a tab":                   {"a\tb\n", []string{"a       b"}},
		"beyond ASCII":            {"größe → 字\n", []string{"größe → 字"}},
		"broken UTF-8":            {"a\xff\xe2\x82b\n", []string{"a\ufffd\ufffd\ufffdb"}},
		"control characters":      {"a\x00\x01\x7f\u0085\u009bb\n", []string{"ab"}},
		"terminal queries":        {"\x1b[?1049h\x1b[c\x1bPq\x1b\\\x1b(Bz\n", []string{"z"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, linesOf(c.in)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestALongStreamKeepsItsNewestLinesInBoundedMemory(t *testing.T) {
	r := NewRing(100)
	for i := range 10_000 {
		_, _ = fmt.Fprintf(r, "line %d\n", i)
	}
	held, dropped := r.Len()
	if held > 100 || held < 90 || int64(held)+dropped != 10_000 {
		t.Errorf("%d held, %d dropped", held, dropped)
	}
	if got := r.Lines(held-1, 5); len(got) != 1 || got[0] != "line 9999" {
		t.Errorf("the newest is %q", got)
	}
	if got := r.Lines(0, 1); got[0] != fmt.Sprintf("line %d", dropped) {
		t.Errorf("the oldest is %q, %d were dropped", got, dropped)
	}
	big := strings.Repeat("x", 50_000)
	r = NewRing(0)
	for range 3000 {
		_, _ = fmt.Fprintln(r, big)
	}
	if r.bytes > maxBytes || len(r.Lines(0, 1)[0]) > maxRunes {
		t.Errorf("%d bytes held", r.bytes)
	}
}

func FuzzRing(f *testing.F) {
	f.Add("a\r\x1b[Kb\n\x1b[2A字\xe2\x82", 3)
	f.Add("\x1b]0;x\x1b\\y\tz\b\n\x1b[99999999999C!", 1)
	f.Fuzz(func(t *testing.T, in string, chunk int) {
		whole := linesOf(in)
		r := NewRing(0)
		for at, n := 0, max(1, chunk%7); at < len(in); at += n {
			_, _ = r.Write([]byte(in[at:min(len(in), at+n)]))
		}
		n, _ := r.Len()
		if diff := cmp.Diff(whole, r.Lines(0, n)); diff != "" {
			t.Fatalf("chunks of %d make a difference:\n%s", max(1, chunk%7), diff)
		}
		for _, l := range whole {
			if strings.ContainsFunc(l, unicode.IsControl) {
				t.Fatalf("a control character is left in %q", l)
			}
		}
	})
}

// fake is a job that prints what it is told to.
type fake struct {
	ring    *Ring
	status  string
	ended   bool
	typed   string
	refuses error
}

func (f *fake) Output() *Ring            { return f.ring }
func (f *fake) Status() string           { return f.status }
func (f *fake) Running() bool            { return !f.ended }
func (f *fake) Type(text string) error   { f.typed += text; return f.refuses }
func (f *fake) print(s string, a ...any) { _, _ = fmt.Fprintf(f.ring, s, a...) }

func drawn(t *testing.T) *screen.State {
	t.Helper()
	th, err := theme.New(theme.Mono, true)
	if err != nil {
		t.Fatal(err)
	}
	return &screen.State{Theme: &th, Keys: keys.Default()}
}

func TestThePageFollowsTheNewestLineUntilItIsScrolled(t *testing.T) {
	f := &fake{ring: NewRing(0), status: "pid 812 runs"}
	for i := range 100 {
		f.print("line %d\n", i)
	}
	o, st := New(f), drawn(t)
	show := func() string { return strings.Join(o.View(st, 60, 14), "\n") }
	if got := show(); !strings.Contains(got, "line 99") || !strings.Contains(got, "pid 812 runs") {
		t.Errorf("the newest line is not there:\n%s", got)
	}
	o.Update(st, screen.Input{Action: keys.PageUp})
	if got := show(); strings.Contains(got, "line 99") || !strings.Contains(got, "line 89") || !strings.Contains(got, "10 newer lines below") {
		t.Errorf("it did not scroll:\n%s", got)
	}
	o.Update(st, screen.Input{Action: keys.Close})
	if got := show(); !strings.Contains(got, "line 99") {
		t.Errorf("it does not follow again:\n%s", got)
	}
}

func TestNothingOfTheJobReachesTheTerminalButText(t *testing.T) {
	f := &fake{ring: NewRing(0), status: "pid 1 \x1b[2Jruns"}
	f.print("\x1b]52;c;AAAA\x07evil \u202etext\u2028 wide 字字字字字字字字字字字字字字字字字字字字字字字字\n")
	for _, size := range [][2]int{{60, 14}, {10, 3}, {1, 1}, {200, 50}} {
		for _, l := range New(f).View(drawn(t), size[0], size[1]) {
			if text.Width(l) > size[0] || strings.Contains(l, "\x1b]") || strings.ContainsAny(l, "\u202e\u2028") {
				t.Errorf("%v: %q", size, l)
			}
		}
	}
}

func TestALineIsTypedToARunningJobAlone(t *testing.T) {
	f := &fake{ring: NewRing(0)}
	o, st := New(f), drawn(t)
	ask, ok := o.Update(st, screen.Input{Action: keys.Enter}).(screen.Prompt)
	if !ok {
		t.Fatal("no prompt")
	}
	ask.Done("yes")
	if f.typed != "yes\n" {
		t.Errorf("typed %q", f.typed)
	}
	f.ended = true
	if _, ok := o.Update(st, screen.Input{Action: keys.Enter}).(screen.Say); !ok {
		t.Error("a job that has ended is typed to")
	}
}

func TestWithoutAJobThePageSaysHowToStartOne(t *testing.T) {
	if got := strings.Join(New(nil).View(drawn(t), 80, 20), "\n"); !strings.Contains(got, "vramscope run") {
		t.Errorf("got:\n%s", got)
	}
}

func TestLeavingAsksWhetherTheJobGoesOn(t *testing.T) {
	var did string
	ask, ok := Leave(&fake{status: "pid 812 runs"}, func() screen.Ask { did = "go on"; return nil }, func() screen.Ask { did = "end"; return nil }).(screen.Choose)
	if !ok || !strings.Contains(ask.Question, "pid 812") {
		t.Fatalf("got %+v", ask)
	}
	for i, want := range []string{"go on", "end"} {
		if ask.Options[i].Pick(); did != want {
			t.Errorf("%s does %q", ask.Options[i].Key, did)
		}
	}
}

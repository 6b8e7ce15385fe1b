package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
)

// shownAt returns the time of the sample on screen, counted from the start of
// the scene.
func shownAt(m *Model) time.Duration { return m.moment.sample.Time.Sub(scene.Start()) }

func TestTimeGoesBackAndForthSampleBySample(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	for i, step := range []struct {
		key  string
		at   time.Duration
		past bool
	}{
		{"left", 239 * time.Second, true}, {"left", 238 * time.Second, true}, {"right", 239 * time.Second, true},
		{"H", 229 * time.Second, true}, {"home", 0, true}, {"left", 0, true}, {"right", time.Second, true}, {"L", 11 * time.Second, true},
		{"end", 240 * time.Second, false}, {"right", 240 * time.Second, false},
	} {
		press(m, step.key)
		if shownAt(m) != step.at || m.moment.past != step.past {
			t.Fatalf("step %d, %s: at %v, past %v; want %v, %v", i, step.key, shownAt(m), m.moment.past, step.at, step.past)
		}
	}
}

func TestTheProcessTableShowsTheMomentAndNotNow(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	mustShow(t, plain(m.frame()), "91.2   91.9", "● live")
	press(m, "home")
	text := plain(m.frame())
	mustShow(t, text, "53.0   53.7", "4m00s before now")
	if strings.Contains(text, "91.2   91.9") {
		t.Errorf("the present is on a screen of the past:\n%s", text)
	}
}

func TestSamplingGoesOnWhileThePastIsOnScreen(t *testing.T) {
	sc := scene.ReservedGrowth()
	m := modelOf(t, sc, theme.Mono, false, 120, 40)
	press(m, "left", "left")
	before := plain(m.frame())
	m.dirty = false
	next := scene.At(*sc.Last(), sc.Last().Time.Add(time.Second))
	m.Update(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{next}}})
	if _, to := m.store.Span(); !to.Equal(next.Time) {
		t.Error("the sample was not kept")
	}
	if m.dirty {
		t.Error("a sample of now made a screen of the past draw")
	}
	m.dirty = true
	if after := plain(m.frame()); !strings.Contains(before, "2.0 s before now") || !strings.Contains(after, "3.0 s before now") {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	press(m, "esc")
	if m.moment.past || !m.moment.sample.Time.Equal(next.Time) {
		t.Error("esc did not come back to now")
	}
}

func TestMarksAreSetNamedAndJumpedTo(t *testing.T) {
	var marks []monitor.Mark
	sc := scene.ReservedGrowth()
	m := modelOf(t, sc, theme.Mono, false, 120, 40)
	m.opts.Mark = func(k monitor.Mark) { marks = append(marks, k) }
	press(m, "m", "a", "b", "enter")
	if len(marks) != 1 || marks[0].Text != "ab" || !marks[0].Time.Equal(sc.Last().Time) {
		t.Fatalf("marks %v", marks)
	}
	mustShow(t, plain(m.frame()), "Marked 14:04:00: ab")

	// A mark of the past cannot go into the feed: it is kept beside.
	press(m, "H", "H", "m", "o", "l", "d", "enter")
	if len(marks) != 1 || len(m.beside) != 1 || m.beside[0].Time.Sub(scene.Start()) != 220*time.Second {
		t.Fatalf("marks %v, beside %v", marks, m.beside)
	}
	press(m, "end", "N")
	if shownAt(m) != 220*time.Second {
		t.Errorf("N went to %v", shownAt(m))
	}
	mustShow(t, plain(m.frame()), "mark: old")
	press(m, "N") // the findings began with the recording
	if shownAt(m) >= 220*time.Second {
		t.Errorf("N went to %v", shownAt(m))
	}
	press(m, "n")
	if shownAt(m) != 220*time.Second {
		t.Errorf("n went to %v", shownAt(m))
	}
}

func TestThePastIsJudgedAsOfThen(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	if len(m.judge.shown) == 0 {
		t.Fatal("nothing was found now")
	}
	press(m, "home")
	judgeNow(m)
	if n := len(m.judge.shown); n > 0 {
		t.Errorf("%d findings at the very start", n)
	}
	press(m, "end")
	judgeNow(m)
	if len(m.judge.shown) == 0 {
		t.Error("back at now the findings did not come back")
	}
}

func TestAnOlderJudgementIsIgnored(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	before := len(m.judge.shown)
	m.judge.running = true
	m.Update(judgedMsg{seq: m.judge.seq - 1, at: m.now()})
	if len(m.judge.shown) != before {
		t.Error("a judgement that was overtaken changed the screen")
	}
}

func TestAnAdvisorThatFallsOverCostsTheFindingsOnly(t *testing.T) {
	m := modelOf(t, scene.DDP(), theme.Mono, false, 120, 40)
	m.Update(judgedMsg{seq: m.judge.seq, at: m.now(), fault: "index \x1b[2Jout of range"})
	mustShow(t, plain(m.frame()), "The advisor gave up on what it saw: index out of range", "GPU 0")
}

func TestWhatIsSavedHoldsTheLastTenMinutesWithTheMarksOfThePast(t *testing.T) {
	var saved []monitor.Sample
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	m.opts.Save = func(s []monitor.Sample) (string, error) {
		saved = s
		return "for-you.jsonl.gz", nil
	}
	press(m, "H", "m", "x", "enter", "end")
	cmd := m.act(m.keymap.Action("w", m.mode, m.current.Place()))
	m.Update(cmd())
	mustShow(t, plain(m.frame()), "The last 4m0s are in for-you.jsonl.gz")
	if len(saved) != 241 || saved[240].Torch[0].ReservedBytes != m.newest.Torch[0].ReservedBytes {
		t.Fatalf("%d samples", len(saved))
	}
	if k := saved[230].Marks; len(k) != 1 || k[0].Text != "x" {
		t.Errorf("marks %v", k)
	}
}

func TestAFindingIsAcknowledgedMutedAndCopied(t *testing.T) {
	var written string
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	m.opts.WriteText = func(what, text string) (string, error) {
		written = text
		return what + ".txt", nil
	}
	mustShow(t, plain(m.frame()), "▲ Reserved rose by")
	press(m, "4", "x")
	mustShow(t, plain(m.frame()), "seen")
	press(m, "down", "u")
	mustShow(t, plain(m.frame()), "muted")
	press(m, "1")
	mustShow(t, plain(m.frame()), "No new cause for worry; 2 findings on screen 4.")
	press(m, "4", "up")
	m.Update(m.act(m.keymap.Action("Y", m.mode, m.current.Place()))())
	mustShow(t, plain(m.frame()), "The finding is in finding.txt")
	mustShow(t, written, "reserved-growth", "evidence:", "vramscope on node07")
}

func TestTheMouseSelectsSortsScrollsAndOpens(t *testing.T) {
	m := modelOf(t, scene.Full(), theme.Mono, false, 120, 40)
	find := func(text string) (x, y int) {
		for y, l := range strings.Split(plain(m.frame()), "\n") {
			if i := strings.Index(l, text); i >= 0 {
				return len([]rune(l[:i])), y
			}
		}
		t.Fatalf("%q is not on screen:\n%s", text, plain(m.frame()))
		return 0, 0
	}
	click := func(text string) {
		x, y := find(text)
		m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	}
	click("▲ GPU 0: Process 40003")
	if m.current != screen.Advice {
		t.Errorf("a click on the finding opened %v", m.current)
	}
	press(m, "1")
	click("40003 user0")
	mustShow(t, plain(m.frame()), "▸   40003", "PID 40003 on GPU 0")
	click("USED")
	mustShow(t, plain(m.frame()), "USED↓")
	click("USED")
	mustShow(t, plain(m.frame()), "USED↑")
	_, y := find("COMMAND")
	first := strings.Split(plain(m.frame()), "\n")[y+1]
	m.Update(tea.MouseWheelMsg{X: 5, Y: y + 3, Button: tea.MouseWheelDown})
	if now := strings.Split(plain(m.frame()), "\n")[y+1]; now == first {
		t.Error("the wheel scrolled nothing")
	}
	click("6 sources")
	if m.current != screen.Sources {
		t.Errorf("a click on the line of keys opened %v", m.current)
	}
	press(m, "1")
	click("GPU 5")
	if m.current != screen.GPU || m.state().GPU().Index != 5 {
		t.Errorf("a click on a card opened %v", m.current)
	}
	m.settings.Mouse = false
	m.Update(tea.MouseClickMsg{X: 0, Y: 39, Button: tea.MouseLeft})
	if m.current != screen.GPU {
		t.Error("a mouse that is off did something")
	}
}

func TestHoveringTheChartShowsTheValuesThereAndAClickGoesThere(t *testing.T) {
	m := modelOf(t, scene.ReservedGrowth(), theme.Mono, false, 120, 40)
	press(m, "2")
	m.frame()
	m.Update(tea.MouseMotionMsg{X: 30, Y: 12})
	hovered := plain(m.frame())
	if strings.Contains(hovered, "14:04:00  used") || m.moment.past {
		t.Errorf("hovering showed now, or went there:\n%s", hovered)
	}
	m.Update(tea.MouseClickMsg{X: 30, Y: 12, Button: tea.MouseLeft})
	if !m.moment.past {
		t.Error("a click did not go to the moment")
	}
}

func TestASelectionIsTheProcessAndNotTheRow(t *testing.T) {
	m := modelOf(t, scene.Full(), theme.Mono, false, 120, 40)
	press(m, "down", "down", "down")
	want := m.focus.Process
	press(m, "s", "s", "I", "g", "t")
	m.Update(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{scene.At(*m.newest, m.newest.Time.Add(time.Second))}}})
	m.frame()
	press(m, "3")
	if m.focus.Process != want {
		t.Errorf("the focus moved from %v to %v", want, m.focus.Process)
	}
	mustShow(t, plain(m.frame()), "PID 40001")
}

func TestPastedTextIsNotTakenForKeys(t *testing.T) {
	m := modelOf(t, scene.DDP(), theme.Mono, false, 120, 40)
	m.Update(tea.PasteMsg{Content: "q\nKt9y"})
	if m.ctx.Err() != nil || m.line.asking() {
		t.Error("a paste pressed keys")
	}
	press(m, "/")
	m.Update(tea.PasteMsg{Content: "user:ann\x1b[2J\n"})
	if got := string(m.line.text); got != "user:ann " {
		t.Errorf("the prompt holds %q", got)
	}
}

func TestAReplayGivesOneAlarmForAFindingHoweverOftenItGoesBack(t *testing.T) {
	sc := scene.ReservedGrowth()
	m := modelOf(t, sc, theme.Mono, false, 120, 40)
	m.opts.Playback = &deck{at: screen.Position{Start: sc.Samples[0].Time, End: sc.Last().Time, At: sc.Last().Time}, speed: 1}
	told := 0
	m.opts.OnFinding = func(advisor.Finding) error {
		told++
		return nil
	}
	m.judge.alerted = map[advisor.Key]bool{}
	for range 2 {
		tracker := m.judge.tracker
		if cmd := m.alert(); cmd != nil {
			cmd()
		}
		m.judge.reset()
		m.judge.tracker = tracker
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

func TestAnAlarmDoesNotWaitForAReaderOfThePast(t *testing.T) {
	sc := scene.ReservedGrowth()
	var told []advisor.Finding
	short := sc
	short.Samples = sc.Samples[:4]
	m := modelOf(t, short, theme.Mono, false, 120, 40)
	m.opts.OnFinding = func(f advisor.Finding) error {
		told = append(told, f)
		return nil
	}
	press(m, "home")
	judgeNow(m)
	for _, s := range sc.Samples[4:] {
		m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{s}}})
	}
	m.judge.started = m.judge.started.Add(-time.Hour)
	cmd := m.judgeSoon()
	if cmd == nil {
		t.Fatal("now is not judged while the past is on screen")
	}
	alarm := m.take(cmd())
	if alarm == nil {
		t.Fatal("no alarm")
	}
	alarm()
	if len(told) != 1 || told[0].Severity != advisor.Critical {
		t.Errorf("told of %d findings", len(told))
	}
	if len(m.judge.shown) != 0 || !m.moment.past {
		t.Error("the findings of now are on a screen of the past")
	}
	press(m, "end")
	if len(m.judge.shown) == 0 {
		t.Error("back at now the findings are not there at once")
	}
}

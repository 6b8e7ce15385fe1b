package tui

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/tui/internal/picture"
	"github.com/vramscope/vramscope/tui/screen"
)

// pictures says to write the pictures of the documentation:
//
//	go test ./tui -run Pictures -pictures
var pictures = flag.Bool("pictures", false, "write the pictures of docs/pictures anew")

// demoModel returns the screen on the demo's recording of a real run, that many
// of its seconds in.
func demoModel(t *testing.T, seconds float64, width, height int) *Model {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "cmd", "internal", "cli", "demo.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	parser := formats.NewParser(formats.Config{})
	rec, err := record.Load(f, "demo", parser)
	if err != nil {
		t.Fatal(err)
	}
	start := rec.Samples[0].Time
	until := start.Add(time.Duration(seconds * float64(time.Second)))
	m := New(Options{
		History: history.New(history.WholeFile(len(rec.Samples), time.Minute)), Interval: rec.Interval, Settings: screen.Settings{Mouse: true},
		Title: "a recorded run", Now: until.Local, Environ: []string{"TERM=xterm-256color"},
	})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	for _, s := range rec.Samples {
		if s.Time.After(until) {
			break
		}
		s.Sources = []monitor.SourceStatus{{Name: "nvml", State: monitor.StateOK}, {Name: "proc", State: monitor.StateOK}, {Name: "torch", State: monitor.StateOK}}
		m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{s}}})
	}
	judgeNow(m)
	return m
}

func TestPicturesOfTheDocumentationAreThoseOfTheProgram(t *testing.T) {
	for _, p := range []struct {
		name, title   string
		width, height int
		keys          []string
	}{
		{"overview", "vramscope: the overview of one GPU", 120, 34, []string{"down"}},
		{"gpu", "vramscope: the three layers over time", 110, 30, []string{"2", "z"}},
		{"cursor", "vramscope: two cursors and the difference between them", 110, 30, []string{"2", "z", "c", "H", "H"}},
		{"process", "vramscope: one process", 110, 40, []string{"down", "3"}},
		{"advice", "vramscope: what is wrong and what to change", 110, 44, []string{"4"}},
		{"help", "vramscope: the keys", 110, 60, []string{"?"}},
		{"small", "vramscope in 40 columns and 10 lines", 40, 10, nil},
	} {
		m := demoModel(t, 50, p.width, p.height)
		m.frame()
		for _, k := range p.keys {
			press(m, k)
			m.frame()
		}
		judgeNow(m)
		m.line.say("", 0)
		got := picture.SVG(m.frame(), p.width, p.title)
		path := filepath.Join("..", "docs", "pictures", p.name+".svg")
		if *pictures {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v; -pictures writes it", err)
		}
		if string(want) != got {
			t.Errorf("%s is not what the program shows now; go test ./tui -run Pictures -pictures draws it anew", path)
		}
	}
}

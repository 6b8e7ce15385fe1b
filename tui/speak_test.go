package tui

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
)

// all is a feed that hands everything over at once.
type all struct{ samples []monitor.Sample }

func (f *all) Next(ctx context.Context) (monitor.Batch, error) {
	if len(f.samples) == 0 {
		return ended(ctx)
	}
	out := monitor.Batch{Samples: f.samples}
	f.samples = nil
	return out, nil
}

func (*all) Close() error { return nil }

func TestTheScreenReaderHearsWhatChanges(t *testing.T) {
	for _, sc := range []scene.Scene{scene.ReservedGrowth(), scene.Stale(), scene.LogOnly()} {
		var out bytes.Buffer
		var told []advisor.Finding
		opts := Options{Feed: &all{sc.Samples}, Interval: sc.Interval, OnFinding: func(f advisor.Finding) error {
			told = append(told, f)
			return nil
		}}
		if err := Speak(t.Context(), opts, &out); err != nil {
			t.Fatal(err)
		}
		golden(t, "speak_"+sc.Name, out.String())
		if strings.Contains(out.String(), "\x1b") {
			t.Error("an escape sequence was printed")
		}
		if sc.Name == "growth" && (len(told) == 0 || told[0].Severity != advisor.Critical) {
			t.Errorf("told of %d findings", len(told))
		}
	}
}

func TestAHostileNameIsSpokenHarmlessly(t *testing.T) {
	sc := scene.DDP()
	s := sc.Samples[0]
	s.Processes[0].Command = "train\x1b[2J\r\nrm -rf"
	var out bytes.Buffer
	if err := Speak(t.Context(), Options{Feed: &all{[]monitor.Sample{s}}, Interval: sc.Interval}, &out); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r") {
		t.Errorf("%q", out.String())
	}
}

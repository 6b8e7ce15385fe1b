package tui

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/screen/output"
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

type endedJob struct{ output.Job }

func (endedJob) Running() bool  { return false }
func (endedJob) Status() string { return "pid 812 exited with code 1" }

func TestTheScreenReaderHearsTheEndOfAJob(t *testing.T) {
	sc := scene.DDP()
	var out bytes.Buffer
	endless := feedOf(sc, func(ctx context.Context) (monitor.Batch, error) { <-ctx.Done(); return monitor.Batch{}, ctx.Err() })
	if err := Speak(t.Context(), Options{Feed: endless, Job: endedJob{}, Interval: sc.Interval}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), " ended: pid 812 exited with code 1.\n") {
		t.Errorf("the last words are %q", out.String()[max(0, out.Len()-200):])
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

func TestTheScreenReaderHearsThatAProcessEndedAndNotThatItWasMended(t *testing.T) {
	sc := scene.ReservedGrowth()
	samples := sc.Samples
	for range 40 {
		last := samples[len(samples)-1]
		last.Time = last.Time.Add(sc.Interval)
		last.Holders, last.Torch, last.Processes = nil, nil, nil
		samples = append(samples[:len(samples):len(samples)], last)
	}
	var out bytes.Buffer
	if err := Speak(t.Context(), Options{Feed: &all{samples}, Interval: sc.Interval}, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, " ended with its process, reserved-growth, GPU 0, process 446: Reserved rose") || strings.Contains(got, "resolved, reserved-growth") {
		t.Errorf("%s", got)
	}
}

func TestTheScreenReaderHearsWhatIsFoundInTheLastSample(t *testing.T) {
	sc := scene.DDP()
	text := "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has a total capacity of 139.80 GiB of which 10.00 GiB is free. Including non-PyTorch memory, this process has 129.00 GiB memory in use. Of the allocated memory 120.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated."
	for _, count := range []int{10, 11} { // one of them ends between two passes
		samples := slices.Clone(sc.Samples[:count])
		last := &samples[count-1]
		last.Lines = []monitor.LogLine{{Time: last.Time, Source: "train.log", Number: 1, Text: text}}
		p := formats.NewParser(formats.Config{})
		last.Readings = append(slices.Clone(p.Line(last.Lines[0])), p.Flush(last.Time)...)
		var out bytes.Buffer
		if err := Speak(t.Context(), Options{Feed: &all{samples}, Interval: sc.Interval}, &out); err != nil {
			t.Fatal(err)
		}
		before, _, ok := strings.Cut(out.String(), " ended.\n")
		if !ok || !strings.Contains(before, " critical, ") {
			t.Errorf("of %d samples it says\n%s", count, out.String())
		}
	}
}

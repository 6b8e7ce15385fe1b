package tui

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/terminal"
)

// benchModel is the screen of 8 GPUs and 64 processes at 160×48.
func benchModel() (*Model, scene.Scene) {
	sc := scene.Full()
	m := New(Options{Interval: sc.Interval, Now: func() time.Time { return sc.Last().Time }, Environ: []string{"TERM=xterm"}})
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 48})
	m.Update(batchMsg{batch: monitor.Batch{Samples: sc.Samples}})
	return m, sc
}

// BenchmarkFrame measures drawing one frame, the target being 4 ms.
func BenchmarkFrame(b *testing.B) {
	m, _ := benchModel()
	b.ReportAllocs()
	for b.Loop() {
		m.frame()
	}
}

// BenchmarkUnchanged measures a message that changes nothing on screen.
func BenchmarkUnchanged(b *testing.B) {
	m, _ := benchModel()
	b.ReportAllocs()
	for b.Loop() {
		m.Update(silenceMsg{})
	}
}

// BenchmarkBytes measures what reaches the terminal with each sample, through
// the cell renderer that the program uses, and the time that takes.
func BenchmarkBytes(b *testing.B) {
	m, sc := benchModel()
	var out bytes.Buffer
	term := terminal.New(&out, nil)
	term.Resize(160, 48)
	if err := term.Open(); err != nil {
		b.Fatal(err)
	}
	total, first, frames := 0, 0, 0
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		s := scene.At(sc.Samples[i%len(sc.Samples)], sc.Last().Time.Add(sc.Interval*time.Duration(i+1)))
		m.Update(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{s}}})
		if err := term.Draw(m.frame()); err != nil {
			b.Fatal(err)
		}
		if i == 0 {
			first = out.Len()
		} else {
			total, frames = total+out.Len(), frames+1
		}
		out.Reset()
	}
	b.ReportMetric(float64(first), "first-bytes")
	if frames > 0 {
		b.ReportMetric(float64(total)/float64(frames), "bytes/frame")
	}
}

// BenchmarkDay measures the memory of the process after a day of samples, one in
// five seconds, of 8 GPUs with 64 processes of which every figure that a training
// job moves moves, drawn and judged as in the live screen. With VRAMSCOPE_PLAIN=1
// the processes have no PyTorch. Run it alone: -bench Day -benchtime 1x.
func BenchmarkDay(b *testing.B) {
	const day, every = 24 * 60 * 60 / 5, 5 * time.Second
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as the live screen has it
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(15 << 20))
	m, last := dayModel(b)
	m.term = terminal.New(io.Discard, nil)
	m.term.Resize(160, 48)
	if err := m.term.Open(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range day {
			s := trained(last, i, last.Time.Add(time.Duration(i+1)*every))
			m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{s}}})
			if i%60 == 0 { // a frame and a judgement every five minutes make the same garbage
				if err := m.term.Draw(m.frame()); err != nil {
					b.Fatal(err)
				}
				judgeNow(m)
			}
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	b.ReportMetric(float64(stats.HeapAlloc)/(1<<20), "heap-MiB")
	anonymous, text := residentMiB()
	b.ReportMetric(anonymous, "anonymous-MiB")
	b.ReportMetric(text, "text-MiB")
	kept := m.store.Stats()
	b.ReportMetric(float64(kept.SeriesBytes+kept.WholeBytes)/(1<<20), "history-MiB")
}

// dayModel is the screen and a sample that nothing else of the scene keeps in
// memory.
func dayModel(b *testing.B) (*Model, monitor.Sample) {
	b.Helper()
	sc := scene.Full()
	last := scene.At(*sc.Last(), sc.Last().Time)
	last.Holders = slices.Clone(last.Holders)
	if os.Getenv("VRAMSCOPE_PLAIN") != "" {
		last.Torch = nil
	}
	m := New(Options{Interval: 5 * time.Second, Now: func() time.Time { return last.Time }, Environ: []string{"TERM=xterm"}})
	m.Update(tea.WindowSizeMsg{Width: 160, Height: 48})
	return m, last
}

// trained returns a sample with the figures that a training job moves.
func trained(s monitor.Sample, i int, at time.Time) monitor.Sample {
	started := make([]time.Time, len(s.Processes))
	for k := range s.Processes {
		started[k] = s.Processes[k].Started
	}
	s = scene.At(s, at)
	s.Holders = slices.Clone(s.Holders)
	move := func(r *monitor.Reading[int64], k int) {
		if v, ok := r.Get(); ok {
			*r = monitor.Known(v*9/10 + int64((i*7919+k*104729)%100_000)<<14)
		}
	}
	for k := range s.Processes {
		s.Processes[k].Started = started[k]
		move(&s.Processes[k].HostBytes, k)
		s.Processes[k].CPUPercent = monitor.Known(float64((i*31+k*17)%1500) / 10)
	}
	for k := 0; k < len(s.Holders); k += 4 {
		move(&s.Holders[k].UsedBytes, k)
	}
	for k := range s.Torch {
		a := &s.Torch[k]
		for _, r := range []*monitor.Reading[int64]{&a.AllocatedBytes, &a.ActiveBytes, &a.InactiveSplitBytes, &a.RequestedBytes} {
			move(r, k)
		}
	}
	return s
}

// residentMiB returns the resident memory of this process that is its own and
// that is mapped from files, 0 where it cannot be read.
func residentMiB() (anonymous, files float64) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for l := range strings.Lines(string(text)) {
		_, _ = fmt.Sscanf(l, "RssAnon: %f", &anonymous)
		_, _ = fmt.Sscanf(l, "RssFile: %f", &files)
	}
	return anonymous / 1024, files / 1024
}

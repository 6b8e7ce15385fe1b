package tui

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
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
// five seconds, of 8 GPUs with 64 processes, drawn and judged as in the live screen.
// Run it alone: -bench Day -benchtime 1x.
func BenchmarkDay(b *testing.B) {
	const day, every = 24 * 60 * 60 / 5, 5 * time.Second
	defer debug.SetGCPercent(debug.SetGCPercent(30)) // as the live screen has it
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(32 << 20))
	m, sc := benchModel()
	var out bytes.Buffer
	m.term = terminal.New(&out, nil)
	m.term.Resize(160, 48)
	if err := m.term.Open(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for i := range day {
			s := scene.At(sc.Samples[i%len(sc.Samples)], sc.Last().Time.Add(time.Duration(i+1)*every))
			m.take(batchMsg{batch: monitor.Batch{Samples: []monitor.Sample{s}}})
			if i%60 == 0 { // a frame and a judgement a minute make the same garbage
				if err := m.term.Draw(m.frame()); err != nil {
					b.Fatal(err)
				}
				judgeNow(m)
			}
			out.Reset()
		}
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	b.ReportMetric(float64(stats.HeapAlloc)/(1<<20), "heap-MiB")
	b.ReportMetric(residentMiB(), "rss-MiB")
	kept := m.store.Stats()
	b.ReportMetric(float64(kept.SeriesBytes+kept.WholeBytes)/(1<<20), "history-MiB")
}

// residentMiB returns the resident memory of this process, 0 where it cannot be
// read.
func residentMiB() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident float64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return resident * float64(os.Getpagesize()) / (1 << 20)
}

package tui

import (
	"bytes"
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

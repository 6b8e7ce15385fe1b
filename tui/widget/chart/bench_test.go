package chart

import (
	"testing"
	"time"

	"github.com/vramscope/vramscope/tui/theme"
)

func BenchmarkRender160x40(b *testing.B) {
	size := Size{Width: 160, Height: 40}
	s := stories()[3] // marks and windows
	d := s.data(size)
	m := Model{Cursor: d.To.Add(-30 * time.Second), Anchor: d.To.Add(-time.Minute)}
	th := themed(b, theme.Terminal, false)
	b.ReportAllocs()
	for b.Loop() {
		m.Render(&d, size, th)
	}
}

func BenchmarkRead160x40(b *testing.B) {
	size := Size{Width: 160, Height: 40}
	s := stories()[3]
	st := s.store()
	first, last := st.Span()
	bounds := Bounds{First: first, Last: last, Columns: size.Columns()}
	b.ReportAllocs()
	for b.Loop() {
		Read(st, Subject{GPU: "GPU-a"}, Model{}, bounds)
	}
}

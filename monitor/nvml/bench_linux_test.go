//go:build linux && cgo

package nvml

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
)

// machine is eight GPUs with eight processes each.
func machine() *fakedriver.Config {
	cfg := &fakedriver.Config{GPUs: 8}
	for i, pid := range machinePIDs() {
		cfg.Process(i/8, pid, gib, 'c', -1)
	}
	return cfg
}

func machinePIDs() []int {
	pids := make([]int, 64)
	for i := range pids {
		pids[i] = 1000 + i
	}
	return pids
}

// BenchmarkRead is one read of eight GPUs and 64 processes through the real
// path to a driver whose answers cost nothing.
func BenchmarkRead(b *testing.B) {
	if dir := os.Getenv(childVariable); dir != "" {
		f := newFake(b, dir)
		s := f.source(machinePIDs()...)
		f.read(s)
		b.ReportAllocs()
		for b.Loop() {
			f.now = f.now.Add(time.Second)
			s.Read(context.Background(), monitor.Request{Time: f.now})
		}
		return
	}
	out := runSelf(b, fakedriver.Options{}, machine(), "-test.run=^$", "-test.bench=^BenchmarkRead$")
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "Benchmark") {
			b.Log(line)
		}
	}
}

//go:build unix

package formats

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

// ordinaryLog is what most of a training log is: chatter, progress bars,
// warnings, metrics without memory, and now and then a step with memory.
func ordinaryLog(n int) []string {
	r := rand.New(rand.NewPCG(9, 9))
	lines := make([]string, 0, n)
	for i := range n {
		switch r.IntN(20) {
		case 0:
			lines = append(lines, fmt.Sprintf("[rank%d]:[titan] 2025-06-16 22:30:%02d,322 - root - INFO - step: %d  loss:  6.1384  memory: 49.66GiB(52.28%%)  tps: 5,856  tflops: 339.16  mfu: 34.29%%", i%8, i%60, i))
		case 1, 2, 3:
			lines = append(lines, fmt.Sprintf("step %d | loss 2.%04d | lr 1.25e-04 | grad 0.8123 | 48211 tok/s | 112.3 ms", i, r.IntN(9999)))
		case 4, 5:
			lines = append(lines, fmt.Sprintf(" %d%%|█████████▌| %d/10000 [01:02<02:03, 12.31 examples/s, loss=1.2%03d]", i%100, i, r.IntN(999)))
		case 6, 7:
			lines = append(lines, "/usr/lib/python3/dist-packages/torch/nn/functional.py:5193: UserWarning: Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead.")
		default:
			lines = append(lines, fmt.Sprintf("2025-06-16 22:30:%02d,%03d INFO dataloader worker %d fetched shard_%05d.tar in %d ms, queue depth %d, lengths mean 812.3 p95 2044", i%60, i%1000, i%16, i, r.IntN(400), r.IntN(64)))
		}
	}
	return lines
}

func benchmarkLines(b *testing.B, lines []string) {
	p := NewParser(Config{})
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	readings := 0
	start := cpuSeconds()
	for b.Loop() {
		for i, l := range lines {
			readings += len(p.Line(monitor.LogLine{Number: int64(i + 1), Text: l}))
		}
	}
	_ = readings
	// of processor time, which a busy machine does not spoil
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuSeconds()-start), "MB/cpu-s")
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// BenchmarkOrdinaryLog is the speed on a training log as a whole.
func BenchmarkOrdinaryLog(b *testing.B) { benchmarkLines(b, ordinaryLog(5000)) }

// BenchmarkNothingToRead is the speed on lines that say nothing of memory or
// progress.
func BenchmarkNothingToRead(b *testing.B) {
	var lines []string
	for _, l := range ordinaryLog(5000) {
		if !strings.Contains(l, "step") {
			lines = append(lines, l)
		}
	}
	benchmarkLines(b, lines)
}

// BenchmarkProgressOnly is the speed on step lines without memory.
func BenchmarkProgressOnly(b *testing.B) {
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("step %d | loss 2.%04d | lr 1.25e-04 | grad 0.8123 | 48211 tok/s | 112.3 ms", i, i)
	}
	benchmarkLines(b, lines)
}

// BenchmarkMemoryOnly is the speed on lines that all give a reading.
func BenchmarkMemoryOnly(b *testing.B) {
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("[rank%d]: step %d allocated: %d.%02d GB | reserved: 20.50 GB | max allocated: 18.25 GB", i%8, i, i%20, i%100)
	}
	benchmarkLines(b, lines)
}

// BenchmarkUnreadMemoryWords is the speed on lines with the words of memory
// from which nothing is read.
func BenchmarkUnreadMemoryWords(b *testing.B) {
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("cache miss %d: allocating buffers for shard %d on cuda stream, memory pool has %d entries", i, i%16, i%100)
	}
	benchmarkLines(b, lines)
}

func TestALineThatIsNotUnderstoodCostsNoMemory(t *testing.T) {
	p := NewParser(Config{})
	for _, l := range []string{
		"2025-06-16 22:30:01,100 INFO dataloader worker 3 fetched shard_00012.tar in 31 ms, queue depth 12",
		"cache miss 12: allocating buffers for shard 3 on cuda stream, memory pool has 12 entries",
		"GPU memory share is 87.5 % on cuda:3",
	} {
		line := monitor.LogLine{Text: l}
		p.Line(line)
		if n := testing.AllocsPerRun(100, func() { p.Line(line) }); n > 0 {
			t.Errorf("%q costs %v allocations", l, n)
		}
	}
}

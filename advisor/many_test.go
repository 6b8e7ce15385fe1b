package advisor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// BenchmarkManyProcesses keeps and judges a recording of 30 samples whole, as
// `advise` does. What it takes for each process is reported: it should not rise
// with their number.
func BenchmarkManyProcesses(b *testing.B) {
	for _, n := range []struct{ gpus, perGPU int }{{10, 100}, {10, 1000}, {1000, 1}, {10000, 1}} {
		b.Run(fmt.Sprintf("%d_on_%d_GPUs", n.gpus*n.perGPU, n.gpus), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			const samples = 30
			for b.Loop() {
				b.StopTimer()
				store := history.New(history.WholeFile(samples, samples*time.Second))
				for i := range samples {
					s := fleet(r, i, start.Add(time.Duration(i)*time.Second), n.gpus, n.perGPU)
					b.StartTimer()
					store.Append(s)
					b.StopTimer()
				}
				b.StartTimer()
				from, to := store.Span()
				advisor.Advise(advisor.Input{Window: store.Window(from, to)})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n.gpus*n.perGPU)/samples, "ns/process/sample")
		})
	}
}

// BenchmarkManyLeaks judges a recording of 60 samples in which every process
// leaks and there is a finding about each.
func BenchmarkManyLeaks(b *testing.B) {
	for _, n := range []struct{ gpus, perGPU int }{{500, 1}, {4000, 1}} {
		b.Run(fmt.Sprintf("%d_on_%d_GPUs", n.gpus*n.perGPU, n.gpus), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			const samples = 60
			store := history.New(history.WholeFile(samples, samples*time.Second))
			for i := range samples {
				s := fleet(r, i, start.Add(time.Duration(i)*time.Second), n.gpus, n.perGPU)
				s.Readings = nil
				for k := range s.Torch {
					a := &s.Torch[k]
					level := a.ReservedBytes.Or(0) / 4
					level += level / 2 * int64(i) / samples
					a.AllocatedBytes = monitor.Known(level + level/4*int64(i%2))
					a.PeakAllocatedBytes = monitor.Known(level + level/3)
				}
				store.Append(s)
			}
			from, to := store.Span()
			w := store.Window(from, to)
			for b.Loop() {
				advisor.Advise(advisor.Input{Window: w})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n.gpus*n.perGPU)/samples, "ns/process/sample")
		})
	}
}

package procs_test

import (
	"fmt"
	"testing"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/procs"
)

// crowd is a machine with so many processes on eight GPUs, eight to a torchrun,
// with two workers each.
func crowd(n int) *monitor.Sample {
	m := new(machine)
	for i := range n {
		launcher := 10_000 + i/8*100
		if i%8 == 0 {
			m.process(launcher, 1, "torchrun")
		}
		pid := launcher + 1 + i%8*3
		m.job(pid, launcher, i%8, float64(i%13), float64(i%13+i%5), rank(i%8, 8))
		m.worker(pid+1, pid).worker(pid+2, pid)
	}
	return &m.Sample
}

func BenchmarkTable(b *testing.B) {
	filter, err := procs.ParseFilter("user:ann gpu:0-6 mem>2G python | cmd:train")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{64, 1000} {
		s := crowd(n)
		b.Run(fmt.Sprintf("build/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				procs.Build(s)
			}
		})
		for name, mode := range map[string]procs.Mode{"list": procs.List, "tree": procs.Tree, "jobs": procs.Jobs} {
			v := procs.View{Filter: filter, Mode: mode, Order: procs.Order{By: procs.ColumnReserved, Descending: true}}
			b.Run(fmt.Sprintf("build-filter-sort-%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					procs.Build(s).Lines(v)
				}
			})
		}
	}
}

func BenchmarkParseFilter(b *testing.B) {
	for b.Loop() {
		if _, err := procs.ParseFilter("user:ann gpu:0-6 mem>2G python | cmd:train"); err != nil {
			b.Fatal(err)
		}
	}
}

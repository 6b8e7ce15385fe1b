package cli

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// frugal makes the program a small neighbour for the days that it runs beside a
// job, until ctx ends: one processor, because on more the runtime wakes and
// spins threads for work that one does in a thousandth of the time; and a bound
// for its own memory, which the collector keeps by working more often.
func frugal(ctx context.Context) {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(softLimitBytes(0, 0))
	go func() {
		use := newMemoryUse()
		look := time.NewTicker(10 * time.Second)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
			debug.SetMemoryLimit(softLimitBytes(use.read()))
		}
	}()
}

// memoryUse reads what the runtime's memory is used for.
type memoryUse []metrics.Sample

func newMemoryUse() memoryUse {
	return memoryUse{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/objects:bytes"},
	}
}

// read returns what lives on the heap, and what the memory limit counts besides
// objects of the heap: gaps between them, stacks, and what the runtime keeps for
// itself.
func (u memoryUse) read() (live, besides int64) {
	metrics.Read(u)
	n := func(i int) int64 {
		if u[i].Value.Kind() != metrics.KindUint64 {
			return 0
		}
		return int64(u[i].Value.Uint64())
	}
	return n(0), n(1) - n(2) - n(3) - n(4)
}

// softLimitBytes is how much memory the runtime may have when so much of it is
// in use: 15 MiB, or what is in use and room to work in, so that the collector
// never runs without end: a mebibyte, and on a machine of very many processes
// nearly a quarter. The runtime keeps a mebibyte of its limit back
// (memoryLimitMinHeapGoalHeadroom in runtime/mgcpacer.go).
func softLimitBytes(live, besides int64) int64 {
	const least, kept, room = 15 << 20, 1 << 20, 1 << 20
	return max(least, besides+kept+live+max(room, live/4-room))
}

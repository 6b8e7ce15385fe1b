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
	debug.SetMemoryLimit(softLimitBytes(0))
	go func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		look := time.NewTicker(10 * time.Second)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
			if metrics.Read(live); live[0].Value.Kind() == metrics.KindUint64 {
				debug.SetMemoryLimit(softLimitBytes(int64(live[0].Value.Uint64())))
			}
		}
	}()
}

// softLimitBytes is how much memory the runtime may have when so much of it is
// in use: 15 MiB, or on a machine of very many processes what is in use and a
// quarter, so that the collector never runs without end.
func softLimitBytes(live int64) int64 {
	const least, overhead, room = 15 << 20, 6 << 20, 2 << 20
	return max(least, overhead+live+max(room, live/4))
}

package cli

import (
	"runtime"
	"testing"
)

func TestTheCollectorAlwaysHasRoomForMoreThanIsInUse(t *testing.T) {
	const mib = 1 << 20
	if got := softLimitBytes(4*mib, 8*mib); got != 15*mib {
		t.Errorf("4 MiB in use get %d bytes", got)
	}
	for live := int64(mib); live < 1<<32; live *= 2 {
		for besides := int64(mib); besides <= 64*mib; besides *= 4 {
			const kept = mib // by the runtime
			if room := softLimitBytes(live, besides) - kept - besides - live; room < mib || room < live/4-mib {
				t.Errorf("%d bytes in use, %d besides: room for %d", live, besides, room)
			}
		}
	}
}

func TestWhatMemoryIsUsedForAddsUpToWhatTheLimitCounts(t *testing.T) {
	held := make([]byte, 8<<20)
	runtime.GC()
	live, besides := newMemoryUse().read()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	counted := int64(stats.Sys - stats.HeapReleased)
	if live < int64(len(held)) || besides <= 0 || besides > counted-int64(len(held)) {
		t.Errorf("%d bytes live, %d besides, of %d", live, besides, counted)
	}
	runtime.KeepAlive(held)
}

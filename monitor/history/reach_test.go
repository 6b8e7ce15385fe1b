package history

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// A window copies only the resolutions that it reads; what it tells must be
// what the store tells, however far back it goes.
func TestAWindowTellsWhatTheStoreTellsHoweverFarBackItGoes(t *testing.T) {
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	s := New(Config{Interval: time.Second, Samples: 60, MidWidth: 10 * time.Second, MidBuckets: 30, CoarseWidth: time.Minute, CoarseBuckets: 20})
	for i := range 1500 {
		s.Append(monitor.Sample{Time: start.Add(time.Duration(i) * time.Second), GPUs: []monitor.GPU{{
			State: monitor.StateOK, UUID: monitor.Known("GPU-a"), Memory: monitor.DeviceMemory{UsedBytes: monitor.Known(int64(i * i % 977))},
		}}})
		if i%97 != 0 && i != 1499 {
			continue
		}
		to := start.Add(time.Duration(i) * time.Second)
		for _, back := range []time.Duration{0, 10 * time.Second, 59 * time.Second, 61 * time.Second, 4 * time.Minute, 6 * time.Minute, 19 * time.Minute, time.Hour} {
			from := to.Add(-back)
			key := Key{Metric: Used, GPU: "GPU-a"}
			if diff := cmp.Diff(s.Columns(key, from, to, 40), s.Window(from, to).Columns(key, from, to, 40)); diff != "" {
				t.Fatalf("sample %d, back %v: -store +window:\n%s", i, back, diff)
			}
		}
	}
}

package overview

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

func TestASparklineThatIsCarriedOnIsTheOneDrawnAnew(t *testing.T) {
	const n = 12
	key := history.Key{Metric: history.Used, GPU: "GPU-a"}
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		h := history.New(history.Config{Samples: 400}) // all singly, so that nothing is rounded
		var kept courses
		now, width := time.Unix(1_700_000_000, 0), time.Second
		for step := range 400 {
			now = now.Add(time.Duration(50+rng.IntN(100)) * time.Millisecond)
			switch {
			case rng.IntN(40) == 0: // nothing is sampled for a while
				now = now.Add(time.Duration(rng.IntN(4000)) * time.Millisecond)
			case rng.IntN(100) == 0:
				now = now.Add(-time.Duration(rng.IntN(4000)) * time.Millisecond)
			case rng.IntN(100) == 0:
				width = time.Duration(1+rng.IntN(5)) * time.Second
			}
			used := monitor.Known(rng.Int64N(80 << 30))
			if rng.IntN(4) == 0 {
				used = monitor.Unknown[int64](monitor.NotAvailable, "not this time")
			}
			h.Append(monitor.Sample{Time: now, GPUs: []monitor.GPU{{UUID: monitor.Known("GPU-a"), State: monitor.StateOK,
				Memory: monitor.DeviceMemory{UsedBytes: used}}}})
			to := now.Truncate(width).Add(width)
			var anew courses
			if diff := cmp.Diff(anew.points(h, key, to, width, n), kept.points(h, key, to, width, n)); diff != "" {
				t.Fatalf("seed %d, step %d: (-anew +carried on)\n%s", seed, step, diff)
			}
		}
	}
}

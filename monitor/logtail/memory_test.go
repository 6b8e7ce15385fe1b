package logtail_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor/logtail"
)

// liveBytes is what is reachable, besides what was before.
func liveBytes(before uint64) int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) - int64(before)
}

func TestFollowingHoldsLessThanEightMiBWhateverTheLog(t *testing.T) {
	b := newBench(t, logtail.Config{FromStart: true}, "train.log", "one-line.log")
	f, err := os.Create(b.path("one-line.log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(100 << 20); err != nil { // a line of 100 MiB
		t.Skipf("no sparse files here: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i := range 40_000 {
		fmt.Fprintf(&text, "[rank%d]: step %d allocated: %d.25 GiB, reserved: 70.00 GiB %s\n", i%8, i, i%60, strings.Repeat("x", i%300))
	}
	b.add("train.log", text.String())
	size := int64(text.Len())
	text.Reset()
	before := uint64(liveBytes(0))
	readings, most := 0, int64(0)
	for n := 0; n < 200 && readings < 40_000; n++ {
		p := b.read()
		readings += len(p.Readings)
		most = max(most, liveBytes(before))
		runtime.KeepAlive(p)
	}
	if readings != 40_000 {
		t.Fatalf("%d readings of 40000 after %d bytes: %+v", readings, size, b.src.Files())
	}
	if most > 8<<20 {
		t.Fatalf("%d bytes are held", most)
	}
	t.Logf("at most %d KiB are held", most>>10)
}

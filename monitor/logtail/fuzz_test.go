package logtail_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
)

// through reads a whole log by pieces of the sizes that chunk gives.
func through(log []byte, chunk func() int) []monitor.LogReading {
	s, p := logtail.NewSplitter(), formats.NewParser(formats.Config{})
	var out []monitor.LogReading
	take := func(n int64, text []byte) bool {
		out = append(out, p.Line(monitor.LogLine{Number: n, Text: string(text)})...)
		return true
	}
	for len(log) > 0 {
		n := max(1, min(chunk(), len(log)))
		s.Write(log[:n], take)
		log = log[n:]
	}
	s.End(take)
	return append(out, p.Flush(time.Time{})...)
}

// FuzzTheWholePath feeds any bytes through cutting and understanding. Nothing
// may panic, the pieces may not matter, and no figure may be impossible.
func FuzzTheWholePath(f *testing.F) {
	r := rand.New(rand.NewPCG(51, 52))
	for range 20 {
		f.Add([]byte(someLog(r)), uint16(r.IntN(500)))
	}
	f.Add([]byte("GPU 0: 1.5GiB allocated | GPU 1: 3.5GiB allocated\n"), uint16(3))
	f.Add([]byte("[rank9]: allocated 1,024.5 MiB (+3 MiB) / 79.11 GiB (5%)\n"), uint16(1))
	f.Add([]byte("     12/100      5.73G      1.181     0.5706      1.184         20        640: 100%|█\n"), uint16(9))
	f.Add([]byte("('allocated_bytes.all.current', 1024), 'memory(GiB)': np.float64(1.5)}\n"), uint16(9))
	f.Add([]byte(":0lloC\n"), uint16(192))
	f.Add([]byte("CUDA outofmemory\n"), uint16(114))
	f.Fuzz(func(t *testing.T, log []byte, size uint16) {
		formats.Looks(string(log))
		whole := through(log, func() int { return len(log) })
		parts := through(log, func() int { return int(size) + 1 })
		if !slices.Equal(describe(whole), describe(parts)) {
			t.Fatalf("whole %q\nparts %q", describe(whole), describe(parts))
		}
		for _, r := range whole {
			for _, v := range []monitor.Reading[int64]{
				r.AllocatedBytes, r.ReservedBytes, r.MaxAllocatedBytes, r.MaxReservedBytes, r.DeviceUsedBytes, r.DeviceTotalBytes,
			} {
				if b := v.Or(0); b < 0 || b > 8<<40 {
					t.Fatalf("%d bytes out of %q", b, log)
				}
			}
			if _, err := json.Marshal(formats.JSON(r)); err != nil {
				t.Fatal(err)
			}
			if r.Rank.Or(0) < 0 || r.GPU.Or(0) < 0 || r.Step.Or(0) < 0 {
				t.Fatalf("a negative place in %+v", r)
			}
		}
	})
}

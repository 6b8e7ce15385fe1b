package history

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// kept is a value with its time, for comparison with what the store says.
type kept struct {
	at    time.Time
	value float64
}

// in pools the reference values in [from, to).
func in(all []kept, from, to time.Time) Bucket {
	var b Bucket
	for _, k := range all {
		if !k.at.Before(from) && k.at.Before(to) {
			b.pool(span{low: k.value, high: k.value, last: k.value, count: 1})
		}
	}
	return b
}

// near allows for the 24 bits of a coarser bucket.
func near(a, b float64) bool { return math.Abs(a-b) <= math.Abs(b)*6e-8 }

func TestEveryBucketIsTheMinimumMaximumAndLastOfItsSamples(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := New(Config{Samples: 40 + rng.IntN(60), MidWidth: 7 * time.Second, MidBuckets: 25, CoarseWidth: 45 * time.Second, CoarseBuckets: 200})
		var all []kept
		now := start
		for range 1500 {
			now = now.Add(time.Duration(800+rng.IntN(400)) * time.Millisecond)
			v := rng.Int64N(100 * gib)
			s.Append(one(now, v, 0, 0))
			all = append(all, kept{now, float64(v)})
		}
		series := s.Window(start, now).Series(deviceUsed)
		singles := 0
		for i, b := range series {
			end := now.Add(time.Nanosecond)
			if i+1 < len(series) {
				end = series[i+1].Start
			}
			want := in(all, b.Start, end)
			if b.Count == 1 && b.Min == b.Max {
				singles++
			}
			if b.Count != want.Count || !near(b.Min, want.Min) || !near(b.Max, want.Max) || !near(b.Last, want.Last) {
				t.Fatalf("seed %d: bucket %d of %d is %+v, its samples give %+v", seed, i, len(series), b, want)
			}
		}
		if singles < 30 {
			t.Errorf("seed %d: %d single samples", seed, singles)
		}
		for i, b := range s.Columns(deviceUsed, all[1470].at, now, 7) {
			step := now.Sub(all[1470].at) / 7
			from := all[1470].at.Add(time.Duration(i) * step)
			if want := in(all, from.Add(2), from.Add(step-2)); want.Count > 0 && (b.Min > want.Min || b.Max < want.Max || b.Count < want.Count) {
				t.Errorf("seed %d: column %d is %+v, its samples give %+v", seed, i, b, want)
			}
		}
	}
}

func TestAClockThatJumpsAtWillNeverDisordersTheAxis(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 6))
		s := New(Config{Samples: 30, MidWidth: 5 * time.Second, MidBuckets: 20, CoarseWidth: 30 * time.Second, CoarseBuckets: 20})
		now := start
		for range 400 {
			switch rng.IntN(20) {
			case 0:
				now = now.Add(-time.Duration(rng.IntN(3600)) * time.Second)
			case 1:
				now = now.Add(time.Duration(rng.IntN(3600)) * time.Second)
			default:
				now = now.Add(time.Second)
			}
			s.Append(one(now, gib, gib, gib))
			latest, _ := s.Latest()
			last := time.Time{}
			for _, b := range s.Window(now.Add(-24*time.Hour), now.Add(24*time.Hour)).Series(deviceUsed) {
				if b.Start.Before(last) || b.Start.After(latest.Time) && b.Count > 0 {
					t.Fatalf("seed %d: %v follows %v, latest is %v", seed, b.Start, last, latest.Time)
				}
				last = b.Start
			}
			from, to := s.Span()
			if from.After(to) || !to.Equal(latest.Time) {
				t.Fatalf("seed %d: span from %v to %v, latest is %v", seed, from, to, latest.Time)
			}
			if got, ok := s.At(now); !ok || !got.Time.Equal(latest.Time) {
				t.Fatalf("seed %d: At gives %v, latest is %v", seed, got.Time, latest.Time)
			}
		}
	}
}

func TestAfterAStepBackOverManyBucketsTheOldOnesAreKept(t *testing.T) {
	s := New(Config{Samples: 50, MidBuckets: 30, CoarseWidth: time.Minute, CoarseBuckets: 100})
	fill(s, 3000, func(i int) int64 { return int64(i) << 20 })
	s.Append(one(at(1000.5), 7<<20, 0, 0))
	series := s.Window(at(0), at(4000)).Series(deviceUsed)
	if len(series) == 0 || series[0].Min != 0 {
		t.Fatalf("the beginning is lost: %+v", series)
	}
	if last := series[len(series)-1]; last.Start.After(at(1000.5)) {
		t.Errorf("a bucket of %v is left of the time that was taken back", last.Start)
	}
	for i := 1001; i < 1400; i++ {
		s.Append(one(at(float64(i)+0.5), int64(i)<<20, 0, 0))
	}
	if got := s.Columns(Key{Metric: Used, GPU: "GPU-a", Process: monitor.ProcessKey{PID: 7, StartTicks: 99}}, at(1100), at(1350), 5); got[0].Count == 0 || got[4].Count == 0 {
		t.Errorf("what came after the step is not kept: %+v", got)
	}
}

func TestAClockSetBackBeforeTheBeginningStartsAgainThere(t *testing.T) {
	s := New(Config{Samples: 10})
	for i := range 100 {
		s.Append(one(at(float64(90_000+i)), gib, 0, 0))
	}
	fill(s, 1000, func(i int) int64 { return int64(i) << 20 })
	series := s.Window(at(-1000), at(1000)).Series(deviceUsed)
	if len(series) < 50 || series[0].Start.After(at(0)) || series[len(series)-1].Last != float64(999<<20) {
		t.Errorf("%d buckets after the step back", len(series))
	}
	if from, _ := s.Span(); !from.Equal(at(0)) {
		t.Errorf("the history begins at %v", from)
	}
}

// gappy returns a store of a sample a second whose figure is missing in long
// stretches, and what it was given.
func gappy(seed uint64) (s *Store, all []kept, now time.Time) {
	rng := rand.New(rand.NewPCG(seed, 7))
	s = New(Config{Samples: 40 + rng.IntN(200), MidWidth: 5 * time.Second, MidBuckets: 25 + rng.IntN(60), CoarseWidth: 30 * time.Second, CoarseBuckets: 100})
	missing := 0
	for now = start; now.Before(start.Add(2000 * time.Second)); now = now.Add(time.Second) {
		sample := one(now, rng.Int64N(100*gib), 0, 0)
		if missing == 0 && rng.IntN(4) == 0 {
			missing = 1 + rng.IntN(150)
		}
		if missing > 0 {
			missing--
			sample.GPUs[0].Memory.UsedBytes = monitor.Unknown[int64](monitor.NotAvailable, "a stretch without it")
		} else {
			all = append(all, kept{now, float64(sample.GPUs[0].Memory.UsedBytes.Or(0))})
		}
		s.Append(sample)
	}
	return s, all, now
}

func TestStretchesWithoutAFigureHideNoneBesideThem(t *testing.T) {
	for seed := range uint64(20) {
		s, all, now := gappy(seed)
		window := s.Window(start, now)
		if open, closed := s.Columns(deviceUsed, start, now, 300), window.Columns(deviceUsed, start, now, 300); !cmp.Equal(open, closed) {
			t.Errorf("seed %d: a window's columns are not the store's: %s", seed, cmp.Diff(open, closed))
		}
		series, there := window.Series(deviceUsed), 0
		for i, b := range series {
			end := now.Add(time.Nanosecond)
			if i+1 < len(series) {
				end = series[i+1].Start
			}
			there += b.Count
			if want := in(all, b.Start, end); b.Count > 0 && (b.Count != want.Count || !near(b.Min, want.Min) || !near(b.Max, want.Max)) {
				t.Fatalf("seed %d: bucket %d of %d is %+v, its samples give %+v", seed, i, len(series), b, want)
			}
		}
		if there != len(all) {
			t.Errorf("seed %d: %d of %d values are told", seed, there, len(all))
		}
	}
}

func TestTheNewestValueOfAStretchIsTheOneReadLast(t *testing.T) {
	for seed := range uint64(20) {
		s, all, now := gappy(seed)
		rng := rand.New(rand.NewPCG(seed, 8))
		for range 100 {
			ago := rng.IntN(40) // those are kept singly
			if seed%2 == 0 {
				ago = rng.IntN(2000)
			}
			from := now.Add(-time.Duration(ago) * time.Second)
			to := from.Add(time.Duration(rng.IntN(30)) * time.Second)
			want := in(all, from, to.Add(1))
			got, ok := s.Newest(deviceUsed, from, to)
			switch {
			case want.Count > 0 && !ok:
				t.Errorf("seed %d: from %v to %v nothing is known, %v was read", seed, from, to, want.Last)
			case ago < 40 && (ok != (want.Count > 0) || ok && got != want.Last):
				t.Errorf("seed %d: from %v to %v it is %v (%v), %v was read", seed, from, to, got, ok, want.Last)
			}
		}
	}
}

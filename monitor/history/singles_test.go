package history

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func TestSinglesAreTheValuesOfTheSeriesAtEachTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	start := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for _, n := range []int{1, 15, 16, 17, 90, 300, 700} {
		store := New(Config{Samples: 100})
		for i := range n {
			s := one(start.Add(time.Duration(i)*time.Second), 5+rng.Int64N(3), 4, 1+rng.Int64N(2))
			if rng.IntN(5) == 0 {
				s.Torch = nil
			}
			store.Append(s)
		}
		from, to := store.Span()
		whole := store.Window(from, to)
		for _, back := range []time.Duration{5 * time.Second, 20 * time.Second, time.Hour} {
			w := whole.Since(to.Add(-back))
			for _, k := range w.Keys() {
				values := w.Singles(k)
				if len(values) != len(w.Times) {
					t.Fatalf("%d values at %d times", len(values), len(w.Times))
				}
				at := map[time.Time]float64{}
				for _, b := range w.Series(k) {
					if b.Count == 1 {
						at[b.Start] = b.Last
					}
				}
				for i, v := range values {
					want, ok := at[w.Times[i]]
					if ok != (v == v) || ok && v != want {
						// What a coarser bucket covers stands in no single sample.
						if !ok && w.Times[i].Sub(from) < time.Duration(n-100+25)*time.Second {
							continue
						}
						t.Fatalf("%v at %d s of %d: %v, want %v (%v)", k.Metric, i, n, v, want, ok)
					}
				}
			}
		}
	}
}

func TestSinceForgetsWhatWasGoneBefore(t *testing.T) {
	start := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	store := New(Config{})
	for i := range 60 {
		s := one(start.Add(time.Duration(i)*time.Second), 5, 4, 1)
		s.Marks = []monitor.Mark{{Time: s.Time, Text: "x"}}
		if i >= 30 {
			s.Holders, s.Torch, s.Processes = nil, nil, nil
		}
		store.Append(s)
	}
	from, to := store.Span()
	w := store.Window(from, to).Since(start.Add(40 * time.Second))
	for _, k := range w.Keys() {
		if k.Process != (monitor.ProcessKey{}) {
			t.Errorf("%v of a process that was gone", k)
		}
	}
	if len(w.Times) != 20 || len(w.Marks) != 20 || len(w.Processes) != 0 {
		t.Errorf("%d times, %d marks, %d processes", len(w.Times), len(w.Marks), len(w.Processes))
	}
}

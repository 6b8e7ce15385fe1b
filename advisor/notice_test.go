package advisor_test

import (
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// noticed plays samples as a live view does, a pass of the advisor at each,
// and returns how long after the trouble began the finding was on show.
func noticed(t *testing.T, samples []monitor.Sample, began time.Duration, want catalog.ID) (time.Duration, bool) {
	t.Helper()
	store := history.New(history.Config{})
	var live advisor.Tracker
	for _, s := range samples {
		store.Append(s)
		if s.Time.Sub(samples[0].Time) < began-10*time.Second {
			continue
		}
		from, _ := store.Span()
		in := advisor.Input{Window: store.Window(from, s.Time)}
		live = live.Update(s.Time, advisor.Advise(in), nil)
		for _, f := range live.Findings() {
			if f.ID == want && f.Severity >= advisor.Warning {
				return s.Time.Sub(samples[0].Time) - began, true
			}
		}
	}
	return 0, false
}

// notices are troubles with the time within which they have to be on show.
var notices = []struct {
	name   string
	want   catalog.ID
	within time.Duration
	share  float64
	turn   func(w *world, from float64)
}{
	{"a leak of 2 % of the card a minute", catalog.Leak, time.Minute, 0.9, func(w *world, from float64) {
		w.leakPerMinute, w.leakFrom = 0.02, from
	}},
	{"reserved grows by 8 % of the card a minute", catalog.ReservedGrowth, 30 * time.Second, 0.9, func(w *world, from float64) {
		w.floor, w.weights, w.peak = 0.03, 0.02, 0.02
		w.cachePerMinute, w.cacheFrom = 0.08, from
	}},
	{"another process", catalog.OtherProcess, 5 * time.Second, 1, func(w *world, from float64) {
		w.otherFrom, w.other = w.load+from, 0.3
	}},
}

func TestTroubleIsNoticedInTimeHoweverLongTheJobHasRun(t *testing.T) {
	slow(t)
	for _, c := range notices {
		for _, after := range []time.Duration{20 * time.Second, 4 * time.Minute, 12 * time.Minute, 50 * time.Minute, 8 * time.Hour} {
			seeds := 20
			switch {
			case after > 10*time.Minute:
				seeds = 2
			case after > time.Minute:
				seeds = 5
			}
			in, worst := 0, time.Duration(0)
			for seed := range uint64(seeds) {
				w := newWorld(5000 + seed)
				w.interval, w.length, w.load = time.Second, 110*time.Second+after, 10
				w.period = min(w.period, 1.3)
				w.peak = min(w.peak, 0.1)
				c.turn(w, after.Seconds())
				began := after + time.Duration(w.load*float64(time.Second))
				took, ok := noticed(t, w.samples(), began, c.want)
				if ok {
					worst = max(worst, took)
				}
				if ok && took <= c.within {
					in++
				} else {
					t.Logf("  seed %d: noticed %v after %v (step %.2f s, peak %.2f, floor %.2f, idle %.2f)", seed, ok, took, w.period, w.peak, w.floor, w.idle)
				}
			}
			t.Logf("%s, %v into the job: %d of %d within %v, the slowest after %v", c.name, after, in, seeds, c.within, worst)
			if float64(in) < c.share*float64(seeds) {
				t.Errorf("%s, %v into the job: %d of %d within %v", c.name, after, in, seeds, c.within)
			}
		}
	}
}

// TestASlowLeakIsSeenOverAnHour takes a window that reaches back beyond the
// single samples of a live history, into its buckets.
func TestASlowLeakIsSeenOverAnHour(t *testing.T) {
	slow(t)
	right := 0
	const seeds = 10
	for seed := range uint64(seeds) {
		w := newWorld(7000 + seed)
		leak(w, 0.001)
		w.interval, w.length, w.load, w.floor, w.weights = time.Second, time.Hour, 30, 0.2, 0.1
		w.peak = min(w.peak, 0.1)
		store := history.New(history.Config{})
		all := w.samples()
		for _, s := range all {
			store.Append(s)
		}
		last := all[len(all)-1].Time
		found := advisor.Advise(advisor.Input{Window: store.Window(all[0].Time, last)})
		if len(found) > 0 && found[0].ID == catalog.Leak {
			right++
		} else {
			t.Logf("seed %d: %s", seed, list(found, 3))
		}
		w.leakPerMinute = 0
		store = history.New(history.Config{})
		for _, s := range w.samples() {
			store.Append(s)
		}
		for _, f := range advisor.Advise(advisor.Input{Window: store.Window(all[0].Time, last)}) {
			if f.Severity >= advisor.Warning {
				t.Errorf("seed %d without the leak: %s", seed, f.Title)
			}
		}
	}
	if right < seeds-1 {
		t.Errorf("%d of %d", right, seeds)
	}
}

package advisor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
)

// healthyKinds are jobs with nothing wrong.
var healthyKinds = []struct {
	name string
	turn func(w *world)
}{
	{"steady steps", func(*world) {}},
	{"varying lengths", func(w *world) { w.vary = 0.9 }},
	{"evaluation under no_grad", func(w *world) {
		w.evalEvery = w.length.Seconds() / 6
		w.evalLength = w.evalEvery / 4
		w.evalMarks = true
	}},
	{"lazy state in the beginning", func(w *world) { w.warmTo, w.warmFor = 1.5*w.floor, 0.25*w.length.Seconds() }},
	{"a metric that is reset each epoch", func(w *world) { w.accumulate, w.epoch = 0.004, w.length.Seconds()/5 }},
	{"a first step that needs much", func(w *world) { w.firstPeak = 3 * w.peak }},
	{"lengths with a heavy tail", func(w *world) { w.vary, w.peak, w.floor = 2, 0.6, min(w.floor, 0.1) }},
	{"a large step on a small model", func(w *world) { w.floor, w.weights, w.peak = 0.02, 0.01, 0.8 }},
	{"a notebook whose cells keep things", func(w *world) { w.cells, w.floor = w.length.Seconds()/7, 0.1 }},
	{"a step that waits for data", func(w *world) { w.idle, w.period = 0.9, w.period*2 }},
	{"a log and nothing else", func(w *world) { w.attached, w.logEvery = false, 5 }},
	{"a slow load", func(w *world) { w.load, w.weights = 0.6*w.length.Seconds(), 0.4; w.floor = 0.4 }},
}

const healthySeeds = 30

func TestHealthyMadeUpJobsRaiseNoAlarm(t *testing.T) {
	seeds := uint64(healthySeeds)
	if testing.Short() {
		seeds = 5
	}
	judged, alarms := 0, 0
	for _, kind := range healthyKinds {
		wrong := 0
		example := ""
		for seed := range seeds {
			w := newWorld(seed)
			kind.turn(w)
			all := w.samples()
			// The whole, as a file; and what was seen at three moments, as live.
			for _, part := range []float64{1, 0.75, 0.5, 0.3} {
				n := int(part * float64(len(all)))
				if part*w.length.Seconds() < w.load+2*w.warmFor {
					continue // while a warm-up goes on nobody can tell it from a leak
				}
				judged++
				for _, f := range advisor.Advise(inputOf(all[:n])) {
					if f.Severity >= advisor.Warning {
						alarms++
						wrong++
						example = fmt.Sprintf("seed %d at %.0f %%: %s: %s", seed, 100*part, f.ID, f.Title)
						break
					}
				}
			}
		}
		t.Logf("%-40s %d of %d windows with an alarm  %s", kind.name, wrong, 4*seeds, example)
	}
	t.Logf("%d alarms in %d windows of healthy jobs (%.2f %%)", alarms, judged, 100*float64(alarms)/float64(judged))
	if 200*alarms > judged {
		t.Errorf("more than one false alarm in 200 windows")
	}
}

func TestHealthyRecordingsRaiseNoAlarmAtAnyMoment(t *testing.T) {
	slow(t)
	for _, e := range manifest(t) {
		if len(e.Expect) > 0 {
			continue
		}
		all := samplesOf(t, shared(t, "recordings", e.File))
		for n := 5; n < len(all); n += 3 {
			for _, f := range advisor.Advise(inputOf(all[:n])) {
				if f.Severity >= advisor.Warning {
					t.Errorf("%s after %.1f s: %s: %s", e.File, all[n-1].Time.Sub(all[0].Time).Seconds(), f.ID, f.Title)
				}
			}
		}
	}
}

// sickKinds are jobs with one thing wrong.
var sickKinds = []struct {
	name  string
	want  []string
	least float64 // share of the seeds in which it must come first
	turn  func(w *world, r *rand.Rand)
}{
	{"leak of 2 % a minute", []string{"leak"}, 0.9, func(w *world, r *rand.Rand) { leak(w, 0.02) }},
	{"leak of 10 % a minute", []string{"leak"}, 0.9, func(w *world, r *rand.Rand) { leak(w, 0.1) }},
	{"slow leak over ten minutes", []string{"leak"}, 0.85, func(w *world, r *rand.Rand) {
		leak(w, 0.003)
		w.interval, w.length = time.Second, 10*time.Minute
	}},
	{"leak over six hours", []string{"leak"}, 0.85, func(w *world, r *rand.Rand) {
		leak(w, 0.0006)
		w.interval, w.length = 5*time.Second, 6*time.Hour
		w.floor, w.weights = min(w.floor, 0.4), min(w.weights, 0.3)
	}},
	{"leak in a log", []string{"leak"}, 0.85, func(w *world, r *rand.Rand) {
		leak(w, 0.03)
		w.attached = false
		w.logEvery = int(max(1, w.length.Seconds()/w.period/20))
	}},
	{"leak that begins late", []string{"leak"}, 0.9, func(w *world, r *rand.Rand) {
		leak(w, 0.05)
		w.leakFrom = 0.4 * w.length.Seconds()
	}},
	{"reserved grows", []string{"reserved-growth"}, 0.9, func(w *world, r *rand.Rand) {
		w.floor, w.weights, w.peak = min(w.floor, 0.2), min(w.weights, 0.1), min(w.peak, 0.1)
		w.cachePerMinute = 60 / w.length.Seconds() * 0.6
	}},
	{"another process comes", []string{"other-process"}, 0.95, func(w *world, r *rand.Rand) {
		w.otherFrom, w.other = 0.6*w.length.Seconds(), 0.2+0.2*r.Float64()
	}},
	{"another library", []string{"non-torch-memory", "other-library"}, 0.95, func(w *world, r *rand.Rand) {
		w.card = max(w.card, 24<<30)
		w.outside = 0.14 + 0.2*r.Float64()
	}},
	{"growth outside torch", []string{"non-torch-leak"}, 0.9, func(w *world, r *rand.Rand) {
		w.outsidePerMin = 60 / w.length.Seconds() * 0.2
	}},
	{"stages not released", []string{"second-stage-not-released", "leak"}, 0.8, func(w *world, r *rand.Rand) {
		fast(w)
		w.floor, w.weights = min(w.floor, 0.2), min(w.weights, 0.1)
		l := w.length.Seconds()
		w.jumps, w.jump = []float64{0.45 * l, 0.75 * l}, w.floor
	}},
	{"rare peaks", []string{"transient-peak", "length-spike"}, 0.8, func(w *world, r *rand.Rand) {
		fast(w)
		w.peak = min(w.peak, 0.05)
		w.floor = min(w.floor, 0.06)
		w.spikeEvery, w.spike = w.length.Seconds()/12, 0.5
	}},
	{"a phase that is over", []string{"cache-retention"}, 0.8, func(w *world, r *rand.Rand) {
		fast(w)
		w.held, w.heldUntil = 0.6, 0.2*w.length.Seconds()
		w.floor, w.peak = min(w.floor, 0.08), min(w.peak, 0.05)
	}},
	{"evaluation with gradients", []string{"eval-without-no-grad", "leak", "eval-predictions-on-gpu"}, 0.8, func(w *world, r *rand.Rand) {
		fast(w)
		w.evalEvery = w.length.Seconds() / 6
		w.evalLength = w.evalEvery / 2
		w.peak = min(w.peak, 0.1)
		w.evalRamp, w.evalMarks = 3*w.peak+0.1, true
	}},
}

func leak(w *world, perMinute float64) {
	// Long enough for 2 % of the card and 20 steps.
	w.leakPerMinute = perMinute
	w.length = max(w.length, time.Minute*3/2)
	w.load = min(w.load, 10)
	w.period = min(w.period, 1.3)
}

// fast gives the world steps of which each sample sees one or more.
func fast(w *world) { w.period = min(w.period, 4*w.interval.Seconds()) }

func TestMadeUpTroubleIsNamedFirst(t *testing.T) {
	seeds := uint64(healthySeeds)
	if testing.Short() {
		seeds = 8
	}
	for _, kind := range sickKinds {
		right := 0
		missed := ""
		for seed := range seeds {
			w := newWorld(1000 + seed)
			kind.turn(w, w.rng)
			found := advisor.Advise(inputOf(w.samples()))
			ok := len(found) > 0 && found[0].Severity >= advisor.Warning && in(string(found[0].ID), kind.want)
			if ok {
				right++
			} else {
				missed = fmt.Sprintf("seed %d: %s (step %.2fs every %v, %.0f GiB, peak %.2f floor %.2f idle %.2f)", seed, list(found, 3), w.period, w.interval, w.card/(1<<30), w.peak, w.floor, w.idle)
			}
		}
		t.Logf("%-30s %d of %d right  %s", kind.name, right, seeds, missed)
		if float64(right+1) < kind.least*float64(seeds) {
			t.Errorf("%s: %d of %d right, want %.0f %%", kind.name, right, seeds, 100*kind.least)
		}
	}
}

func in(s string, list []string) bool {
	for _, l := range list {
		if s == l {
			return true
		}
	}
	return false
}

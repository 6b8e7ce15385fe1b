package advisor_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
)

// changes are other recordings of the same kind, made from those there are:
// what somebody else's machine, size and pace would have given.
var changes = []struct {
	name    string
	least   int // of the scored ones
	apply   func(r *rand.Rand, s []monitor.Sample) []monitor.Sample
	resized bool
}{
	{"half the pace", 27, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample { return paced(s, 2) }, false},
	{"five times the pace", 27, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample { return paced(s, 0.2) }, false},
	{"sixty times slower", 27, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample { return paced(s, 60) }, false},
	{"a third of the samples lost", 26, func(r *rand.Rand, s []monitor.Sample) []monitor.Sample {
		return lost(r, s, 0.33)
	}, false},
	{"from somewhere in the first half", 25, func(r *rand.Rand, s []monitor.Sample) []monitor.Sample {
		return s[r.IntN(len(s)/2):]
	}, false},
	{"a job half as large", 25, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample { return smaller(s, 0.5) }, true},
	{"a job a fifth as large", 21, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample { return smaller(s, 0.2) }, true},
	{"a job a third larger", 25, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample { return smaller(s, 1.33) }, true},
	{"no peaks", 25, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample {
		return torchRows(s, func(a *monitor.Allocator) { a.PeakAllocatedBytes, a.PeakReservedBytes = unread(), unread() })
	}, false},
	{"no counters", 26, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample {
		return torchRows(s, func(a *monitor.Allocator) {
			a.AllocRetryCount, a.OOMCount, a.InactiveSplitBytes, a.SegmentCount = unread(), unread(), unread(), unread()
		})
	}, false},
	{"no memory of processes", 24, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample {
		return each(s, func(s *monitor.Sample) {
			s.Holders = slices.Clone(s.Holders)
			for i := range s.Holders {
				s.Holders[i].UsedBytes = unread()
			}
		})
	}, false},
	{"no list of processes", 24, func(_ *rand.Rand, s []monitor.Sample) []monitor.Sample {
		return each(s, func(s *monitor.Sample) { s.Holders = nil })
	}, false},
}

// fillTheCard are the recordings that fail because the whole card is full: a
// smaller job would not.
var fillTheCard = []string{"capacity.jsonl", "model_load.jsonl", "optimizer_step.jsonl", "cotenant.jsonl"}

func unread() monitor.Reading[int64] { return monitor.Unknown[int64](monitor.NotAvailable, "") }

// paced stretches the time between samples.
func paced(in []monitor.Sample, by float64) []monitor.Sample {
	at := func(t time.Time) time.Time {
		return in[0].Time.Add(time.Duration(float64(t.Sub(in[0].Time)) * by))
	}
	return each(in, func(s *monitor.Sample) {
		s.Time = at(s.Time)
		s.Lines, s.Readings = slices.Clone(s.Lines), slices.Clone(s.Readings)
		for i := range s.Lines {
			s.Lines[i].Time = at(s.Lines[i].Time)
		}
		for i := range s.Readings {
			s.Readings[i].Time = at(s.Readings[i].Time)
		}
	})
}

// lost drops samples at random; the log is not lost.
func lost(r *rand.Rand, in []monitor.Sample, share float64) []monitor.Sample {
	var out []monitor.Sample
	var lines []monitor.LogLine
	var readings []monitor.LogReading
	for i, s := range in {
		lines, readings = append(lines, s.Lines...), append(readings, s.Readings...)
		if i > 0 && i < len(in)-1 && r.Float64() < share {
			continue
		}
		s.Lines, s.Readings = lines, readings
		lines, readings = nil, nil
		out = append(out, s)
	}
	return out
}

// smaller scales the job and leaves the card.
func smaller(in []monitor.Sample, by float64) []monitor.Sample {
	total := map[int]int64{}
	for _, g := range in[0].GPUs {
		total[g.Index] = g.Memory.TotalBytes.Or(0)
	}
	out := scaled(in, by)
	for i := range out {
		for n := range out[i].GPUs {
			g := &out[i].GPUs[n]
			used := min(g.Memory.UsedBytes.Or(0), total[g.Index])
			g.Memory.TotalBytes, g.Memory.UsedBytes = monitor.Known(total[g.Index]), monitor.Known(used)
			g.Memory.FreeBytes = monitor.Known(total[g.Index] - used - g.Memory.DriverReservedBytes.Or(0))
		}
		for n := range out[i].Readings {
			if o := out[i].Readings[n].OOM; o != nil {
				o.TotalBytes = monitor.Known(total[0])
				if free, ok := o.FreeBytes.Get(); ok { // no more is free than there is
					o.FreeBytes = monitor.Known(min(free, total[0]))
				}
			}
		}
	}
	return out
}

func torchRows(in []monitor.Sample, f func(*monitor.Allocator)) []monitor.Sample {
	return each(in, func(s *monitor.Sample) {
		s.Torch = slices.Clone(s.Torch)
		for i := range s.Torch {
			f(&s.Torch[i])
		}
	})
}

func TestOtherRecordingsOfTheSameKindsAreJudgedAlike(t *testing.T) {
	slow(t)
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			right, scored, alarms := 0, 0, 0
			var wrong strings.Builder
			for i, e := range manifest(t) {
				if c.resized && slices.Contains(fillTheCard, e.File) {
					continue
				}
				r := rand.New(rand.NewPCG(uint64(i), 99))
				found := advisor.Advise(inputOf(c.apply(r, samplesOf(t, shared(t, "recordings", e.File)))))
				verdict := judge(e, found)
				if verdict == "FALSE ALARM" {
					alarms++
				}
				if !e.Scored {
					continue
				}
				scored++
				if verdict == "ok" {
					right++
				} else {
					fmt.Fprintf(&wrong, "\n    %s %s: %s", e.File, verdict, list(found, 3))
				}
			}
			t.Logf("%d of %d right, %d false alarms%s", right, scored, alarms, wrong.String())
			if alarms > 0 || right < c.least {
				t.Errorf("want at least %d right and no false alarm", c.least)
			}
		})
	}
}

// TestAHealthyJobBesideASickOneIsLeftAlone puts two recordings on one machine.
func TestAHealthyJobBesideASickOneIsLeftAlone(t *testing.T) {
	slow(t)
	healthy := withoutLog(samplesOf(t, shared(t, "recordings", "healthy.jsonl")))
	for _, e := range manifest(t) {
		sick := samplesOf(t, shared(t, "recordings", e.File))
		if len(sick[0].GPUs) > 1 {
			continue
		}
		found := advisor.Advise(inputOf(beside(sick, healthy)))
		for _, f := range found {
			if f.Severity >= advisor.Warning && f.GPU != nil && *f.GPU == 5 {
				t.Errorf("%s: the healthy job beside it: %s: %s", e.File, f.ID, f.Title)
			}
		}
		if v := judge(e, found); e.Scored && v != "ok" {
			t.Errorf("%s beside a healthy job: %s: %s", e.File, v, list(found, 3))
		}
	}
}

// beside adds the rows of a second recording as GPU 5.
func beside(a, b []monitor.Sample) []monitor.Sample {
	i := -1
	return each(a, func(s *monitor.Sample) {
		i++
		other := b[min(i, len(b)-1)]
		for _, g := range other.GPUs {
			g.Index, g.UUID = 5, monitor.Known("GPU-other")
			s.GPUs = append(slices.Clone(s.GPUs), g)
		}
		for _, h := range other.Holders {
			h.GPU, h.PID = 5, h.PID+50000
			s.Holders = append(slices.Clone(s.Holders), h)
		}
		for _, a := range other.Torch {
			a.GPU, a.PID = monitor.Known(5), a.PID+50000
			s.Torch = append(slices.Clone(s.Torch), a)
		}
	})
}

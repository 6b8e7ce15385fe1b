package advisor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
)

// lives are the ways in which a recording holds the beginning and the end of a
// job, made from one that holds its work alone.
var lives = []struct {
	name  string
	apply func([]monitor.Sample) []monitor.Sample
	log   bool // it needs a log
}{
	{"from before its start to after its end", func(s []monitor.Sample) []monitor.Sample {
		return after(tornDown(before(s, 12), 5), 4, true)
	}, false},
	{"ends with the tear-down", func(s []monitor.Sample) []monitor.Sample { return tornDown(s, 3) }, false},
	{"a slow tear-down", func(s []monitor.Sample) []monitor.Sample { return after(tornDown(s, len(s)/8), 2, false) }, false},
	{"killed, nothing freed", func(s []monitor.Sample) []monitor.Sample { return after(before(s, 3), 6, true) }, false},
	{"its allocator is read no longer", func(s []monitor.Sample) []monitor.Sample {
		return printedFrom(s, len(s)-len(s)/12)
	}, true},
	{"its allocator is never read, its log is", func(s []monitor.Sample) []monitor.Sample { return printedFrom(s, 0) }, true},
}

// ticks is the start of the job's process.
const ticks = 4242

// started gives every process a start, as where its facts are read.
func started(in []monitor.Sample) []monitor.Sample {
	return each(in, func(s *monitor.Sample) {
		s.Torch = slices.Clone(s.Torch)
		for i := range s.Torch {
			s.Torch[i].StartTicks = ticks
		}
		pids := map[int]bool{}
		for _, p := range s.Processes {
			pids[p.PID] = true
		}
		s.Processes = slices.Clone(s.Processes)
		for i := range s.Processes {
			s.Processes[i].StartTicks = ticks
		}
		for _, h := range s.Holders {
			if !pids[h.PID] {
				pids[h.PID] = true
				s.Processes = append(s.Processes, monitor.Process{PID: h.PID, StartTicks: ticks, Name: "python3"})
			}
		}
	})
}

// empty is a sample of the same machine without anybody on it.
func empty(s monitor.Sample, at time.Time) monitor.Sample {
	s.Time, s.Torch, s.Holders, s.Processes, s.Lines, s.Readings, s.Marks = at, nil, nil, nil, nil, nil, nil
	s.GPUs = slices.Clone(s.GPUs)
	for i := range s.GPUs {
		m := &s.GPUs[i].Memory
		m.UsedBytes, m.FreeBytes = monitor.Known[int64](0), m.TotalBytes
		s.GPUs[i].Activity = monitor.Activity{}
	}
	return s
}

func pace(in []monitor.Sample) time.Duration {
	return in[len(in)-1].Time.Sub(in[0].Time) / time.Duration(len(in)-1)
}

// before puts samples in front in which the job is not there yet.
func before(in []monitor.Sample, n int) []monitor.Sample {
	in = started(in)
	var out []monitor.Sample
	for i := n; i > 0; i-- {
		out = append(out, empty(in[0], in[0].Time.Add(-time.Duration(i)*pace(in))))
	}
	return append(out, in...)
}

// tornDown adds samples in which the tensors are gone and the process is not.
func tornDown(in []monitor.Sample, n int) []monitor.Sample {
	in = started(in)
	least := map[int]int64{}
	for _, s := range in {
		for _, a := range s.Torch {
			if v, ok := a.AllocatedBytes.Get(); ok && v > 0 && (least[a.PID] == 0 || v < least[a.PID]) {
				least[a.PID] = v
			}
		}
	}
	last := in[len(in)-1]
	for i := range n {
		s := last
		s.Time, s.Lines, s.Readings, s.Marks = last.Time.Add(time.Duration(i+1)*pace(in)), nil, nil, nil
		s.Torch = slices.Clone(last.Torch)
		for k := range s.Torch {
			s.Torch[k].AllocatedBytes = monitor.Known(least[s.Torch[k].PID] / 8)
			s.Torch[k].InactiveSplitBytes = monitor.Known[int64](0)
		}
		in = append(in, s)
	}
	return in
}

// after adds samples in which the process is gone. With printed, a row of what
// its log said last stands there for a while, without the process's start.
func after(in []monitor.Sample, n int, printed bool) []monitor.Sample {
	in = started(in)
	last, said := in[len(in)-1], newest(in)
	for i := range n {
		s := empty(last, last.Time.Add(time.Duration(i+1)*pace(in)))
		if printed && said != nil {
			s.Torch = []monitor.Allocator{rowOf(said, last, 0)}
		}
		in = append(in, s)
	}
	return in
}

// printedFrom replaces the allocator's rows from a place on by rows of what the
// log said last.
func printedFrom(in []monitor.Sample, from int) []monitor.Sample {
	in = started(in)
	i := -1
	return each(in, func(s *monitor.Sample) {
		if i++; i < from {
			return
		}
		s.Torch = nil
		if said := newest(in[:i+1]); said != nil && len(s.Holders) > 0 {
			s.Torch = []monitor.Allocator{rowOf(said, *s, ticks)}
		}
	})
}

func newest(in []monitor.Sample) *monitor.LogReading {
	for i := len(in) - 1; i >= 0; i-- {
		for k := len(in[i].Readings) - 1; k >= 0; k-- {
			if r := &in[i].Readings[k]; r.Kind == monitor.LogMemory && r.AllocatedBytes.Known() {
				return r
			}
		}
	}
	return nil
}

func rowOf(r *monitor.LogReading, s monitor.Sample, ticks uint64) monitor.Allocator {
	pid := 4711
	if len(s.Holders) > 0 {
		pid = s.Holders[0].PID
	}
	return monitor.Allocator{PID: pid, StartTicks: ticks, GPU: monitor.Known(0), GPUAssumed: true, Origin: monitor.OriginLog, State: monitor.AllocatorOK,
		ReadAt: r.Time, AllocatedBytes: r.AllocatedBytes, ReservedBytes: r.ReservedBytes, PeakAllocatedBytes: r.MaxAllocatedBytes, PeakReservedBytes: r.MaxReservedBytes}
}

// silentInALog are the kinds that the figures of a log do not show.
var silentInALog = []string{"leak in a log", "rare peaks", "evaluation with gradients", "reserved grows", "leak over six hours", "a phase that is over"}

func TestTroubleIsNamedWhereAJobStartsAndEndsWithinTheRecording(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for _, life := range lives {
		for _, kind := range sickKinds {
			if life.log && slices.Contains(silentInALog, kind.name) {
				continue
			}
			right, plain := 0, 0
			var missed []string
			for seed := range seeds {
				w := newWorld(1000 + seed)
				kind.turn(w, w.rng)
				if life.log {
					w.logEvery = int(max(1, w.length.Seconds()/w.period/40))
				}
				all := w.samples()
				ok := func(s []monitor.Sample) bool {
					found := advisor.Advise(inputOf(s))
					return len(found) > 0 && found[0].Severity >= advisor.Warning && in(string(found[0].ID), kind.want)
				}
				if !ok(all) {
					continue // not seen without the ends either
				}
				plain++
				if s := life.apply(all); ok(s) {
					right++
				} else {
					missed = append(missed, fmt.Sprintf("seed %d: %s", seed, list(advisor.Advise(inputOf(s)), 3)))
				}
			}
			t.Logf("%-42s %-30s %d of %d  %s", life.name, kind.name, right, plain, strings.Join(missed, "; "))
			if float64(right+1) < 0.85*float64(plain) {
				t.Errorf("%s, %s: %d of %d", life.name, kind.name, right, plain)
			}
		}
	}
}

func TestHealthyJobsRaiseNoAlarmWhereTheyStartAndEndWithinTheRecording(t *testing.T) {
	seeds := uint64(healthySeeds)
	if testing.Short() {
		seeds = 4
	}
	judged, alarms := 0, 0
	for _, life := range lives {
		for _, kind := range healthyKinds {
			for seed := range seeds {
				w := newWorld(seed)
				kind.turn(w)
				judged++
				for _, f := range advisor.Advise(inputOf(life.apply(w.samples()))) {
					if f.Severity >= advisor.Warning {
						alarms++
						t.Logf("%s, %s, seed %d: %s: %s", life.name, kind.name, seed, f.ID, f.Title)
						break
					}
				}
			}
		}
	}
	t.Logf("%d alarms in %d recordings of healthy jobs", alarms, judged)
	if 200*alarms > judged {
		t.Errorf("more than one false alarm in 200")
	}
}

func TestTheRecordingsAreJudgedAlikeWithTheEndOfTheJobInThem(t *testing.T) {
	slow(t)
	for _, life := range lives {
		if life.log {
			continue
		}
		right, scored := 0, 0
		for _, e := range manifest(t) {
			all := samplesOf(t, shared(t, "recordings", e.File))
			if len(all[0].GPUs) > 1 || e.File == "cotenant.jsonl" || !e.Scored {
				continue
			}
			found := advisor.Advise(inputOf(life.apply(all)))
			scored++
			switch v := judge(e, found); v {
			case "ok":
				right++
			case "FALSE ALARM":
				t.Errorf("%s, %s: %s", life.name, e.File, list(found, 3))
			default:
				t.Logf("%s, %s: %s: %s", life.name, e.File, v, list(found, 3))
			}
		}
		t.Logf("%s: %d of %d", life.name, right, scored)
		if right < scored-2 {
			t.Errorf("%s: %d of %d", life.name, right, scored)
		}
	}
}

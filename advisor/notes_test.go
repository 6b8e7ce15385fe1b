package advisor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// keptLines is how many lines of a log a live screen hands over, at least.
const keptLines = 400

// livePass is one pass of a live screen after those samples, which forgets what
// is older than its newest lines and readings, or has notes of it.
func livePass(all []monitor.Sample, noted bool) []advisor.Finding {
	store := history.New(history.Config{})
	var notes advisor.Notes
	var lines []monitor.LogLine
	for _, s := range all {
		store.Append(s)
		notes.Add(s.Lines, s.Readings)
		lines = append(lines, s.Lines...)
	}
	from, at := store.Span()
	in := advisor.Input{Window: store.Window(from, at), Lines: lines[max(0, len(lines)-keptLines):]}
	if noted {
		notes.Into(&in, at)
	}
	return advisor.Advise(in)
}

// chatters adds lines that say nothing, and counts steps in every sample.
func chatters(all []monitor.Sample, each int) []monitor.Sample {
	for i := range all {
		s := &all[i]
		for k := range each {
			s.Lines = append(s.Lines, monitor.LogLine{Time: s.Time, Source: "train.log", Text: fmt.Sprintf("batch %d of %d is on its way", k, i)})
		}
		s.Readings = append(s.Readings, monitor.LogReading{Time: s.Time, Source: "train.log", Kind: monitor.LogProgress, Step: monitor.Known(int64(i))})
	}
	return all
}

func has(found []advisor.Finding, id catalog.ID) bool {
	for _, f := range found {
		if f.ID == id && f.Severity >= advisor.Warning {
			return true
		}
	}
	return false
}

// An evaluation that keeps its graphs every 20 minutes, in a log of three lines
// a second.
func TestAnEvaluationThatWasAnnouncedLongAgoIsStillKnown(t *testing.T) {
	m := newSim(rand.New(rand.NewPCG(7, 618)), 1, 80)
	m.every = 1
	m.stretch(80 * 60)
	n := m.net(500)
	n.step, n.wait, n.load = 0.8, 0.1, 20
	n.weights, n.acts = m.share(0.02)/int64(n.layers), m.share(0.06)/int64(n.layers)
	p := &proc{rank: -1}
	m.run(0, p, func(p *proc) {
		t := p.trains(n)
		for {
			t.steps(p.now+20*60, one, nil)
			p.say("validation")
			var graphs []*piece
			for range 240 {
				graphs = append(graphs, p.take(m.share(0.0015), "eval.py"))
				p.wait(1)
			}
			for _, g := range graphs {
				p.h.give(g)
			}
			p.say("train")
		}
	})
	all := chatters(m.samples(), 3)
	if found := livePass(all, true); !has(found, catalog.EvalWithoutNoGrad) {
		t.Errorf("with notes: %s", list(found, 4))
	}
	if found := livePass(all, false); has(found, catalog.EvalWithoutNoGrad) {
		t.Error("notes are not needed for it")
	}
}

// A leak of 0.02 % of the card a minute, which only the log shows, a line a
// second.
func TestASlowLeakInALogAloneIsStillSeen(t *testing.T) {
	const card = 80 * gib
	r := rand.New(rand.NewPCG(8, 619))
	var all []monitor.Sample
	for i := range 3 * 3600 {
		at := start.Add(time.Duration(i) * time.Second)
		level := int64(12*gib + 0.0002/60*card*float64(i) + 0.05*gib*math.Abs(r.NormFloat64()))
		all = append(all, monitor.Sample{Time: at,
			GPUs: []monitor.GPU{{UUID: monitor.Known("GPU-a"), State: monitor.StateOK, Memory: monitor.DeviceMemory{TotalBytes: monitor.Known[int64](card)}}},
			Readings: []monitor.LogReading{{Time: at, Source: "train.log", Kind: monitor.LogMemory, Step: monitor.Known(int64(i)),
				AllocatedBytes: monitor.Known(level), ReservedBytes: monitor.Known[int64](30 * gib)}}})
	}
	if found := livePass(all, true); !has(found, catalog.Leak) {
		t.Errorf("with notes: %s", list(found, 4))
	}
	if found := livePass(all, false); has(found, catalog.Leak) {
		t.Error("notes are not needed for it")
	}
}

func TestNotesAreBounded(t *testing.T) {
	var notes advisor.Notes
	at := start
	for i := range 20_000 {
		at = at.Add(time.Second)
		lines := []monitor.LogLine{{Time: at, Text: "validation"}, {Time: at, Text: "Traceback (most recent call last):"}, {Time: at, Text: "CUDA out of memory"}}
		notes.Add(lines, []monitor.LogReading{{Time: at, Kind: monitor.LogMemory, Line: int64(i)}, {Time: at, Kind: monitor.LogOOM}})
	}
	var in advisor.Input
	notes.Into(&in, at.Add(time.Hour))
	if len(in.Lines) > 1024 || len(in.Readings) > 2048 || len(in.Lines) < 256 || len(in.Readings) < 512 {
		t.Errorf("%d lines, %d readings", len(in.Lines), len(in.Readings))
	}
	in = advisor.Input{}
	notes.Into(&in, start.Add(5000*time.Second))
	for _, l := range in.Lines {
		if l.Time.After(start.Add(5000 * time.Second)) {
			t.Fatalf("a line of the future: %v", l.Time)
		}
	}
}

// A log that is read in one go gives all of its readings at one time, more than
// a window keeps.
func TestAFailureEarlyInALogThatIsReadInOneGoIsStillKnown(t *testing.T) {
	s := monitor.Sample{Time: start}
	for i := range 1500 {
		r := monitor.LogReading{Time: start, Source: "train.log", Line: int64(i + 1), Kind: monitor.LogProgress, Step: monitor.Known(int64(i))}
		if i == 10 {
			r.Kind, r.OOM = monitor.LogOOM, &monitor.LogOOMFigures{RequestedBytes: monitor.Known[int64](2 * gib), TotalBytes: monitor.Known[int64](24 * gib), FreeBytes: monitor.Known[int64](gib)}
		}
		s.Readings = append(s.Readings, r)
	}
	store := history.New(history.Config{})
	store.Append(s)
	var notes advisor.Notes
	notes.Add(nil, s.Readings)
	from, at := store.Span()
	in := advisor.Input{Window: store.Window(from, at)}
	notes.Into(&in, at.Add(time.Second))
	seen := map[int64]int{}
	for _, r := range append(in.Readings, in.Window.Readings...) {
		seen[r.Line]++
	}
	if len(in.Window.Readings) >= 1500 || len(seen) != 1500 {
		t.Errorf("%d of 1500 lines, %d of them in the window", len(seen), len(in.Window.Readings))
	}
	for line, n := range seen {
		if n != 1 {
			t.Fatalf("line %d is there %d times", line, n)
		}
	}
	if found := advisor.Advise(in); len(found) == 0 || found[0].ID != catalog.Capacity {
		t.Errorf("found %s", list(found, 3))
	}
}

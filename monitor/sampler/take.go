package sampler

import (
	"context"
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// taker takes one sample after another. One goroutine at a time uses it.
type taker struct {
	stages [][]*runner
	host   string
	seq    uint64
	book   logBook
}

func newTaker(cfg Config) taker {
	t := taker{host: cfg.Host, book: newLogBook()}
	for _, sources := range cfg.Stages {
		var stage []*runner
		for _, s := range sources {
			stage = append(stage, &runner{source: s, name: s.Name()})
		}
		t.stages = append(t.stages, stage)
	}
	return t
}

// take asks all sources and merges their answers. It returns early when ctx
// ends.
func (t *taker) take(ctx context.Context, deadline time.Duration) monitor.Sample {
	t.seq++
	s := monitor.Sample{Seq: t.seq, Time: time.Now().Round(0), Host: t.host}
	for _, stage := range t.stages {
		t.ask(ctx, stage, &s, deadline)
	}
	// Its time is when it was complete, so that no figure in it is newer than
	// the sample and every age is one.
	s.Time = time.Now().Round(0)
	t.book.add(s.Readings)
	s.Torch = joinLog(&s, &t.book)
	return s
}

// ask runs the sources of one stage side by side and adds their parts in order.
func (t *taker) ask(ctx context.Context, stage []*runner, s *monitor.Sample, deadline time.Duration) {
	callCtx, cancel := context.WithTimeout(ctx, deadline)
	seen := snapshot(s)
	started := make([]bool, len(stage))
	for i, r := range stage {
		started[i] = r.start(callCtx, monitor.Request{Time: s.Time, Seen: seen})
	}
	for i, r := range stage {
		if !started[i] {
			merge(s, r.unanswered(time.Now()))
			continue
		}
		merge(s, t.await(callCtx, r, s.Time))
	}
	cancel()
}

// await waits for an answer until ctx ends. One that is there at that very
// moment still counts.
func (t *taker) await(ctx context.Context, r *runner, at time.Time) monitor.Part {
	select {
	case a := <-r.pending:
		return r.answered(a, at)
	case <-ctx.Done():
	}
	select {
	case a := <-r.pending:
		return r.answered(a, at)
	default:
		return r.unanswered(time.Now())
	}
}

// snapshot is what a source may look at while others go on: its slices have no
// room, so that adding to the sample leaves them alone even when a source that
// hangs still holds them.
func snapshot(s *monitor.Sample) *monitor.Sample {
	seen := *s
	s.GPUs, s.Holders = slices.Clip(s.GPUs), slices.Clip(s.Holders)
	s.Processes, s.Torch = slices.Clip(s.Processes), slices.Clip(s.Torch)
	s.Lines, s.Readings, s.Sources = slices.Clip(s.Lines), slices.Clip(s.Readings), slices.Clip(s.Sources)
	return &seen
}

// merge adds a part to a sample. A device or a process that another source
// gave already is not added again.
func merge(s *monitor.Sample, part monitor.Part) {
	if s.Driver == "" {
		s.Driver = part.Driver
	}
	s.GPUs = addNew(s.GPUs, part.GPUs, func(g *monitor.GPU) int { return g.Index })
	s.Processes = addNew(s.Processes, part.Processes, func(p *monitor.Process) int { return p.PID })
	s.Holders = add(s.Holders, part.Holders)
	s.Torch = add(s.Torch, part.Torch)
	s.Lines = append(s.Lines, part.Lines...)
	s.Readings = append(s.Readings, part.Readings...)
	s.Marks = append(s.Marks, part.Marks...)
	s.Sources = append(s.Sources, part.Status)
}

// add adds rows to others. Rows alone are taken as they are, without room to
// add to: neither a part nor a sample is changed once it is handed over.
func add[T any](to, more []T) []T {
	if len(to) == 0 {
		return slices.Clip(more)
	}
	return append(to, more...)
}

// addNew adds the rows whose number is not there yet.
func addNew[T any](to, more []T, number func(*T) int) []T {
	if len(to) == 0 || len(more) == 0 {
		return add(to, more)
	}
	known := make(map[int]bool, len(to))
	for i := range to {
		known[number(&to[i])] = true
	}
	for i := range more {
		if !known[number(&more[i])] {
			to = append(to, more[i])
		}
	}
	return to
}

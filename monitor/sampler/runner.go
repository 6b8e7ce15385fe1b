package sampler

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// runner calls one source, never twice at the same time, and remembers what
// matters while the source is silent. It belongs to the goroutine that takes
// samples.
type runner struct {
	source  monitor.Source
	name    string
	pending chan answer // of a call that has not returned; nil when none runs
	since   time.Time   // when the pending call began
	goodAt  time.Time
	gpus    []monitor.GPU // as last read
	late    monitor.Part  // log lines of calls that returned after their deadline
}

// answer is how a call ended.
type answer struct {
	part  monitor.Part
	panic string // what the source panicked with
	took  time.Duration
}

// start asks the source, unless an earlier call has not returned yet. It
// reports whether there is now a call to wait for.
func (r *runner) start(ctx context.Context, req monitor.Request) bool {
	if r.pending != nil {
		select {
		case old := <-r.pending:
			r.keepLines(old.part)
			r.pending = nil
		default:
			return false
		}
	}
	done := make(chan answer, 1)
	r.pending, r.since = done, time.Now()
	go func() {
		began := time.Now()
		a := answer{panic: "it ended its goroutine"}
		defer func() {
			if what := recover(); what != nil {
				a = answer{panic: oneLine(what)}
			}
			a.took = time.Since(began)
			done <- a
		}()
		a = answer{part: r.source.Read(ctx, req)}
	}()
	return true
}

// keepLines saves the log lines of an answer that came too late for its
// sample: figures go stale, lines do not.
func (r *runner) keepLines(part monitor.Part) {
	r.late.Lines = newest(append(r.late.Lines, part.Lines...), maxCarried)
	r.late.Readings = newest(append(r.late.Readings, part.Readings...), maxCarried)
	r.late.Marks = newest(append(r.late.Marks, part.Marks...), maxCarried)
}

func oneLine(what any) string {
	text := strings.Join(strings.Fields(fmt.Sprint(what)), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "…"
	}
	return text
}

// answered turns an answer that came in time into a part of the sample.
func (r *runner) answered(a answer, at time.Time) monitor.Part {
	r.pending = nil
	if a.panic != "" {
		return r.silent(monitor.StateUnavailable, "it failed: "+a.panic)
	}
	part := a.part
	if part.Status.Name == "" {
		part.Status.Name = r.name
	}
	if part.Status.Took == 0 {
		part.Status.Took = a.took
	}
	if part.Status.State == monitor.StateOK || part.Status.State == monitor.StatePartial {
		if part.Status.GoodAt.IsZero() {
			part.Status.GoodAt = at
		}
		r.goodAt = part.Status.GoodAt
	}
	if len(part.GPUs) > 0 {
		r.gpus = part.GPUs
	}
	return r.withLate(part)
}

// unanswered is the part of a source whose call has not returned.
func (r *runner) unanswered(now time.Time) monitor.Part {
	state := monitor.StateStale
	if r.goodAt.IsZero() {
		state = monitor.StateUnavailable
	}
	return r.silent(state, "no answer for "+roughly(now.Sub(r.since)))
}

// silent is the part of a source that gave nothing: its devices as last read,
// marked so, and no figures that could be taken for fresh.
func (r *runner) silent(state monitor.State, reason string) monitor.Part {
	part := monitor.Part{Status: monitor.SourceStatus{Name: r.name, State: state, Reason: reason, GoodAt: r.goodAt}}
	for _, g := range r.gpus {
		g.State, g.Reason = monitor.StateStale, r.name+": "+reason
		part.GPUs = append(part.GPUs, g)
	}
	return r.withLate(part)
}

func (r *runner) withLate(part monitor.Part) monitor.Part {
	if len(r.late.Lines)+len(r.late.Readings)+len(r.late.Marks) > 0 {
		part.Lines = append(r.late.Lines, part.Lines...)
		part.Readings = append(r.late.Readings, part.Readings...)
		part.Marks = append(r.late.Marks, part.Marks...)
		r.late = monitor.Part{}
	}
	return part
}

// roughly writes a duration for people: 0.8 s, 12 s, 3 min.
func roughly(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// newest returns the last n of a slice.
func newest[T any](all []T, n int) []T {
	if len(all) <= n {
		return all
	}
	return append([]T(nil), all[len(all)-n:]...)
}

// close ends the source when no call runs; while one does, as soon as it
// returns, because a source is not to be pulled from under its own feet.
func (r *runner) close(done chan<- error) {
	pending := r.pending
	go func() {
		if pending != nil {
			<-pending
		}
		err := r.source.Close()
		if err != nil {
			err = fmt.Errorf("close source %s: %w", r.name, err)
		}
		done <- err
	}()
}

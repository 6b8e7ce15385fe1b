package advisor

import (
	"math"
	"slices"

	"github.com/vramscope/vramscope/advisor/catalog"
)

// announcer returns which job a line of a process speaks of: its own, where the
// process is a job, else any, as with the log of a launcher.
func (s *scene) announcer() func(pid int) int {
	jobs := map[int]bool{}
	for _, j := range s.jobs {
		jobs[j.pid()] = true
	}
	return func(pid int) int {
		if jobs[pid] {
			return pid
		}
		return 0
	}
}

// pid is the process of a job, 0 when it is not known.
func (j *job) pid() int {
	switch {
	case j.holder != nil:
		return j.key.PID
	case j.log != nil:
		return j.log.pid
	default:
		return 0
	}
}

// concerns reports whether a line may speak of a job.
func (m phaseMark) concerns(j *job) bool { return m.pid == 0 || j.pid() == 0 || m.pid == j.pid() }

// tells reports whether a phase of a job was announced at all.
func (h hints) tells(j *job, p phase) bool {
	return slices.ContainsFunc(h.phases, func(m phaseMark) bool { return m.phase == p && m.concerns(j) })
}

// phaseTimes returns when any of the phases of a job was announced between two
// times.
func (h hints) phaseTimes(j *job, from, to float64, want ...phase) []float64 {
	var out []float64
	for _, m := range h.phases {
		if m.t >= from && m.t <= to && slices.Contains(want, m.phase) && m.concerns(j) {
			out = append(out, m.t)
		}
	}
	return out
}

// evaluating returns since when a job has been in an evaluation that still runs:
// the newest line about a phase of it, when that one begins an evaluation.
func (s *scene) evaluating(j *job) (since float64, yes bool) {
	newest := math.Inf(-1)
	for _, m := range s.text.phases {
		if m.t < newest || !m.concerns(j) {
			continue
		}
		if m.phase == phaseEval || m.phase == phaseEvalEnd || m.phase == phaseTrain {
			newest, yes = m.t, m.phase == phaseEval
		}
	}
	return newest, yes
}

// withinEvaluation reports whether a rise began with the evaluation that the job
// is in: what evaluation keeps goes when it ends, so it is no leak yet.
func (s *scene) withinEvaluation(j *job, g growth) bool {
	since, yes := s.evaluating(j)
	return yes && g.from >= since-math.Max(3*s.every, 0.5*(s.end-since))
}

// openEvaluation tells a climb in an evaluation that still runs, unless climbs
// of earlier ones are told: it may be gradients, or predictions that are kept.
func (s *scene) openEvaluation(j *job, g growth) []*draft {
	if s.evaluated(j) != nil {
		return nil
	}
	w := words{"base": size(g.start), "top": size(g.end), "time": duration(g.endAt - g.startAt)}
	d := s.draft(catalog.EvalWithoutNoGrad, "open", w).on(j).span(g.from, g.to).grade(Warning, Possible)
	return []*draft{d.during("allocated floor at the start", g.start, Bytes, g.from, g.to).
		during("allocated floor at the end", g.end, Bytes, g.from, g.to).
		during("slope", g.rate(), BytesPerSecond, g.from, g.to)}
}

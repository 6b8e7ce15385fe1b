package doctor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vramscope/vramscope/monitor/clean"
)

// Judge answers for every source and right.
func Judge(f Facts) Report {
	r := Report{Format: Format, Checks: []Check{
		f.nvml(), f.gpus(), f.pids(), f.users(), f.proc(), f.ptrace(), f.yama(), f.seccomp(),
		f.log(), f.cgroup(), f.cpu(), f.shm(), f.terminal(),
	}, Jobs: []Job{}}
	for _, j := range f.Jobs {
		r.Jobs = append(r.Jobs, f.job(j))
	}
	for i := range r.Checks {
		r.Checks[i] = harmless(r.Checks[i])
	}
	return r
}

// harmless takes out of a check what a terminal would obey: names of devices,
// processes and files stand in it.
func harmless(c Check) Check {
	c.Reason, c.Cure = clean.Line(c.Reason), clean.Line(c.Cure)
	return c
}

func good(id, reason string) Check { return Check{ID: id, State: OK, Reason: reason} }

// lacking is a check that is not ok, with its cures cheapest first.
func lacking(id string, state State, reason string, cures ...string) Check {
	return Check{ID: id, State: state, Reason: reason, Cure: strings.Join(cures, cureJoint)}
}

// cureJoint stands between two ways to help.
const cureJoint = "; or "

// source returns what a source of the sample said of itself.
func (f *Facts) source(name string) (state, reason string) {
	for _, s := range f.Sample.Sources {
		if s.Name == name {
			return s.State.String(), s.Reason
		}
	}
	return "", ""
}

func size(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// plural is "1 GPU" or "3 GPUs".
func plural(n int, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "ss"):
		return fmt.Sprintf("%d %ses", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// distinct returns the texts in their order, each once.
func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

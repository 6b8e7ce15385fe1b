package doctor

import (
	"slices"
	"strings"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/monitor/history"
)

// job puts together what is known of one process and what is wrong with it.
func (f *Facts) job(j JobFacts) Job {
	p, _ := f.Sample.Process(j.PID)
	out := Job{
		PID: j.PID, Name: clean.Line(p.Name), User: clean.Line(p.User), GPUs: f.gpusOf(j.PID), Rank: pointer(p.Rank),
		TorchVersion: pointer(j.TorchVersion), AllocConf: cleaned(p.AllocConf),
		MemoryLimit: pointer(j.Resources.LimitBytes), MemoryUsed: pointer(j.Resources.UsedBytes),
		OOMKills: pointer(j.Resources.OOMKills), LimitHits: pointer(j.Resources.LimitHits),
		CPUs: pointer(j.Resources.CPUs), Throttled: pointer(j.Resources.Throttled), Cpuset: pointer(j.Resources.Cpuset),
		Checks: []Check{},
	}
	if c := j.Resources.Container; c.Runtime != "" {
		name := clean.Line(strings.TrimSuffix(c.Runtime+":"+c.ID, ":"))
		out.Container = &name
	}
	if s, ok := j.Shm.Get(); ok {
		out.ShmTotal, out.ShmUsed = &s.TotalBytes, &s.UsedBytes
		if c := shmCheck(s); c.State != OK {
			out.Checks = append(out.Checks, c)
		}
	}
	if trouble, cure := limitTrouble(j.Resources); trouble != "" {
		out.Checks = append(out.Checks, lacking(IDCgroup, Partial, limitText(j.Resources)+"; "+trouble, cure))
	}
	for _, a := range f.Sample.Torch {
		if a.PID == j.PID && (out.Allocator == "" || a.State == monitor.AllocatorOK) {
			out.Allocator = a.State.String()
		}
	}
	out.Checks = append(out.Checks, settings(p, j.TorchVersion)...)
	for i := range out.Checks {
		out.Checks[i] = harmless(out.Checks[i])
	}
	return out
}

func cleaned(r monitor.Reading[string]) *string {
	return pointer(monitor.Map(r, clean.Line))
}

func (f *Facts) gpusOf(pid int) []int {
	gpus := []int{}
	add := func(gpu int) {
		if !slices.Contains(gpus, gpu) {
			gpus = append(gpus, gpu)
		}
	}
	for _, h := range f.Sample.Holders {
		if h.InNamespace && h.PID == pid {
			add(h.GPU)
		}
	}
	for _, a := range f.Sample.Torch {
		if gpu, ok := a.GPU.Get(); ok && a.PID == pid {
			add(gpu)
		}
	}
	slices.Sort(gpus)
	return gpus
}

// settings has the allocator settings of one process judged by the advisor's
// own rule, given the version of its PyTorch.
func settings(p monitor.Process, version monitor.Reading[string]) []Check {
	p.TorchVersion = version
	p.Container.LimitBytes = monitor.Reading[int64]{} // judged here with the figures of the group
	at := time.Unix(1, 0)
	store := history.New(history.WholeFile(1, time.Second))
	store.Append(monitor.Sample{Time: at, Processes: []monitor.Process{p}})
	var out []Check
	for _, finding := range advisor.Advise(advisor.Input{Window: store.Window(at, at)}) {
		if finding.ID != catalog.AllocConf {
			continue
		}
		cure := "see 'vramscope advise'"
		if len(finding.Advice) > 0 { // the first is for every setting, the others for some
			cure = strings.TrimRight(finding.Advice[0].Do, ".")
		}
		out = append(out, lacking(string(finding.ID), Partial, finding.Title, cure))
	}
	return out
}

package advisor

import (
	"math"
	"slices"
	"strings"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/monitor/history"
)

const freeMetric = history.Free

// hostOfLimit is the share of a container's memory limit from which on the
// kernel is about to act.
const hostOfLimit = 0.9

// knownErrors needs the raw lines: texts that name a cause outside the three
// layers.
func knownErrors(s *scene) []*draft {
	seen := map[trouble]bool{}
	var out []*draft
	for _, m := range s.text.troubles {
		if seen[m.kind] {
			continue
		}
		seen[m.kind] = true
		var d *draft
		switch m.kind {
		case troubleShm:
			d = s.draft(catalog.DevShmTooSmall, "text", words{}).grade(Critical, Fact)
		case troubleKilled:
			d = s.draft(catalog.HostRAM, "killed", words{}).grade(Critical, Likely)
		case troubleHostAlloc:
			d = s.draft(catalog.HostRAM, "alloc", words{}).grade(Critical, Fact)
		case troublePinned:
			d = s.draft(catalog.HostRAM, "pinned", words{}).grade(Warning, Possible)
		case troubleCgroup:
			d = s.draft(catalog.ContainerLimit, "text", words{}).grade(Critical, Fact)
		case troubleNCCL:
			if slices.ContainsFunc(s.ooms, func(o oom) bool { return o.cause == "NCCL" }) {
				continue
			}
			d = s.ncclFailed()
		case troubleXid, troubleECC:
			d = s.draft(catalog.GPUError, "text", words{"text": quoted(m.text)}).grade(Critical, Fact)
		case noTrouble:
			continue
		}
		if m.pid != 0 {
			d.pid(m.pid)
		}
		out = append(out, d.span(m.t, m.t))
	}
	return out
}

// quoted returns a piece of outside text that is fit for a sentence.
func quoted(text string) string {
	text = strings.TrimSpace(clean.Line(text))
	if r := []rune(text); len(r) > 80 {
		text = string(r[:79]) + "…"
	}
	return text
}

// ncclFailed adds what the figures say about the cache at that time.
func (s *scene) ncclFailed() *draft {
	d := s.draft(catalog.NCCLOverhead, "text", words{}).grade(Critical, Likely)
	for _, j := range s.jobs {
		r, ok1 := j.reserved().end()
		a, ok2 := j.alloc().end()
		if ok1 && ok2 {
			return d.on(j).bytes("reserved by torch", r).bytes("idle in the cache", r-a)
		}
	}
	return d
}

// box is a container with a limit and what its processes held when one of them
// was last seen.
type box struct {
	id          string
	limit, used float64
	last        float64 // seconds
	pid         int
	worst       float64
}

// boxes collects the containers whose limit is known.
func (s *scene) boxes() []*box {
	byID := map[string]*box{}
	var out []*box
	each := func(f func(b *box, last, rss float64, pid int)) {
		for i := range s.w.Processes {
			p := &s.w.Processes[i].Process
			limit, ok1 := p.Container.LimitBytes.Get()
			rss, ok2 := p.HostBytes.Get()
			if !ok1 || !ok2 || limit <= 0 {
				continue
			}
			b := byID[p.Container.ID]
			if b == nil {
				b = &box{id: p.Container.ID, limit: float64(limit)}
				byID[b.id], out = b, append(out, b)
			}
			f(b, s.seconds(s.w.Processes[i].Last), float64(rss), p.PID)
		}
	}
	each(func(b *box, last, _ float64, _ int) { b.last = math.Max(b.last, last) })
	each(func(b *box, last, rss float64, pid int) {
		if last < b.last-1.5*s.every {
			return // gone by then
		}
		b.used += rss
		if rss > b.worst {
			b.worst, b.pid = rss, pid
		}
	})
	slices.SortFunc(out, func(a, b *box) int { return strings.Compare(a.id, b.id) })
	return out
}

// hostMemory needs the limit of a container and the resident sets in it.
func hostMemory(s *scene) []*draft {
	var out []*draft
	for _, b := range s.boxes() {
		if b.used < hostOfLimit*b.limit {
			continue
		}
		// Forked workers share pages, which are counted once for each of them.
		severity, confidence := Info, Possible
		if b.worst >= hostOfLimit*b.limit {
			severity, confidence = Warning, Likely
		}
		w := words{"used": size(b.used), "limit": size(b.limit), "share": percent(b.used / b.limit)}
		d := s.draft(catalog.ContainerLimit, "run", w).pid(b.pid).span(b.last, b.last).grade(severity, confidence)
		if s.end-b.last > math.Max(gonePoints*s.every, 3) {
			d.State = Resolved
		}
		out = append(out, d.bytes("resident memory in the container", b.used).bytes("limit of the container", b.limit))
	}
	return out
}

// gpuErrors needs the error counters of the driver.
func gpuErrors(s *scene) []*draft {
	var out []*draft
	for _, g := range s.gpus {
		e := g.facts.ECC
		claim := ""
		severity := Warning
		w := words{"gpu": number(g.index)}
		switch {
		case e.RowRemapFailure.Or(false):
			claim, severity = "remapfailed", Critical
		case e.UncorrectedCount.Or(0) > 0:
			claim, w["count"] = "uncorrected", several(int(e.UncorrectedCount.Or(0)), "error", "errors")
		case e.PendingRowRemap.Or(false):
			claim = "remap"
		default:
			if hot := throttled(g.facts.Throttle.Or(nil)); hot != "" {
				claim, severity, w["reason"] = "throttle", Info, quoted(hot)
			}
		}
		if claim == "" {
			continue
		}
		d := s.draft(catalog.GPUError, claim, w).onGPU(g).span(s.end, s.end).grade(severity, Fact)
		if n, ok := e.UncorrectedCount.Get(); ok {
			d.figure("uncorrected errors since the driver was loaded", float64(n), Count)
		}
		out = append(out, d)
	}
	return out
}

// throttled returns a throttle reason that is no normal one.
func throttled(reasons []string) string {
	for _, r := range reasons {
		low := strings.ToLower(r)
		if strings.Contains(low, "thermal") || strings.Contains(low, "hw slowdown") || strings.Contains(low, "hw_slowdown") ||
			strings.Contains(low, "hardware slowdown") || strings.Contains(low, "power brake") || strings.Contains(low, "power_brake") {
			return r
		}
	}
	return ""
}

// kvServers are servers that take a planned share of the card for their cache.
func kvServers(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		if j.holder == nil || j.total == 0 {
			continue
		}
		p := j.process()
		text := strings.ToLower(p.Command + " " + p.Name)
		server := ""
		for _, name := range []string{"vllm", "sglang", "lmdeploy", "text-generation", "tgi", "trtllm"} {
			if strings.Contains(text, name) {
				server = name
				break
			}
		}
		used, ok := j.used()
		if server == "" || !ok || used < 0.5*j.total {
			continue
		}
		k := j.track(history.Used)
		if k.len() == 0 {
			continue
		}
		w := words{"server": server, "used": size(used), "share": percent(used / j.total)}
		d := s.draft(catalog.KVCacheGrowth, "server", w).on(j).span(k.t[0], k.t[k.len()-1]).grade(Info, Likely)
		out = append(out, d.bytes("used by the server", used))
	}
	return out
}

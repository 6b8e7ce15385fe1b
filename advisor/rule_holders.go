package advisor

import (
	"math"
	"strings"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// Bounds of the rules about who holds a card.
const (
	otherOfCard   = 0.05
	strayOfCard   = 0.0015 // a context of a rank on a device that is not its own
	workerOfCard  = 0.02   // of loader workers together
	settled       = 3      // samples that must agree
	together      = 3      // samples within which ranks of one job appear
	unevenOfCard  = 0.2
	unevenTimes   = 1.5
	unevenWarning = 0.9 // of the card, for the fullest rank
)

// otherProcesses needs the driver's list of processes: one that is not of the
// job holds a part of its card.
func otherProcesses(s *scene) []*draft {
	var out []*draft
	for _, g := range s.gpus {
		if g.total == 0 {
			continue
		}
		if d := s.otherOn(g); d != nil {
			out = append(out, d)
		} else if d := s.hiddenOn(g); d != nil {
			out = append(out, d)
		}
	}
	return out
}

// otherOn finds the largest process on a device that does not belong to the
// job there.
func (s *scene) otherOn(g *gpu) *draft {
	job := s.mainOf(g)
	if job == nil {
		return nil
	}
	var worst *holder
	most := 0.0
	for _, h := range g.holders {
		if v, ok := h.usedNow.Get(); h == job || ok && float64(v) < otherOfCard*g.total || s.sameJob(h, job) {
			continue
		}
		k := h.track(history.Used)
		if k.len() < settled || !overlap(k, job.track(history.Used)) {
			continue
		}
		if held := quantile(k.last[max(0, k.len()-settled):], 0); held > most {
			worst, most = h, held
		}
	}
	if worst == nil || most < otherOfCard*g.total {
		return nil
	}
	k := worst.track(history.Used)
	own, _ := job.used()
	w := words{"held": size(most), "share": percent(most / g.total), "own": size(own), "name": nameOf(worst), "pid": number(worst.key.PID),
		"job": number(job.key.PID), "total": size(g.total)}
	id, claim, c := catalog.OtherProcess, "run", Fact
	if s.leftOver(worst) {
		id, c = catalog.ZombieProcess, Likely
	}
	d := s.draft(id, claim, w).onGPU(g).pid(worst.key.PID).span(k.t[0], k.t[k.len()-1]).grade(Warning, c)
	d.during("held by the other process", most, Bytes, k.t[0], k.t[k.len()-1]).bytes("this job", own)
	if free := g.track(history.Free); free.len() > 0 {
		least := quantile(free.last[max(0, free.len()-settled):], 0)
		d.bytes("free on the card", free.min())
		if least < 0.02*g.total {
			d.Severity = Critical
		}
	}
	return d
}

// mainOf returns the process that a device's findings are about: the one that
// failed, else the one whose memory is known and whose log it is, else the
// first that came. What a dead run left behind may well hold a log, and tensors
// that can be read.
func (s *scene) mainOf(g *gpu) *holder {
	var best *holder
	most := -1
	for _, h := range g.holders {
		if !h.listed {
			continue
		}
		claim := 0
		if h.job != nil {
			claim = 1
			if h.job.log != nil {
				claim = 2
			}
			if s.failureOf(h.job) != nil {
				claim = 4
			}
		}
		if p := h.process(); p.ParentPID == 1 && s.leftOver(h) {
			claim -= 2
		}
		if best == nil || claim > most {
			best, most = h, claim
		}
	}
	return best
}

func nameOf(h *holder) string {
	p := h.process()
	if p.Name != "" {
		return p.Name
	}
	if f := strings.Fields(p.Command); len(f) > 0 {
		return f[0]
	}
	return "process"
}

func overlap(a, b track) bool {
	if a.len() == 0 || b.len() == 0 {
		return false
	}
	return a.t[0] <= b.t[b.len()-1] && b.t[0] <= a.t[a.len()-1]
}

// sameJob reports whether two processes on a device belong together: ranks or
// children of one launcher. Without facts, processes that appeared together
// are given the benefit of the doubt, and so are those that share another
// device.
func (s *scene) sameJob(a, b *holder) bool {
	p, q := a.process(), b.process()
	if p.ParentPID != 0 || q.ParentPID != 0 {
		if p.ParentPID == b.key.PID || q.ParentPID == a.key.PID || p.ParentPID == q.ParentPID && p.ParentPID > 1 {
			return true
		}
		r1, ok1 := p.Rank.Get()
		r2, ok2 := q.Rank.Get()
		return ok1 && ok2 && r1 != r2 && p.World == q.World
	}
	if a.spread > 1 || b.spread > 1 {
		return true
	}
	near := math.Max(float64(together)*s.every, 1e-9)
	ka, kb := a.track(history.Used), b.track(history.Used)
	if ka.len() == 0 || kb.len() == 0 {
		return false
	}
	first := math.Abs(ka.t[0] - kb.t[0])
	ua, _ := a.used()
	ub, _ := b.used()
	return first <= near && math.Min(ua, ub) >= 0.5*math.Max(ua, ub)
}

// leftOver reports whether a process looks like what a dead run left behind.
// One that ends within the window is a zombie for a moment, as all are.
func (s *scene) leftOver(h *holder) bool {
	p := h.process()
	if p.State == "Z" {
		return !h.ended()
	}
	cpu, ok := p.CPUPercent.Get()
	return p.ParentPID == 1 && ok && cpu < 0.5 && strings.Contains(p.Command+p.Name, "python")
}

// hiddenOn finds memory of a device that no listed process holds.
func (s *scene) hiddenOn(g *gpu) *draft {
	if rest, ok := g.unlistedNow(); ok && rest < otherOfCard*g.total {
		return nil
	}
	used := g.track(history.Used)
	if used.len() < settled || len(g.holders) == 0 || s.mainOf(g) == nil {
		return nil
	}
	n := used.len()
	least, listed := math.Inf(1), 0.0
	for i := n - settled; i < n; i++ {
		sum := 0.0
		for _, h := range g.holders {
			k := h.track(history.Used)
			if at := k.at(used.t[i]); at < k.len() && k.t[at] == used.t[i] {
				sum += k.last[at]
			} else if k.len() == 0 {
				return nil // a process whose memory the driver does not tell
			}
		}
		if sum == 0 {
			return nil
		}
		least, listed = math.Min(least, used.last[i]-sum), sum
	}
	if least < otherOfCard*g.total || least < contextBytes {
		return nil
	}
	w := words{"held": size(least), "share": percent(least / g.total), "own": size(listed), "total": size(g.total)}
	d := s.draft(catalog.OtherProcess, "unlisted", w).onGPU(g).span(used.t[n-settled], used.t[n-1]).grade(Warning, Likely)
	return d.bytes("used and not listed", least).bytes("listed processes", listed)
}

// unlistedNow is what is used of a device in the newest sample and not held by
// a listed process; false when any of it is not known.
func (g *gpu) unlistedNow() (float64, bool) {
	used, ok1 := g.facts.Memory.UsedBytes.Get()
	listed, ok2 := g.listedNow.Get()
	return float64(used - listed), ok1 && ok2
}

// strayContexts needs the driver's list: a process holds memory on a device
// that another process works on, besides its own.
func strayContexts(s *scene) []*draft {
	var out []*draft
	for _, g := range s.gpus {
		if g.total == 0 || len(g.holders) < 2 {
			continue
		}
		var stray []*holder
		sum, largest := 0.0, 0.0
		for _, h := range g.holders {
			if h.spread < 2 {
				continue
			}
			home := s.homeOf(h.key)
			used, ok := h.used()
			if home == nil || home == g || !ok || used < strayOfCard*g.total || h.track(history.Used).len() < settled {
				continue
			}
			if owner := s.residentOf(g); owner == nil || owner == h {
				continue
			}
			stray = append(stray, h)
			sum += used
			largest = math.Max(largest, used)
		}
		if len(stray) == 0 {
			continue
		}
		k := stray[0].track(history.Used)
		w := words{"count": several(len(stray), "process", "processes"), "sum": size(sum), "each": size(largest), "gpu": number(g.index),
			"home": number(s.homeOf(stray[0].key).index), "pid": number(stray[0].key.PID), "share": percent(sum / g.total)}
		claim := "one"
		if len(stray) > 1 {
			claim = "many"
		}
		d := s.draft(catalog.DDPRankContexts, claim, w).onGPU(g).pid(stray[0].key.PID).span(k.t[0], k.t[k.len()-1]).grade(Warning, Likely)
		d.Rank = rankOf(stray[0])
		d.figure("processes with another home", float64(len(stray)), Count).bytes("together on this device", sum)
		out = append(out, d)
	}
	return out
}

// homeOf returns the device on which a process holds most.
func (s *scene) homeOf(key monitor.ProcessKey) *gpu {
	var home *gpu
	most, on := 0.0, 0
	for _, h := range s.holders[key.PID] {
		if h.key != key {
			continue
		}
		on++
		if used, ok := h.used(); ok && used > most {
			home, most = h.gpu, used
		}
	}
	if on < 2 {
		return nil
	}
	return home
}

// residentOf returns the process on a device that has no other home.
func (s *scene) residentOf(g *gpu) *holder {
	for _, h := range g.holders {
		if h.spread < 2 || s.homeOf(h.key) == g {
			return h
		}
	}
	return nil
}

// loaderWorkers needs parents: children of a job that hold a context each.
func loaderWorkers(s *scene) []*draft {
	var out []*draft
	for _, g := range s.gpus {
		byParent := map[int][]*holder{}
		for _, h := range g.holders {
			if p := h.process().ParentPID; p > 1 {
				byParent[p] = append(byParent[p], h)
			}
		}
		for _, parent := range g.holders {
			kids := byParent[parent.key.PID]
			sum, most := 0.0, 0.0
			for _, h := range kids {
				used, _ := h.used()
				sum += used
				most = math.Max(most, used)
			}
			if len(kids) < 2 || most > contextBytes || g.total == 0 || sum == 0 {
				continue
			}
			severity := Info
			if sum >= workerOfCard*g.total {
				severity = Warning
			}
			w := words{"count": number(len(kids)), "sum": size(sum), "each": size(sum / float64(len(kids))), "share": percent(sum / g.total)}
			d := s.draft(catalog.DataloaderWorkers, "run", w).onGPU(g).pid(parent.key.PID).grade(severity, Likely)
			k := kids[0].track(history.Used)
			if k.len() > 0 {
				d.span(k.t[0], k.t[k.len()-1])
			}
			out = append(out, d.figure("workers", float64(len(kids)), Count).bytes("together", sum))
		}
	}
	return out
}

// uneven needs the ranks of one job on several devices.
func uneven(s *scene) []*draft {
	var full, empty *job
	most, least := 0.0, math.Inf(1)
	ranks := 0
	for _, j := range s.jobs {
		if j.holder == nil || j.rank == nil && j.spread < 2 || j.gpu == nil || j.total == 0 {
			continue
		}
		if home := s.homeOf(j.key); j.spread > 1 && home != nil && home != j.gpu {
			continue
		}
		used, ok := j.used()
		if !ok || used < 0 || j.track(history.Used).len() == 0 {
			continue
		}
		ranks++
		if used > most {
			full, most = j, used
		}
		if used < least {
			empty, least = j, used
		}
	}
	if ranks < 2 || full == nil || empty == nil || full == empty || most-least < unevenOfCard*full.total || most < unevenTimes*least {
		return nil
	}
	severity := Info
	if peak, ok := full.peak().end(); ok && peak >= unevenWarning*full.total {
		severity = Warning // its tensors need it, not just its cache
	}
	w := words{"most": size(most), "least": size(least), "gpu": number(full.gpu.index), "other": number(empty.gpu.index), "ranks": number(ranks)}
	k := full.track(history.Used)
	d := s.draft(catalog.RankImbalance, "run", w).on(full).span(k.t[0], k.t[k.len()-1]).grade(severity, Likely)
	return []*draft{d.bytes("fullest rank", most).bytes("emptiest rank", least).figure("ranks", float64(ranks), Count)}
}

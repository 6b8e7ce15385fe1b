package advisor

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/history"
)

// forecastWithin is how far ahead a forecast is told: what is further away is
// rather a guess.
const forecastWithin = 24 * 3600

// grower is a process whose growth fills a device, in bytes and bytes a second.
type grower struct {
	pid       *int
	rate      float64
	low, high float64 // range of the rate
	from, to  float64 // seconds in which it was seen
	cache     bool    // PyTorch gives back what only its cache grew by, before it gives up
	cause     *draft  // nil where only the driver's figure of the process says so
}

// forecast says of each device when it is full, and whose growth that is. A
// card is filled by all that grow on it together: each of three may be far from
// filling it alone.
func forecast(s *scene, found []*draft) []*draft {
	var out []*draft
	failed, onGPU := s.failedGPUs(), map[string][]*draft{}
	for _, f := range found {
		if f.GPU != nil {
			onGPU[f.GPUID] = append(onGPU[f.GPUID], f)
		}
	}
	for _, g := range s.gpus {
		if failed[g] || math.IsNaN(s.end) {
			continue
		}
		grow := s.growers(g, onGPU[g.id])
		if slow := s.slowGrowers(g, grow); len(grow)+len(slow) > 1 {
			grow = append(grow, slow...) // one alone may as well be loading
		}
		if d := s.forecastOf(g, grow); d != nil {
			out = append(out, d)
		}
	}
	return out
}

// growers are the processes on a device of which a finding about it says that
// they grow.
// Of two findings about one process the first counts, which is the cause.
func (s *scene) growers(g *gpu, found []*draft) []grower {
	var out []grower
	for _, f := range found {
		switch f.ID {
		case catalog.Leak, catalog.ReservedGrowth, catalog.NonTorchLeak:
		default:
			continue
		}
		if f.Severity == Info || f.Line.Metric == "" || g.lost(f.PID) || f.To.Before(s.time(s.end).Add(-f.To.Sub(f.From)/4)) {
			continue
		}
		slope := (f.Line.ToBytes - f.Line.FromBytes) / f.Line.To.Sub(f.Line.From).Seconds()
		if !(slope > 0) || math.IsInf(slope, 0) || slices.ContainsFunc(out, func(o grower) bool { return samePID(o.pid, f.PID) }) {
			continue
		}
		low, high := f.Line.SlopeLow, f.Line.SlopeHigh
		if low <= 0 || high <= 0 {
			low, high = 0.7*slope, 1.4*slope
		}
		out = append(out, grower{pid: f.PID, rate: slope, low: low, high: high, from: s.seconds(f.From), to: s.seconds(f.To),
			cache: f.ID == catalog.ReservedGrowth, cause: f})
	}
	return out
}

func samePID(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }

// addedUp adds growths up.
func addedUp(grow []grower) grower {
	sum := grower{from: math.Inf(1), to: math.Inf(-1)}
	for _, x := range grow {
		sum.rate, sum.low, sum.high = sum.rate+x.rate, sum.low+x.low, sum.high+x.high
		sum.from, sum.to = math.Min(sum.from, x.from), math.Max(sum.to, x.to)
	}
	return sum
}

// forecastOf writes the finding about a device; nil for none.
func (s *scene) forecastOf(g *gpu, grow []grower) *draft {
	free := g.track(freeMetric)
	if len(grow) == 0 || free.len() == 0 {
		return nil
	}
	left := quantile(free.last[max(0, free.len()-20):], 0.1)
	sum := addedUp(grow)
	early, late := left/sum.high, left/sum.low
	if early > forecastWithin || left <= 0 {
		return nil
	}
	firm := addedUp(slices.DeleteFunc(slices.Clone(grow), func(x grower) bool { return x.cache || x.cause == nil }))
	severity := Warning
	if left/firm.low <= soonSeconds {
		severity = Critical
	}
	w := words{"early": duration(early), "late": duration(late), "free": size(left), "rate": rate(sum.rate)}
	claim := "run"
	if len(grow) > 1 {
		claim, w["count"], w["who"] = "many", number(len(grow)), whoGrows(grow, sum.rate)
	}
	d := s.draft(catalog.ForecastFull, claim, w).onGPU(g).span(sum.from, sum.to).grade(severity, Likely)
	d.figure("full in, at the earliest", early, Seconds).figure("full in, at the latest", late, Seconds).bytes("free at the end", left)
	return d.grownBy(grow, sum.rate)
}

// grownBy says whose growth it is: one process that a finding names is that
// finding's, of several each has its share.
func (d *draft) grownBy(grow []grower, all float64) *draft {
	if len(grow) == 1 {
		f := grow[0].cause
		d.PID, d.Rank, d.job, d.logged = f.PID, f.Rank, f.job, f.logged
		return d
	}
	d.figure("growth together", all, BytesPerSecond)
	for _, x := range byRate(grow) {
		d.figure("growth of "+processText(x.pid), x.rate, BytesPerSecond).figure("its share of the growth", 100*x.rate/all, Percent)
		if x.cause == nil {
			d.Confidence = Possible
		}
	}
	return d.tag(catalog.GrowTogether)
}

func byRate(grow []grower) []grower {
	out := slices.Clone(grow)
	slices.SortStableFunc(out, func(a, b grower) int { return cmp.Compare(b.rate, a.rate) })
	return out
}

// namedGrowers is how many processes a sentence names.
const namedGrowers = 3

// whoGrows names the processes with their shares, the fastest first.
func whoGrows(grow []grower, all float64) string {
	var parts []string
	rest := 1.0
	for i, x := range byRate(grow) {
		if i == namedGrowers {
			parts = append(parts, "others ("+percent(rest)+")")
			break
		}
		parts = append(parts, processText(x.pid)+" ("+percent(x.rate/all)+")")
		rest -= x.rate / all
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

func processText(pid *int) string {
	if pid == nil {
		return "the process of the log"
	}
	return "process " + number(*pid)
}

// Bounds of a growth that only the driver's figure of a process shows.
const (
	slowPoints  = 60    // samples
	slowOfCard  = 0.001 // least rise of a process
	slowHolders = 64    // processes on a device that are looked at
	slowSeen    = 0.6   // of the growth, by which the device has to be fuller
)

// slowGrowers are further processes on a device that grow, of which no finding
// says so: too slowly to be trouble alone, or because their tensors cannot be
// read. Each has to take more evenly and in many rises, not as a job does that
// loads or whose cache finds its size, and the device has to be fuller for it.
func (s *scene) slowGrowers(g *gpu, known []grower) []grower {
	if g.total == 0 || len(g.holders) > slowHolders {
		return nil
	}
	rule := growthRule{points: slowPoints, perBlock: 6, maxBlocks: 10, supported: true, minBytes: slowOfCard * g.total}
	used := g.track(history.Used)
	if used.len() < slowPoints || used.cannotRise(rule.minBytes) {
		return nil
	}
	var out []grower
	rose, from := 0.0, math.Inf(-1)
	for _, h := range g.holders {
		pid := h.key.PID
		if !h.listed || h.ended() || slices.ContainsFunc(known, func(o grower) bool { return samePID(o.pid, &pid) }) {
			continue
		}
		k := h.track(history.Used)
		grown, ok := findGrowth(k, rule)
		if !ok || !k.takesOn(grown) {
			continue
		}
		rose, from = rose+grown.rate(), math.Max(from, grown.from)
		out = append(out, grower{pid: &pid, rate: grown.rate(), low: math.Max(0.7*grown.rate(), grown.low), high: math.Max(grown.rate(), grown.high),
			from: grown.from, to: grown.to})
	}
	for _, x := range known {
		rose, from = rose+x.rate, math.Max(from, x.from)
	}
	seen := used.between(from, math.Inf(1))
	if n := seen.len(); n < slowPoints/2 || seen.last[n-1]-seen.last[0] < slowSeen*rose*(seen.t[n-1]-seen.t[0]) {
		return nil
	}
	return out
}

// takesOn reports whether a growth of what a process holds is made of many
// rises all through it and up to now, is none of the first half of a life that
// began in the window, and is not all that the process holds beside its
// context, as what loads has taken all it has that way.
func (k track) takesOn(g growth) bool {
	part := k.slice(g.first, g.last)
	c := climbOf(part, 0)
	if c.rises < growRises || c.sixths < 6 || c.lateUp < 0.25*c.up || c.down > 0.1*c.up {
		return false
	}
	if g.start-contextBytes < 0.25*g.bytes() {
		return false
	}
	return !k.bornHere() || g.from >= (k.t[0]+g.to)/2
}

// failedGPUs are the devices on which a request failed: what would have filled
// them did.
func (s *scene) failedGPUs() map[*gpu]bool {
	out := map[*gpu]bool{}
	for i := range s.ooms {
		if j := s.ooms[i].job; j != nil && j.gpu != nil {
			out[j.gpu] = true
		}
	}
	return out
}

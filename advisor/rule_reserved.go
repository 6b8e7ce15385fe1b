package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// Bounds of the rules about the cache.
const (
	growOfCard   = 0.03 // reserved above what tensors ever needed, to be growth
	growOfNeed   = 0.5  // as a share of that need
	growRises    = 13   // times that reserved rose, spread over the window
	growPoints   = 12   // samples, or lines of a log
	bornOfTop    = 0.05 // of the most it ever had, reserved at the beginning
	bornExcess   = 3    // times the need that a cache finding its size stays below
	idleOfCard   = 0.05 // idle cache that is worth a warning
	retryCount   = 5    // flushes of the cache
	flushPoints  = 3    // samples before a flush is counted
	plentyOfCard = 0.2
	splitOfCard  = 0.1
	splitOfCache = 0.4
)

// climb is how reserved rose through a window: in how many rises, in how many
// sixths of it, by how much up and down.
type climb struct {
	from, to        float64
	start, top, end float64
	rises           int
	sixths          int
	up, down        float64
	lateUp          float64 // in the last third
	flushes         int     // falls by a third and by far more than it rises
	points          int
}

// climbOf looks at the rises of a track. Rises under least are no rises.
func climbOf(k track, least float64) climb {
	n := k.len()
	c := climb{points: n, start: k.last[0], top: k.max(), end: k.last[n-1], from: k.t[0], to: k.t[n-1]}
	var in [6]bool
	falling := false // one flush takes a while: samples fall into it
	for i := 1; i < n; i++ {
		d := k.last[i] - k.last[i-1]
		switch {
		case d > least:
			falling = false
			c.rises++
			c.up += d
			in[min(5, i*6/n)] = true
			if i >= n-n/3 {
				c.lateUp += d
			}
		case d < -least:
			c.down -= d
			if d < -0.3*k.last[i-1] && d < -5*c.up/math.Max(1, float64(c.rises)) {
				if !falling {
					c.flushes++
				}
				falling = true
			}
		}
	}
	for _, yes := range in {
		if yes {
			c.sixths++
		}
	}
	return c
}

// reservedGrowth needs reserved of a process, read or logged. Reserved has to
// climb in many small rises above anything that tensors ever needed; a few
// early rises are a cache that finds its size.
func reservedGrowth(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		if j.total == 0 || s.neverMuchIdle(j) || j.still(history.Reserved, growOfCard*j.total) && j.log == nil {
			continue
		}
		end := s.lastBefore(j)
		for _, v := range s.views(j) {
			r, need := v.reserved.slice(0, v.reserved.at(end)), v.need.slice(0, v.need.at(end))
			if c, needed, ok := s.climbs(j, r, need, v.certain); ok {
				out = append(out, s.reservedFound(j, c, needed, v.source, v.certain))
				break
			}
		}
	}
	return out
}

// neverMuchIdle reports whether the allocator's own peaks say that reserved was
// never far above what tensors needed, so that nothing has to be read.
func (s *scene) neverMuchIdle(j *job) bool {
	if j.holder == nil || j.now == nil {
		return false
	}
	over, ok := monitor.Minus(j.now.PeakReservedBytes, j.now.PeakAllocatedBytes).Get()
	return ok && float64(over) < growOfCard*j.total
}

// view is reserved with what tensors ever needed. It is certain when the need
// is a peak that was counted, and not a level that was seen now and then.
type view struct {
	reserved, need track
	source         string
	certain        bool
}

// views are the ways in which reserved is known: read, and logged.
func (s *scene) views(j *job) []view {
	var out []view
	if r := j.reserved(); r.len() >= growPoints {
		v := view{r, j.peak(), "attach", true}
		if v.need.len() == 0 {
			v.need, v.certain = j.alloc(), false
		}
		out = append(out, v)
	}
	if j.log == nil || j.log.reserved.len() < growPoints || len(out) > 0 && out[0].reserved.len() >= 3*growPoints {
		return out
	}
	v := view{j.log.reserved, j.log.maxAlloc, "log", true}
	if v.need.len() == 0 && j.peak().len() > 0 {
		v.need = j.peak()
	} else if v.need.len() == 0 {
		v.need, v.certain = j.log.alloc, false
	}
	return append(out, v)
}

func (s *scene) climbs(j *job, r, need track, certain bool) (climb, float64, bool) {
	if need.len() == 0 || r.len() == 0 || r.max()-r.min() < growOfCard*j.total {
		return climb{}, 0, false
	}
	born := j.reserved().bornHere()
	for part := range 6 {
		k := r.slice(r.len()*part/8, r.len())
		if k.len() < growPoints {
			break
		}
		c := climbOf(k, 0.0002*j.total)
		needed := need.max()
		// What the need itself rose by explains as much of the climb.
		needRose := needed - need.between(math.Inf(-1), c.from).max()
		if math.IsInf(needRose, 0) || needRose < 0 {
			needRose = needed - need.hi[0]
		}
		excess := c.top - math.Max(needed, c.start)
		if certain {
			excess = math.Min(excess, c.top-needed)
		}
		spread := c.rises >= growRises && c.sixths >= 4 && c.lateUp >= 0.2*c.up/math.Max(1, float64(c.flushes))
		grown := excess >= growOfCard*j.total && excess >= growOfNeed*needed && c.up-needRose >= growOfCard*j.total
		oneWay := c.down <= 0.35*c.up || c.flushes > 0 && c.rises >= 4*(c.flushes+1)
		// A young job's cache still finds its size in the first half of its life.
		settled := !born || part >= 4 || excess >= bornExcess*needed
		if spread && grown && oneWay && settled {
			return c, needed, true
		}
	}
	return climb{}, 0, false
}

// bornHere reports whether the beginning of a job's allocator is in a track of
// what it reserved.
func (k track) bornHere() bool { return k.len() > 0 && k.lo[0] < bornOfTop*k.max() }

func (s *scene) reservedFound(j *job, c climb, needed float64, source string, certain bool) *draft {
	w := words{"rise": size(c.top - c.start), "time": duration(c.to - c.from), "from": size(c.start), "to": size(c.top),
		"need": size(needed), "rises": number(c.rises)}
	claim := "run"
	if c.flushes > 0 {
		// Between two samples there may be several, which the counter knows.
		c.flushes = max(c.flushes, int(stepsIn(j.metric(history.AllocRetries).between(c.from, c.to))))
		claim, w["flushes"] = "flushed", several(c.flushes, "time", "times")
	}
	if !certain {
		claim = "level"
	}
	d := s.draft(catalog.ReservedGrowth, claim, w).on(j).span(c.from, c.to)
	d.logged, d.rise = source == "log", c.top-needed
	d.during("reserved at the start", c.start, Bytes, c.from, c.to).during("reserved, highest", c.top, Bytes, c.from, c.to).
		during("allocated, most ever", needed, Bytes, c.from, c.to).figure("rises", float64(c.rises), Count)
	if c.flushes > 0 {
		d.figure("cache flushed", float64(c.flushes), Count)
	}
	severity, confidence := Warning, Likely
	if certain && source == "attach" {
		confidence = Fact
	}
	slope := (c.end - c.start) / math.Max(c.to-c.from, 1e-9)
	if c.flushes > 0 || c.top > 0.95*j.total {
		severity = Warning // torch flushed the cache and went on: slow, not fatal
	} else if left, ok := s.left(j); ok && slope > 0 && left/slope < soonSeconds {
		severity = Critical
	}
	d.Line = Line{Metric: history.Reserved.String(), From: s.time(c.from), To: s.time(c.to), FromBytes: c.start, ToBytes: c.end}
	return s.likeCaptures(d.grade(severity, confidence).tag(s.tagsOf(j)...), j, c.from, c.to)
}

// retries needs the allocator's counter of flushes.
func retries(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		k := j.metric(history.AllocRetries)
		k = k.slice(0, k.at(s.lastBefore(j)))
		if k.len() < 3 {
			continue
		}
		count, times, first, last := 0.0, 0, math.NaN(), math.NaN()
		for i := 1; i < k.len(); i++ {
			if d := k.last[i] - k.last[i-1]; d > 0 {
				count += d
				times++
				if math.IsNaN(first) {
					first = k.t[i]
				}
				last = k.t[i]
			}
		}
		if count < 1 {
			continue
		}
		span := k.t[k.len()-1] - k.t[0]
		severity, confidence := Info, Fact
		if count >= retryCount && times >= 3 && last-first >= span/4 {
			severity = Warning
		}
		res, free := s.beforeFlushes(j, k)
		w := words{"count": several(int(count), "time", "times"), "time": duration(last - first), "reserved": size(res)}
		claim := "run"
		if times == 1 {
			claim = "once"
		}
		if steps := s.evenSteps(j, first, last); steps >= 2 && count >= 2 {
			claim, w["steps"] = "steps", number(int(steps))
		}
		d := s.draft(catalog.AllocRetries, claim, w).on(j).span(first, last).grade(severity, confidence)
		d.during("flushes and retries", count, Count, first, last).bytes("reserved before", res).bytes("free on the card before", free)
		if free > plentyOfCard*j.total && j.total-res > plentyOfCard*j.total {
			d.tag(catalog.Capped)
		}
		out = append(out, d)
	}
	return out
}

// beforeFlushes returns the most that was reserved and the least that was free
// in the samples before the flushes that a counter tells of; NaN where not
// known. The counter goes up after the flush, when all is free again, and
// samples fall into the flush itself.
func (s *scene) beforeFlushes(j *job, count track) (reserved, free float64) {
	reserved, free = math.Inf(-1), math.Inf(1)
	r, most := j.reserved(), j.metric(history.PeakReserved)
	for i := 1; i < count.len(); i++ {
		if count.last[i] <= count.last[i-1] {
			continue
		}
		from, to := count.t[max(0, i-flushPoints)], count.t[i]
		reserved = math.Max(reserved, r.between(from, to).max())
		if k := most.between(from, to); k.len() > 1 && k.last[k.len()-1] > k.last[0] {
			reserved = math.Max(reserved, k.max()) // between two samples
		}
		if j.gpu != nil {
			free = math.Min(free, j.gpu.track(history.Free).between(from, to).min())
		}
	}
	if math.IsInf(reserved, 0) {
		reserved = math.NaN()
	}
	if math.IsInf(free, 0) {
		free = math.NaN()
	}
	return reserved, free
}

func (s *scene) stepsBetween(j *job, from, to float64) float64 {
	if j.log == nil {
		return 0
	}
	return stepsIn(j.log.steps.between(from, to))
}

// privatePools needs the figure that newer allocators keep, or the one in an
// error text.
func privatePools(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		k := j.metric(history.PrivatePools)
		v, ok := k.end()
		if !ok || j.total == 0 || v < idleOfCard*j.total {
			continue
		}
		r, _ := j.reserved().end()
		severity := Info
		if v >= 0.5*r && v >= 0.2*j.total {
			severity = Warning
		}
		w := words{"pools": size(v), "reserved": size(r), "share": percent(v / j.total)}
		d := s.draft(catalog.PrivatePools, "run", w).on(j).span(k.t[0], k.t[k.len()-1]).grade(severity, Fact)
		out = append(out, d.bytes("private pools", v).bytes("reserved", r))
	}
	return out
}

// splitCache needs the split part of the cache. Idle memory in segments that
// are in use cannot be given back; it matters when it is much of the card and
// stays.
func splitCache(s *scene) []*draft {
	var out []*draft
	for _, j := range s.jobs {
		split := j.metric(history.InactiveSplit)
		if split.len() < 20 || j.total == 0 || s.failureOf(j) != nil {
			continue
		}
		late := split.slice(split.len()/2, split.len())
		least := late.min()
		held, _ := j.reserved().end()
		if least < splitOfCard*j.total || least < splitOfCache*held {
			continue
		}
		w := words{"split": size(least), "reserved": size(held), "share": percent(least / j.total)}
		d := s.draft(catalog.Fragmentation, "split", w).on(j).span(late.t[0], late.t[late.len()-1]).grade(Warning, Likely)
		out = append(out, d.bytes("idle in split segments, at least", least).bytes("reserved", held).tag(s.tagsOf(j)...))
	}
	return out
}

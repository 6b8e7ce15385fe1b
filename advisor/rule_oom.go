package advisor

import (
	"math"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor/history"
)

// contextBytes is the most that a CUDA context with its libraries takes of a
// card in the cases known (0.5 to 1.8 GiB). It does not shrink with the card,
// so this is the one bound in bytes.
const contextBytes = 2 << 30

const gib = 1 << 30

// failures judges each failed allocation: which cause its figures and the run
// before it speak for. Torch gives back what it can before it raises, so idle
// memory at a failure is stuck; the hint that torch prints with every failure
// says nothing.
func failures(s *scene) []*draft {
	var out []*draft
	for i := range s.ooms {
		o := &s.ooms[i]
		for _, d := range s.judge(o) {
			if o.job != nil {
				d.on(o.job)
			}
			s.placed(d, o)
			d.toldBy(o.ranks)
			if d.ID == catalog.OtherProcess && o.largest() != 0 {
				d.pid(o.largest())
				d.Rank = nil
			}
			if d.Severity != Info && s.recovered(o) {
				d.State, d.Severity = Resolved, Warning
				if o.times == 1 {
					d.Severity = Info // as with a search for the largest batch
				}
			}
			out = append(out, d.span(o.t, o.t))
		}
	}
	return out
}

// placed says which rank and device a failure is about where no job does: as
// its text names them. The text's device is the process's own number for it,
// which is no driver's index where the driver's devices are known.
func (s *scene) placed(d *draft, o *oom) {
	if d.Rank == nil {
		d.Rank = o.rank
	}
	if d.GPU == nil && len(s.gpus) == 0 {
		d.GPU = o.gpu
	}
	if d.PID == nil && o.pid != 0 {
		d.pid(o.pid)
	}
}

// judge returns the verdicts on one failure, the cause first.
func (s *scene) judge(o *oom) []*draft {
	f := o.figure
	near := math.Max(3*s.every, 60)
	switch {
	case o.cause == "NCCL":
		return []*draft{s.ncclFailed()}
	case !has(f.tried) && s.text.overflowed(o.t, near):
		d := s.oomDraft(o, catalog.DriverOrAllocatorBug, "overflow", Critical, Likely)
		d.say("overflow", words{"tried": "More than a million GiB"})
		return []*draft{d}
	case o.text && f.same(noFigures()) && s.text.hasTrouble(o.t, near, troublePinned):
		return []*draft{s.draft(catalog.HostRAM, "pinned", words{}).grade(Critical, Likely)}
	case f.contradict():
		return []*draft{s.oomDraft(o, catalog.Capacity, "contradict", Warning, Possible)}
	case f.tried > f.total && f.total > 0:
		return []*draft{s.oneGiant(o)}
	case f.allocated > 1.02*f.total:
		return []*draft{s.oomDraft(o, catalog.SpillingToHost, "oom", Critical, Fact)}
	}
	if d := s.heldByOthers(o); d != nil {
		if idle := s.stuckIdle(o); d.ID == catalog.NonTorchMemory && idle != nil {
			d.Severity = Warning // what was idle would have served
			return []*draft{idle, d}
		}
		return []*draft{d}
	}
	var out []*draft
	if d := s.stuckIdle(o); d != nil {
		out = append(out, d)
	}
	if d := s.capped(o); d != nil {
		for _, f := range out {
			// The limit is a fact; a cache as idle as any is no cause beside it.
			if f.Confidence < Fact && o.text {
				f.Severity = Warning
			}
		}
		return append(out, d)
	}
	if len(out) > 0 {
		return out
	}
	if o.text && f.muchFree() && !o.frames[frameCapture] {
		return []*draft{s.oomDraft(o, catalog.DriverOrAllocatorBug, "free", Critical, Possible).tag(catalog.RoomLeft)}
	}
	if d := s.byStack(o); d != nil {
		return []*draft{d}
	}
	if d := s.byRun(o); d != nil {
		return []*draft{d}
	}
	return []*draft{s.plainCapacity(o)}
}

// oomDraft starts a verdict with the figures of the failure as evidence.
func (s *scene) oomDraft(o *oom, id catalog.ID, claim string, sev Severity, c Confidence) *draft {
	f := o.figure
	w := words{"tried": sizeOr(f.tried, "more"), "total": sizeOr(f.total, "the card"), "free": sizeOr(f.free, "an unknown part"), "allocated": size(f.allocated),
		"reserved": size(f.reserved), "allowed": size(f.allowed), "idle": size(f.idle()), "outside": size(f.outside()),
		"process": size(f.process), "room": size(f.room()), "pools": size(f.pools), "share": percent(f.allocated / f.usable())}
	d := s.draft(id, claim, w).grade(sev, c).know(f.needs())
	d.text = o.text
	d.bytes("asked for", f.tried).bytes("total", f.total).bytes("free", f.free).bytes("allowed", f.allowed).
		bytes("allocated", f.allocated).bytes("reserved", f.reserved).bytes("idle in the cache", f.idle()).
		bytes("this process in all", f.process).bytes("private pools", f.pools)
	if o.times > 1 {
		d.figure("failures", float64(o.times), Count)
	}
	return d
}

// oneGiant judges a request larger than the card.
func (s *scene) oneGiant(o *oom) *draft {
	if o.figure.tried >= 1e6*gib {
		return s.oomDraft(o, catalog.DriverOrAllocatorBug, "overflow", Critical, Likely)
	}
	if o.frames[frameConv] {
		return s.oomDraft(o, catalog.LibraryWorkspace, "giant", Critical, Likely)
	}
	if o.frames[frameLogits] {
		return s.oomDraft(o, catalog.LogitsLargeVocab, "oom", Critical, Likely)
	}
	return s.oomDraft(o, catalog.ActivationsTooLarge, "giant", Critical, Likely).tag(catalog.OneGiant)
}

// heldByOthers judges a failure where much of the card is neither free nor
// this process's torch.
func (s *scene) heldByOthers(o *oom) *draft {
	f := o.figure
	if d := s.siblingsOf(o); d != nil {
		return d
	}
	named := 0.0
	for _, p := range o.others {
		if v := float64(p.UsedBytes); v < notAvailable && p.UsedBytes > 0 {
			named += v
		}
	}
	if !has(f.total) || f.total <= 0 || !o.text && !(f.free < 0.02*f.total || f.free < 0.1*f.total && s.strangers(o) >= 0.25*f.total) {
		return nil
	}
	// A request that what is free could serve was not refused for them.
	refused := !has(f.tried) || !has(f.free) || f.free < f.tried || f.free < 0.02*f.total
	if !refused {
		return nil
	}
	hidden := math.NaN()
	if has(f.process) {
		hidden = f.total - orZero(f.free) - f.process - named
	}
	switch {
	case s.named(o, named):
		return s.others(o, named, Fact, "named")
	case hidden > math.Max(contextBytes, 0.05*f.total):
		return s.others(o, hidden, Likely, "hidden")
	case has(f.process) && has(f.reserved) && f.process-f.reserved > math.Max(1.5*contextBytes, 0.1*f.total):
		d := s.oomDraft(o, catalog.NonTorchMemory, "oom", Critical, Likely)
		return d.bytes("this process outside torch", f.process-f.reserved)
	case has(f.process) || s.nobodyElse(o) || !has(f.allocated):
		return nil
	case f.outside() >= contextBytes && f.outside() >= 0.08*f.total:
		return s.others(o, f.outside(), Likely, "outside")
	}
	return nil
}

// strangers is what the processes of other jobs hold at a failure that has no
// text.
func (s *scene) strangers(o *oom) float64 {
	sum := 0.0
	if o.job == nil || o.job.holder == nil {
		return sum
	}
	for _, p := range o.others {
		for _, h := range s.holders[p.PID] {
			if h.gpu == o.job.gpu && h != o.job.holder && h.track(history.Used).len() > 0 && !s.sameJob(h, o.job.holder) {
				sum += float64(p.UsedBytes)
			}
		}
	}
	return sum
}

// named reports whether the processes that a text names hold enough to matter:
// what the failed request was short of, or a good part of the card.
func (s *scene) named(o *oom, named float64) bool {
	f := o.figure
	if named <= 0 || len(o.others) == 1 && !has(f.process) && s.itself(o, named) {
		return false
	}
	return named >= 0.25*f.total || named >= 0.08*f.total && named >= contextBytes
}

// itself reports whether the one process named is the failing one: in
// containers the text names it by its number and not as "this process".
func (s *scene) itself(o *oom, used float64) bool {
	f := o.figure
	return has(f.reserved) && used >= f.reserved && used <= f.reserved+1.5*contextBytes
}

// nobodyElse reports whether the driver's own list shows that this process is
// alone on the card, so that everything outside torch is its own.
func (s *scene) nobodyElse(o *oom) bool {
	return o.job != nil && o.job.holder != nil && len(o.job.holder.gpu.holders) == 1
}

func (s *scene) others(o *oom, held float64, c Confidence, claim string) *draft {
	f := o.figure
	d := s.oomDraft(o, catalog.OtherProcess, claim, Critical, c)
	d.say(claim, words{"held": size(held), "total": size(f.total), "share": percent(held / f.total),
		"own": size(firstOf(f.process, f.reserved, f.allocated)), "tried": sizeOr(f.tried, "more"), "count": several(len(o.others), "process", "processes")})
	return d.bytes("held by others", held).know(leaves(held, f.total))
}

// largest returns the number of the other process that held most, 0 when none
// is told.
func (o *oom) largest() int {
	pid, most := 0, int64(0)
	for _, p := range o.others {
		if p.UsedBytes > most && float64(p.UsedBytes) < notAvailable {
			pid, most = p.PID, p.UsedBytes
		}
	}
	return pid
}

func firstOf(values ...float64) float64 {
	for _, v := range values {
		if has(v) {
			return v
		}
	}
	return math.NaN()
}

// siblingsOf judges a failure whose text names several processes of one small
// size: contexts of the job's other ranks, or of its loader workers.
func (s *scene) siblingsOf(o *oom) *draft {
	f := o.figure
	var sizes []float64
	for _, p := range o.others {
		if p.UsedBytes > 0 && float64(p.UsedBytes) < notAvailable {
			sizes = append(sizes, float64(p.UsedBytes))
		}
	}
	if len(sizes) < 3 {
		return nil
	}
	mid := median(sizes)
	alike, sum := 0, 0.0
	for _, v := range sizes {
		if v >= 0.7*mid && v <= 1.4*mid {
			alike++
			sum += v
		}
	}
	if alike < 3 || alike < len(sizes)*7/10 || mid > 1.25*contextBytes || has(f.total) && mid > 0.2*f.total || sum < 0.02*orZero(f.total) {
		return nil
	}
	id, claim := catalog.DDPRankContexts, "oom"
	if n := alike + 1; n&(n-1) != 0 && alike > 4 && mid < 0.4*contextBytes {
		id = catalog.DataloaderWorkers
	}
	d := s.oomDraft(o, id, claim, Critical, Likely)
	d.say(claim, words{"count": number(alike), "each": size(mid), "sum": size(sum), "share": percent(sum / f.total)})
	return d.figure("processes of one size", float64(alike), Count).bytes("each", mid).bytes("together", sum)
}

// stuckIdle judges a failure that idle memory would have served, had it been
// in one piece.
func (s *scene) stuckIdle(o *oom) *draft {
	f := o.figure
	if !o.text || !has(f.reserved) {
		return s.stuckByCounters(o)
	}
	room := f.room()
	idle := f.idle()
	if !has(f.tried) || !has(room) || room >= f.tried || idle+room < f.tried || idle < 0.1*f.usable() {
		return nil
	}
	c := Likely
	if idle >= f.tried && idle >= 0.2*f.reserved {
		c = Fact
	}
	if f.tried > 0.3*f.usable() {
		c = Possible // one large request: a smaller batch may be the better cure
	}
	d := s.oomDraft(o, catalog.Fragmentation, "oom", Critical, c)
	return d.tag(s.tagsOf(o.job)...)
}

// stuckByCounters judges a failure without a text: the job failed although it
// never needed nearly as much as it held.
func (s *scene) stuckByCounters(o *oom) *draft {
	if o.text || o.job == nil {
		return nil
	}
	j := o.job
	peak, ok1 := j.peak().valueAt(o.t)
	held, ok2 := j.reserved().valueAt(o.t)
	a, ok3 := j.alloc().valueAt(o.t)
	before, _ := j.alloc().valueAt(o.t - math.Max(s.every, 1e-3))
	if !ok1 || !ok2 || !ok3 || held <= 0 {
		return nil
	}
	idle := held - math.Max(a, before)
	if peak > 0.82*held && !(idle > 0.5*held && math.Abs(a-before) < 0.02*held) {
		return nil
	}
	return s.oomDraft(o, catalog.Fragmentation, "counters", Critical, Possible).tag(s.tagsOf(j)...)
}

package formats

import (
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// context is what recent lines said of the job's progress, for memory lines
// that do not say it themselves: a step is printed once above a block.
type context struct {
	step, epoch     progress
	stepAt, epochAt int64
	stepCarries     bool // false once a failure or an unfit figure lies between
	epochCarries    bool
	stepOf, epochOf place
	epochs          [4]int64 // that began last, and one is added to each; 0 for none
	epochNext       int
	moved           int64 // counts steps made, so that failures can be told apart
}

// contextLines is for how many lines that matter a step or epoch is carried on:
// those of one block below the line that says it. Other lines are not counted,
// since recordings leave them out and must read the same.
const contextLines = 8

// note keeps the progress of a line and reports whether a new epoch began: not
// when ranks that share a log say theirs in turn.
func (c *context) note(pr progress, pl place, at int64) bool {
	if pr.unfit {
		c.cut()
	}
	if pr.hasStep {
		if !c.step.hasStep || pr.step > c.step.step {
			c.moved++
		}
		c.step, c.stepAt, c.stepOf, c.stepCarries = pr, at, pl, true
	}
	if !pr.hasEpoch {
		return false
	}
	c.epoch, c.epochAt, c.epochOf, c.epochCarries = pr, at, pl, true
	n := int64(pr.epoch) + 1
	if slices.Contains(c.epochs[:], n) {
		return false
	}
	c.epochs[c.epochNext] = n
	c.epochNext = (c.epochNext + 1) % len(c.epochs)
	return true
}

// cut ends what is carried on: what comes next is of another time.
func (c *context) cut() { c.stepCarries, c.epochCarries = false, false }

// fill gives a draft the step and epoch of the lines just before.
func (c *context) fill(d *draft, at int64) {
	if d.step.unfit {
		return
	}
	if !d.step.hasStep && c.stepCarries && at-c.stepAt <= contextLines && c.stepOf.agrees(d.place) {
		d.step.step, d.step.hasStep = c.step.step, true
	}
	if !d.step.hasEpoch && c.epochCarries && at-c.epochAt <= contextLines && c.epochOf.agrees(d.place) {
		d.step.epoch, d.step.hasEpoch = c.epoch.epoch, true
	}
}

// agrees reports whether two places can be the same rank.
func (pl place) agrees(other place) bool {
	return !pl.hasRank || !other.hasRank || pl.rank == other.rank
}

// failures remembers the events of a log, so that one failure printed by a
// traceback, a launcher and a relay is one.
type failures struct {
	last [16]failureKey
	next int
}

// failureKey is what two prints of one failure have in common.
type failureKey struct {
	set                                         bool
	requested, total, free, allocated, reserved int64
	count                                       int64
	cause                                       string
	gpu                                         int
	place                                       place
	moved                                       int64
}

// repeats reports whether r was seen before, and remembers it.
func (f *failures) repeats(r monitor.LogReading, pl place, moved int64) bool {
	const none = -1
	k := failureKey{
		set: true, requested: r.OOM.RequestedBytes.Or(none), total: r.OOM.TotalBytes.Or(none), free: r.OOM.FreeBytes.Or(none),
		allocated: r.OOM.AllocatedBytes.Or(none), reserved: r.OOM.ReservedBytes.Or(none), count: r.OOM.Count,
		cause: r.OOM.Cause, gpu: r.GPU.Or(none), place: pl, moved: moved,
	}
	if n, ok := r.Rank.Get(); ok {
		k.place.rank, k.place.hasRank = n, true
	}
	for i := range f.last {
		if f.last[i].same(k) {
			return true
		}
	}
	f.last[f.next] = k
	f.next = (f.next + 1) % len(f.last)
	return false
}

func (k failureKey) same(o failureKey) bool {
	if !k.set || k.moved != o.moved || !k.place.agrees(o.place) {
		return false
	}
	if k.place.hasWorker && o.place.hasWorker && k.place.worker != o.place.worker {
		return false
	}
	if k.count > 0 || o.count > 0 {
		return false // every printed count is of new failures
	}
	k.place, o.place = place{}, place{}
	return k == o
}

package history

import "math"

// rings are the time axes of the three resolutions.
type rings struct {
	singles singles
	mid     buckets
	coarse  buckets
	room    int // single samples that there may be memory for
}

func newRings(cfg Config) rings {
	const little = 512
	return rings{
		singles: singles{limit: cfg.Samples, fromNS: math.MinInt64},
		mid:     newBuckets(int64(cfg.MidWidth), cfg.MidBuckets),
		coarse:  newBuckets(int64(cfg.CoarseWidth), cfg.CoarseBuckets),
		room:    min(cfg.Samples, little),
	}
}

// singles is the time axis of the newest samples, one slot each.
type singles struct {
	limit  int
	timeNS []int64 // slot → time
	holdNS []int64 // slot → how long the sample stands for when none follows
	start  int     // slot of the oldest
	n      int     // how many there are
	fromNS int64   // nothing is missing from here on
}

// push adds a sample and returns its slot.
func (r *singles) push(atNS, holdNS int64) int {
	if r.n < r.limit {
		r.timeNS, r.holdNS = append(r.timeNS, atNS), append(r.holdNS, holdNS)
		r.n++
		return r.n - 1
	}
	slot := r.start
	r.timeNS[slot], r.holdNS[slot] = atNS, holdNS
	r.start = (slot + 1) % r.limit
	r.fromNS = r.timeNS[r.start]
	return slot
}

func (r *singles) len() int { return r.n }

// slot returns the slot of the i-th oldest sample.
func (r *singles) slot(i int) int {
	if i += r.start; i >= r.limit {
		return i - r.limit
	}
	return i
}

// find returns the place of the first sample at or after that time.
func (r *singles) find(atNS int64) int {
	lo, hi := 0, r.len()
	for lo < hi {
		mid := (lo + hi) / 2
		if r.timeNS[r.slot(mid)] < atNS {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// keepBefore forgets the samples from that time on and returns the slots of
// those it keeps, oldest first.
func (r *singles) keepBefore(atNS int64) []int {
	n := r.find(atNS)
	slots := make([]int, n)
	times, holds := make([]int64, n), make([]int64, n)
	for i := range slots {
		slots[i] = r.slot(i)
		times[i], holds[i] = r.timeNS[slots[i]], r.holdNS[slots[i]]
	}
	r.timeNS, r.holdNS, r.start, r.n = times, holds, 0, n
	r.fromNS = min(r.fromNS, atNS)
	return slots
}

// paceKnown gives the very first sample its hold once there is a second.
func (r *singles) paceKnown(holdNS int64) {
	if len(r.holdNS) > 0 && r.holdNS[0] == 0 {
		r.holdNS[0] = holdNS
	}
}

// buckets is the time axis of one coarser resolution. Bucket n covers
// [n·width, (n+1)·width) of Unix time and lives in slot n mod the number of
// slots; the number stored there tells whether the slot still holds it.
type buckets struct {
	widthNS int64
	number  []int64
	holdNS  []int64
	first   int64 // first bucket ever
	head    int64 // newest
	any     bool
}

const noBucket = math.MinInt64

func newBuckets(widthNS int64, slots int) buckets {
	b := buckets{widthNS: widthNS, number: make([]int64, slots), holdNS: make([]int64, slots)}
	for i := range b.number {
		b.number[i] = noBucket
	}
	return b
}

func (b *buckets) of(atNS int64) int64 {
	n := atNS / b.widthNS
	if atNS%b.widthNS < 0 {
		n--
	}
	return n
}

func (b *buckets) slotOf(number int64) int {
	n := int64(len(b.number))
	return int(((number % n) + n) % n)
}

// open returns the slot for a sample of that time and whether the slot has to
// be emptied first.
func (b *buckets) open(atNS, holdNS int64) (slot int, fresh bool) {
	n := b.of(atNS)
	slot = b.slotOf(n)
	fresh = b.number[slot] != n
	b.number[slot], b.holdNS[slot] = n, holdNS
	if !b.any {
		b.any, b.first = true, n
	}
	b.head = n
	return slot, fresh
}

// truncate forgets the buckets that begin after that time.
func (b *buckets) truncate(atNS int64) {
	n := b.of(atNS)
	for i, have := range b.number {
		if have > n {
			b.number[i] = noBucket
		}
	}
	b.head, b.first = min(b.head, n), min(b.first, n)
}

// oldest is the number of the oldest bucket there can be.
func (b *buckets) oldest() int64 { return max(b.first, b.head-int64(len(b.number))+1) }

// coveredFrom is the time from which on nothing is missing here.
func (b *buckets) coveredFrom() int64 {
	if !b.any || b.oldest() == b.first {
		return math.MinInt64
	}
	return b.oldest() * b.widthNS
}

// alignUp returns the start of the first bucket that begins at that time or
// later; the beginning of time stays.
func (b *buckets) alignUp(atNS int64) int64 {
	if atNS == math.MinInt64 {
		return atNS
	}
	n := b.of(atNS)
	if n*b.widthNS < atNS {
		n++
	}
	return n * b.widthNS
}

// has reports whether a bucket is there, and its slot.
func (b *buckets) has(number int64) (int, bool) {
	slot := b.slotOf(number)
	return slot, b.number[slot] == number
}

package torch

// DeviceStats starts, in every PyTorch release since 1.8, with six arrays of
// three Stats (all blocks, small pool, large pool) of four int64 (current,
// peak, allocated, freed): c10/core/CachingDeviceAllocator.h, before 2.6
// c10/cuda/CUDACachingAllocator.h.
const (
	statBytes  = 32
	arrayBytes = 3 * statBytes

	atAllocation     = 0 * arrayBytes
	atSegment        = 1 * arrayBytes
	atActive         = 2 * arrayBytes
	atInactiveSplit  = 3 * arrayBytes
	atAllocatedBytes = 4 * arrayBytes
	atReservedBytes  = 5 * arrayBytes
	coreBytes        = 6 * arrayBytes

	// The lock before the statistics: glibc's pthread_mutex_t on x86-64.
	mutexBytes = 40
	// The places of the statistics after the lock that are tried.
	maxStatsGap = 56

	maxTailBytes = 1016 // the longest known DeviceStats
)

// tail is where a PyTorch release keeps what follows the six arrays. A zero
// offset stands for "does not have it".
type tail struct {
	name           string
	poolMap        int // hash map of reserved bytes by private pool
	activeBytes    int
	splitBytes     int
	requestedBytes int
	retries, ooms  int
	maxSplit       int // max_split_size: -1 or a size, which tells the tails apart
	exported       bool
}

// tails are the known ones, oldest first. The first two are of releases that
// do not export the allocator's symbol.
var tails = [...]tail{
	{name: "B (1.9 to 1.13)", activeBytes: 576, splitBytes: 672, retries: 768, ooms: 776, maxSplit: 848},
	{name: "C (2.0 to 2.2)", activeBytes: 576, splitBytes: 672, requestedBytes: 768, retries: 864, ooms: 872, maxSplit: 944, exported: true},
	{name: "D (2.3)", activeBytes: 576, splitBytes: 672, requestedBytes: 768, retries: 864, ooms: 872, maxSplit: 952, exported: true},
	{name: "E (2.5 to 2.11)", activeBytes: 576, splitBytes: 672, requestedBytes: 768, retries: 864, ooms: 872, maxSplit: 968, exported: true},
	{name: "E' (2.12)", activeBytes: 576, splitBytes: 672, requestedBytes: 768, retries: 864, ooms: 872, maxSplit: 976, exported: true},
	{name: "F (2.13 and later)", poolMap: 576, activeBytes: 608, splitBytes: 704, requestedBytes: 800, retries: 896, ooms: 904, maxSplit: 1008, exported: true},
}

// middles are the arrays after the six alone, for releases whose counters are
// not known: the tail of 1.8, which has no max_split_size to tell it by, and
// those after the newest known one.
var middles = [...]tail{
	{name: "core and byte arrays at 576, other counters unknown", activeBytes: 576, splitBytes: 672},
	{name: "core and byte arrays at 576, other counters unknown", activeBytes: 576, splitBytes: 672, requestedBytes: 768, exported: true},
	{name: "core and byte arrays at 608, other counters unknown", poolMap: 576, activeBytes: 608, splitBytes: 704, requestedBytes: 800, exported: true},
}

// coreOnly is what is left when nothing after the six arrays is understood.
var coreOnly = tail{name: "core only"}

// tailSet is a set of the entries of tails.
type tailSet uint16

// tailsFor returns the tails that a build can have. A build that exports the
// allocator's symbol is PyTorch 2.0 or later, which rules out the old ones;
// without the symbol (static or hidden) all are possible.
func tailsFor(exported bool) tailSet {
	var set tailSet
	for i, t := range tails {
		if t.exported || !exported {
			set |= 1 << i
		}
	}
	return set
}

// matching returns those of the set whose rules the statistics obey.
func (set tailSet) matching(stats []byte) tailSet {
	var out tailSet
	for i := range tails {
		if set&(1<<i) != 0 && len(stats) >= tails[i].maxSplit+8 && checkTail(stats, &tails[i]) == "" {
			out |= 1 << i
		}
	}
	return out
}

// tail returns the one tail of the set, or, when the set holds several that
// place every published figure alike, that; nil otherwise.
func (set tailSet) tail() *tail {
	var found *tail
	for i := range tails {
		if set&(1<<i) == 0 {
			continue
		}
		t := &tails[i]
		if found != nil && !found.agrees(t) {
			return nil
		}
		if found == nil {
			found = t
		}
	}
	return found
}

// name names the set for the page of sources.
func (set tailSet) name() string {
	out := ""
	for i := range tails {
		if set&(1<<i) == 0 {
			continue
		}
		if out != "" {
			out += " or "
		}
		out += tails[i].name
	}
	return out
}

// agrees tells whether both place every published figure alike.
func (t *tail) agrees(u *tail) bool {
	return t.poolMap == u.poolMap && t.activeBytes == u.activeBytes && t.splitBytes == u.splitBytes &&
		t.requestedBytes == u.requestedBytes && t.retries == u.retries && t.ooms == u.ooms
}

// middleOf returns the byte arrays that fit statistics without a known tail.
// It decides only on a device that has something allocated, since zeroes fit
// everywhere, and only when one fits.
func middleOf(stats []byte, exported bool) *tail {
	var found *tail
	for i := range middles {
		m := &middles[i]
		if m.exported != exported || len(stats) < m.end() || checkMiddle(stats, m) != "" {
			continue
		}
		if currentOf(stats, m.activeBytes) == 0 || found != nil {
			return nil
		}
		found = m
	}
	return found
}

// end returns how many bytes of DeviceStats the tail needs.
func (t *tail) end() int {
	return max(coreBytes, t.splitBytes+arrayBytes*min(t.splitBytes, 1),
		t.requestedBytes+arrayBytes*min(t.requestedBytes, 1), t.ooms+8*min(t.ooms, 1), t.maxSplit+8*min(t.maxSplit, 1))
}

package torch

import (
	"encoding/binary"
	"math"
)

// The bounds of the search for the allocator's vector of devices.
const (
	maxDevices  = 128 // PyTorch's C10_COMPILE_TIME_MAX_GPUS
	objectBytes = 64 << 10
	scanChunk   = 256 << 10
)

// found is a std::vector<std::unique_ptr<DeviceCachingAllocator>> whose
// elements look like one. Its index is the CUDA ordinal.
type found struct {
	at       uint64    // address of the vector's three words
	words    [3]uint64 // begin, end, end of storage
	elements []uint64  // a DeviceCachingAllocator each
	lockAt   uint64    // of the lock inside an element
	statsAt  uint64    // of the statistics inside an element
}

// finder looks for the vector in pieces of a process's memory.
type finder struct {
	view     *view
	space    *addressSpace
	isThread func(tid int32) bool
	exported bool // the build exports the allocator's symbol: 2.0 or later
	out      []found
	chunk    []byte
	block    [maxStatsGap + 8 + maxTailBytes]byte
}

// scan looks at every aligned word of n bytes from lo on, up to the first page
// that cannot be read, and appends what it finds to f.out.
func (f *finder) scan(lo, n uint64) {
	n = f.space.writableRun(lo, n)
	if f.chunk == nil {
		f.chunk = make([]byte, min(n, scanChunk)+16)
	}
	for n >= 24 {
		piece := f.chunk[:min(n, uint64(len(f.chunk)))]
		if f.view.read(lo, piece) != nil {
			f.scanPiece(lo, f.readable(lo, piece))
			return
		}
		f.scanPiece(lo, piece)
		if uint64(len(piece)) == n {
			return
		}
		step := uint64(len(piece)-16) &^ 7 // a vector may lie across the border
		lo, n = lo+step, n-step
	}
}

// readable fills as much of piece as can be read, a page at a time.
func (f *finder) readable(lo uint64, piece []byte) []byte {
	done := uint64(0)
	for done < uint64(len(piece)) {
		end := min(uint64(len(piece)), done+pageSize-(lo+done)%pageSize)
		if f.view.read(lo+done, piece[done:end]) != nil {
			break
		}
		done = end
	}
	return piece[:done]
}

func (f *finder) scanPiece(lo uint64, piece []byte) {
	for o := int(-lo & 7); o+24 <= len(piece); o += 8 {
		begin := binary.LittleEndian.Uint64(piece[o:])
		if begin == 0 || begin&7 != 0 {
			continue
		}
		end := binary.LittleEndian.Uint64(piece[o+8:])
		limit := binary.LittleEndian.Uint64(piece[o+16:])
		if end <= begin || limit < end || end&7 != 0 || limit&7 != 0 ||
			end-begin > 8*maxDevices || limit-begin > 16*maxDevices {
			continue
		}
		if !f.space.writable(begin, end-begin) {
			continue
		}
		f.tryVector(found{at: lo + uint64(o), words: [3]uint64{begin, end, limit}})
	}
}

// tryVector keeps the vector if all its elements look like devices of the
// allocator.
func (f *finder) tryVector(v found) {
	for _, known := range f.out {
		if known.words[0] == v.words[0] {
			return
		}
	}
	raw := make([]byte, v.words[1]-v.words[0])
	if f.view.read(v.words[0], raw) != nil {
		return
	}
	for ; len(raw) >= 8; raw = raw[8:] {
		p := binary.LittleEndian.Uint64(raw)
		if p == 0 || p&7 != 0 || !f.space.writable(p, mutexBytes+8+coreBytes) {
			return
		}
		for _, q := range v.elements {
			if p == q {
				return
			}
		}
		v.elements = append(v.elements, p)
	}
	// The lock stands first, or second after the vptr of a virtual base.
	for _, lockAt := range [...]uint64{0, 8} {
		for gap := uint64(mutexBytes); gap <= maxStatsGap; gap += 8 {
			v.lockAt, v.statsAt = lockAt, lockAt+gap
			if f.fits(&v) {
				f.out = append(f.out, v)
				return
			}
		}
	}
}

// fits tells whether every element has a lock and obeys the core rules, and
// at least one says more than zeroes do: something reserved, or the sentinel
// of a known tail.
func (f *finder) fits(v *found) bool {
	telling := false
	for _, p := range v.elements {
		block, ok := f.readBlock(p+v.lockAt, int(v.statsAt-v.lockAt))
		if !ok {
			return false
		}
		held := readLock(block)
		if !held.plausible() || held.owner != 0 && !f.isThread(held.owner) {
			return false
		}
		stats := block[v.statsAt-v.lockAt:]
		if checkCore(stats) != "" {
			return false
		}
		if currentOf(stats, atReservedBytes) > 0 || tailsFor(f.exported).matching(stats) != 0 {
			telling = true
		}
	}
	return telling
}

// readBlock reads from the lock to the end of the longest tail, or, where the
// heap ends before that, the core alone. A read in the middle of an update
// breaks the rules, so it tries a few times.
func (f *finder) readBlock(at uint64, gap int) ([]byte, bool) {
	var block []byte
	for range 8 {
		block = f.block[:gap+maxTailBytes]
		if f.view.read(at, block) != nil {
			block = f.block[:gap+coreBytes]
			if f.view.read(at, block) != nil {
				return nil, false
			}
		}
		held := readLock(block)
		if !held.plausible() || held.free() && checkCore(block[gap:]) == "" {
			break
		}
	}
	return block, true
}

// The clock converter before the vector (c10/util/ApproximateClock.h, in the
// allocator since 2.2): pairs of Unix nanoseconds and processor ticks, taken
// one after the other when the library was loaded.
const (
	clockPairs = 1001
	clockBytes = 16 * clockPairs
)

// The places, from the start of the allocator object, of the clock converter
// and of the vector in the known layouts.
const (
	clockIn22   = 80
	vectorIn22  = 16096
	clockFrom23 = 6496
	vectorIn23  = 22512
	vectorIn25  = 22584
)

// knownEmpty tells whether the object has one of the known layouts and a
// vector without elements, so that CUDA has surely not been started through
// PyTorch. False says nothing.
func knownEmpty(v *view, object uint64) bool {
	zero := func(at uint64) bool {
		var words [24]byte
		return v.read(object+at, words[:]) == nil && words == [24]byte{}
	}
	switch {
	case isClock(v, object+clockIn22):
		return zero(vectorIn22)
	case isClock(v, object+clockFrom23):
		if zero(vectorIn23) {
			return true
		}
		// From 2.5 on a bool and a buffer for annotations come first.
		flag, err := v.u64(object + vectorIn23)
		return err == nil && flag <= 1 && zero(vectorIn25)
	}
	return false
}

// isClock tells whether a clock converter lies there.
func isClock(v *view, at uint64) bool {
	const year2020, second = 1577836800e9, 1e9
	var first, last [16]byte
	if v.read(at, first[:]) != nil || v.read(at+clockBytes-16, last[:]) != nil {
		return false
	}
	from := binary.LittleEndian.Uint64(first[:])
	to := binary.LittleEndian.Uint64(last[:])
	return from >= year2020 && from < math.MaxInt64 && to >= from && to-from <= 10*second
}

package torch

import (
	"encoding/binary"
	"math"
)

// rule names an invariant of the statistics; the empty rule is none.
type rule string

const (
	ruleLength      rule = "statistics cut short"
	ruleRange       rule = "a figure out of range"
	ruleSum         rule = "small pool and large pool add up to the whole"
	ruleSign        rule = "no current figure is negative"
	rulePeak        rule = "a peak is not below the current figure"
	rulePeakSum     rule = "the peak of the whole lies between the pools' peaks and their sum"
	ruleHistory     rule = "current is at least allocated minus freed"
	ruleBlocks      rule = "bytes are allocated exactly when blocks are"
	ruleRounding    rule = "allocated bytes are a multiple of 512"
	ruleReserved    rule = "reserved is at least allocated"
	ruleSegments    rule = "segments mean reserved bytes"
	ruleActive      rule = "active is at least allocated"
	ruleActiveBytes rule = "active bytes lie between allocated and reserved"
	ruleRequested   rule = "requested bytes are at most the active ones"
	ruleSplit       rule = "inactive split bytes fit into reserved"
	ruleCounter     rule = "no counter is negative"
	ruleSentinel    rule = "max_split_size is -1 or a size above 20 MiB"
	rulePoolMap     rule = "the map of private pools is a hash map"
)

const (
	maxFigure  = 1 << 60
	maxCounter = 1 << 48
	mebibyte   = 1 << 20
)

func word(b []byte, at int) int64 { return int64(binary.LittleEndian.Uint64(b[at:])) }

// The fields of a Stat.
const (
	current   = 0
	peak      = 8
	allocated = 16
	freed     = 24
)

func currentOf(stats []byte, array int) int64 { return word(stats, array+current) }

// checkSums is what every array obeys: the figures of the small and the large
// pool add up to that of the whole.
func checkSums(b []byte, array int) rule {
	for _, field := range [...]int{current, allocated, freed} {
		all := word(b, array+field)
		small := word(b, array+statBytes+field)
		large := word(b, array+2*statBytes+field)
		if !inRange(all) || !inRange(small) || !inRange(large) {
			return ruleRange
		}
		if all != small+large {
			return ruleSum
		}
	}
	return ""
}

func inRange(v int64) bool { return v > -maxFigure && v < maxFigure }

// checkArray is what an array obeys that counts what comes and goes one by
// one. The inactive_split arrays do not: they are kept by net changes.
func checkArray(b []byte, array int) rule {
	if r := checkSums(b, array); r != "" {
		return r
	}
	for at := array; at < array+arrayBytes; at += statBytes {
		cur, top := word(b, at+current), word(b, at+peak)
		in, out := word(b, at+allocated), word(b, at+freed)
		switch {
		case cur < 0 || in < 0 || out < 0:
			return ruleSign
		case top < cur || top >= maxFigure:
			return rulePeak
		case cur < in-out:
			// Equal until reset_accumulated_memory_stats zeroes in and out.
			return ruleHistory
		}
	}
	all := word(b, array+peak)
	small, large := word(b, array+statBytes+peak), word(b, array+2*statBytes+peak)
	if all < max(small, large) || all > small+large {
		return rulePeakSum
	}
	return ""
}

// checkCore returns the first rule that the six arrays at the start of
// DeviceStats break, or none. Statistics never used pass.
func checkCore(b []byte) rule {
	if len(b) < coreBytes {
		return ruleLength
	}
	for _, array := range [...]int{atAllocation, atSegment, atActive, atAllocatedBytes, atReservedBytes} {
		if r := checkArray(b, array); r != "" {
			return r
		}
	}
	if r := checkSums(b, atInactiveSplit); r != "" {
		return r
	}
	for pool := 0; pool < arrayBytes; pool += statBytes {
		if r := checkPool(b, pool); r != "" {
			return r
		}
	}
	return ""
}

// checkPool checks one pool's figures against each other.
func checkPool(b []byte, pool int) rule {
	blocks := word(b, atAllocation+pool)
	bytes := word(b, atAllocatedBytes+pool)
	reserved := word(b, atReservedBytes+pool)
	switch {
	case (blocks == 0) != (bytes == 0):
		return ruleBlocks
	case bytes%512 != 0:
		return ruleRounding
	case reserved < bytes:
		return ruleReserved
	case word(b, atSegment+pool) > 0 && reserved == 0:
		// Not the other way round: expandable segments count no segment.
		return ruleSegments
	case word(b, atActive+pool) < blocks:
		return ruleActive
	}
	return ""
}

// checkMiddle checks the arrays of bytes after the core: active, inactive
// split and, from 2.0 on, requested.
func checkMiddle(b []byte, t *tail) rule {
	if r := checkArray(b, t.activeBytes); r != "" {
		return r
	}
	if r := checkSums(b, t.splitBytes); r != "" {
		return r
	}
	active := currentOf(b, t.activeBytes)
	reserved := currentOf(b, atReservedBytes)
	if active < currentOf(b, atAllocatedBytes) || active > reserved || (active == 0) != (currentOf(b, atActive) == 0) {
		return ruleActiveBytes
	}
	if split := currentOf(b, t.splitBytes); split > reserved-active {
		return ruleSplit
	}
	if t.requestedBytes != 0 {
		if r := checkArray(b, t.requestedBytes); r != "" {
			return r
		}
		requested := currentOf(b, t.requestedBytes)
		if requested > active || (requested == 0) != (active == 0) {
			return ruleRequested
		}
	}
	if t.poolMap != 0 {
		// ska::flat_hash_map keeps its load factor, 0.5f, at byte 20.
		if binary.LittleEndian.Uint32(b[t.poolMap+20:]) != math.Float32bits(0.5) {
			return rulePoolMap
		}
	}
	return ""
}

// checkTail checks everything after the core against one known tail.
func checkTail(b []byte, t *tail) rule {
	if r := checkMiddle(b, t); r != "" {
		return r
	}
	for at := t.retries; at < t.maxSplit; at += 8 {
		if v := word(b, at); v < 0 || v > maxFigure {
			return ruleCounter
		}
	}
	if word(b, t.retries) > maxCounter || word(b, t.ooms) > maxCounter {
		return ruleCounter
	}
	if split := word(b, t.maxSplit); split != -1 && (split <= 20*mebibyte || split%mebibyte != 0 || split > maxFigure) {
		return ruleSentinel
	}
	return ""
}

// lock is the state of the recursive mutex before the statistics.
type lock struct {
	word, owner, kind int32
	count             uint32
	list              [2]uint64
}

func readLock(b []byte) lock {
	return lock{
		word:  int32(binary.LittleEndian.Uint32(b[0:])),
		count: binary.LittleEndian.Uint32(b[4:]),
		owner: int32(binary.LittleEndian.Uint32(b[8:])),
		kind:  int32(binary.LittleEndian.Uint32(b[16:])),
		list:  [2]uint64{binary.LittleEndian.Uint64(b[24:]), binary.LittleEndian.Uint64(b[32:])},
	}
}

// plausible tells whether it looks like a recursive mutex, held or not, by
// glibc's struct __pthread_mutex_s on x86-64.
func (l lock) plausible() bool {
	return l.kind == 1 && l.word >= 0 && l.word <= 2 && l.count <= 64 && l.owner >= 0 && l.list == [2]uint64{}
}

// free tells whether nobody holds it.
func (l lock) free() bool { return l.word == 0 && l.count == 0 && l.owner == 0 }

// figures are the statistics of one device at one moment; those from the tail
// on hold only if the tail has them.
type figures struct {
	allocatedBytes, reservedBytes         int64
	peakAllocatedBytes, peakReservedBytes int64
	allocations, segments                 int64
	active, inactiveSplit                 int64
	everAllocated                         int64 // allocation.allocated: blocks handed out so far
	everFreed                             int64

	activeBytes, splitBytes, requestedBytes int64
	retries, ooms                           int64
	poolCount                               uint64
}

// readFigures takes the figures out of statistics that passed the checks.
func readFigures(b []byte, t *tail) figures {
	f := figures{
		allocatedBytes:     currentOf(b, atAllocatedBytes),
		reservedBytes:      currentOf(b, atReservedBytes),
		peakAllocatedBytes: word(b, atAllocatedBytes+peak),
		peakReservedBytes:  word(b, atReservedBytes+peak),
		allocations:        currentOf(b, atAllocation),
		segments:           currentOf(b, atSegment),
		active:             currentOf(b, atActive),
		inactiveSplit:      currentOf(b, atInactiveSplit),
		everAllocated:      word(b, atAllocation+allocated),
		everFreed:          word(b, atAllocation+freed),
	}
	if t.activeBytes != 0 {
		f.activeBytes, f.splitBytes = currentOf(b, t.activeBytes), currentOf(b, t.splitBytes)
	}
	if t.requestedBytes != 0 {
		f.requestedBytes = currentOf(b, t.requestedBytes)
	}
	if t.retries != 0 {
		f.retries, f.ooms = word(b, t.retries), word(b, t.ooms)
	}
	if t.poolMap != 0 {
		f.poolCount = binary.LittleEndian.Uint64(b[t.poolMap+24:])
	}
	return f
}

// used tells whether anything was ever taken on this device, as far as the
// statistics remember.
func (f *figures) used() bool {
	return f.reservedBytes > 0 || f.peakReservedBytes > 0 || f.everAllocated > 0 || f.everFreed > 0
}

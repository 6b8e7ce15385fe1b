package monitor

import "time"

// Origin says where a figure was read: one of the constants below.
type Origin string

// The origins of a figure.
const (
	OriginAttach  Origin = "attach"  // read from the memory of the process
	OriginLog     Origin = "log"     // printed by the job
	OriginNVML    Origin = "nvml"    // asked of the driver
	OriginAssumed Origin = "assumed" // joined by a rule that may be wrong
)

// ParseOrigin returns the origin of that name, and false and the weakest one
// for any other name, such as one of a newer recording or of a forged one.
func ParseOrigin(name string) (Origin, bool) {
	switch o := Origin(name); o {
	case OriginAttach, OriginLog, OriginNVML, OriginAssumed:
		return o, true
	}
	return OriginAssumed, false
}

// AllocatorState is the outcome of looking for a process's allocator.
type AllocatorState uint8

// The outcomes. Every one but AllocatorOK comes without figures.
const (
	AllocatorUnread      AllocatorState = iota // not looked at yet
	AllocatorOK                                // figures are the process's own
	AllocatorStarting                          // the library is mapped but not set up yet
	AllocatorNoCUDA                            // PyTorch is loaded and has not started CUDA
	AllocatorInherited                         // a forked copy of its parent's figures
	AllocatorUnverified                        // figures could be a copy of a parent that is gone
	AllocatorDenied                            // reading the process's memory is not permitted
	AllocatorAsync                             // backend cudaMallocAsync keeps no figures in memory
	AllocatorPluggable                         // a user's own allocator
	AllocatorForeign                           // an allocator class this version does not know
	AllocatorUnknown                           // no layout this version knows fits
	AllocatorAmbiguous                         // more than one allocator answers
	AllocatorUnsupported                       // another processor architecture
	AllocatorBusy                              // changing during every try, for longer than a moment
	AllocatorGone                              // the process ended while it was read
	AllocatorImplausible                       // figures contradict the driver's
)

var allocatorStateNames = [...]string{
	AllocatorUnread:      "unread",
	AllocatorOK:          "ok",
	AllocatorStarting:    "starting",
	AllocatorNoCUDA:      "no-cuda-yet",
	AllocatorInherited:   "inherited",
	AllocatorUnverified:  "unverified",
	AllocatorDenied:      "no-permission",
	AllocatorAsync:       "backend-async",
	AllocatorPluggable:   "backend-pluggable",
	AllocatorForeign:     "backend-unknown",
	AllocatorUnknown:     "layout-unknown",
	AllocatorAmbiguous:   "ambiguous",
	AllocatorUnsupported: "unsupported-arch",
	AllocatorBusy:        "busy",
	AllocatorGone:        "gone",
	AllocatorImplausible: "implausible",
}

// String returns the state as it stands in JSON.
func (s AllocatorState) String() string {
	if int(s) < len(allocatorStateNames) {
		return allocatorStateNames[s]
	}
	return "unread"
}

// ParseAllocatorState returns the state of that name; false for no such name.
func ParseAllocatorState(name string) (AllocatorState, bool) {
	for i, n := range allocatorStateNames {
		if n == name {
			return AllocatorState(i), true
		}
	}
	return AllocatorUnread, false
}

// Allocator is the caching allocator of one process on one device: PyTorch's
// DeviceStats (c10/core/CachingDeviceAllocator.h from 2.6, before that
// c10/cuda/CUDACachingAllocator.h). A process whose figures cannot be shown
// has one row without an ordinal, with State and Reason.
type Allocator struct {
	PID        int
	StartTicks uint64       // with PID the process's name; 0 when unknown
	GPU        Reading[int] // NVML index; unknown when the ordinal could not be mapped
	Ordinal    Reading[int] // CUDA ordinal inside the process
	GPUAssumed bool         // GPU follows from a rule, not from the device's UUID
	Origin     Origin
	State      AllocatorState
	Reason     string    // a sentence, when State is not AllocatorOK
	ReadAt     time.Time // when the figures held
	Layout     string    // name of the layout that fitted, for the sources page

	AllocatedBytes     Reading[int64] // in live tensors
	ReservedBytes      Reading[int64] // taken from the driver, allocated included
	PeakAllocatedBytes Reading[int64] // since start or since the job reset it
	PeakReservedBytes  Reading[int64]
	ActiveBytes        Reading[int64] // allocated, or freed and waiting for another stream
	InactiveSplitBytes Reading[int64] // idle parts of segments in use: empty_cache cannot return them
	RequestedBytes     Reading[int64] // as asked for, before rounding
	PrivatePoolBytes   Reading[int64] // reserved by private pools (CUDA graphs), where the layout has it

	AllocationCount    Reading[int64] // live blocks
	SegmentCount       Reading[int64] // cudaMalloc segments; 0 under expandable segments
	ActiveCount        Reading[int64]
	InactiveSplitCount Reading[int64]
	AllocRetryCount    Reading[int64] // cudaMalloc failed, cache flushed and tried again
	OOMCount           Reading[int64]
}

// Key returns the name of the process that outlives a reuse of its PID.
func (a Allocator) Key() ProcessKey { return ProcessKey{PID: a.PID, StartTicks: a.StartTicks} }

// CacheBytes is reserved minus allocated: what PyTorch holds and no tensor
// uses.
func (a Allocator) CacheBytes() Reading[int64] { return Minus(a.ReservedBytes, a.AllocatedBytes) }

// ReleasableBytes is the part of the cache that empty_cache could return:
// reserved minus active minus inactive split.
func (a Allocator) ReleasableBytes() Reading[int64] {
	return Minus(Minus(a.ReservedBytes, a.ActiveBytes), a.InactiveSplitBytes)
}

// Minus returns a−b when both are known and the difference is not negative.
// A negative difference means the two were not read at the same moment or do
// not belong together, so it is no figure to show.
func Minus(a, b Reading[int64]) Reading[int64] {
	av, ok := a.Get()
	if !ok {
		return a
	}
	bv, ok := b.Get()
	if !ok {
		return b
	}
	if bv > av {
		return Unknown[int64](Failed, "the two figures were read at different moments and do not fit together")
	}
	return Known(av - bv)
}

// Plus returns a+b when both are known.
func Plus(a, b Reading[int64]) Reading[int64] {
	av, ok := a.Get()
	if !ok {
		return a
	}
	bv, ok := b.Get()
	if !ok {
		return b
	}
	return Known(av + bv)
}

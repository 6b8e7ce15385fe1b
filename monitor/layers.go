package monitor

// Layers is one device's memory split into the three layers and the gaps
// between them, in bytes. Allocated and reserved are sums over the processes
// whose allocator could be read or whose log tells.
type Layers struct {
	Total          Reading[int64]
	Used           Reading[int64] // everybody
	Reserved       Reading[int64]
	Allocated      Reading[int64]
	PeakAllocated  Reading[int64] // only with exactly one process: peaks do not add up
	PeakReserved   Reading[int64] // likewise
	Cache          Reading[int64] // reserved − allocated
	Split          Reading[int64] // of the cache: empty_cache cannot return it
	Releasable     Reading[int64] // of the cache: empty_cache can
	NonTorch       Reading[int64] // those processes' use outside PyTorch's allocator
	Others         Reading[int64] // used by everybody else
	Free           Reading[int64]
	DriverReserved Reading[int64]
	// Assumed says that the use of one of those processes follows from a rule
	// (Holder.Assumed), and so do NonTorch and Others.
	Assumed bool
	// Unseen is the part of Others that nobody whom the driver lists holds: in a
	// PID namespace of its own, "others: not visible from this PID namespace".
	Unseen Reading[int64]
	// Origin is the weakest origin among the summed rows.
	Origin Origin
	// Jobs counts the processes summed.
	Jobs int
	// Unread counts PyTorch processes on this device whose figures are missing,
	// so that reserved and allocated are lower bounds.
	Unread int
}

// LayersOf computes the layers of the device with that NVML index.
func LayersOf(s *Sample, gpu int) Layers {
	var l Layers
	for i := range s.GPUs {
		if s.GPUs[i].Index == gpu {
			l.device(&s.GPUs[i])
			break
		}
	}
	sum := newLayerSum()
	for i := range s.Torch { // by index: a row is large and this runs for every device of every sample
		a := &s.Torch[i]
		if s.onGPU(a, gpu) {
			h, listed := s.Holder(a.PID, gpu)
			l.row(&sum, a, h, listed)
		}
	}
	l.finish(&sum)
	return l
}

// device takes what the driver says of the whole device.
func (l *Layers) device(g *GPU) {
	l.Total, l.Used = g.Memory.TotalBytes, g.Memory.UsedBytes
	l.Free, l.DriverReserved = g.Memory.FreeBytes, g.Memory.DriverReservedBytes
	l.Unseen = g.UnseenBytes
}

// row takes one allocator on the device, and what the driver lists of its
// process there.
func (l *Layers) row(sum *layerSum, a *Allocator, h Holder, listed bool) {
	if a.State != AllocatorOK || !a.ReservedBytes.Known() && !a.AllocatedBytes.Known() {
		if a.State != AllocatorInherited && a.State != AllocatorNoCUDA {
			l.Unread++
		}
		return
	}
	l.Jobs++
	sum.add(a, h, listed)
}

func (l *Layers) finish(sum *layerSum) {
	if l.Jobs > 0 {
		sum.into(l)
		return
	}
	none := Unknown[int64](NotAvailable, "no PyTorch allocator could be read on this GPU")
	l.Reserved, l.Allocated, l.Cache, l.Split, l.Releasable, l.NonTorch = none, none, none, none, none, none
	l.PeakAllocated, l.PeakReserved = none, none
	l.Others = l.Used
}

// onGPU reports whether a row is about that device: by the row itself or, where
// the row cannot tell because its figures are missing, because the driver lists
// the process there.
func (s *Sample) onGPU(a *Allocator, gpu int) bool {
	if on, known := a.GPU.Get(); known {
		return on == gpu
	}
	if a.State == AllocatorOK {
		return false
	}
	_, listed := s.Holder(a.PID, gpu)
	return listed
}

// layerSum adds up the rows of one device.
type layerSum struct {
	allocated, reserved, split, releasable, used Reading[int64]
	peakAllocated, peakReserved                  Reading[int64]
	nonTorch                                     Reading[int64]
	origin                                       Origin
	rows                                         int
	assumed                                      bool
}

func newLayerSum() layerSum {
	zero := Known[int64](0)
	return layerSum{allocated: zero, reserved: zero, split: zero, releasable: zero, used: zero, nonTorch: zero}
}

func (t *layerSum) add(a *Allocator, h Holder, listed bool) {
	t.rows++
	t.allocated = Plus(t.allocated, a.AllocatedBytes)
	t.reserved = Plus(t.reserved, a.ReservedBytes)
	t.split = Plus(t.split, a.InactiveSplitBytes)
	t.releasable = Plus(t.releasable, a.ReleasableBytes())
	t.peakAllocated, t.peakReserved = a.PeakAllocatedBytes, a.PeakReservedBytes
	if t.origin == "" || a.Origin != OriginAttach {
		t.origin = a.Origin
	}
	used := Unknown[int64](NotAvailable, "the driver does not give this process's memory")
	if listed {
		used = h.UsedBytes
		t.assumed = t.assumed || h.Assumed
	}
	t.used = Plus(t.used, used)
	t.nonTorch = Plus(t.nonTorch, Minus(used, a.ReservedBytes))
}

func (t *layerSum) into(l *Layers) {
	l.Allocated, l.Reserved = t.allocated, t.reserved
	l.Split, l.Releasable = t.split, t.releasable
	l.Cache = Minus(t.reserved, t.allocated)
	l.NonTorch = t.nonTorch
	l.Others = Minus(l.Used, t.used)
	l.Origin, l.Assumed = t.origin, t.assumed
	if t.rows == 1 {
		l.PeakAllocated, l.PeakReserved = t.peakAllocated, t.peakReserved
		return
	}
	many := Unknown[int64](NotApplicable, "peaks of several processes do not add up")
	l.PeakAllocated, l.PeakReserved = many, many
}

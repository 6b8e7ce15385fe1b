package torch

import (
	"fmt"

	"github.com/vramscope/vramscope/monitor"
)

// appendRows adds what is to be said of one process: a row for each device
// that matters when the figures are its own, else one row with the reason.
func (r *Reader) appendRows(rows []monitor.Allocator, t *target) []monitor.Allocator {
	switch {
	case t.endedNow:
		return append(rows, r.reasonRow(t, monitor.AllocatorGone, reasonGone))
	case t.attached == nil && t.kind == kindNone:
		return rows
	case t.attached == nil && t.out.state == monitor.AllocatorUnread:
		return append(rows, r.reasonRow(t, monitor.AllocatorUnread, reasonWaiting))
	case t.attached == nil:
		return append(rows, r.reasonRow(t, t.out.state, t.out.reason))
	case t.owner == ownerInherited:
		return append(rows, r.reasonRow(t, monitor.AllocatorInherited, reasonInherited(t.ancestor)))
	case t.owner == ownerUnused:
		return append(rows, r.reasonRow(t, monitor.AllocatorNoCUDA, reasonUnused))
	case t.owner != ownerSelf:
		return append(rows, r.reasonRow(t, monitor.AllocatorUnverified, reasonUnverified))
	case t.refused():
		sum := int64(0)
		for i := range t.attached.devices {
			sum += t.attached.devices[i].figures.reservedBytes
		}
		return append(rows, r.reasonRow(t, monitor.AllocatorImplausible, reasonDisagrees(sum, t.used)))
	}
	if t.env.noCaching && !t.attached.used() {
		return append(rows, r.reasonRow(t, monitor.AllocatorForeign, reasonNoCaching))
	}
	first := len(rows)
	for i := range t.attached.devices {
		if d := &t.attached.devices[i]; r.matters(t, d) {
			rows = append(rows, r.deviceRow(t, i))
		}
	}
	if len(rows) == first {
		// CUDA is started and nothing was ever taken: the first device says so.
		rows = append(rows, r.deviceRow(t, 0))
	}
	return rows
}

// matters tells whether a device gets a row. Every visible GPU has an element
// in the vector; those that a process never touched say nothing.
func (r *Reader) matters(t *target, d *device) bool {
	return d.used || d.gpu.known && !d.gpu.assumed && r.holders.on(t.pid, d.gpu.index)
}

// reasonRow is the row of a process without figures.
func (r *Reader) reasonRow(t *target, state monitor.AllocatorState, reason string) monitor.Allocator {
	a := monitor.Allocator{PID: t.pid, StartTicks: t.start, Origin: monitor.OriginAttach, State: state, Reason: reason}
	a.Ordinal = monitor.Unknown[int](monitor.NotApplicable, reason)
	a.GPU = monitor.Unknown[int](monitor.NotApplicable, reason)
	if gpu, assumed, ok := r.holders.onlyGPU(t.pid); ok {
		a.GPU, a.GPUAssumed = monitor.Known(gpu), assumed
	}
	withoutFigures(&a, codeOf(state), reason)
	return a
}

// withoutFigures gives every figure of a row its reason.
func withoutFigures(a *monitor.Allocator, code monitor.Code, reason string) {
	none := monitor.Unknown[int64](code, reason)
	for _, f := range [...]*monitor.Reading[int64]{
		&a.AllocatedBytes, &a.ReservedBytes, &a.PeakAllocatedBytes, &a.PeakReservedBytes, &a.ActiveBytes,
		&a.InactiveSplitBytes, &a.RequestedBytes, &a.PrivatePoolBytes, &a.AllocationCount, &a.SegmentCount,
		&a.ActiveCount, &a.InactiveSplitCount, &a.AllocRetryCount, &a.OOMCount,
	} {
		*f = none
	}
}

// codeOf returns the code of the readings that go with a state.
func codeOf(s monitor.AllocatorState) monitor.Code {
	switch s {
	case monitor.AllocatorDenied:
		return monitor.NoPermission
	case monitor.AllocatorBusy:
		return monitor.Busy
	case monitor.AllocatorGone:
		return monitor.Gone
	case monitor.AllocatorUnread, monitor.AllocatorStarting, monitor.AllocatorNoCUDA:
		return monitor.NotRead
	case monitor.AllocatorAsync, monitor.AllocatorPluggable, monitor.AllocatorForeign, monitor.AllocatorUnsupported,
		monitor.AllocatorUnknown:
		return monitor.NotSupported
	case monitor.AllocatorInherited:
		return monitor.NotApplicable
	case monitor.AllocatorOK, monitor.AllocatorUnverified, monitor.AllocatorAmbiguous, monitor.AllocatorImplausible:
	}
	return monitor.Failed
}

// deviceRow is the row of one device whose figures are the process's own.
func (r *Reader) deviceRow(t *target, ordinal int) monitor.Allocator {
	d := &t.attached.devices[ordinal]
	a := monitor.Allocator{
		PID: t.pid, StartTicks: t.start, Origin: monitor.OriginAttach, State: monitor.AllocatorOK,
		Ordinal: monitor.Known(ordinal), ReadAt: d.readAt, Layout: t.attached.layout,
	}
	if d.gpu.known {
		a.GPU, a.GPUAssumed = monitor.Known(d.gpu.index), d.gpu.assumed
	} else {
		a.GPU = monitor.Unknown[int](monitor.NotAvailable, reasonNoGPU)
	}
	a.State, a.Reason = r.deviceState(d)
	if a.State != monitor.AllocatorOK {
		withoutFigures(&a, codeOf(a.State), a.Reason)
		return a
	}
	fillFigures(&a, d.figures, t.attached.tail)
	return a
}

const reasonNoGPU = "which GPU this is could not be told: the process may number its GPUs in its own way"

// deviceState decides whether a device's figures may be shown.
func (r *Reader) deviceState(d *device) (monitor.AllocatorState, string) {
	age := r.now().Sub(d.readAt)
	switch {
	case d.good == 0, age > r.limits.StaleAfter:
		return monitor.AllocatorBusy, reasonBusy
	case d.good < 2:
		return monitor.AllocatorUnread, reasonConfirming
	case d.tooLarge:
		return monitor.AllocatorImplausible, reasonTooLarge
	case d.refused():
		return monitor.AllocatorImplausible, reasonDisagrees(d.figures.reservedBytes, d.plausibility.used)
	}
	return monitor.AllocatorOK, ""
}

// The reasons of figures that this PyTorch release's layout does not give.
const (
	reasonNoField  = "this PyTorch release does not keep it"
	reasonNegative = "PyTorch's own figure is negative"
	reasonNoTail   = "only the main figures of this PyTorch build's statistics are known"
)

func fillFigures(a *monitor.Allocator, f figures, t *tail) {
	a.AllocatedBytes, a.ReservedBytes = monitor.Known(f.allocatedBytes), monitor.Known(f.reservedBytes)
	a.PeakAllocatedBytes, a.PeakReservedBytes = monitor.Known(f.peakAllocatedBytes), monitor.Known(f.peakReservedBytes)
	a.AllocationCount, a.SegmentCount = monitor.Known(f.allocations), monitor.Known(f.segments)
	a.ActiveCount, a.InactiveSplitCount = monitor.Known(f.active), monitor.Known(f.inactiveSplit)
	missing := reasonNoTail
	if t.maxSplit != 0 {
		missing = reasonNoField
	}
	given := func(has int, v int64) monitor.Reading[int64] {
		if has == 0 {
			return monitor.Unknown[int64](monitor.NotSupported, missing)
		}
		return monitor.Known(v)
	}
	a.ActiveBytes, a.InactiveSplitBytes = given(t.activeBytes, f.activeBytes), given(t.splitBytes, f.splitBytes)
	a.RequestedBytes = given(t.requestedBytes, f.requestedBytes)
	a.AllocRetryCount, a.OOMCount = given(t.retries, f.retries), given(t.ooms, f.ooms)
	if f.splitBytes < 0 || f.inactiveSplit < 0 {
		// Kept by net changes in PyTorch, so nothing rules this out there.
		a.InactiveSplitBytes = monitor.Unknown[int64](monitor.Failed, reasonNegative)
		a.InactiveSplitCount = a.InactiveSplitBytes
	}
	a.PrivatePoolBytes = given(t.poolMap, 0)
	if t.poolMap != 0 && f.poolCount != 0 {
		a.PrivatePoolBytes = monitor.Unknown[int64](monitor.NotSupported, "the figures of private pools are not read")
	}
}

// summary is what the source says of itself.
type summary struct {
	shown, unread int
	why           string // the first process that cannot be read
}

func (s *summary) add(rows []monitor.Allocator) {
	for i := range rows {
		switch rows[i].State {
		case monitor.AllocatorOK:
			s.shown++
		case monitor.AllocatorNoCUDA, monitor.AllocatorStarting, monitor.AllocatorInherited,
			monitor.AllocatorGone, monitor.AllocatorUnread:
		default:
			if s.unread == 0 {
				s.why = fmt.Sprintf("process %d: %s", rows[i].PID, rows[i].Reason)
			}
			s.unread++
		}
	}
}

func (s *summary) state() monitor.State {
	switch {
	case s.unread == 0:
		return monitor.StateOK
	case s.shown == 0:
		return monitor.StateUnavailable
	}
	return monitor.StatePartial
}

func (s *summary) reason() string {
	if s.unread > 1 {
		return fmt.Sprintf("%s (and %d more)", s.why, s.unread-1)
	}
	return s.why
}

package record

import (
	"fmt"
	"math"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func (r *gpuRow) gpu(at time.Time) monitor.GPU {
	why := func(key string) string { return r.Why[key] }
	g := monitor.GPU{
		Index: r.Index, UUID: r.UUID.reading(""), Name: r.Name.reading(""), ReadAt: readAt(at, r.ReadAgeMS),
		State: monitor.StateOK, Reason: r.Reason.value,
		Memory: monitor.DeviceMemory{TotalBytes: positive(amount(r.Total, why("total"))), UsedBytes: amount(r.Used, why("used")),
			FreeBytes: amount(r.Free, why("free")), DriverReservedBytes: amount(r.Reserved, why("reserved")),
			Source: monitor.MemorySource(r.MemorySource.value)},
		UtilPercent: upTo(maxPercent, r.Util, why("util")), MemUtilPercent: upTo(maxPercent, r.MemUtil, why("mem_util")),
		TemperatureC: between(-100, maxCelsius, r.TempC, why("temp_c")), PowerW: upTo(maxWatts, r.PowerW, why("power_w")),
		PowerLimitW: upTo(maxWatts, r.PowerLimitW, ""), SMClockMHz: upTo(maxMHz, r.SMClockMHz, ""), MemClockMHz: upTo(maxMHz, r.MemClockMHz, ""),
		Throttle: r.Throttle.reading(""),
		ECC: monitor.ECC{Enabled: r.ECCEnabled.reading(""), CorrectedCount: amount(r.ECCCorrected, ""),
			UncorrectedCount: amount(r.ECCUncorrected, ""), PendingRowRemap: r.RowRemapPending.reading(""),
			RowRemapFailure: r.RowRemapFailure.reading(""), RetiredPagesCount: amount(r.RetiredPages, "")},
		MIG: r.MIG.reading(why("mig")), UnseenBytes: amount(r.Unseen, why("unseen")),
		Activity: monitor.Activity{SMPercent: upTo(maxPercent, r.SM, why("sm")), TensorPercent: upTo(maxPercent, r.Tensor, why("tensor")),
			FP32Percent: upTo(maxPercent, r.FP32, why("fp32")), DRAMPercent: upTo(maxPercent, r.DRAM, why("dram"))},
	}
	if g.Memory.Source == "" {
		g.Memory.Source = monitor.MemoryFile
	}
	if r.State.is != absent {
		g.State, _ = monitor.ParseState(r.State.value)
	}
	return g
}

func (r *procRow) holder(gpu int) monitor.Holder {
	h := monitor.Holder{PID: r.PID, GPU: gpu, UsedBytes: amount(r.Used, r.Why), Name: r.Name.value,
		InNamespace: !r.OutsideOfNS, Instance: wholeOf(r.MIGInstance), Assumed: r.Assumed}
	for _, name := range r.Kinds {
		for _, one := range holderKinds {
			if one.name == name {
				h.Kinds |= one.kind
			}
		}
	}
	return h
}

// positive takes a size of 0, which no device has, for an unknown one.
func positive(r monitor.Reading[int64]) monitor.Reading[int64] {
	if v, ok := r.Get(); ok && v <= 0 {
		return monitor.Unknown[int64](monitor.Failed, fmt.Sprintf("the recording says %d bytes", v))
	}
	return r
}

func (r *torchRow) allocator(at time.Time) monitor.Allocator {
	a := monitor.Allocator{
		PID: r.PID, StartTicks: ticks(r.Start), GPU: wholeOf(r.GPU), Ordinal: wholeOf(r.Ordinal), GPUAssumed: r.Assumed,
		State: monitor.AllocatorOK, Reason: r.Reason.value, ReadAt: readAt(at, r.ReadAgeMS),
		Layout: r.Layout.value,
	}
	a.Origin, _ = monitor.ParseOrigin(r.Source)
	if r.State.is != absent {
		a.State, _ = monitor.ParseAllocatorState(r.State.value)
	}
	why := a.Reason
	if a.State != monitor.AllocatorOK {
		r.withoutFigures(lean)
		if why == "" {
			why = "the allocator's state was " + a.State.String()
		}
	}
	a.AllocatedBytes, a.ReservedBytes = amount(r.Allocated, why), amount(r.Reserved, why)
	a.PeakAllocatedBytes, a.PeakReservedBytes = amount(r.PeakAllocated, why), amount(r.PeakReserved, why)
	a.ActiveBytes, a.InactiveSplitBytes = amount(r.ActiveBytes, why), amount(r.InactiveSplitBytes, why)
	a.RequestedBytes, a.PrivatePoolBytes = amount(r.Requested, why), amount(r.PrivatePools, why)
	a.AllocationCount, a.SegmentCount = amount(r.Allocation, why), amount(r.Segment, why)
	a.ActiveCount, a.InactiveSplitCount = amount(r.Active, why), amount(r.InactiveSplit, why)
	a.AllocRetryCount, a.OOMCount = amount(r.AllocRetries, why), amount(r.OOMs, why)
	refuseImpossible(&a)
	return a
}

// refuseImpossible takes out figures that cannot hold at the same time, as the
// live reader would: a part of reserved that is larger than reserved.
func refuseImpossible(a *monitor.Allocator) {
	reserved, ok := a.ReservedBytes.Get()
	if !ok {
		return
	}
	for _, part := range []*monitor.Reading[int64]{&a.AllocatedBytes, &a.ActiveBytes, &a.InactiveSplitBytes} {
		if v, known := part.Get(); known && v > reserved {
			*part = monitor.Unknown[int64](monitor.Failed, "the recording contradicts itself: it is more than reserved")
		}
	}
}

// ticks reads a start time in clock ticks; 0 when there is none.
func ticks(f field[int64]) uint64 {
	if f.is != present || f.value < 0 {
		return 0
	}
	return uint64(f.value)
}

// process gives the lasting facts of a process.
func (r *processRow) process(pid int, name string) monitor.Process {
	p := monitor.Process{
		PID: pid, Name: name, StartTicks: ticks(r.Start), User: r.User.value, Command: r.Cmd.value,
		Rank: wholeOf(r.Rank), LocalRank: wholeOf(r.LocalRank), World: wholeOf(r.World),
		TorchVersion: r.TorchVersion.reading(""), AllocConf: r.AllocConf.reading(""), NoCaching: r.NoCaching.reading(""),
		VisibleDevices: r.VisibleDevices.reading(""), DeviceOrder: r.DeviceOrder.reading(""),
		Container: monitor.Container{Runtime: r.Container.runtime, ID: r.Container.id, Pod: r.Pod.value,
			LimitBytes: amount(r.CgroupLimit, "")},
	}
	if r.PPID.is == present && r.PPID.value > 0 && r.PPID.value <= math.MaxInt32 {
		p.ParentPID = int(r.PPID.value)
	}
	if t, err := time.Parse(time.RFC3339Nano, r.Started.value); err == nil {
		p.Started = t
	}
	return p
}

// onto puts the moving figures onto the facts of a process.
func (r *hostFigures) onto(p *monitor.Process) {
	if r.State.is == present {
		p.State = r.State.value
	}
	if r.Threads.is == present && r.Threads.value > 0 && r.Threads.value <= math.MaxInt32 {
		p.Threads = int(r.Threads.value)
	}
	p.HostBytes, p.CPUPercent = amount(r.HostBytes, ""), r.CPU.reading("")
}

func (r *sourceRow) status(at time.Time) monitor.SourceStatus {
	st := monitor.SourceStatus{Name: r.Name, Reason: r.Reason}
	st.State, _ = monitor.ParseState(r.State)
	if r.AgeMS.is == present {
		st.GoodAt = readAt(at, r.AgeMS)
	}
	return st
}

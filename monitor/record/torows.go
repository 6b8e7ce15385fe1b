package record

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// names of the driver's lists in JSON, in the order of their bits.
func kindNames(k monitor.HolderKind) []string {
	var names []string
	for _, one := range holderKinds {
		if k&one.kind != 0 {
			names = append(names, one.name)
		}
	}
	return names
}

var holderKinds = [...]struct {
	kind monitor.HolderKind
	name string
}{{monitor.HolderCompute, "compute"}, {monitor.HolderGraphics, "graphics"}, {monitor.HolderMPS, "mps"}}

func gpuRowOf(s style, at time.Time, g *monitor.GPU) gpuRow {
	m, e := &g.Memory, &g.ECC
	row := gpuRow{
		Index: g.Index, Used: figure(m.UsedBytes), Free: figure(m.FreeBytes), Reserved: figure(m.DriverReservedBytes),
		Util: figure(g.UtilPercent), MemUtil: figure(g.MemUtilPercent), PowerW: figure(g.PowerW), TempC: figure(g.TemperatureC),
		SM: extra(s, g.Activity.SMPercent), Tensor: extra(s, g.Activity.TensorPercent),
		FP32: extra(s, g.Activity.FP32Percent), DRAM: extra(s, g.Activity.DRAMPercent),
		Total: extra(s, m.TotalBytes), Name: extra(s, g.Name), UUID: extra(s, g.UUID),
		PowerLimitW: extra(s, g.PowerLimitW), SMClockMHz: extra(s, g.SMClockMHz), MemClockMHz: extra(s, g.MemClockMHz),
		Throttle:   throttleField(s, g.Throttle),
		ECCEnabled: extra(s, e.Enabled), ECCCorrected: extra(s, e.CorrectedCount), ECCUncorrected: extra(s, e.UncorrectedCount),
		RowRemapPending: extra(s, e.PendingRowRemap), RowRemapFailure: extra(s, e.RowRemapFailure),
		RetiredPages: extra(s, e.RetiredPagesCount), MIG: extra(s, g.MIG),
		MemorySource: word(s, string(m.Source)), Unseen: extra(s, g.UnseenBytes), Reason: word(s, g.Reason), ReadAgeMS: ageMS(s, at, g.ReadAt),
	}
	if g.State != monitor.StateOK || s == full {
		row.State = set(g.State.String())
	}
	if s == full {
		row.Why = gpuWhy(g)
	} else if m.Source == monitor.MemoryFile {
		row.MemorySource = field[string]{}
	}
	return row
}

// throttleField keeps "none active" ([]) apart from unknown (null).
func throttleField(s style, r monitor.Reading[[]string]) field[[]string] {
	f := extra(s, r)
	if f.is == present && f.value == nil {
		f.value = []string{}
	}
	return f
}

// gpuWhy tells why values are null, where there is more to say than that they
// were not read.
func gpuWhy(g *monitor.GPU) map[string]string {
	why := map[string]string{}
	add := func(key string, known bool, r monitor.Reason) {
		if !known && r != (monitor.Reason{}) {
			why[key] = r.String()
		}
	}
	m, a := &g.Memory, &g.Activity
	add("used", m.UsedBytes.Known(), m.UsedBytes.Why())
	add("free", m.FreeBytes.Known(), m.FreeBytes.Why())
	add("reserved", m.DriverReservedBytes.Known(), m.DriverReservedBytes.Why())
	add("total", m.TotalBytes.Known(), m.TotalBytes.Why())
	add("util", g.UtilPercent.Known(), g.UtilPercent.Why())
	add("mem_util", g.MemUtilPercent.Known(), g.MemUtilPercent.Why())
	add("power_w", g.PowerW.Known(), g.PowerW.Why())
	add("temp_c", g.TemperatureC.Known(), g.TemperatureC.Why())
	add("sm", a.SMPercent.Known(), a.SMPercent.Why())
	add("tensor", a.TensorPercent.Known(), a.TensorPercent.Why())
	add("fp32", a.FP32Percent.Known(), a.FP32Percent.Why())
	add("dram", a.DRAMPercent.Known(), a.DRAMPercent.Why())
	add("mig", g.MIG.Known(), g.MIG.Why())
	add("unseen", g.UnseenBytes.Known(), g.UnseenBytes.Why())
	return why
}

func procRowOf(s style, h *monitor.Holder) procRow {
	row := procRow{PID: h.PID, GPU: set(int64(h.GPU)), Used: figure(h.UsedBytes), Name: set(h.Name),
		Kinds: kindNames(h.Kinds), OutsideOfNS: !h.InNamespace, MIGInstance: extra(s, wide(h.Instance)), Assumed: h.Assumed}
	if !h.UsedBytes.Known() && (s == full || h.UsedBytes.Why().Detail != "") {
		row.Why = h.UsedBytes.Why().String()
	}
	return row
}

// processRowOf writes the lasting facts of a process, scrubbed.
func processRowOf(s style, p *monitor.Process, scrub func(string) string) processRow {
	row := processRow{
		PPID: countField(s, int64(p.ParentPID)), Start: countField(s, int64(p.StartTicks)),
		User: word(s, p.User), Cmd: word(s, scrub(p.Command)),
		Rank: extra(s, wide(p.Rank)), LocalRank: extra(s, wide(p.LocalRank)), World: extra(s, wide(p.World)),
		TorchVersion: extra(s, p.TorchVersion), AllocConf: scrubbed(extra(s, p.AllocConf), scrub), NoCaching: extra(s, p.NoCaching),
		VisibleDevices: scrubbed(extra(s, p.VisibleDevices), scrub), DeviceOrder: scrubbed(extra(s, p.DeviceOrder), scrub),
		Container: containerField{p.Container.Runtime, p.Container.ID}, Pod: word(s, p.Container.Pod),
		CgroupLimit: extra(s, p.Container.LimitBytes),
	}
	if row.Container.runtime == "" && s == full {
		row.Container.runtime = "-"
	}
	if !p.Started.IsZero() {
		row.Started = set(p.Started.Format(time.RFC3339Nano))
	} else if s == full {
		row.Started.is = null
	}
	return row
}

func scrubbed(f field[string], scrub func(string) string) field[string] {
	if f.is == present {
		f.value = scrub(f.value)
	}
	return f
}

// countField writes a number whose zero means that it is not known.
func countField(s style, v int64) field[int64] {
	switch {
	case v != 0:
		return set(v)
	case s == full:
		return field[int64]{is: null}
	}
	return field[int64]{}
}

func hostFiguresOf(s style, p *monitor.Process) hostFigures {
	return hostFigures{State: word(s, p.State), Threads: countField(s, int64(p.Threads)),
		HostBytes: extra(s, p.HostBytes), CPU: extra(s, p.CPUPercent)}
}

// hostRowOf is a process as it stands in every sample of a recording.
func hostRowOf(p *monitor.Process) hostRow {
	return hostRow{PID: p.PID, Start: countField(lean, int64(p.StartTicks)), hostFigures: hostFiguresOf(lean, p)}
}

func torchRowOf(s style, at time.Time, a *monitor.Allocator) torchRow {
	row := torchRow{
		PID: a.PID, GPU: figure(wide(a.GPU)), Source: string(a.Origin),
		Allocated: figure(a.AllocatedBytes), Reserved: figure(a.ReservedBytes), ActiveBytes: figure(a.ActiveBytes),
		InactiveSplitBytes: figure(a.InactiveSplitBytes), Requested: figure(a.RequestedBytes),
		PeakAllocated: figure(a.PeakAllocatedBytes), PeakReserved: figure(a.PeakReservedBytes),
		Segment: figure(a.SegmentCount), Allocation: figure(a.AllocationCount), Active: figure(a.ActiveCount),
		InactiveSplit: figure(a.InactiveSplitCount), AllocRetries: figure(a.AllocRetryCount), OOMs: figure(a.OOMCount),
		PrivatePools: extra(s, a.PrivatePoolBytes), Start: countField(s, int64(a.StartTicks)),
		Ordinal: extra(s, wide(a.Ordinal)), Assumed: a.GPUAssumed, Reason: word(s, a.Reason), Layout: word(s, a.Layout),
		ReadAgeMS: ageMS(s, at, a.ReadAt),
	}
	if a.State != monitor.AllocatorOK || s == full {
		row.State = set(a.State.String())
	}
	if a.State != monitor.AllocatorOK {
		row.withoutFigures(s)
	}
	return row
}

// withoutFigures makes sure that only an allocator in state ok has figures.
func (r *torchRow) withoutFigures(s style) {
	for _, f := range []*field[int64]{&r.Allocated, &r.Reserved, &r.ActiveBytes, &r.InactiveSplitBytes, &r.Requested,
		&r.PeakAllocated, &r.PeakReserved, &r.Segment, &r.Allocation, &r.Active, &r.InactiveSplit, &r.AllocRetries, &r.OOMs} {
		*f = field[int64]{is: null}
	}
	r.PrivatePools = extra(s, monitor.Reading[int64]{})
}

func sourceRowOf(at time.Time, st *monitor.SourceStatus) sourceRow {
	return sourceRow{Name: st.Name, State: st.State.String(), Reason: st.Reason, AgeMS: ageMS(full, at, st.GoodAt)}
}

func rowsOf[In, Out any](in []In, convert func(*In) Out) []Out {
	out := make([]Out, 0, len(in))
	for i := range in {
		out = append(out, convert(&in[i]))
	}
	return out
}

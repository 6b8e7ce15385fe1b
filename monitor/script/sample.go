package script

import (
	"fmt"
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Count returns how many samples the script has; a script without end counts
// those of a day.
func (m Machine) Count() int {
	length := m.Length
	if length <= 0 {
		length = 24 * time.Hour
	}
	return int(length/m.interval()) + 1
}

func (m Machine) interval() time.Duration {
	if m.Interval <= 0 {
		return time.Second
	}
	return m.Interval
}

func (m Machine) start() time.Time {
	if m.Start.IsZero() {
		return time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)
	}
	return m.Start
}

// Samples returns all samples of the script in order.
func (m Machine) Samples() []monitor.Sample {
	var out []monitor.Sample
	for i := range m.Count() {
		if s, ok := m.Sample(i); ok {
			out = append(out, s)
		}
	}
	return out
}

// Sample returns the i-th sample, from 0; false when it falls into a gap.
func (m Machine) Sample(i int) (monitor.Sample, bool) {
	t := time.Duration(i) * m.interval()
	if slices.ContainsFunc(m.Gaps, func(s Span) bool { return s.has(t) }) {
		return monitor.Sample{}, false
	}
	s := monitor.Sample{Seq: uint64(i + 1), Time: m.start().Add(t), Host: or(m.Host, "node07"), Driver: or(m.Driver, "580.159.04")}
	if _, down := m.down("nvml", t); !down {
		m.holders(&s, t)
	}
	m.gpus(&s, t)
	m.processes(&s, t)
	m.torch(&s, t)
	m.log(&s, t)
	for _, name := range []string{"nvml", "torch", "proc", "log"} {
		s.Sources = append(s.Sources, m.status(name, t))
	}
	return s, true
}

func or(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

func (m Machine) down(source string, t time.Duration) (Down, bool) {
	for _, d := range m.Down {
		if d.Source == source && d.When.has(t) {
			return d, true
		}
	}
	return Down{}, false
}

func (m Machine) status(source string, t time.Duration) monitor.SourceStatus {
	st := monitor.SourceStatus{Name: source, State: monitor.StateOK, GoodAt: m.start().Add(t), Took: 3 * time.Millisecond}
	if d, down := m.down(source, t); down {
		st.State, st.Reason = monitor.StateStale, or(d.Reason, fmt.Sprintf("no answer for %d s", int((t-d.When.From).Seconds())))
		st.GoodAt, st.Took = m.start().Add(d.When.From), 0
	}
	return st
}

// alive lists the jobs whose process exists.
func (m Machine) alive(t time.Duration) []Job {
	var out []Job
	for _, j := range m.Jobs {
		if j.Lives.has(t) && j.GPU >= 0 && j.GPU < len(m.GPUs) {
			out = append(out, j)
		}
	}
	return out
}

func (m Machine) holders(s *monitor.Sample, t time.Duration) {
	for _, j := range m.alive(t) {
		if m.GPUs[j.GPU].Missing.on() && m.GPUs[j.GPU].Missing.has(t) {
			continue
		}
		s.Holders = append(s.Holders, monitor.Holder{PID: j.PID, GPU: j.GPU, UsedBytes: monitor.Known(j.used(t)), Kinds: monitor.HolderCompute,
			Name: or(j.Name, "python"), InNamespace: true})
	}
}

// on tells a span that was given from the zero one, which means never here.
func (s Span) on() bool { return s != Span{} }

func (m Machine) gpus(s *monitor.Sample, t time.Duration) {
	for i, g := range m.GPUs {
		if g.Missing.on() && g.Missing.has(t) {
			continue
		}
		lost, reason := g.Lost, "it does not answer"
		if d, down := m.down("nvml", t); down {
			lost, reason = d.When, "nvml does not answer"
		}
		if lost.on() && lost.has(t) {
			dev := m.gpu(i, max(lost.From-m.interval(), 0))
			dev.State, dev.Reason = monitor.StateStale, reason
			s.GPUs = append(s.GPUs, dev)
			continue
		}
		s.GPUs = append(s.GPUs, m.gpu(i, t))
	}
}

// gpu is a device as it is read at a time.
func (m Machine) gpu(index int, t time.Duration) monitor.GPU {
	g := m.GPUs[index]
	total, reserved := g.TotalBytes, g.DriverReserved
	if total == 0 {
		total = defaultTotal
	}
	if reserved == 0 {
		reserved = defaultDriverReserved
	}
	used, busy := at(g.OtherBytes, t, 0), 0.0
	for _, j := range m.alive(t) {
		if j.GPU == index {
			used += j.used(t)
			busy = 90 + float64(int64(t/time.Second)%8)
		}
	}
	used = min(used, total-reserved)
	return monitor.GPU{
		Index: index, UUID: monitor.Known(fmt.Sprintf("GPU-%08x-0000-4000-8000-%012x", index, index)), Name: monitor.Known(or(g.Name, "NVIDIA H200")),
		ReadAt: m.start().Add(t), State: monitor.StateOK,
		Memory: monitor.DeviceMemory{TotalBytes: monitor.Known(total), UsedBytes: monitor.Known(used), FreeBytes: monitor.Known(total - reserved - used),
			DriverReservedBytes: monitor.Known(reserved), Source: monitor.MemoryV2},
		UtilPercent: monitor.Known(busy), MemUtilPercent: monitor.Known(busy / 3), TemperatureC: monitor.Known(38 + busy/4),
		PowerW: monitor.Known(120 + 5.5*busy), PowerLimitW: monitor.Known(700.0), SMClockMHz: monitor.Known(1980.0), MemClockMHz: monitor.Known(3201.0),
		Throttle: monitor.Known([]string{}), MIG: monitor.Known(false),
		ECC: monitor.ECC{Enabled: monitor.Known(true), CorrectedCount: monitor.Known[int64](0), UncorrectedCount: monitor.Known[int64](0),
			PendingRowRemap: monitor.Known(false), RowRemapFailure: monitor.Known(false)},
		Activity: monitor.Activity{SMPercent: monitor.Known(busy * 0.8), TensorPercent: monitor.Known(busy / 4), FP32Percent: monitor.Known(busy / 50),
			DRAMPercent: monitor.Known(busy / 2)},
	}
}

func at(c Curve, t time.Duration, fallback int64) int64 {
	if c == nil {
		return fallback
	}
	return max(c(t), 0)
}

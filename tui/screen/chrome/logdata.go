package chrome

import (
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/widget/chart"
)

// MemoryReadings returns what the newest log said of memory up to the moment on
// screen, oldest first.
func MemoryReadings(st *screen.State) []monitor.LogReading {
	all := st.History.Readings()
	var kept []monitor.LogReading
	for _, r := range all {
		if r.Kind == monitor.LogMemory && !r.Time.After(st.Sample.Time) {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	source := kept[len(kept)-1].Source
	out := kept[:0]
	for _, r := range kept {
		if r.Source == source {
			out = append(out, r)
		}
	}
	return out
}

// fillFromLog gives a chart the figures of a log that belongs to no process
// here: each holds until the log prints the next one.
func fillFromLog(st *screen.State, d *chart.Data, n int) {
	readings := MemoryReadings(st)
	if len(readings) == 0 {
		return
	}
	_, until := st.History.Span()
	steps := func(figure func(r *monitor.LogReading) monitor.Reading[int64]) []chart.Point {
		points := make([]chart.Point, len(readings))
		for i := range readings {
			points[i] = chart.Point{Time: readings[i].Time, Bytes: figure(&readings[i])}
		}
		return points
	}
	d.Used = chart.Steps(steps(func(r *monitor.LogReading) monitor.Reading[int64] { return r.DeviceUsedBytes }), d.From, d.To, until, n)
	d.Reserved = chart.Steps(steps(func(r *monitor.LogReading) monitor.Reading[int64] { return r.ReservedBytes }), d.From, d.To, until, n)
	d.Allocated = chart.Steps(steps(func(r *monitor.LogReading) monitor.Reading[int64] { return r.AllocatedBytes }), d.From, d.To, until, n)
	d.PeakReserved = chart.Steps(steps(func(r *monitor.LogReading) monitor.Reading[int64] { return r.MaxReservedBytes }), d.From, d.To, until, n)
	d.PeakAllocated = chart.Steps(steps(func(r *monitor.LogReading) monitor.Reading[int64] { return r.MaxAllocatedBytes }), d.From, d.To, until, n)
	d.Total = readings[len(readings)-1].DeviceTotalBytes
	d.Sources = chart.Sources{Used: "log", Reserved: "log", Allocated: "log"}
}

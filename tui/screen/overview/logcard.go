package overview

import (
	"github.com/vramscope/vramscope/tui/screen/chrome"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/widget/spark"
)

// logCard returns the card for figures that a log gave and that belong to no
// GPU seen here; false when there are none.
func logCard(st *screen.State) (card, bool) {
	for i := range st.Sample.Torch {
		a := &st.Sample.Torch[i]
		if a.GPU.Known() || a.Origin != monitor.OriginLog || a.State != monitor.AllocatorOK {
			continue
		}
		c := card{label: "log", process: a.Key()}
		c.layers = monitor.Layers{
			Allocated: a.AllocatedBytes, Reserved: a.ReservedBytes, Cache: a.CacheBytes(),
			Split: a.InactiveSplitBytes, Releasable: a.ReleasableBytes(),
			PeakAllocated: a.PeakAllocatedBytes, PeakReserved: a.PeakReservedBytes,
		}
		c.torchFrom = torchSource(st, func(b *monitor.Allocator) bool { return a == b })
		if a.PID == 0 {
			c.log = chrome.MemoryReadings(st)
		}
		return c.finish(), true
	}
	if len(st.Sample.GPUs) > 0 {
		return card{}, false
	}
	readings := chrome.MemoryReadings(st)
	if len(readings) == 0 {
		return card{}, false
	}
	return readingCard(st, readings), true
}

// readingCard returns the card for what the newest lines of a log say.
func readingCard(st *screen.State, readings []monitor.LogReading) card {
	last := readings[len(readings)-1]
	none := monitor.Unknown[int64](monitor.NotAvailable, "the log does not print it")
	c := card{label: "log", log: readings, torchFrom: string(monitor.OriginLog)}
	c.layers = monitor.Layers{
		Total: last.DeviceTotalBytes, Used: last.DeviceUsedBytes,
		Allocated: last.AllocatedBytes, Reserved: last.ReservedBytes,
		Cache: monitor.Minus(last.ReservedBytes, last.AllocatedBytes), Split: none, Releasable: none,
		PeakAllocated: last.MaxAllocatedBytes, PeakReserved: last.MaxReservedBytes,
	}
	if age := st.Now.Sub(last.Time); st.Interval > 0 && age > 2*st.Interval {
		c.torchFrom += " " + chrome.Age(age)
	}
	return c.finish()
}

// finish fills in what both kinds of log cards share. Without a card to measure
// against, the highest figure fills the bar.
func (c card) finish() card {
	c.layers.Jobs = 1
	if !c.layers.Used.Known() {
		c.layers.Used = monitor.Unknown[int64](monitor.NotAvailable, "the log does not print it")
	}
	if total, ok := c.layers.Total.Get(); ok {
		c.scale = total
		return c
	}
	for _, r := range []monitor.Reading[int64]{
		c.layers.Reserved, c.layers.Allocated, c.layers.PeakReserved, c.layers.PeakAllocated, c.layers.Used,
	} {
		c.scale = max(c.scale, r.Or(0))
	}
	for _, r := range c.log {
		c.scale = max(c.scale, r.ReservedBytes.Or(0), r.AllocatedBytes.Or(0))
	}
	return c
}

// logPoints returns a log's figures as what they are: steps that hold until the
// next line, up to the moment on screen. Before the first line there is a gap.
func logPoints(readings []monitor.LogReading, metric history.Metric, from time.Time, width time.Duration, now time.Time, n int) []spark.Point {
	points := make([]spark.Point, n)
	held := spark.Point{Gap: true}
	next := 0
	for i := range points {
		start := from.Add(time.Duration(i) * width)
		points[i] = held
		for ; next < len(readings) && readings[next].Time.Before(start.Add(width)); next++ {
			v, ok := logFigure(&readings[next], metric)
			held = spark.Point{Value: float64(v), Gap: !ok}
			if !ok || readings[next].Time.Before(start) {
				points[i] = held
				continue
			}
			if points[i].Gap || held.Value > points[i].Value {
				points[i] = held
			}
		}
		if start.After(now) {
			points[i] = spark.Point{Gap: true}
		}
	}
	return points
}

func logFigure(r *monitor.LogReading, metric history.Metric) (int64, bool) {
	switch metric {
	case history.Used:
		return r.DeviceUsedBytes.Get()
	case history.Reserved:
		return r.ReservedBytes.Get()
	case history.Allocated:
		return r.AllocatedBytes.Get()
	default:
		return 0, false
	}
}

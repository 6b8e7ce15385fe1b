package chart

import (
	"math"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/tui/theme"
)

const h200 = 150_754_820_096 // bytes

// story is what a device did, sample by sample, in GiB.
type story struct {
	name  string
	every time.Duration
	count int
	// at returns the layers of a sample; NaN is unknown, and a sample of which
	// nothing is known was not taken.
	at    func(i int) (allocated, reserved, used, peak float64)
	total monitor.Reading[int64]
	adorn func(d *Data, last time.Time)
	model Model
}

var unknown = math.NaN()

func began() time.Time { return time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC) }

func stories() []story {
	card := monitor.Known[int64](h200)
	none := monitor.Unknown[int64](monitor.NotAvailable, "no device here")
	return []story{
		{name: "growth", every: time.Second, count: 300, total: card,
			at: func(i int) (float64, float64, float64, float64) {
				reserved := 20 + 70*float64(i)/299
				return 20.3, reserved, reserved + 4.9, 24
			},
			adorn: func(d *Data, last time.Time) {
				d.Windows = []Window{{From: last.Add(-4 * time.Minute), To: last, Active: true, Role: theme.Warn, Text: "reserved grows"}}
			}},
		{name: "sawtooth", every: time.Second, count: 240, total: card,
			at: func(i int) (float64, float64, float64, float64) {
				if i == 150 {
					return 118, 120, 121, 118 // one sample
				}
				allocated := [...]float64{20, 60, 90, 40}[i%40/10]
				if i > 150 {
					return allocated, 100, 101, 118
				}
				return allocated, 100, 101, 97
			}},
		{name: "gap", every: time.Second, count: 280, total: card,
			at: func(i int) (float64, float64, float64, float64) {
				switch {
				case i >= 80 && i < 130: // nothing came
					return unknown, unknown, unknown, unknown
				case i >= 180 && i < 220: // the allocator could not be read
					return unknown, unknown, 60, unknown
				}
				return 30, 50, 60, 30
			}},
		{name: "oom", every: time.Second, count: 260, total: card,
			at: func(i int) (float64, float64, float64, float64) {
				if i < 200 {
					a := 60 + 70*float64(i)/200
					return a, a + 6, a + 8, a + 3
				}
				return 40, 60, 62, 133
			},
			adorn: adornOOM},
		{name: "log", every: 20 * time.Second, count: 16, total: none,
			at: func(i int) (float64, float64, float64, float64) {
				return 5 + float64(i*7%5), 11 + float64(i/6), unknown, 9.5
			}},
		{name: "cursors", every: time.Second, count: 300, total: card,
			at: func(i int) (float64, float64, float64, float64) {
				reserved := 50 + 45*float64(i)/299
				return 20.3, reserved, reserved + 0.7, 33.1
			},
			model: Model{Anchor: began().Add(40 * time.Second), Cursor: began().Add(290 * time.Second), End: began().Add(299 * time.Second)}},
	}
}

// adornOOM adds what happened around an OOM.
func adornOOM(d *Data, last time.Time) {
	d.Marks = []Mark{
		{last.Add(-230 * time.Second), MarkPhase, "epoch 1"},
		{last.Add(-100 * time.Second), MarkPhase, "eval start"},
		{last.Add(-60 * time.Second), MarkOOM, "OOM: 12.0 GiB asked"},
		{last.Add(-20 * time.Second), MarkUser, "smaller batch"},
	}
	d.Windows = []Window{
		{From: last.Add(-200 * time.Second), To: last.Add(-60 * time.Second), Role: theme.Bad, Text: "leak"},
		{From: last.Add(-90 * time.Second), To: last.Add(-55 * time.Second), Role: theme.Warn, Text: "headroom low"},
	}
}

// store returns the history of a story.
func (s *story) store() *history.Store {
	st := history.New(history.Config{Interval: s.every, Samples: 4096})
	for i := range s.count {
		a, r, u, p := s.at(i)
		if math.IsNaN(a) && math.IsNaN(u) {
			continue
		}
		sample := monitor.Sample{Seq: uint64(i + 1), Time: began().Add(time.Duration(i) * s.every)}
		gpu := monitor.GPU{State: monitor.StateOK, UUID: monitor.Known("GPU-a"), Memory: monitor.DeviceMemory{TotalBytes: s.total}}
		if !math.IsNaN(u) {
			gpu.Memory.UsedBytes = monitor.Known(int64(u * gib))
		}
		sample.GPUs = []monitor.GPU{gpu}
		if !math.IsNaN(a) {
			sample.Torch = []monitor.Allocator{{PID: 446, StartTicks: 1, GPU: monitor.Known(0), State: monitor.AllocatorOK,
				Origin: monitor.OriginAttach, AllocatedBytes: monitor.Known(int64(a * gib)),
				ReservedBytes: monitor.Known(int64(r * gib)), PeakAllocatedBytes: monitor.Known(int64(p * gib))}}
		}
		st.Append(sample)
	}
	return st
}

// data returns what a chart of that size shows of a story.
func (s *story) data(size Size) Data {
	st := s.store()
	first, last := st.Span()
	d := Read(st, Subject{GPU: "GPU-a"}, s.model, Bounds{First: first, Last: last, Columns: size.Columns()})
	d.Total = s.total
	d.Sources = Sources{Used: "nvml", Reserved: "attach", Allocated: "attach"}
	if s.name == "log" {
		d.Used, d.Sources = nil, Sources{Reserved: "log", Allocated: "log"}
	}
	if s.adorn != nil {
		s.adorn(&d, last)
	}
	return d
}

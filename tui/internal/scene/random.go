package scene

import (
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Random returns a machine as no machine should be: any number of GPUs and
// processes, readings known or not, figures that contradict each other, names
// that try to take over the terminal.
func Random(r *rand.Rand) Scene {
	return build("random", 1+r.IntN(4), func(s *monitor.Sample, _ int) {
		d := dice{r}
		s.Host, s.Driver = d.text(), d.text()
		for i := range r.IntN(18) {
			s.GPUs = append(s.GPUs, d.gpu(s, i))
		}
		for range r.IntN(70) {
			d.process(s)
		}
		for range r.IntN(6) {
			s.Sources = append(s.Sources, monitor.SourceStatus{
				Name: d.text(), State: monitor.State(r.IntN(5)), Reason: d.text(), GoodAt: d.time(s.Time),
			})
		}
		for range r.IntN(3) {
			s.Readings = append(s.Readings, monitor.LogReading{
				Time: d.time(s.Time), Source: d.text(), Kind: monitor.LogMemory, AllocatedBytes: d.bytes(), ReservedBytes: d.bytes(),
				DeviceTotalBytes: d.bytes(), DeviceUsedBytes: d.bytes(),
			})
		}
	})
}

type dice struct{ *rand.Rand }

func (d dice) text() string {
	pieces := []string{
		"", "python", "train.py ", "\x1b[2J", "\x1b]0;owned\x07", "\r\n", "\t", "\x00", "\u202e", "\u200b", "世界", "👩‍👩‍👧", "é", "e\u0301",
		"\xff\xfe", "\u009b31m", strings.Repeat("long ", 40), "\x1bP", "🇩🇪", "\ufe0f", "ｗｉｄｅ",
	}
	var b strings.Builder
	for range d.IntN(5) {
		b.WriteString(pieces[d.IntN(len(pieces))])
	}
	return b.String()
}

func (d dice) bytes() monitor.Reading[int64] {
	switch d.IntN(8) {
	case 0:
		return monitor.Unknown[int64](monitor.Code(d.IntN(12)), d.text())
	case 1:
		return monitor.Known[int64](0)
	case 2:
		return monitor.Known(int64(math.MaxInt64 - d.IntN(3)))
	case 3:
		return monitor.Known(int64(-d.IntN(1 << 40)))
	}
	return monitor.Known(d.Int64N(200 * gib))
}

func (d dice) number() monitor.Reading[float64] {
	switch d.IntN(8) {
	case 0, 1:
		return monitor.Unknown[float64](monitor.Failed, d.text())
	case 2:
		return monitor.Known(math.NaN())
	case 3:
		return monitor.Known(math.Inf(1))
	case 4:
		return monitor.Known(1e18 * d.Float64())
	}
	return monitor.Known(d.Float64() * 1000)
}

func (d dice) time(around time.Time) time.Time {
	if d.IntN(4) == 0 {
		return time.Time{}
	}
	return around.Add(time.Duration(d.Int64N(int64(time.Hour))) - 50*time.Minute)
}

func (d dice) gpu(s *monitor.Sample, i int) monitor.GPU {
	g := monitor.GPU{
		Index: i * (1 + d.IntN(2)), Name: monitor.Known(d.text()), ReadAt: d.time(s.Time), State: monitor.State(d.IntN(5)), Reason: d.text(),
		Memory: monitor.DeviceMemory{
			TotalBytes: d.bytes(), UsedBytes: d.bytes(), FreeBytes: d.bytes(), DriverReservedBytes: d.bytes(), Source: monitor.MemorySource(d.text()),
		},
		UtilPercent: d.number(), TemperatureC: d.number(), PowerW: d.number(), PowerLimitW: d.number(),
		Activity: monitor.Activity{TensorPercent: d.number(), SMPercent: d.number()},
	}
	if d.IntN(2) == 0 {
		g.UUID = monitor.Known("GPU-" + d.text())
	}
	return g
}

func (d dice) process(s *monitor.Sample) {
	pid, gpu := d.IntN(200), d.IntN(20)
	if d.IntN(4) > 0 {
		s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: gpu, UsedBytes: d.bytes(), Name: d.text(), InNamespace: d.IntN(5) > 0})
	}
	if d.IntN(3) > 0 {
		s.Processes = append(s.Processes, monitor.Process{
			PID: pid, StartTicks: uint64(d.IntN(9)), Started: d.time(s.Time), User: d.text(), Name: d.text(), Command: d.text(),
			CPUPercent: d.number(), HostBytes: d.bytes(), Rank: monitor.Known(d.IntN(100_000)),
		})
	}
	if d.IntN(3) > 0 {
		a := monitor.Allocator{
			PID: pid, State: monitor.AllocatorState(d.IntN(18)), Reason: d.text(), ReadAt: d.time(s.Time), GPUAssumed: d.IntN(4) == 0,
			Origin:         []monitor.Origin{monitor.OriginAttach, monitor.OriginLog, monitor.OriginAssumed, ""}[d.IntN(4)],
			AllocatedBytes: d.bytes(), ReservedBytes: d.bytes(), ActiveBytes: d.bytes(), InactiveSplitBytes: d.bytes(),
			PeakAllocatedBytes: d.bytes(), PeakReservedBytes: d.bytes(),
		}
		if d.IntN(3) > 0 {
			a.GPU = monitor.Known(gpu)
			a.State = monitor.AllocatorOK
		}
		s.Torch = append(s.Torch, a)
	}
}

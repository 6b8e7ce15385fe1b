package advisor_test

import (
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// scaled multiplies every figure in bytes.
func scaled(in []monitor.Sample, by float64) []monitor.Sample {
	n := func(r *monitor.Reading[int64]) {
		if v, ok := r.Get(); ok {
			*r = monitor.Known(int64(float64(v) * by))
		}
	}
	return each(in, func(s *monitor.Sample) {
		s.GPUs, s.Holders, s.Torch, s.Readings = slices.Clone(s.GPUs), slices.Clone(s.Holders), slices.Clone(s.Torch), slices.Clone(s.Readings)
		for i := range s.GPUs {
			m := &s.GPUs[i].Memory
			n(&m.TotalBytes)
			n(&m.UsedBytes)
			n(&m.FreeBytes)
			n(&m.DriverReservedBytes)
		}
		for i := range s.Holders {
			n(&s.Holders[i].UsedBytes)
		}
		for i := range s.Torch {
			a := &s.Torch[i]
			for _, r := range []*monitor.Reading[int64]{&a.AllocatedBytes, &a.ReservedBytes, &a.PeakAllocatedBytes, &a.PeakReservedBytes,
				&a.ActiveBytes, &a.InactiveSplitBytes, &a.RequestedBytes, &a.PrivatePoolBytes} {
				n(r)
			}
		}
		for i := range s.Readings {
			scaleReading(&s.Readings[i], n)
		}
	})
}

func scaleReading(r *monitor.LogReading, n func(*monitor.Reading[int64])) {
	for _, v := range []*monitor.Reading[int64]{&r.AllocatedBytes, &r.ReservedBytes, &r.MaxAllocatedBytes, &r.MaxReservedBytes, &r.DeviceUsedBytes, &r.DeviceTotalBytes} {
		n(v)
	}
	if r.OOM == nil {
		return
	}
	o := *r.OOM
	for _, v := range []*monitor.Reading[int64]{&o.RequestedBytes, &o.TotalBytes, &o.FreeBytes, &o.AllocatedBytes, &o.ReservedBytes,
		&o.CachedBytes, &o.UnallocatedBytes, &o.ProcessBytes, &o.AllowedBytes, &o.PrivatePoolBytes} {
		n(v)
	}
	o.Others = slices.Clone(o.Others)
	for i := range o.Others {
		p := monitor.Known(o.Others[i].UsedBytes)
		n(&p)
		o.Others[i].UsedBytes = p.Or(0)
	}
	r.OOM = &o
}

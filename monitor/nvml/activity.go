package nvml

import (
	"math"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// minActivityInterval is the shortest interval over which the chip's counters
// are compared; a shorter one says more of the moment of reading than of the
// work done.
const minActivityInterval = 50 * time.Millisecond

// activityReader reads the chip's counters where it has them (NVML GPM).
type activityReader struct {
	supported question[bool]
	counters  question[activityPercent]
	last      monitor.Activity
	readAt    time.Time
}

func newActivityReader(dev device) activityReader {
	return activityReader{supported: newQuestion(dev.activitySupported), counters: newQuestion(dev.activity)}
}

// read returns the activity since the read before. Support is asked until it
// is answered, once.
func (a *activityReader) read(o *outcome, t time.Time) monitor.Activity {
	if a.counters.never == nil && a.supported.get != nil {
		supported := a.supported.ask(o)
		yes, ok := supported.Get()
		if !ok {
			return unknownActivity(supported.Why())
		}
		if !yes {
			why := monitor.Reason{Code: monitor.NotSupported, Detail: "this device has no performance counters (NVML GPM, from Hopper on)"}
			a.counters.never = &why
		}
		a.supported.get = nil
	}
	if since := t.Sub(a.readAt); a.counters.never == nil && since >= 0 && since < minActivityInterval {
		return a.last
	}
	answer := a.counters.ask(o)
	a.readAt = t
	if percent, ok := answer.Get(); ok {
		a.last = monitor.Activity{SMPercent: share(percent.sm), TensorPercent: share(percent.tensor),
			FP32Percent: share(percent.fp32), DRAMPercent: share(percent.dram)}
	} else {
		a.last = unknownActivity(answer.Why())
	}
	return a.last
}

// share accepts a percentage; counters read one after the other may exceed
// the peak by rounding, which is cut, while nonsense is not shown.
func share(percent float64) monitor.Reading[float64] {
	switch {
	case math.IsNaN(percent):
		return monitor.Unknown[float64](monitor.NotAvailable, "the device gave no value for this interval")
	case percent < 0 || percent > 105:
		return monitor.Unknown[float64](monitor.Failed, "the driver's answer is out of range")
	}
	return monitor.Known(min(percent, 100))
}

func unknownActivity(why monitor.Reason) monitor.Activity {
	none := monitor.Unknown[float64](why.Code, why.Detail)
	return monitor.Activity{SMPercent: none, TensorPercent: none, FP32Percent: none, DRAMPercent: none}
}

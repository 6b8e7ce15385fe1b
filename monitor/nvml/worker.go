package nvml

import (
	"fmt"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// worker is the one goroutine that talks to one device. A call that hangs
// hangs here; the worker is then busy and is asked nothing more until it
// answers, however long that takes.
type worker struct {
	index   int
	ask     chan time.Time // capacity 1; closed to end the goroutine
	answers chan answer    // capacity 1, so that a late answer never blocks
	ended   chan struct{}

	// Used by the goroutine of Read only.
	busy    bool
	askedAt time.Time
}

func startWorker(index int, drv driver, turn turns, slowEvery time.Duration, system func() (memoryInfo, error)) *worker {
	w := &worker{
		index:   index,
		ask:     make(chan time.Time, 1),
		answers: make(chan answer, 1),
		ended:   make(chan struct{}),
	}
	go w.run(drv, turn, slowEvery, system)
	return w
}

func (w *worker) run(drv driver, turn turns, slowEvery time.Duration, system func() (memoryInfo, error)) {
	defer close(w.ended)
	var reader *gpuReader
	for t := range w.ask {
		var a answer
		end := turn.take()
		if reader, a = w.round(drv, reader, t, slowEvery, system); a.err != nil {
			a.gpu.Index = w.index
		}
		end()
		w.answers <- a
	}
	if reader != nil {
		reader.dev.release()
	}
}

// round reads once, taking the device's handle first when there is none yet:
// that call too can hang or fail on a bad device. A panic in the binding costs
// this device its round and nothing else.
func (w *worker) round(drv driver, reader *gpuReader, t time.Time, slowEvery time.Duration,
	system func() (memoryInfo, error)) (kept *gpuReader, a answer) {
	kept = reader
	defer func() {
		if p := recover(); p != nil {
			a = answer{err: fault{call: fmt.Sprintf("reading GPU %d (%v)", w.index, p), code: returnPanic}}
		}
	}()
	if kept == nil {
		dev, err := drv.device(w.index)
		if err != nil {
			return nil, answer{err: err}
		}
		kept = newGPUReader(w.index, dev, slowEvery, system)
	}
	return kept, kept.read(t)
}

// row is what is shown of one device: the last answer, and how fresh it is.
type row struct {
	gpu     monitor.GPU
	entries []processEntry
	minor   monitor.Reading[int] // of the device file
	lists   monitor.Reason       // why the process list is not complete; zero when it is
	good    bool                 // the figures are those of an answer
	err     error                // the device answered that it cannot be read
	// waiting since this time for an answer; zero when not waiting
	waiting time.Time
}

func newRow(index int) row {
	why := monitor.Reason{Code: monitor.NotRead, Detail: "the GPU has not answered yet"}
	return row{gpu: unknownGPU(monitor.GPU{Index: index}, why)}
}

// unknownGPU keeps who a device is and says of everything else why it is not
// known.
func unknownGPU(g monitor.GPU, why monitor.Reason) monitor.GPU {
	number := monitor.Unknown[float64](why.Code, why.Detail)
	whole := monitor.Unknown[int64](why.Code, why.Detail)
	truth := monitor.Unknown[bool](why.Code, why.Detail)
	out := monitor.GPU{
		Index: g.Index, UUID: g.UUID, Name: g.Name, ReadAt: g.ReadAt,
		State: monitor.StateUnavailable, Reason: why.String(),
		Memory:      unknownMemory(why),
		UtilPercent: number, MemUtilPercent: number, TemperatureC: number,
		PowerW: number, PowerLimitW: number, SMClockMHz: number, MemClockMHz: number,
		Throttle: monitor.Unknown[[]string](why.Code, why.Detail),
		ECC: monitor.ECC{Enabled: truth, CorrectedCount: whole, UncorrectedCount: whole,
			PendingRowRemap: truth, RowRemapFailure: truth, RetiredPagesCount: whole},
		MIG:      truth,
		Activity: unknownActivity(why),
	}
	if !out.UUID.Known() {
		out.UUID = monitor.Unknown[string](why.Code, why.Detail)
	}
	if !out.Name.Known() {
		out.Name = monitor.Unknown[string](why.Code, why.Detail)
	}
	return out
}

// take stores an answer.
func (r *row) take(a answer) {
	r.waiting = time.Time{}
	if a.err == nil {
		r.gpu, r.entries, r.good, r.err = a.gpu, a.entries, true, nil
		r.minor, r.lists = a.minor, a.lists
		return
	}
	r.lose(a.err)
}

// lose drops the figures of a device that is no longer there to have any.
func (r *row) lose(err error) {
	r.gpu = unknownGPU(r.gpu, reasonOf(err))
	r.entries, r.good, r.err = nil, false, err
}

// show returns the device as it stands in the sample of time t.
func (r *row) show(t time.Time) monitor.GPU {
	if r.waiting.IsZero() {
		return r.gpu
	}
	silent := "no answer from the driver in the time of one sample"
	if since := t.Sub(r.waiting); since > 0 {
		silent = "no answer from the driver for " + age(since)
	}
	if !r.good {
		g := unknownGPU(r.gpu, monitor.Reason{Code: monitor.TimedOut, Detail: silent})
		return g
	}
	g := r.gpu
	g.State, g.Reason = monitor.StateStale, silent
	return g
}

// age says a duration as people do, in whole seconds from one second on.
func age(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", max(d, 0).Milliseconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

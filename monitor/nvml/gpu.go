package nvml

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// gpuReader reads one device, round after round. It belongs to one goroutine.
type gpuReader struct {
	index int
	dev   device

	name, uuid monitor.Reading[string]
	minor      monitor.Reading[int] // of its device file
	slowAt     time.Time
	slowEvery  time.Duration

	memory      memoryReader
	util        question[utilisation]
	temperature question[uint32]
	power       question[uint32]
	powerLimit  question[uint32]
	smClock     question[uint32]
	memClock    question[uint32]
	throttle    question[uint64]
	ecc         eccReader
	activity    activityReader
	mig         question[bool]
	processes   processReader

	limit     monitor.Reading[float64]
	eccState  monitor.ECC
	migOn     monitor.Reading[bool]
	throttles map[uint64][]string
}

func newGPUReader(index int, dev device, slowEvery time.Duration, system func() (memoryInfo, error)) *gpuReader {
	return &gpuReader{
		index:       index,
		dev:         dev,
		slowEvery:   slowEvery,
		memory:      newMemoryReader(dev, system),
		util:        newQuestion(dev.utilisation),
		temperature: newQuestion(dev.temperature),
		power:       newQuestion(dev.powerUsage),
		powerLimit:  newQuestion(dev.powerLimit),
		smClock:     newQuestion(dev.smClock),
		memClock:    newQuestion(dev.memClock),
		throttle:    newQuestion(dev.throttle),
		ecc:         newECCReader(dev),
		activity:    newActivityReader(dev),
		mig:         newQuestion(dev.migMode),
		processes:   newProcessReader(dev),
		throttles:   map[uint64][]string{},
	}
}

// answer is one round's result of one device. A device that can no longer be
// read has err, and its figures are not to be used.
type answer struct {
	gpu     monitor.GPU
	entries []processEntry
	lists   monitor.Reason       // why the process list is not complete; zero when it is
	minor   monitor.Reading[int] // N of /dev/nvidiaN
	err     error
}

// read asks one round of questions. t is the time of the sample.
func (r *gpuReader) read(t time.Time) answer {
	var o outcome
	r.readSlow(&o, t)
	g := monitor.GPU{Index: r.index, Name: r.name, UUID: r.uuid, ReadAt: t, State: monitor.StateOK}
	g.Memory = r.memory.read(&o)
	g.UtilPercent, g.MemUtilPercent = percents(r.util.ask(&o))
	g.TemperatureC = figure(r.temperature.ask(&o), maxCelsius, 1)
	g.PowerW = figure(r.power.ask(&o), maxMilliwatts, 1000)
	g.PowerLimitW = r.limit
	g.SMClockMHz = figure(r.smClock.ask(&o), maxMegahertz, 1)
	g.MemClockMHz = figure(r.memClock.ask(&o), maxMegahertz, 1)
	g.Throttle = r.throttleNames(r.throttle.ask(&o))
	g.ECC = r.eccState
	g.MIG = r.migOn
	g.Activity = r.activity.read(&o, t)
	a := answer{gpu: g, minor: r.minor}
	a.entries, a.lists = r.processes.read(&o)
	r.coverMIG(&o, &a.gpu)
	if o.fatal != nil {
		return answer{gpu: monitor.GPU{Index: r.index, Name: r.name, UUID: r.uuid}, err: o.fatal}
	}
	judge(&a)
	return a
}

// readSlow asks what hardly ever changes: in the first round and then every
// slowEvery.
func (r *gpuReader) readSlow(o *outcome, t time.Time) {
	since := t.Sub(r.slowAt)
	if !r.slowAt.IsZero() && since >= 0 && since < r.slowEvery {
		return
	}
	if !r.uuid.Known() {
		name, uuid := newQuestion(r.dev.name), newQuestion(r.dev.uuid)
		r.name, r.uuid = text(name.ask(o)), text(uuid.ask(o))
		minor := newQuestion(r.dev.minor)
		r.minor = minor.ask(o)
	}
	r.limit = figure(r.powerLimit.ask(o), maxMilliwatts, 1000)
	r.eccState = r.ecc.read(o)
	r.migOn = r.mig.ask(o)
	on, _ := r.migOn.Get()
	r.processes.setSplit(o, on)
	if o.fatal == nil {
		r.slowAt = t
	}
}

// coverMIG takes the memory of the visible MIG devices together when the
// device as a whole may not be asked, as in a container that was given some.
func (r *gpuReader) coverMIG(o *outcome, g *monitor.GPU) {
	if on, _ := r.migOn.Get(); !on || g.Memory.TotalBytes.Known() || g.Memory.TotalBytes.Why().Code != monitor.NoPermission {
		return
	}
	if memory, ok := r.processes.instanceMemory(o); ok {
		g.Memory = memory
		g.State = monitor.StatePartial
		g.Reason = "memory is that of the MIG devices visible here; the whole GPU may not be asked"
	}
}

// judge marks an answer that lacks what this program is about.
func judge(a *answer) {
	if a.gpu.State != monitor.StateOK {
		return
	}
	switch {
	case !a.gpu.Memory.UsedBytes.Known():
		a.gpu.State = monitor.StatePartial
		a.gpu.Reason = "memory is not known: " + a.gpu.Memory.UsedBytes.Why().String()
	case a.lists != monitor.Reason{}:
		a.gpu.State = monitor.StatePartial
		a.gpu.Reason = "the list of processes is not complete: " + a.lists.String()
	}
}

func (r *gpuReader) throttleNames(mask monitor.Reading[uint64]) monitor.Reading[[]string] {
	m, ok := mask.Get()
	if !ok {
		return monitor.Cast[[]string](mask)
	}
	names, ok := r.throttles[m]
	if !ok {
		if len(r.throttles) > 1<<len(throttleNames) {
			clear(r.throttles)
		}
		names = throttleReasons(m)
		r.throttles[m] = names
	}
	return monitor.Known(names)
}

func percents(u monitor.Reading[utilisation]) (gpu, memory monitor.Reading[float64]) {
	v, ok := u.Get()
	if !ok {
		return monitor.Cast[float64](u), monitor.Cast[float64](u)
	}
	return figure(monitor.Known(v.gpu), 100, 1), figure(monitor.Known(v.memory), 100, 1)
}

// eccReader reads error correction: mode, counts, and what the device did
// about bad memory.
type eccReader struct {
	mode                   question[bool]
	corrected, uncorrected question[uint64]
	remaps                 question[rowRemaps]
	retired                question[int64]
}

func newECCReader(dev device) eccReader {
	return eccReader{
		mode:        newQuestion(dev.eccMode),
		corrected:   newQuestion(dev.eccCorrected),
		uncorrected: newQuestion(dev.eccUncorrected),
		remaps:      newQuestion(dev.rowRemaps),
		retired:     newQuestion(dev.retiredPages),
	}
}

func (e *eccReader) read(o *outcome) monitor.ECC {
	state := monitor.ECC{Enabled: e.mode.ask(o)}
	if on, known := state.Enabled.Get(); known && !on {
		off := monitor.Unknown[int64](monitor.NotApplicable, "error correction is off")
		state.CorrectedCount, state.UncorrectedCount = off, off
	} else {
		state.CorrectedCount = count(e.corrected.ask(o))
		state.UncorrectedCount = count(e.uncorrected.ask(o))
	}
	remaps := e.remaps.ask(o)
	state.PendingRowRemap = monitor.Map(remaps, func(r rowRemaps) bool { return r.pending })
	state.RowRemapFailure = monitor.Map(remaps, func(r rowRemaps) bool { return r.failed })
	if remaps.Known() {
		state.RetiredPagesCount = monitor.Unknown[int64](monitor.NotApplicable, "this device remaps rows instead of retiring pages")
	} else {
		state.RetiredPagesCount = e.retired.ask(o)
	}
	return state
}

package advisor_test

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// world is a made-up machine with one job, for what recordings are too few to
// show: many seeds, sizes of the card, intervals and rates.
type world struct {
	rng      *rand.Rand
	card     float64       // bytes
	interval time.Duration // between samples
	length   time.Duration
	gpus     int

	load     float64 // seconds until training begins
	weights  float64 // share of the card
	floor    float64 // share of the card between steps
	peak     float64 // share of the card that a step adds at most
	period   float64 // seconds a step
	idle     float64 // share of a step at the floor
	vary     float64 // 0: all steps alike; 1: steps up to the whole peak at random
	attached bool
	logEvery int // steps between lines; 0: no log

	// What is wrong, all as shares of the card.
	leakPerMinute  float64
	leakFrom       float64 // seconds
	cachePerMinute float64
	cacheFrom      float64
	otherFrom      float64 // seconds; 0: none
	other          float64
	outside        float64
	outsidePerMin  float64
	jumps          []float64 // seconds at which the floor goes up by jump
	jump           float64
	spikeEvery     float64 // seconds; 0: none
	spike          float64
	evalEvery      float64 // seconds; 0: none
	evalLength     float64
	evalRamp       float64 // share of the card that evaluation climbs to
	evalMarks      bool
	heldUntil      float64 // seconds of a first phase at held
	held           float64
	accumulate     float64 // share of the card that piles up and is dropped each epoch
	epoch          float64 // seconds
	warmTo         float64 // share that lazy state adds over warmFor seconds
	warmFor        float64
	firstPeak      float64 // share that the first step needs once
	cells          float64 // seconds between the cells of a notebook that each add something; 0: none
}

var start = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// hash gives step n its own height between 0 and 1, the same each time.
func (w *world) height(n int) float64 {
	if w.vary == 0 {
		return 1
	}
	r := rand.New(rand.NewPCG(uint64(n), 77))
	if w.vary > 1 {
		return math.Min(1, 0.08*math.Exp(0.9*r.NormFloat64())) // a few far above the rest
	}
	u := r.Float64()
	return 1 - w.vary + w.vary*u*u
}

// level is the floor at a time, as a share of the card.
func (w *world) level(t float64) float64 {
	v := w.floor
	if w.warmFor > 0 {
		v += w.warmTo * math.Min(1, (t-w.load)/w.warmFor)
	}
	if w.leakPerMinute > 0 && t > w.load+w.leakFrom {
		// A leak grows by whole steps.
		steps := math.Floor((t - w.load - w.leakFrom) / w.period)
		v += w.leakPerMinute / 60 * steps * w.period
	}
	for _, j := range w.jumps {
		if t > j {
			v += w.jump
		}
	}
	if w.epoch > 0 {
		v += w.accumulate * math.Mod(t-w.load, w.epoch) / w.epoch
	}
	return v
}

// allocated at a time, and the highest it has been between two times, both as
// shares of the card.
func (w *world) allocated(t float64) float64 {
	if t < w.load {
		return w.weights * math.Min(1, t/math.Max(0.5*w.load, 1e-9))
	}
	if t < w.load+w.heldUntil {
		return w.held
	}
	if w.cells > 0 {
		n := math.Floor((t - w.load) / w.cells)
		return w.floor * (1 + 0.3*n)
	}
	v := w.level(t)
	if in := w.inEval(t); in >= 0 {
		if w.evalRamp > 0 {
			return v + w.evalRamp*in
		}
		return v + 0.4*w.peak*pulse(math.Mod(t/(w.period/3), 1), 0.2)
	}
	if w.spikeEvery > 0 && math.Mod(t-w.load, w.spikeEvery) > w.spikeEvery-0.25*w.spikeEvery {
		return v + w.spike
	}
	n := math.Floor((t - w.load) / w.period)
	phase := (t-w.load)/w.period - n
	return v + w.peak*w.height(int(n))*pulse(phase, w.idle)
}

// inEval returns how far evaluation has come at a time, −1 outside.
func (w *world) inEval(t float64) float64 {
	if w.evalEvery == 0 || t < w.load+w.evalEvery {
		return -1
	}
	at := math.Mod(t-w.load, w.evalEvery)
	if at < w.evalLength {
		return at / w.evalLength
	}
	return -1
}

// pulse is one step: up in forward, down in backward, then at the floor.
func pulse(phase, idle float64) float64 {
	busy := 1 - idle
	switch {
	case phase < 0.45*busy:
		return phase / (0.45 * busy)
	case phase < busy:
		return 1 - (phase-0.45*busy)/(0.55*busy)
	}
	return 0
}

// top is the highest allocated of the steps between two times.
func (w *world) top(from, to float64) float64 {
	v := math.Max(w.allocated(from), w.allocated(to))
	if w.cells > 0 || to <= w.load || from < w.load+w.heldUntil || w.inEval(to) >= 0 {
		return v
	}
	first, last := int((math.Max(from, w.load)-w.load)/w.period), int((to-w.load)/w.period)
	for n := first; n < last; n++ {
		v = math.Max(v, w.level(w.load+float64(n)*w.period)+w.peak*w.height(n))
	}
	return v
}

// samples plays the world.
func (w *world) samples() []monitor.Sample {
	var out []monitor.Sample
	w.weights = math.Min(w.weights, w.floor)
	dt := w.interval.Seconds()
	peak, reserved, most, lastLog, flushes := 0.0, 0.0, 0.0, -1, 0
	jitter := w.rng.Float64() * dt
	for i := 0; float64(i)*dt < w.length.Seconds(); i++ {
		t := float64(i)*dt + jitter + 0.02*dt*w.rng.NormFloat64()
		if t < 0 {
			t = 0
		}
		at := start.Add(time.Duration(t * float64(time.Second)))
		a := w.allocated(t)
		peak = math.Max(peak, w.top(math.Max(0, t-dt), t))
		if w.firstPeak > 0 && t > w.load {
			peak = math.Max(peak, w.floor+w.firstPeak)
		}
		slack := 0.03
		if w.vary > 0 {
			slack = 0.2
		}
		reserved = math.Max(reserved, peak*(1+slack))
		r := reserved
		if w.cachePerMinute > 0 && t > w.load+w.cacheFrom {
			r += w.cachePerMinute / 60 * (t - w.load - w.cacheFrom)
		}
		if r > 0.96 && w.cachePerMinute > 0 {
			// The card is full: the cache is flushed and climbs again.
			flushes = int((r - 0.96) / (0.96 - reserved))
			r = reserved + math.Mod(r-0.96, 0.96-reserved)
			flushes++
		}
		r = math.Min(r, 0.99)
		s := w.sample(at, t, a, r, peak)
		most = math.Max(most, r)
		for i := range s.Torch {
			s.Torch[i].PeakReservedBytes = monitor.Known(w.bytes(most))
			s.Torch[i].AllocRetryCount = monitor.Known(int64(flushes))
		}
		if w.logEvery > 0 && t > w.load && w.inEval(t) < 0 {
			if n := int((t - w.load) / w.period / float64(w.logEvery)); n > lastLog {
				lastLog = n
				s.Readings = append(s.Readings, monitor.LogReading{Time: at, Source: "train.log", Kind: monitor.LogMemory,
					AllocatedBytes: monitor.Known(w.bytes(w.level(t))), ReservedBytes: monitor.Known(w.bytes(r)),
					Step: monitor.Known(int64(n * w.logEvery))})
			}
		}
		out = append(out, s)
	}
	return out
}

func (w *world) bytes(share float64) int64 { return int64(share*w.card) &^ 511 }

func (w *world) sample(at time.Time, t, a, r, peak float64) monitor.Sample {
	s := monitor.Sample{Time: at}
	outside := w.outside + w.outsidePerMin/60*math.Max(0, t-w.load)
	context := 0.6e9/w.card + outside
	other := 0.0
	if w.otherFrom > 0 && t > w.otherFrom {
		other = math.Min(w.other, (t-w.otherFrom)*w.other/2)
	}
	used := math.Min(r+context+other, 0.999)
	g := monitor.GPU{Index: 0, UUID: monitor.Known("GPU-made-up"), State: monitor.StateOK, ReadAt: at}
	g.Memory.TotalBytes, g.Memory.UsedBytes = monitor.Known(w.bytes(1)), monitor.Known(w.bytes(used))
	g.Memory.FreeBytes = monitor.Known(w.bytes(1 - used))
	s.GPUs = []monitor.GPU{g}
	s.Holders = []monitor.Holder{{PID: 4711, GPU: 0, InNamespace: true, UsedBytes: monitor.Known(w.bytes(r + context)), Name: "python"}}
	if other > 0 {
		s.Holders = append(s.Holders, monitor.Holder{PID: 9000, GPU: 0, InNamespace: true, UsedBytes: monitor.Known(w.bytes(other)), Name: "python"})
	}
	if w.attached {
		s.Torch = []monitor.Allocator{{PID: 4711, GPU: monitor.Known(0), Origin: monitor.OriginAttach, State: monitor.AllocatorOK, ReadAt: at,
			AllocatedBytes: monitor.Known(w.bytes(a)), ReservedBytes: monitor.Known(w.bytes(r)),
			PeakAllocatedBytes: monitor.Known(w.bytes(peak)), PeakReservedBytes: monitor.Known(w.bytes(r)),
			AllocRetryCount: monitor.Known[int64](0), OOMCount: monitor.Known[int64](0)}}
	}
	if w.evalMarks && w.inEval(t) >= 0 && w.inEval(t-w.interval.Seconds()) < 0 {
		s.Lines = []monitor.LogLine{{Time: at, Source: "train.log", Text: "epoch 3 validating"}}
	}
	return s
}

// newWorld returns a healthy job on a random card, with random steps.
func newWorld(seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 42))
	pick := func(values ...float64) float64 { return values[r.IntN(len(values))] }
	w := &world{rng: r, attached: true, gpus: 1}
	w.card = pick(8, 16, 24, 48, 80, 141) * (1 << 30)
	w.interval = time.Duration(pick(0.1, 0.2, 0.5, 1, 1, 2) * float64(time.Second))
	w.length = time.Duration(pick(60, 120, 200, 300) * float64(w.interval))
	w.load = pick(0.05, 0.1, 0.2) * w.length.Seconds()
	w.weights = pick(0.01, 0.03, 0.1, 0.2)
	w.floor = w.weights * pick(1.5, 2, 3.5)
	w.floor = math.Min(w.floor, 0.5)
	w.peak = pick(0.01, 0.05, 0.1, 0.3)
	w.period = pick(0.03, 0.1, 0.35, 0.7, 1.3, 3, 8)
	w.idle = pick(0.05, 0.1, 0.3, 0.6)
	if r.IntN(2) == 0 {
		w.logEvery = int(pick(1, 5, 10, 50))
	}
	return w
}

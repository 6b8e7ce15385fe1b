package advisor

import (
	"math"
	"slices"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
)

// Input is everything that is judged. Any part of it may be missing.
type Input struct {
	// Window is the stretch of history to judge: a whole recording, or the last
	// minutes of a live one.
	Window history.Window
	// Lines are lines of the job's output as they came, for the texts of known
	// errors and for phases. They need not be complete, nor be those that the
	// readings of the window were made from.
	Lines []monitor.LogLine
	// Readings are log readings that belong to no sample: a log at rest, a
	// pasted error. Those of the window come on top.
	Readings []monitor.LogReading
	// Total is the size of the card in bytes for a log alone, when somebody
	// knows it; 0 otherwise.
	Total int64
	// Over says that the window's end is not now, as of a recording: what was
	// about to happen then is told in the past tense.
	Over bool
}

// scene is an input sorted into devices, processes and jobs, with the figures
// as tracks on one time axis.
type scene struct {
	in     *Input
	w      *history.Window
	origin time.Time
	end    float64 // seconds of the window's end
	every  float64 // seconds between samples, 0 when not known
	many   bool    // so many processes that series are pooled
	rest   bool    // a log at rest: the axis counts its lines, there are no times
	gpus   []*gpu
	jobs   []*job // with memory figures of their own, from the allocator or a log
	logs   []*logTrack
	ooms   []oom
	text   hints
	all    []monitor.LogReading // oldest first
}

// gpu is one device.
type gpu struct {
	s       *scene
	id      string
	index   int
	known   bool // index is the driver's
	total   float64
	facts   *monitor.GPU
	holders []*holder
	tracks  map[history.Metric]track
}

func (g *gpu) track(m history.Metric) track {
	k, ok := g.tracks[m]
	if !ok {
		k = read(g.s.w, history.Key{Metric: m, GPU: g.id}, g.s.origin, g.s.many)
		g.tracks[m] = k
	}
	return k
}

// holder is one process on one device.
type holder struct {
	gpu    *gpu
	key    monitor.ProcessKey
	facts  *history.ProcessFacts
	now    *monitor.Allocator // in the newest sample, nil when it is not there
	listed bool               // the driver told its memory at least once
	spread int                // devices that the process holds memory on
	// usedNow is what the driver says of it in the newest sample.
	usedNow monitor.Reading[int64]
	tracks  map[history.Metric]track
	until   float64 // seconds; the end of its life, 0 when not looked for yet
	job     *job
}

// track returns a figure over the life of the process.
func (h *holder) track(m history.Metric) track {
	k := h.raw(m)
	if !ofLife(m) || k.len() == 0 {
		return k
	}
	return k.slice(0, k.at(h.lifeEnd()))
}

// raw returns a figure over the whole window.
func (h *holder) raw(m history.Metric) track {
	k, ok := h.tracks[m]
	if !ok {
		if !h.quiet(m) {
			s := h.gpu.s
			k = read(s.w, history.Key{Metric: m, GPU: h.gpu.id, Process: h.key}, s.origin, s.many)
		}
		h.tracks[m] = k
	}
	return k
}

// quiet reports whether a series need not be read, because the newest sample
// tells that there is nothing in it to find: a counter that still stands at
// zero, or an amount that no rule asks about.
func (h *holder) quiet(m history.Metric) bool {
	if h.now == nil || h.gpu.total == 0 {
		return false
	}
	var v monitor.Reading[int64]
	least := int64(1)
	switch m {
	case history.AllocRetries:
		v = h.now.AllocRetryCount
	case history.OOMs:
		v = h.now.OOMCount
	case history.PrivatePools:
		v, least = h.now.PrivatePoolBytes, int64(idleOfCard*h.gpu.total)
	case history.NonTorch:
		v, least = monitor.Minus(h.usedNow, h.now.ReservedBytes), int64(2*outsideLeak*h.gpu.total)
	case history.InactiveSplit:
		v, least = h.now.InactiveSplitBytes, int64(splitOfCard*h.gpu.total)
	default:
		return false
	}
	n, ok := v.Get()
	return ok && n < least
}

// used returns the process's memory on the device at the end of its life, and
// false when the driver did not tell.
func (h *holder) used() (float64, bool) {
	if v, ok := h.usedNow.Get(); ok && h.gpu.s.many {
		return float64(v), true
	}
	k := h.track(history.Used)
	if k.len() == 0 {
		return 0, false
	}
	return quantile(k.last[max(0, k.len()-5):], 0.5), true
}

// process returns the facts of the process; the zero value when none are known.
func (h *holder) process() monitor.Process {
	if h.facts == nil {
		return monitor.Process{}
	}
	return h.facts.Process
}

// job is one process on one device whose tensors are known, or one log whose
// process is not.
type job struct {
	*holder         // nil for a log that belongs to no process
	gpu     *gpu    // nil when not known
	total   float64 // of the card; a stand-in when guessed
	guessed bool    // the size of the card is not known
	log     *logTrack
	rank    *int
}

// attached reports whether the allocator itself was read.
func (j *job) attached() bool {
	return j.holder != nil && j.metric(history.Allocated).len() > 0
}

// alloc, reserved and peak are the allocator's own figures, empty when it was
// not read.
func (j *job) alloc() track    { return j.metric(history.Allocated) }
func (j *job) reserved() track { return j.metric(history.Reserved) }
func (j *job) peak() track     { return j.metric(history.PeakAllocated) }

func (j *job) metric(m history.Metric) track {
	if j.holder == nil || j.log != nil && j.printed() {
		return track{}
	}
	return j.track(m)
}

func newScene(in *Input) *scene {
	s := &scene{in: in, w: &in.Window}
	s.origin = in.Window.From
	if s.origin.IsZero() && len(in.Readings) > 0 {
		s.origin = in.Readings[0].Time
	}
	s.end = in.Window.To.Sub(s.origin).Seconds()
	s.every = in.Window.Interval.Seconds()
	s.all = allReadings(in)
	s.rest = atRest(s.all) && len(in.Window.Times) < 2
	s.many = len(in.Window.Processes)*len(in.Window.Times) > manySeries
	s.addGPUs()
	s.addHolders()
	s.countDevices()
	s.addLogs()
	s.text = scanLines(s, in.Lines)
	s.addOOMs()
	return s
}

func (s *scene) addGPUs() {
	for i := range s.w.GPUs {
		f := &s.w.GPUs[i]
		g := &gpu{s: s, id: f.GPU.ID(), index: f.GPU.Index, known: true, facts: &f.GPU, tracks: map[history.Metric]track{}}
		if total, ok := f.GPU.Memory.TotalBytes.Get(); ok && total > 0 {
			g.total = float64(total)
		}
		s.gpus = append(s.gpus, g)
	}
}

// addHolders finds the processes on each device and the jobs among them.
func (s *scene) addHolders() {
	facts := make(map[monitor.ProcessKey]*history.ProcessFacts, len(s.w.Processes))
	for i := range s.w.Processes {
		facts[s.w.Processes[i].Process.Key()] = &s.w.Processes[i]
	}
	now := s.newest()
	known := map[history.Key]bool{}
	for _, k := range s.w.Keys() {
		known[k] = true
	}
	seen, started := map[history.Key]bool{}, startedHolders(known)
	for _, k := range s.w.Keys() {
		if k.Process == (monitor.ProcessKey{}) || k.Metric == history.HostBytes || k.Metric == history.CPU {
			continue
		}
		name := history.Key{GPU: k.GPU, Process: k.Process}
		g := s.gpu(k.GPU)
		if seen[name] || g == nil {
			continue
		}
		seen[name] = true
		used := name
		used.Metric = history.Used
		if started[name] && !known[used] {
			continue // what a log said last of a process that is gone: no other process
		}
		h := &holder{gpu: g, key: k.Process, facts: facts[k.Process], now: now[name], tracks: map[history.Metric]track{}}
		g.holders = append(g.holders, h)
		allocated, reserved := name, name
		allocated.Metric, reserved.Metric = history.Allocated, history.Reserved
		h.listed = known[used]
		if known[allocated] || known[reserved] {
			h.job = &job{holder: h, gpu: g, total: g.total, rank: rankOf(h)}
			s.jobs = append(s.jobs, h.job)
		}
	}
}

// startedHolders returns the places of processes that the driver listed and
// whose start is known, without that start.
func startedHolders(known map[history.Key]bool) map[history.Key]bool {
	out := map[history.Key]bool{}
	for k := range known {
		if k.Metric == history.Used && k.Process.StartTicks != 0 {
			out[history.Key{GPU: k.GPU, Process: monitor.ProcessKey{PID: k.Process.PID}}] = true
		}
	}
	return out
}

// countDevices notes on how many devices each process holds memory, and what
// it holds now.
func (s *scene) countDevices() {
	on := map[monitor.ProcessKey]int{}
	for _, g := range s.gpus {
		for _, h := range g.holders {
			on[h.key]++
		}
	}
	type place struct{ pid, gpu int }
	now := map[place]monitor.Reading[int64]{}
	if !s.w.Latest.Time.After(s.w.To) {
		for _, h := range s.w.Latest.Holders {
			if h.InNamespace && !h.Instance.Known() {
				now[place{h.PID, h.GPU}] = h.UsedBytes
			}
		}
	}
	for _, g := range s.gpus {
		for _, h := range g.holders {
			h.spread, h.usedNow = on[h.key], now[place{h.key.PID, g.index}]
		}
	}
}

// newest returns the allocators of the newest sample by process and device.
func (s *scene) newest() map[history.Key]*monitor.Allocator {
	out := make(map[history.Key]*monitor.Allocator, len(s.w.Latest.Torch))
	for i := range s.w.Latest.Torch {
		a := &s.w.Latest.Torch[i]
		index, ok := a.GPU.Get()
		if !ok || a.State != monitor.AllocatorOK || s.w.Latest.Time.After(s.w.To) {
			continue
		}
		for _, g := range s.gpus {
			if g.index == index {
				out[history.Key{GPU: g.id, Process: a.Key()}] = a
			}
		}
	}
	return out
}

func (s *scene) gpu(id string) *gpu {
	for _, g := range s.gpus {
		if g.id == id {
			return g
		}
	}
	return nil
}

func rankOf(h *holder) *int {
	if r, ok := h.process().Rank.Get(); ok {
		return &r
	}
	return nil
}

// seconds puts a time on the axis of the scene.
func (s *scene) seconds(t time.Time) float64 { return t.Sub(s.origin).Seconds() }

// place puts a line of a log on the axis: by its time, or by its number where a
// log at rest has no times.
func (s *scene) place(t time.Time, line int64) float64 {
	if s.rest {
		return float64(line)
	}
	return s.seconds(t)
}

// time turns a place on the axis back into a time.
func (s *scene) time(sec float64) time.Time {
	if math.IsNaN(sec) || math.IsInf(sec, 0) || s.origin.IsZero() || s.rest {
		return time.Time{}
	}
	return s.origin.Add(time.Duration(sec * float64(time.Second)))
}

// job returns the job with that process on that device.
func (s *scene) jobOf(pid int) *job {
	i := slices.IndexFunc(s.jobs, func(j *job) bool { return j.holder != nil && j.key.PID == pid })
	if i < 0 {
		return nil
	}
	return s.jobs[i]
}

// pids counts the processes on all devices.
func (s *scene) pids() int {
	seen := map[monitor.ProcessKey]bool{}
	for _, g := range s.gpus {
		for _, h := range g.holders {
			seen[h.key] = true
		}
	}
	return len(seen)
}

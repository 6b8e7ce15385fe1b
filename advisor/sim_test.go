package advisor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// sim is a made-up machine whose jobs really allocate and free. Each job is a
// function that plays a program; what a monitor would have seen of it is
// sampled beside it.
type sim struct {
	r      *rand.Rand
	card   int64
	gpus   int
	every  float64 // seconds between samples
	span   float64 // seconds
	ticks  []float64
	procs  []*proc
	others []stranger
	// What is known of it.
	noTorch, noLog, noParents bool
	gpm                       func(t float64, gpu int) monitor.Activity
	gpuTurn                   func(t float64, g *monitor.GPU)
	unlisted                  int64 // used on GPU 0 by nobody in the list
}

// stranger is a process that is no PyTorch job: it holds what it holds.
type stranger struct {
	monitor.Process
	gpu      int
	from, to float64
	bytes    int64
	grow     int64 // a second
}

func (o *stranger) at(t float64) int64 {
	if t < o.from || t > o.to {
		return 0
	}
	return o.bytes + int64(float64(o.grow)*(t-o.from))
}

// seen is what a sample shows of a process on a device.
type seen struct {
	monitor.Allocator
	used, host int64
	lines      []monitor.LogLine
	readings   []monitor.LogReading
}

// proc is one running job on one device.
type proc struct {
	m        *sim
	info     monitor.Process
	gpu      int
	h        heap
	now      float64
	next     int // tick
	from     float64
	rows     map[int]*seen
	context  int64
	outside  int64 // beyond the context: libraries, NCCL
	host     int64
	cap      int64 // of set_per_process_memory_fraction, 0 for none
	lines    []monitor.LogLine
	readings []monitor.LogReading
	steps    int64
	logEvery int64
	logged   int64
	rank     int // −1: none
	catches  bool
	hidden   bool // allocator cannot be read
	extra    map[int]int64
}

// ended is how a job's function is left at the end of time, or of the job.
type ended struct{}

var simStart = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

func (m *sim) time(t float64) time.Time { return simStart.Add(time.Duration(t * float64(time.Second))) }

// run plays a job from a time on.
func (m *sim) run(from float64, p *proc, play func(p *proc)) {
	p.m, p.now, p.from, p.rows = m, from, from, map[int]*seen{}
	if p.info.PID == 0 {
		p.info.PID = 4000 + 37*len(m.procs)
	}
	if p.info.Name == "" {
		p.info.Name, p.info.Command = "python", "python train.py"
	}
	if p.info.ParentPID == 0 {
		p.info.ParentPID = 3000 + len(m.procs)
	}
	p.info.StartTicks = uint64(100 * (from + 1000))
	p.context = int64((0.35 + 0.25*m.r.Float64()) * gib)
	if p.host == 0 {
		p.host = 3 * gib
	}
	p.h.room = p.roomLeft
	p.next = len(m.ticks)
	for i, t := range m.ticks {
		if t >= from {
			p.next = i
			break
		}
	}
	m.procs = append(m.procs, p)
	func() {
		defer func() {
			if x := recover(); x != nil {
				if _, ok := x.(ended); !ok {
					panic(x)
				}
			}
		}()
		play(p)
	}()
}

// roomLeft is what is left of the card, or of the process's own limit.
func (p *proc) roomLeft() int64 {
	left := p.m.card - p.context - p.outside - p.h.reserved
	for i := range p.m.others {
		if o := &p.m.others[i]; o.gpu == p.gpu {
			left -= o.at(p.now)
		}
	}
	for _, q := range p.m.procs {
		if q == p {
			continue
		}
		left -= q.extra[p.gpu]
		if row := q.rows[max(0, p.next-1)]; q.gpu == p.gpu && row != nil {
			left -= row.used
		}
	}
	if p.cap > 0 {
		left = min(left, p.cap-p.h.reserved)
	}
	return left
}

// wait lets time pass, with samples at their ticks.
func (p *proc) wait(seconds float64) {
	end := p.now + seconds
	for p.next < len(p.m.ticks) && p.m.ticks[p.next] <= end {
		p.now = p.m.ticks[p.next]
		p.record()
		p.next++
	}
	p.now = end
	if p.next >= len(p.m.ticks) {
		panic(ended{})
	}
}

func (p *proc) end() { panic(ended{}) }

func (p *proc) record() {
	h := &p.h
	k := monitor.Known[int64]
	row := &seen{used: h.reserved + p.context + p.outside, host: p.host, lines: p.lines, readings: p.readings}
	p.lines, p.readings = nil, nil
	row.Allocator = monitor.Allocator{PID: p.info.PID, StartTicks: p.info.StartTicks, GPU: monitor.Known(p.gpu), Origin: monitor.OriginAttach,
		State: monitor.AllocatorOK, ReadAt: p.m.time(p.now), AllocatedBytes: k(h.allocated), ReservedBytes: k(h.reserved), PeakAllocatedBytes: k(h.peak),
		PeakReservedBytes: k(h.peakReserved), ActiveBytes: k(h.allocated), InactiveSplitBytes: k(h.split()), PrivatePoolBytes: k(h.private),
		SegmentCount: k(h.segments), AllocRetryCount: k(h.retries), OOMCount: k(h.ooms)}
	p.rows[p.next] = row
}

// say prints a line to the job's log.
func (p *proc) say(text string) {
	p.lines = append(p.lines, monitor.LogLine{Time: p.m.time(p.now), Source: p.source(), PID: p.info.PID, Text: text})
}

func (p *proc) source() string { return "train-" + strconv.Itoa(p.info.PID) + ".log" }

// print logs the memory as a training script does, at most once per logEvery
// steps.
func (p *proc) print() {
	if p.logEvery == 0 || p.steps < p.logged+p.logEvery {
		return
	}
	p.logged = p.steps
	r := monitor.LogReading{Time: p.m.time(p.now), Source: p.source(), PID: p.info.PID, Kind: monitor.LogMemory, Unit: monitor.UnitStated,
		AllocatedBytes: monitor.Known(p.h.allocated &^ (mib - 1)), ReservedBytes: monitor.Known(p.h.reserved &^ (mib - 1)), Step: monitor.Known(p.steps)}
	if p.rank >= 0 {
		r.Rank = monitor.Known(p.rank)
	}
	p.readings = append(p.readings, r)
}

// jump passes whole periods in which nothing but more of the same happens
// before the next sample, and returns how many.
func (p *proc) jump(period float64) int64 {
	if p.next >= len(p.m.ticks) {
		panic(ended{})
	}
	n := int64((p.m.ticks[p.next]-p.now)/period) - 2
	if n <= 0 {
		return 0
	}
	p.now += float64(n) * period
	return n
}

// samples puts together what was seen of all jobs.
func (m *sim) samples() []monitor.Sample {
	out := make([]monitor.Sample, len(m.ticks))
	for i, t := range m.ticks {
		s := &out[i]
		s.Time = m.time(t)
		used := make([]int64, m.gpus)
		used[0] += m.unlisted
		for _, p := range m.procs {
			p.show(i, s, used)
		}
		for k := range m.others {
			m.others[k].show(t, s, used)
		}
		for g := range m.gpus {
			s.GPUs = append(s.GPUs, m.gpuAt(t, g, used[g]))
		}
		slices.SortStableFunc(s.Holders, func(a, b monitor.Holder) int { return a.PID - b.PID })
	}
	return out
}

func (m *sim) gpuAt(t float64, g int, used int64) monitor.GPU {
	card := monitor.GPU{Index: g, UUID: monitor.Known("GPU-" + strconv.Itoa(g)), State: monitor.StateOK, ReadAt: m.time(t)}
	used = min(used, m.card)
	card.Memory.TotalBytes, card.Memory.UsedBytes, card.Memory.FreeBytes = monitor.Known(m.card), monitor.Known(used), monitor.Known(m.card-used)
	if m.gpm != nil {
		card.Activity = m.gpm(t, g)
	}
	if m.gpuTurn != nil {
		m.gpuTurn(t, &card)
	}
	return card
}

func (p *proc) show(i int, s *monitor.Sample, used []int64) {
	row := p.rows[i]
	if row == nil {
		return
	}
	info := p.info
	info.HostBytes = monitor.Known(row.host)
	if p.m.noParents {
		info.ParentPID = 0
	}
	s.Processes = append(s.Processes, info)
	s.Holders = append(s.Holders, monitor.Holder{PID: p.info.PID, GPU: p.gpu, InNamespace: true, Name: p.info.Name, UsedBytes: monitor.Known(row.used)})
	used[p.gpu] += row.used
	for g, bytes := range p.extra {
		s.Holders = append(s.Holders, monitor.Holder{PID: p.info.PID, GPU: g, InNamespace: true, Name: p.info.Name, UsedBytes: monitor.Known(bytes)})
		used[g] += bytes
	}
	if !p.m.noTorch && !p.hidden {
		s.Torch = append(s.Torch, row.Allocator)
	}
	if !p.m.noLog {
		s.Lines, s.Readings = append(s.Lines, row.lines...), append(s.Readings, row.readings...)
	}
}

func (o *stranger) show(t float64, s *monitor.Sample, used []int64) {
	bytes := o.at(t)
	if bytes == 0 {
		return
	}
	used[o.gpu] += bytes
	s.Holders = append(s.Holders, monitor.Holder{PID: o.PID, GPU: o.gpu, InNamespace: true, Name: o.Name, UsedBytes: monitor.Known(bytes)})
	s.Processes = append(s.Processes, o.Process)
}

// newSim returns a machine of a random size, sampled at a random rate for so
// many samples.
func newSim(r *rand.Rand, samples int, cards ...float64) *sim {
	if len(cards) == 0 {
		cards = []float64{8, 16, 24, 40, 80, 141}
	}
	m := &sim{r: r, gpus: 1, card: int64(cards[r.IntN(len(cards))] * 0.985 * gib)}
	m.every = []float64{0.1, 0.2, 0.5, 1, 1, 2, 5}[r.IntN(7)]
	m.stretch(samples)
	return m
}

// stretch sets how many samples are taken.
func (m *sim) stretch(samples int) {
	m.ticks = nil
	for i := range samples {
		m.ticks = append(m.ticks, math.Max(0, m.every*(float64(i)+0.04*m.r.NormFloat64()+0.5)))
	}
	slices.Sort(m.ticks)
	m.span = m.ticks[len(m.ticks)-1]
}

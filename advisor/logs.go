package advisor

import (
	"cmp"
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// logTrack is what one log says of one rank's memory. Its axis is the time of
// reading, or the number of the line when a log at rest gives no times.
type logTrack struct {
	source   string
	rank     int // −1 when the lines name none
	pid      int // 0 when not known
	ordinal  bool
	alloc    track // as printed: mostly at one point of the step
	reserved track
	maxAlloc track
	maxRes   track
	steps    track // step number over the axis
	total    float64
	assumed  bool // nothing settled the unit of its figures
	job      *job
}

type logName struct {
	source string
	pid    int
	rank   int
}

// allReadings returns all log readings, oldest first.
func allReadings(in *Input) []monitor.LogReading {
	all := append(slices.Clone(in.Readings), in.Window.Readings...)
	slices.SortStableFunc(all, func(a, b monitor.LogReading) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Line, b.Line))
	})
	return all
}

// addLogs sorts the memory readings into one track for each source and rank
// and joins them with processes.
func (s *scene) addLogs() {
	byName := map[logName]*logTrack{}
	for i := range s.all {
		r := &s.all[i]
		if r.Kind != monitor.LogMemory && r.Kind != monitor.LogProgress {
			continue
		}
		name := logName{source: r.Source, pid: r.PID, rank: r.Rank.Or(-1)}
		l := byName[name]
		if l == nil {
			if r.Kind == monitor.LogProgress && !r.Step.Known() {
				continue
			}
			l = &logTrack{source: r.Source, rank: name.rank, pid: r.PID, ordinal: s.rest}
			byName[name] = l
			s.logs = append(s.logs, l)
		}
		l.take(s.place(r.Time, r.Line), r)
	}
	s.logs = slices.DeleteFunc(s.logs, func(l *logTrack) bool {
		return l.alloc.len()+l.reserved.len()+l.maxAlloc.len()+l.maxRes.len()+l.steps.len() == 0
	})
	if len(s.in.Readings) > 0 && len(s.in.Window.Readings) > 0 && !s.rest {
		for _, l := range s.logs {
			l.even()
		}
	}
	s.joinLogs()
}

// even puts the newest figures, which are kept one by one, as far apart as older
// ones, so that equal parts of a track are about as long in time.
func (l *logTrack) even() {
	for _, k := range []*track{&l.alloc, &l.reserved, &l.maxAlloc, &l.maxRes} {
		*k = k.evenly()
	}
}

// atRest reports whether the readings carry no times to speak of. One reading
// alone carries none where no sample was taken either: its time is when the log
// was read.
func atRest(readings []monitor.LogReading, samples int) bool {
	n := len(readings)
	return (n > 1 && samples < 2 || n == 1 && samples == 0) && !readings[n-1].Time.After(readings[0].Time)
}

func (l *logTrack) take(at float64, r *monitor.LogReading) {
	put := func(k *track, v monitor.Reading[int64]) {
		if b, ok := v.Get(); ok && b >= 0 {
			k.add(at, float64(b))
		}
	}
	if n, ok := r.Step.Get(); ok {
		l.steps.add(at, float64(n))
	}
	if r.Kind != monitor.LogMemory {
		return
	}
	l.assumed = l.assumed || r.Unit == monitor.UnitAssumed
	put(&l.alloc, r.AllocatedBytes)
	put(&l.reserved, r.ReservedBytes)
	put(&l.maxAlloc, r.MaxAllocatedBytes)
	put(&l.maxRes, r.MaxReservedBytes)
	if total, ok := r.DeviceTotalBytes.Get(); ok && total > 0 {
		l.total = float64(total)
	}
}

// hasMemory reports whether any line carried a figure of memory.
func (l *logTrack) hasMemory() bool {
	return l.alloc.len()+l.reserved.len()+l.maxAlloc.len()+l.maxRes.len() > 0
}

// joinLogs gives each log to its process: by its number, by its rank, or
// because there is only one process it can be. A log without a process becomes
// a job of its own.
func (s *scene) joinLogs() {
	for _, l := range s.logs {
		j := s.ownerOf(l)
		if j == nil {
			if !l.hasMemory() {
				continue
			}
			j = &job{log: l, total: max(l.total, float64(s.in.Total))}
			if len(s.gpus) == 1 {
				j.gpu, j.total = s.gpus[0], s.gpus[0].total
			}
			if l.rank >= 0 {
				j.rank = &l.rank
			}
			s.jobs = append(s.jobs, j)
		}
		if j.log == nil || !j.log.hasMemory() {
			j.log, l.job = l, j
		}
		if j.total == 0 {
			j.total = max(l.total, s.totalOfCards(), s.totalTold())
		}
	}
	for _, j := range s.jobs {
		if j.total == 0 && j.log != nil {
			j.total, j.guessed = guessedCards*j.log.most(), true
		}
	}
}

// guessedCards is how many times the most that a log ever printed stands in for
// the size of a card that nobody tells: the rules then judge the job by its own
// size.
const guessedCards = 3

func (l *logTrack) most() float64 {
	most := 0.0
	for _, k := range []track{l.alloc, l.reserved, l.maxAlloc, l.maxRes} {
		if k.len() > 0 {
			most = max(most, k.max())
		}
	}
	return most
}

// totalTold returns the size of the card as an error text tells it, 0 for none.
func (s *scene) totalTold() float64 {
	for _, r := range s.all {
		if r.OOM != nil {
			if v, ok := r.OOM.TotalBytes.Get(); ok && v > 0 {
				return float64(v)
			}
		}
	}
	return 0
}

// totalOfCards returns the size of the cards when they are all alike.
func (s *scene) totalOfCards() float64 {
	if s.in.Total > 0 {
		return float64(s.in.Total)
	}
	total := 0.0
	for i, g := range s.gpus {
		if i > 0 && g.total != total {
			return 0
		}
		total = g.total
	}
	return total
}

func (s *scene) ownerOf(l *logTrack) *job {
	if l.pid != 0 {
		if j := s.jobOf(l.pid); j != nil {
			return j
		}
		if h := s.onlyHolder(l.pid); h != nil {
			return s.addJob(h)
		}
	}
	if l.rank >= 0 {
		for _, j := range s.jobs {
			if j.rank != nil && *j.rank == l.rank && j.log == nil {
				return j
			}
		}
	}
	if len(s.holders) != 1 || s.ranksPrinted() > 1 {
		return nil
	}
	for _, g := range s.gpus {
		if len(g.holders) == 0 {
			continue
		}
		if h := g.holders[0]; h.job == nil {
			return s.addJob(h)
		}
		return g.holders[0].job
	}
	return nil
}

// onlyHolder returns the process of that number where it holds memory on one
// device alone; nil otherwise.
func (s *scene) onlyHolder(pid int) *holder {
	if on := s.holders[pid]; len(on) == 1 {
		return on[0]
	}
	return nil
}

func (s *scene) ranksPrinted() int {
	ranks := map[int]bool{}
	for _, l := range s.logs {
		if l.rank >= 0 {
			ranks[l.rank] = true
		}
	}
	return len(ranks)
}

package history

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// gapFactor is how many intervals may pass between two samples before the time
// between them counts as a gap.
const gapFactor = 3

// Store is the history of one machine. It belongs to one goroutine.
type Store struct {
	cfg    Config
	rings  rings
	things map[thingKey]*thing
	order  []*thing
	pace   pace
	facts  facts
	whole  wholes
	latest monitor.Sample
	any    bool
	origin *time.Location
	firstS time.Time
	stats  Stats
	work   scratch
	space  space

	readings ring[monitor.LogReading]
	marks    ring[monitor.Mark]
}

// New returns an empty store.
func New(cfg Config) *Store {
	s := &Store{cfg: cfg.withDefaults()}
	s.Reset()
	return s
}

// Reset forgets everything, the statistics included.
func (s *Store) Reset() {
	*s = Store{cfg: s.cfg, rings: newRings(s.cfg), things: map[thingKey]*thing{}, facts: newFacts(s.cfg.Processes),
		whole:    newWholes(s.cfg.WholeSamples, s.cfg.WholeBytes),
		readings: ring[monitor.LogReading]{limit: s.cfg.Readings}, marks: ring[monitor.Mark]{limit: s.cfg.Marks},
		pace: pace{given: s.cfg.Interval}, origin: time.Local, work: newScratch()}
}

// SetInterval tells the time between samples from now on; 0 goes back to
// estimating it.
func (s *Store) SetInterval(d time.Duration) { s.cfg.Interval, s.pace.given = d, d }

// Interval returns the time between samples as given or estimated, 0 before
// there are two.
func (s *Store) Interval() time.Duration { return s.pace.interval() }

// Append adds a sample, which must not be changed afterwards. One with the
// time of the sample before it is ignored. One that is earlier means that the
// clock was set back: what lies after it is dropped, so that the time axis
// stays in order. Devices whose figures are stale leave a gap.
func (s *Store) Append(sample monitor.Sample) {
	at := sample.Time.UnixNano()
	if s.any && !s.advance(sample.Time, at) {
		return
	}
	if !s.any {
		s.any, s.firstS = true, sample.Time
	}
	s.origin = sample.Time.Location()
	hold := int64(gapFactor * s.pace.interval())
	slot := s.openSlots(at, hold)
	s.space = space{used: s.mostBytes(s.rings.room)}
	s.extract(&sample, slot.single, at)
	s.sweep()
	for _, t := range s.order {
		if t.touched {
			t.lastNS = at
			row := t.row(slot.single)
			fold(t.mid.row(slot.mid), row)
			fold(t.coarse.row(slot.coarse), row)
		}
	}
	s.facts.see(&sample)
	s.readings.push(sample.Readings...)
	s.marks.push(sample.Marks...)
	s.whole.push(&sample)
	s.latest = sample
	s.evict(at)
}

// advance settles the time of a sample against the one before; false when the
// sample is to be ignored.
func (s *Store) advance(t time.Time, at int64) bool {
	last := s.latest.Time.UnixNano()
	switch {
	case at == last:
		s.stats.Repeated++
		return false
	case at < last:
		s.stats.ClockBack++
		s.truncate(t, at)
	default:
		s.pace.step(time.Duration(at - last))
		s.rings.singles.paceKnown(int64(gapFactor * s.pace.interval()))
	}
	return true
}

// truncate drops what is not earlier than that time.
func (s *Store) truncate(t time.Time, at int64) {
	slots := s.rings.singles.keepBefore(at)
	for _, th := range s.order {
		th.keep(slots)
		th.lastNS = min(th.lastNS, at)
	}
	s.rings.mid.truncate(at)
	s.rings.coarse.truncate(at)
	s.whole.truncate(at)
	if s.firstS.After(t) {
		s.firstS = t
	}
}

// slots are the places of one sample at the three resolutions.
type slots struct{ single, mid, coarse int }

func (s *Store) openSlots(at, hold int64) slots {
	s.makeRoom()
	var to slots
	var freshMid, freshCoarse bool
	to.single = s.rings.singles.push(at, hold)
	to.mid, freshMid = s.rings.mid.open(at, hold)
	to.coarse, freshCoarse = s.rings.coarse.open(at, hold)
	for _, t := range s.order {
		t.blank(to.single)
		if freshMid {
			t.mid.clear(to.mid)
		}
		if freshCoarse {
			t.coarse.clear(to.coarse)
		}
	}
	return to
}

// makeRoom lets more single samples be kept, as far as SeriesBytes goes should
// every figure change with every sample.
func (s *Store) makeRoom() {
	r := &s.rings
	if r.singles.len() < r.room || r.room >= r.singles.limit {
		return
	}
	room := min(2*r.room, r.singles.limit)
	if s.mostBytes(room) > s.cfg.SeriesBytes {
		r.singles.limit = r.room
		return
	}
	r.room = room
}

// mostBytes is what all series may come to take.
func (s *Store) mostBytes(room int) int64 {
	var sum int64
	for _, t := range s.order {
		sum += s.rings.most(t.key.kind, room)
	}
	return sum
}

// seriesBytes is what all series take.
func (s *Store) seriesBytes() int64 {
	var sum int64
	for _, t := range s.order {
		sum += t.bytes()
	}
	return sum
}

// Latest returns the newest sample.
func (s *Store) Latest() (monitor.Sample, bool) { return s.latest, s.any }

// Span returns the times of the oldest and the newest thing known; zero times
// when the store is empty.
func (s *Store) Span() (from, to time.Time) {
	if !s.any {
		return time.Time{}, time.Time{}
	}
	from = s.firstS
	if ns := s.rings.coarse.coveredFrom(); ns > from.UnixNano() {
		from = s.time(ns)
	}
	return from, s.latest.Time
}

// Stats returns what was not taken as it came, and the memory in use.
func (s *Store) Stats() Stats {
	st := s.stats
	st.SeriesBytes, st.WholeBytes = s.seriesBytes(), s.whole.bytes
	return st
}

// Readings returns the log readings kept, oldest first.
func (s *Store) Readings() []monitor.LogReading { return s.readings.all() }

// Marks returns the marks kept, oldest first.
func (s *Store) Marks() []monitor.Mark { return s.marks.all() }

// At returns the newest whole sample taken at or before that time; false when
// none is kept any more. It is a copy.
func (s *Store) At(t time.Time) (monitor.Sample, bool) { return s.whole.at(t) }

// WholeSpan returns the times between which At has an answer.
func (s *Store) WholeSpan() (from, to time.Time, ok bool) { return s.whole.span() }

func (s *Store) time(ns int64) time.Time { return time.Unix(0, ns).In(s.origin) }

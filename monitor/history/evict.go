package history

import (
	"cmp"
	"slices"
)

// space is what is left for new things while a sample is added.
type space struct {
	used   int64
	gone   []*thing // that may make room, the longest gone last
	looked bool     // for them
}

// admit makes a thing, pushing out the longest gone one when memory is short;
// nil when all are there.
func (s *Store) admit(key thingKey, at int64) *thing {
	need := s.rings.most(key.kind, s.rings.room)
	for s.space.used+need > s.cfg.SeriesBytes {
		if !s.dropLongestGone(at) {
			s.stats.NotKept++
			return nil
		}
	}
	t := newThing(key)
	s.space.used += need
	s.things[key] = t
	s.order = append(s.order, t)
	return t
}

func (s *Store) dropLongestGone(at int64) bool {
	if !s.space.looked {
		s.space.looked, s.space.gone = true, s.goneBefore(at)
	}
	for len(s.space.gone) > 0 {
		last := len(s.space.gone) - 1
		t := s.space.gone[last]
		s.space.gone = s.space.gone[:last]
		if !t.touched {
			s.space.used -= s.rings.most(t.key.kind, s.rings.room)
			s.drop(t)
			return true
		}
	}
	return false
}

// goneBefore returns what is not in the sample being added, the longest gone
// last. What is of the sample before is most likely still there, only not read
// yet in this one.
func (s *Store) goneBefore(at int64) []*thing {
	var gone []*thing
	before := s.latest.Time.UnixNano()
	for _, t := range s.order {
		if t.key.kind != kindDevice && !t.touched && t.lastNS < at && t.lastNS != before {
			gone = append(gone, t)
		}
	}
	slices.Reverse(gone)
	slices.SortStableFunc(gone, func(a, b *thing) int { return cmp.Compare(b.lastNS, a.lastNS) })
	return gone
}

// drop forgets a thing; sweep takes it out of the order.
func (s *Store) drop(t *thing) {
	delete(s.things, t.key)
	t.dropped = true
	s.stats.Evicted++
}

// sweep takes what was dropped out of the order.
func (s *Store) sweep() {
	s.order = slices.DeleteFunc(s.order, func(t *thing) bool { return t.dropped })
}

// evict forgets the processes that have been gone for long enough. Devices
// stay: one that fell off the bus is worth seeing.
func (s *Store) evict(at int64) {
	limit := at - int64(s.cfg.GoneAfter)
	for _, t := range s.order {
		if t.key.kind != kindDevice && t.lastNS < limit {
			s.drop(t)
		}
	}
	s.sweep()
	s.facts.evict(s.time(limit))
}

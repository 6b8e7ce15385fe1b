package history

import "slices"

// admit makes a thing, pushing out the longest gone one when memory is short;
// nil when all are there.
func (s *Store) admit(key thingKey, at int64) *thing {
	t := newThing(key, &s.rings)
	for s.seriesBytes()+t.bytes() > s.cfg.SeriesBytes {
		if !s.dropLongestGone(at) {
			s.stats.NotKept++
			return nil
		}
	}
	s.things[key] = t
	s.order = append(s.order, t)
	return t
}

func (s *Store) dropLongestGone(at int64) bool {
	oldest := -1
	for i, t := range s.order {
		if t.key.kind != kindDevice && !t.touched && t.lastNS < at && (oldest < 0 || t.lastNS < s.order[oldest].lastNS) {
			oldest = i
		}
	}
	if oldest < 0 {
		return false
	}
	// A process of the sample before is most likely still there, only not read yet in this one.
	if s.order[oldest].lastNS == s.latest.Time.UnixNano() {
		return false
	}
	s.drop(oldest)
	return true
}

func (s *Store) drop(i int) {
	delete(s.things, s.order[i].key)
	s.order = slices.Delete(s.order, i, i+1)
	s.stats.Evicted++
}

// evict forgets the processes that have been gone for long enough. Devices
// stay: one that fell off the bus is worth seeing.
func (s *Store) evict(at int64) {
	limit := at - int64(s.cfg.GoneAfter)
	for i := len(s.order) - 1; i >= 0; i-- {
		if t := s.order[i]; t.key.kind != kindDevice && t.lastNS < limit {
			s.drop(i)
		}
	}
	s.facts.evict(s.time(limit))
}

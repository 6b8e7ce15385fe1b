package nvml

import "time"

// turns lets one device at a time be asked. NVML may be called from several
// threads, but it mostly makes them wait for each other anyway, and one run on
// two GPUs ended, for a reason that was not found, in the first round in which
// both compared their counters at the same time. A round takes half a
// millisecond.
type turns chan struct{}

// turnPatience is how long a device waits for its turn. When another hangs in
// the driver the rest go on without one after that.
const turnPatience = 20 * time.Millisecond

func newTurns() turns { return make(turns, 1) }

// take waits for a turn and returns what ends it.
func (t turns) take() (end func()) {
	select {
	case t <- struct{}{}:
		return func() { <-t }
	default:
	}
	timeout := time.NewTimer(turnPatience)
	defer timeout.Stop()
	select {
	case t <- struct{}{}:
		return func() { <-t }
	case <-timeout.C:
		return func() {}
	}
}

package history

import "time"

// Bucket is what one series did from Start until the next bucket's Start.
// Count 0 is a gap: nothing was read, and Min, Max and Last mean nothing.
type Bucket struct {
	Start          time.Time
	Min, Max, Last float64
	Count          int // values that went in
}

// Stats counts what a store did not take as it came.
type Stats struct {
	Repeated    uint64 // samples with the time of the one before, ignored
	ClockBack   uint64 // samples earlier than the one before: what lay after them was dropped
	NotKept     uint64 // series of new things refused because SeriesBytes was used up
	Evicted     uint64 // things forgotten
	SeriesBytes int64  // memory of all series now
	WholeBytes  int64  // memory of the whole samples now
}

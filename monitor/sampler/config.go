package sampler

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// The bounds of the time between samples, and how long a source may take.
const (
	MinInterval     = 100 * time.Millisecond
	MaxInterval     = 60 * time.Second
	DefaultInterval = time.Second

	minDeadline  = 200 * time.Millisecond
	maxDeadline  = 800 * time.Millisecond
	onceDeadline = 5 * time.Second // one sample has no second chance, and a driver can take seconds to start

	closeWait = 40 * time.Millisecond // what Close gives all sources together

	// maxCarried bounds the log lines that wait for a reader that does not come.
	maxCarried = 20_000
)

// Config says what is sampled and how often.
type Config struct {
	// Stages are asked one after another, the sources of a stage side by side.
	// A later stage sees what the earlier ones found (Request.Seen).
	Stages [][]monitor.Source
	// Interval is the time between samples, held within MinInterval and
	// MaxInterval; DefaultInterval when zero.
	Interval time.Duration
	// Host is the machine's name for the samples.
	Host string
}

func clampInterval(d time.Duration) time.Duration {
	if d == 0 {
		d = DefaultInterval
	}
	return min(max(d, MinInterval), MaxInterval)
}

// deadlineFor is how long a source may take at an interval.
func deadlineFor(interval time.Duration) time.Duration {
	return max(min(interval, maxDeadline), minDeadline)
}

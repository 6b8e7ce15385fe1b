package script

import "time"

// Curve gives a number of bytes at a time since the job began.
type Curve func(t time.Duration) int64

// GiB is 2^30 bytes.
const GiB = int64(1) << 30

// MiB is 2^20 bytes.
const MiB = int64(1) << 20

// Steady stays at one level.
func Steady(bytes int64) Curve { return func(time.Duration) int64 { return bytes } }

// Sawtooth rises from low to high within every step, as activations do in a
// forward pass, and falls back.
func Sawtooth(low, high int64, step time.Duration) Curve {
	return func(t time.Duration) int64 {
		phase := float64(t%step) / float64(step)
		return low + int64(phase*float64(high-low))
	}
}

// Leak rises without end.
func Leak(start, bytesPerSecond int64) Curve {
	return func(t time.Duration) int64 { return start + int64(t.Seconds()*float64(bytesPerSecond)) }
}

// Stairs rises by a step at a time up to a limit, as reserved memory does that
// is never given back.
func Stairs(start, rise int64, every time.Duration, limit int64) Curve {
	return func(t time.Duration) int64 { return min(start+rise*int64(t/every), limit) }
}

// Sum adds curves up.
func Sum(curves ...Curve) Curve {
	return func(t time.Duration) int64 {
		var sum int64
		for _, c := range curves {
			sum += c(t)
		}
		return sum
	}
}

// Between follows one curve until a moment and another from then on, which
// sees time from that moment.
func Between(before Curve, at time.Duration, after Curve) Curve {
	return func(t time.Duration) int64 {
		if t < at {
			return before(t)
		}
		return after(t - at)
	}
}

// HighWater is the highest value of a curve so far, as the allocator's peak is.
// It looks every quarter of a second in the first ten minutes, every second
// after that, and at t.
func HighWater(c Curve) Curve {
	const early = 10 * time.Minute
	return func(t time.Duration) int64 {
		high, look := c(t), 250*time.Millisecond
		for at := time.Duration(0); at <= t; at += look {
			high = max(high, c(at))
			if at >= early {
				look = time.Second
			}
		}
		return high
	}
}

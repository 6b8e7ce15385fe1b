package nvml

import "github.com/vramscope/vramscope/monitor"

// outcome collects, over one round of questions to a device, the answer after
// which no further question makes sense.
type outcome struct{ fatal error }

func (o *outcome) note(err error) {
	if o.fatal == nil && codeOf(err).fatal() {
		o.fatal = err
	}
}

// question is one thing asked of a device round after round. An answer that
// would be the same for ever (not supported, unknown to this driver) is
// remembered, so that it costs one call and not one per round.
type question[T any] struct {
	get   func() (T, error)
	never *monitor.Reason
}

func newQuestion[T any](get func() (T, error)) question[T] { return question[T]{get: get} }

func (q *question[T]) ask(o *outcome) monitor.Reading[T] {
	if q.never != nil {
		return monitor.Unknown[T](q.never.Code, q.never.Detail)
	}
	if o.fatal != nil {
		return monitor.Unknown[T](monitor.Gone, o.fatal.Error())
	}
	value, err := q.get()
	if err == nil {
		return monitor.Known(value)
	}
	o.note(err)
	why := reasonOf(err)
	if codeOf(err).permanent() {
		q.never = &why
	}
	return monitor.Unknown[T](why.Code, why.Detail)
}

// limits of what a device can sensibly answer; beyond them lie the sentinels
// of drivers (all ones) and nonsense.
const (
	maxCelsius    = 300
	maxMilliwatts = 100_000_000
	maxMegahertz  = 100_000
	maxCount      = 1 << 62
)

// figure turns an answer into a reading in the unit of the screen, or into
// the reason Failed when it lies beyond most.
func figure(r monitor.Reading[uint32], most uint32, perUnit float64) monitor.Reading[float64] {
	v, ok := r.Get()
	switch {
	case !ok:
		return monitor.Cast[float64](r)
	case v == 0xFFFFFFFF:
		return monitor.Unknown[float64](monitor.NotAvailable, "the driver answers that the value is not available")
	case v > most:
		return monitor.Unknown[float64](monitor.Failed, "the driver's answer is out of range")
	}
	return monitor.Known(float64(v) / perUnit)
}

// count turns a counter into a reading, or into a reason for a sentinel.
func count(r monitor.Reading[uint64]) monitor.Reading[int64] {
	v, ok := r.Get()
	switch {
	case !ok:
		return monitor.Cast[int64](r)
	case v > maxCount:
		return monitor.Unknown[int64](monitor.NotAvailable, "the driver answers that the value is not available")
	}
	return monitor.Known(int64(v))
}

// text turns a name of the driver into one fit to be shown.
func text(r monitor.Reading[string]) monitor.Reading[string] {
	v, ok := r.Get()
	if !ok {
		return r
	}
	if v = cleanText(v); v == "" {
		return monitor.Unknown[string](monitor.Failed, "the driver's answer is not a text")
	}
	return monitor.Known(v)
}

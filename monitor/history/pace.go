package history

import (
	"slices"
	"time"
)

// pace estimates the time between samples as the median of the newest few
// steps, so that one pause does not change it.
type pace struct {
	given time.Duration
	steps [5]time.Duration
	n     int
}

func (p *pace) step(d time.Duration) {
	p.steps[p.n%len(p.steps)] = d
	p.n++
}

func (p *pace) interval() time.Duration {
	if p.given > 0 {
		return p.given
	}
	n := min(p.n, len(p.steps))
	if n == 0 {
		return 0
	}
	sorted := p.steps
	slices.Sort(sorted[:n])
	return sorted[(n-1)/2]
}

// ring keeps the newest values up to its limit.
type ring[T any] struct {
	limit  int
	values []T
	next   int
}

func (r *ring[T]) push(vs ...T) {
	for _, v := range vs {
		if len(r.values) < r.limit {
			r.values = append(r.values, v)
			continue
		}
		r.values[r.next] = v
		r.next = (r.next + 1) % r.limit
	}
}

// all returns a copy, oldest first.
func (r *ring[T]) all() []T {
	out := make([]T, 0, len(r.values))
	out = append(out, r.values[r.next:]...)
	return append(out, r.values[:r.next]...)
}

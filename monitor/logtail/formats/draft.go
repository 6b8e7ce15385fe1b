package formats

import (
	"math"

	"github.com/vramscope/vramscope/monitor"
)

// inferred is the basis of units that a line's producer settles.
const inferred = monitor.UnitInferred

// draft is a reading under construction: figures in bytes by counter.
type draft struct {
	has   [counters]bool
	bytes [counters]int64
	basis monitor.UnitBasis
	frame *frame
	place place
	step  progress
}

// set gives a counter its figure; the first one told stays.
func (d *draft) set(c counter, bytes int64) {
	if !d.has[c] {
		d.has[c], d.bytes[c] = true, bytes
	}
}

// move renames a figure.
func (d *draft) move(from, to counter) {
	if d.has[from] {
		d.set(to, d.bytes[from])
		d.has[from] = false
	}
}

// any reports whether the draft has a figure to show.
func (d *draft) any() bool {
	for _, c := range [...]counter{counterA, counterR, counterMaxA, counterMaxR, counterUsed, counterTotal} {
		if d.has[c] {
			return true
		}
	}
	return false
}

// measure turns the figures of one device of the line into a draft, which
// holds until the next call.
func (p *Parser) measure(f *frame, group int) *draft {
	d := &p.draft
	*d = draft{frame: f, basis: monitor.UnitStated}
	for i := range p.figs {
		g := &p.figs[i]
		if g.group != group || g.counter == counterNone || d.has[g.counter] {
			continue
		}
		if g.value == 0 && f.zeroNone {
			continue
		}
		binary, basis := p.divisorOf(f, g)
		b, ok := g.unit.toBytes(g.value, binary)
		if !ok {
			continue
		}
		d.set(g.counter, b)
		d.basis = weaker(d.basis, basis)
	}
	if f.peaks {
		d.move(counterA, counterMaxA)
		d.move(counterR, counterMaxR)
	}
	if f.then != nil {
		f.then(p, d)
	}
	return d
}

// divisorOf settles what a figure's unit means and how that is known.
func (p *Parser) divisorOf(f *frame, g *figure) (bool, monitor.UnitBasis) {
	switch {
	case g.unit.form == unitBytes && g.unit.letter:
		return false, monitor.UnitInferred
	case g.unit.form == unitDecimal:
		return false, monitor.UnitInferred
	case g.unit.form != unitBare:
		if g.told {
			return true, monitor.UnitStated
		}
		return true, monitor.UnitInferred
	case f.divisor != 0:
		return f.divisor == 1024, monitor.UnitInferred
	}
	return p.div.settle(g.unit)
}

// weaker returns the less certain of two bases.
func weaker(a, b monitor.UnitBasis) monitor.UnitBasis {
	rank := func(u monitor.UnitBasis) int {
		switch u {
		case monitor.UnitAssumed:
			return 2
		case monitor.UnitInferred:
			return 1
		case monitor.UnitStated:
		}
		return 0
	}
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// fill turns the draft into a reading of the line. r is empty.
func (d *draft) fill(r *monitor.LogReading, line *monitor.LogLine) {
	r.Time, r.Source, r.PID, r.Line = line.Time, line.Source, line.PID, line.Number
	r.Kind, r.Producer, r.Unit = monitor.LogMemory, d.frame.producer, d.basis
	r.AllocatedBytes = d.get(counterA)
	r.ReservedBytes = d.get(counterR)
	r.MaxAllocatedBytes = d.get(counterMaxA)
	r.MaxReservedBytes = d.get(counterMaxR)
	r.DeviceUsedBytes = d.get(counterUsed)
	r.DeviceTotalBytes = d.get(counterTotal)
	if d.has[counterMaxA] || d.has[counterMaxR] {
		if d.frame.reset != resetUnknown {
			r.PeakReset = monitor.Known(d.frame.reset == resetEach)
		}
	}
	d.place.into(r)
	d.step.into(r)
}

func (d *draft) get(c counter) monitor.Reading[int64] {
	if d.has[c] {
		return monitor.Known(d.bytes[c])
	}
	return monitor.Unknown[int64](monitor.NotAvailable, "the line does not say")
}

func (pl place) into(r *monitor.LogReading) {
	if pl.hasRank {
		r.Rank = monitor.Known(pl.rank)
	}
	if pl.hasGPU {
		r.GPU = monitor.Known(pl.gpu)
	}
}

// roundBytes rounds a product of a printed figure to whole bytes.
func roundBytes(v float64) int64 { return int64(math.Round(v)) }

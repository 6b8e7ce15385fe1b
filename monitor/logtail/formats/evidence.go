package formats

import (
	"math"

	"github.com/vramscope/vramscope/monitor"
)

// divisors is what a log has shown so far about the meaning of "GB" and "MB".
// Evidence is a log likelihood ratio: positive for 2^30, negative for 1e9. It
// is judged with the line that brings it and never looked back upon.
type divisors struct {
	giga, mega, kilo float64
	raw              unit    // of figures without a unit, once one of them has told
	capacities       []int64 // of devices, from texts that state their unit
}

// decided is the evidence from which on a divisor counts as inferred: 20 to 1.
const decided = 3.0

// priors: in public code about three in five divide GB by 1024³; MB is nearly
// always 2^20.
const (
	gigaPrior = 0.4
	megaPrior = 3.0
)

// maxEvidence bounds what one figure can prove: labels lie.
const maxEvidence = 5.0

func (d *divisors) of(power uint8) *float64 {
	switch power {
	case 1:
		return &d.kilo
	case 2:
		return &d.mega
	}
	return &d.giga
}

// weigh takes the evidence in a figure with a bare unit.
func (d *divisors) weigh(f *figure) {
	if f.unit.form != unitBare || f.value == 0 {
		return
	}
	e, most := 0.0, maxEvidence
	switch {
	case f.counter.isTorch():
		block := blockOf(f.counter)
		e = blockEvidence(f, block)
		if math.Pow10(-f.decimals)*f.unit.scale(true) > block/10 {
			most = 1.4 // a block fits by chance often enough: several figures have to agree
		}
	case f.counter == counterTotal:
		e = d.cardEvidence(f)
	}
	if f.decimals == 0 {
		most = 1 // floored, or rounded twice: it proves little
	}
	*d.of(f.unit.power) += math.Max(-most, math.Min(most, e))
}

// settle returns whether a bare unit divides by 1024 and how that is known.
func (d *divisors) settle(u unit) (binary bool, basis monitor.UnitBasis) {
	e := *d.of(u.power)
	prior := gigaPrior
	if u.power < 3 {
		prior = megaPrior
	}
	binary = e+prior > 0
	if binary && e >= decided || !binary && e <= -decided {
		return binary, monitor.UnitInferred
	}
	return binary, monitor.UnitAssumed
}

// blockEvidence asks which divisor makes the figure a whole number of blocks.
// The figure stands for an interval of half its last digit to both sides; the
// wider it is against a block, the less it says.
func blockEvidence(f *figure, block float64) float64 {
	return blockLikelihood(f, f.unit.scale(true), block) - blockLikelihood(f, f.unit.scale(false), block)
}

// rawUnits are what a figure without a unit may be counted in.
var rawUnits = [...]struct {
	unit   unit
	binary bool
}{
	{unit{power: 3, form: unitBare}, false}, {unit{power: 3, form: unitBinary}, true},
	{unit{power: 2, form: unitBare}, false}, {unit{power: 2, form: unitBinary}, true},
}

// rawUnit is the unit of a figure without one whose label is the name of a
// counter. A large whole number is bytes. A number with all its digits tells by
// them: only one unit makes it a whole number of blocks.
func rawUnit(t *token, l label, c counter) unit {
	if t.whole {
		// a key that is only a word has to be whole blocks as well
		if l.colon && t.value >= 1<<20 && (l.named || c.isTorch() && math.Mod(t.value, blockOf(c)) == 0) {
			return unit{form: unitBytes, letter: true}
		}
		return unit{}
	}
	if !l.named {
		return unit{}
	}
	if !c.isTorch() || t.decimals < 5 {
		return unit{}
	}
	block := blockOf(c)
	var found unit
	for _, r := range rawUnits {
		f := figure{value: t.value, decimals: int(t.decimals)}
		scale := r.unit.scale(r.binary)
		if b := t.value * scale; b < 1<<20 || b > 1<<38 || blockLikelihood(&f, scale, block) < decided {
			continue
		}
		if found.form != unitNone {
			return unit{} // two fit: nothing is known
		}
		found = r.unit
		if !r.binary {
			found.form = unitDecimal
		}
	}
	return found
}

func blockOf(c counter) float64 {
	if c.isReserved() {
		return 2 << 20
	}
	return 512
}

// fitsUnit reports whether a figure can be in a unit that another one has
// shown.
func fitsUnit(t *token, c counter, u unit) bool {
	if u.form == unitNone {
		return false
	}
	f := figure{value: t.value, decimals: int(t.decimals)}
	return blockLikelihood(&f, u.scale(u.form == unitBinary), blockOf(c)) >= 0
}

func blockLikelihood(f *figure, scale, block float64) float64 {
	digit := math.Pow10(-f.decimals) * scale
	if f.decimals > 9 {
		digit = math.Pow10(-9) * scale
	}
	mid := f.value * scale
	slack := digit/2 + mid*1e-12 + 0.5
	found := math.Floor((mid+slack)/block) - math.Ceil((mid-slack)/block) + 1
	expected := math.Max(digit, 1) / block
	if expected >= 1 {
		return 0
	}
	return math.Log((found + 0.004) / (math.Min(expected, 1) + 0.004))
}

// cardEvidence asks which divisor makes the figure the size of a known card.
func (d *divisors) cardEvidence(f *figure) float64 {
	two := d.isCard(f, f.unit.scale(true))
	ten := d.isCard(f, f.unit.scale(false))
	switch {
	case two && !ten:
		return 3.5
	case ten && !two:
		return -3.5
	}
	return 0
}

func (d *divisors) isCard(f *figure, scale float64) bool {
	half := math.Pow10(-f.decimals)*scale/2 + 1
	mid := f.value * scale
	for _, c := range d.capacities {
		if math.Abs(float64(c)-mid) <= half+(6<<20) {
			return true
		}
	}
	for _, g := range cardGiB {
		if math.Abs(g*(1<<30)-mid) <= half+(6<<20) {
			return true
		}
	}
	return false
}

// isCardLike reports whether a capacity is just below the size that a card is
// sold with: what the driver and ECC leave of it.
func isCardLike(bytes float64) bool {
	for _, g := range [...]float64{4, 6, 8, 10, 11, 12, 16, 20, 24, 32, 40, 48, 64, 80, 94, 96, 128, 141, 180, 192, 256, 288} {
		if share := bytes / (g * (1 << 30)); share > 0.915 && share < 1.001 {
			return true
		}
	}
	return false
}

// learn keeps the capacity of a device that a text has stated.
func (d *divisors) learn(capacity int64) {
	for _, c := range d.capacities {
		if c == capacity {
			return
		}
	}
	if len(d.capacities) < 8 {
		d.capacities = append(d.capacities, capacity)
	}
}

// cardGiB are device capacities as PyTorch prints them, in GiB ("has a total
// capacity of …"), collected from public out-of-memory texts. Cards of one
// name differ by driver, ECC and platform.
var cardGiB = []float64{
	1.96, 2.00, 3.94, 3.95, 4.00, 5.65, 5.76, 5.80, 5.93, 5.94, 6.00,
	7.43, 7.76, 7.77, 7.78, 7.79, 7.80, 7.92, 7.93, 7.94, 8.00, 9.77, 9.78, 10.00,
	10.57, 10.75, 10.76, 10.90, 10.91, 10.92, 11.00, 11.17, 11.25, 11.44, 11.75, 11.76, 11.77, 11.78, 11.90, 11.91, 11.99, 12.00,
	14.56, 14.58, 14.73, 14.74, 14.75, 14.76, 15.57, 15.59, 15.60, 15.69, 15.70, 15.73, 15.74, 15.75, 15.77, 15.78, 15.89, 15.90, 15.98, 15.99, 16.00,
	19.50, 19.67, 20.00, 21.95, 21.96, 21.98, 21.99, 22.02, 22.03, 22.05, 22.06, 22.07, 22.17, 22.18, 22.19, 22.20, 22.30, 22.38, 22.49,
	23.46, 23.48, 23.50, 23.52, 23.55, 23.57, 23.59, 23.60, 23.63, 23.64, 23.65, 23.67, 23.68, 23.69, 23.70, 23.99, 24.00,
	31.35, 31.36, 31.37, 31.47, 31.48, 31.72, 31.73, 31.74, 31.75, 31.84, 31.99, 32.00,
	39.38, 39.39, 39.41, 39.42, 39.43, 39.45, 39.49, 39.50, 39.56, 39.57, 39.59,
	44.34, 44.35, 44.38, 44.39, 44.40, 44.42, 44.43, 44.45, 44.48, 44.49, 44.52, 44.53, 44.55, 44.56, 44.98, 47.37, 47.38, 47.41, 47.43, 47.50, 47.51, 47.53, 47.54, 47.99, 48.00,
	63.98, 63.99, 79.10, 79.11, 79.14, 79.15, 79.18, 79.19, 79.20, 79.21, 79.22, 79.25, 79.26, 79.32, 79.33, 79.35, 79.44, 79.64, 79.65,
	92.99, 93.00, 93.01, 93.10, 93.12, 94.50, 94.97, 95.00, 95.08, 95.58, 139.72, 139.80, 139.81, 139.82, 139.83, 140.05, 140.40,
	178.34, 178.35, 178.36, 179.00, 179.06, 183.36, 191.68, 191.69, 191.98, 191.99, 255.69, 255.98, 255.99, 287.98, 287.99,
}

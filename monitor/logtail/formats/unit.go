package formats

import "math"

// unit is what stands behind a number of bytes: "MiB", "GB", "bytes".
type unit struct {
	power  uint8 // of 1000 or 1024: 0 bytes, 1 K, 2 M, 3 G, 4 T
	form   unitForm
	letter bool // one letter only ("6.73G"), never evidence of a byte count by itself
}

type unitForm uint8

const (
	unitNone    unitForm = iota
	unitBytes            // bytes: nothing to settle
	unitBinary           // KiB, MiB, GiB, TiB: the text says it
	unitDecimal          // powers of 1000, by the digits of the figure
	unitBare             // KB, MB, GB, TB and single letters: either divisor
)

// wordUnit returns the unit that a lower-case word names.
func wordUnit(w []byte) (unit, bool) {
	if len(w) < 2 || len(w) > 9 || w[len(w)-1] != 'b' && w[len(w)-1] != 's' && w[len(w)-1] != 'e' {
		return unit{}, false
	}
	switch string(w) {
	case "bytes", "byte":
		return unit{form: unitBytes}, true
	case "kb", "kbytes", "kilobytes":
		return unit{power: 1, form: unitBare}, true
	case "mb", "mbytes", "megabytes":
		return unit{power: 2, form: unitBare}, true
	case "gb", "gbytes", "gigabytes":
		return unit{power: 3, form: unitBare}, true
	case "tb", "terabytes":
		return unit{power: 4, form: unitBare}, true
	case "kib", "kibibytes":
		return unit{power: 1, form: unitBinary}, true
	case "mib", "mebibytes":
		return unit{power: 2, form: unitBinary}, true
	case "gib", "gibibytes":
		return unit{power: 3, form: unitBinary}, true
	case "tib":
		return unit{power: 4, form: unitBinary}, true
	}
	return unit{}, false
}

// letterUnit returns the unit of a single letter glued to a number.
func letterUnit(c byte) (unit, bool) {
	switch c {
	case 'K', 'k':
		return unit{power: 1, form: unitBare, letter: true}, true
	case 'M':
		return unit{power: 2, form: unitBare, letter: true}, true
	case 'G', 'g':
		return unit{power: 3, form: unitBare, letter: true}, true
	case 'T':
		return unit{power: 4, form: unitBare, letter: true}, true
	case 'B':
		return unit{form: unitBytes, letter: true}, true
	}
	return unit{}, false
}

// scales are the powers of 1000 and of 1024.
var scales = [2][5]float64{{1, 1e3, 1e6, 1e9, 1e12}, {1, 1 << 10, 1 << 20, 1 << 30, 1 << 40}}

// scale returns the bytes in one of the unit.
func (u unit) scale(binary bool) float64 {
	if binary || u.form == unitBinary {
		return scales[1][u.power]
	}
	return scales[0][u.power]
}

// maxBytes bounds what can be memory of one process on one device; a larger
// figure is a cumulative total, or no byte count.
const maxBytes = 4 << 40

// toBytes returns v of the unit in whole bytes, rounded; false when that is
// no size of memory.
func (u unit) toBytes(v float64, binary bool) (int64, bool) {
	b := math.Round(v * u.scale(binary))
	if !(b >= 0 && b <= maxBytes) {
		return 0, false
	}
	return int64(b), true
}

package history

import (
	"encoding/binary"
	"math"
	"math/bits"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// packer takes the numbers out of rows and puts them back in, in one fixed
// order, and codes them as differences from the sample before: whole numbers
// as signed varints, floating-point ones as the changed bits, lowest first,
// because round figures have none there.
type packer struct {
	now, before       []int64
	nowF, beforeF     []float64
	putting           bool
	nextInt, nextReal int
	where             *time.Location
}

// begin starts taking the numbers of a new sample.
func (p *packer) begin() {
	p.now, p.before = p.before[:0], p.now
	p.nowF, p.beforeF = p.beforeF[:0], p.nowF
	p.putting = false
}

// restart codes the current sample on its own.
func (p *packer) restart() { p.before, p.beforeF = nil, nil }

func (p *packer) encode(code []byte) []byte {
	code = binary.AppendUvarint(code, uint64(len(p.now)))
	for i, v := range p.now {
		if i < len(p.before) {
			v -= p.before[i]
		}
		code = binary.AppendVarint(code, v)
	}
	code = binary.AppendUvarint(code, uint64(len(p.nowF)))
	for i, v := range p.nowF {
		b := math.Float64bits(v)
		if i < len(p.beforeF) {
			b ^= math.Float64bits(p.beforeF[i])
		}
		code = binary.AppendUvarint(code, bits.Reverse64(b))
	}
	return code
}

// decode reads the next sample's numbers and returns the rest of the code.
func (p *packer) decode(code []byte) []byte {
	n, used := binary.Uvarint(code)
	code = code[used:]
	p.now = append(p.now, make([]int64, int(n)-len(p.now))...)
	for i := range p.now {
		v, used := binary.Varint(code)
		p.now[i] += v
		code = code[used:]
	}
	n, used = binary.Uvarint(code)
	code = code[used:]
	p.nowF = append(p.nowF, make([]float64, int(n)-len(p.nowF))...)
	for i := range p.nowF {
		b, used := binary.Uvarint(code)
		p.nowF[i] = math.Float64frombits(math.Float64bits(p.nowF[i]) ^ bits.Reverse64(b))
		code = code[used:]
	}
	p.putting, p.nextInt, p.nextReal = true, 0, 0
	return code
}

func (p *packer) int(v *int64) {
	if p.putting {
		*v = p.now[p.nextInt]
		p.nextInt++
		return
	}
	p.now = append(p.now, *v)
	*v = 0
}

func (p *packer) count(r *monitor.Reading[int64]) {
	if v, ok := r.Get(); ok {
		p.int(&v)
		*r = monitor.Known(v)
	}
}

func (p *packer) real(r *monitor.Reading[float64]) {
	v, ok := r.Get()
	if !ok {
		return
	}
	if p.putting {
		v = p.nowF[p.nextReal]
		p.nextReal++
	} else {
		p.nowF = append(p.nowF, v)
		v = 0
	}
	*r = monitor.Known(v)
}

// moment takes a time. The zero time stays as it is and takes no number.
func (p *packer) moment(t *time.Time) {
	if t.IsZero() {
		*t = time.Time{}
		return
	}
	if p.putting {
		var ns int64
		p.int(&ns)
		*t = time.Unix(0, ns).In(p.where)
		return
	}
	ns := t.UnixNano()
	p.int(&ns)
	*t = time.Unix(0, 0) // stands for "there is a time"
}

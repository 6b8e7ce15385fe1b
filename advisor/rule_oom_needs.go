package advisor

import (
	"fmt"
	"math"
)

// needs are the figures of a failure as advice asks for them: what was lacking,
// and what would have been enough. What does not follow from the figures is left
// out, and with it the sentence that has it.
func (f oomFigures) needs() words {
	w := words{}
	room := f.room()
	if short := f.tried - room; has(short) && short > 0 {
		w["short"], w["asked"], w["had"] = size(short), size(f.tried), size(room)
	}
	held := f.reserved
	if !has(held) {
		held = f.allowed
	}
	if more := (held + f.tried) / f.total; has(more) && f.tried < f.free && more <= 1 {
		w["fraction"] = fmt.Sprintf("%.2f", math.Min(1, math.Ceil(100*more)/100))
	}
	if within := 0.9 * (room + orZero(f.idle())); within > 0 && f.tried > f.total && f.tried < 1e4*within {
		w["pieces"] = number(int(math.Ceil(f.tried / within)))
	}
	if f.allocated > 0 {
		w["half"] = size(f.allocated / 2)
	}
	return w
}

// fits is the share of a batch with which the request that failed would have been
// served: of what the step had added to the level between steps until then.
func (f oomFigures) fits(floor, most float64) words {
	within := most + orZero(f.idle()) + f.room() - floor
	if part := within / (most - floor + f.tried); has(part) && part >= 0.05 && part < 1 {
		return words{"batch": percent(part)}
	}
	return words{}
}

// leaves is what others leave of a card to this process.
func leaves(held, total float64) words {
	if held > 0 && held < total {
		return words{"mine": size(total - held)}
	}
	return words{}
}

// know adds figures that advice may use.
func (d *draft) know(more words) *draft {
	for k, v := range more {
		d.words[k] = v
	}
	return d
}

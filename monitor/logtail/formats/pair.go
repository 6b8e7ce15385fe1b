package formats

import "math"

// pairOf returns the index of the second number of "9.42GB / 15.84GB" or
// "2140/6144 MB", or 0.
func (p *Parser) pairOf(i int) int {
	toks := p.toks
	j := toks[i].after()
	if j+1 >= len(toks) || !isMark(p.text, toks[j], "/") || toks[j+1].kind != kindNumber {
		return 0
	}
	if toks[j].gap > 1 || toks[j+1].gap > 1 || toks[j+1].percent || toks[j+1].rate {
		return 0
	}
	return j + 1
}

// currentAndMax returns the second number of "allocated: 12.3, 13.5 GB", where
// the unit stands behind both, or 0.
func (p *Parser) currentAndMax(i int) int {
	toks := p.toks
	j := toks[i].after()
	if toks[i].unit.form != unitNone || j+1 >= len(toks) || !isMark(p.text, toks[j], ",") || toks[j+1].kind != kindNumber {
		return 0
	}
	if toks[j+1].unit.form == unitNone || toks[j+1].percent || toks[j+1].rate {
		return 0
	}
	return j + 1
}

// pairCounters types both numbers of "a/b" by a label that names both:
// "used/total", "active/reserved".
func (p *Parser) pairCounters(l label, c counter) (counter, counter) {
	words := p.wordsOf(l)
	if l.slash == 0 || l.slash >= len(words) {
		return c, counterNone
	}
	var common wordBits
	for _, w := range words[:l.slash-1] {
		common |= w.bits
	}
	common &^= wordUnknown
	one := typeOf(common|words[l.slash-1].bits, len(words))
	two := typeOf(common|words[l.slash].bits, len(words))
	if two == counterCapacity {
		two = counterTotal
	}
	if words[l.slash-1].bits.has(wordVeto) || one == counterNone && two == counterNone {
		one = counterIgnored
	}
	if one == counterNone {
		one = c
	}
	return one, two
}

// acceptTotals takes the second numbers of "allocated: 9.4GB / 15.84GB" as
// capacities when they are the size of a card; they could be anything. With the
// percentage behind them, "(59.5%)", about the size of one is enough.
func (p *Parser) acceptTotals() {
	for _, m := range p.maybe {
		scales := []float64{m.unit.scale(true), m.unit.scale(false)}
		if m.unit.form != unitBare {
			scales = scales[:1]
		}
		for _, scale := range scales {
			if p.div.isCard(&m, scale) || p.hasShare(&m) && isCardLike(m.value*scale) || p.sharedWhole(&m) {
				p.figs = append(p.figs, m)
				break
			}
		}
		p.note.whole = whole{value: m.value, unit: m.unit, of: p.counterBefore(m.token)}
	}
}

// sharedWhole reports whether another counter was given over the same number
// just before: both are parts of one capacity.
func (p *Parser) sharedWhole(m *figure) bool {
	w := p.note.whole
	return w.value > 0 && w.value == m.value && w.unit == m.unit && w.of != p.counterBefore(m.token)
}

// counterBefore returns the counter of the last figure in front of a token.
func (p *Parser) counterBefore(token int) counter {
	c := counterNone
	for i := range p.figs {
		if p.figs[i].token < token && p.figs[i].counter.isTorch() {
			c = p.figs[i].counter
		}
	}
	return c
}

// hasShare reports whether the percentage behind a pair is that of the first
// number in the second.
func (p *Parser) hasShare(m *figure) bool {
	i := p.toks[m.token].after()
	if i+1 >= len(p.toks) || !isMark(p.text, p.toks[i], "(") || !p.toks[i+1].percent {
		return false
	}
	first := m.token - 1
	for first > 0 && p.toks[first].kind != kindNumber {
		first--
	}
	t := p.toks[first]
	return m.value > 0 && (t.unit == m.unit || t.unit.form == unitNone) && math.Abs(100*t.value/m.value-p.toks[i+1].value) < 1
}

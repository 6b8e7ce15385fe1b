package formats

// pairOf returns the index of the second number of "9.42GB / 15.84GB" or
// "2140/6144 MB", or 0.
func (p *Parser) pairOf(i int) int {
	toks := p.toks
	j := toks[i].after
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
	j := toks[i].after
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
// capacities when they are the size of a card; they could be anything.
func (p *Parser) acceptTotals() {
	for _, m := range p.maybe {
		if p.div.isCard(&m, m.unit.scale(true)) || m.unit.form == unitBare && p.div.isCard(&m, m.unit.scale(false)) {
			p.figs = append(p.figs, m)
		}
	}
}

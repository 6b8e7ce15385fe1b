package formats

// figure is a number with what it counts.
type figure struct {
	counter  counter
	value    float64
	decimals int
	unit     unit
	bytes    int64
	token    int
	group    int // of a line about several devices
	ofFrame  bool
}

// figures pairs every number of the line with its words, and keeps those that
// count memory.
func (p *Parser) figures(f *frame) {
	from := 0
	header := p.headerUnit(f)
	for i := 0; i < len(p.toks); i++ {
		t := &p.toks[i]
		if t.kind != kindNumber || t.place || t.named {
			continue
		}
		if t.percent || t.rate {
			from = t.after
			continue
		}
		from = p.figureAt(f, i, from, header)
		if from > i+1 {
			i = from - 1
		}
	}
	p.resolveNeighbours()
}

// figureAt reads the figure at number i and returns where the next one may
// take its words from.
func (p *Parser) figureAt(f *frame, i, from int, header unit) int {
	t := &p.toks[i]
	before := p.labelBefore(i, from)
	second := p.pairOf(i)
	end := t.after
	if second > 0 {
		end = p.toks[second].after
	}
	c, framed := f.lookup(p, before)
	if c == counterIgnored {
		return end
	}
	u := t.unit
	if second > 0 && u.form == unitNone {
		u = p.toks[second].unit
	}
	if u.form == unitNone {
		u = before.unit
	}
	if both := p.currentAndMax(i); both > 0 && u.form == unitNone && before.colon {
		u = p.toks[both].unit
		end = p.toks[both].after
	}
	if u.form == unitNone && framed {
		u = f.bare
	}
	if u.form == unitNone {
		u = header
	}
	if c == counterNone {
		c = p.classify(before)
		if one, two := p.pairCounters(before, c); second > 0 && before.slash > 0 && (one != counterNone || two != counterNone) {
			c = one
		}
		if t.sign != 0 && c != counterNone && !f.signed {
			return end
		}
	}
	last := i
	if second > 0 {
		last = second
	}
	if c == counterNone || c == counterCapacity && !before.colon {
		if after, to := p.labelAfter(last); after.last > after.first && (u.form != unitNone) {
			ac, afterFramed := f.lookupAfter(p, after)
			if ac == counterNone {
				ac = p.classify(after)
				if ac.isTorch() && p.contradicted(before) {
					ac = counterNone
				}
			}
			if ac != counterNone && ac != counterIgnored && (t.sign == 0 || f.signed) {
				c, framed, end = ac, afterFramed, to
			}
		}
	} else if after, _ := p.labelAfter(last); p.contradicted(after) {
		return end
	}
	if c == counterNone && f.first != counterNone && u.form != unitNone && !p.named(f.first) {
		c, framed = f.first, true
	}
	if c == counterNone {
		return end
	}
	if u.form == unitNone {
		u = rawBytes(t, before)
	}
	if u.form == unitNone {
		return end
	}
	p.addPairOrFigure(f, i, second, c, u, before, framed)
	return end
}

// contradicted reports whether the words on the other side of a figure say
// that it is none of ours: "allocated 48 GB shared memory".
func (p *Parser) contradicted(l label) bool {
	for i, w := range p.wordsOf(l) {
		if w.bits.has(wordVeto|wordObject) || i == 0 && w.bits.has(wordFor) {
			return true
		}
	}
	return false
}

// named reports whether the line has a figure of the counter already.
func (p *Parser) named(c counter) bool {
	for i := range p.figs {
		if p.figs[i].counter == c {
			return true
		}
	}
	return false
}

// rawBytes is the unit of a figure without one: bytes, when the number is a
// large whole one and its label the name of a counter.
func rawBytes(t *token, l label) unit {
	if t.whole && t.value >= 1<<20 && l.named && l.colon {
		return unit{form: unitBytes, letter: true}
	}
	return unit{}
}

// headerUnit finds a unit that is told once for the whole line: "memory (MB) |".
func (p *Parser) headerUnit(f *frame) unit {
	s, toks := p.text, p.toks
	var buf [16]byte
	for i := 1; i+3 < len(toks); i++ {
		if !isMark(s, toks[i], "(") || toks[i+1].kind != kindWord || !isMark(s, toks[i+2], ")") || !isMark(s, toks[i+3], "|") {
			continue
		}
		if w := toks[i+1]; w.end-w.start <= len(buf) {
			if u, ok := wordUnit(lower(buf[:0], s[w.start:w.end])); ok {
				return u
			}
		}
	}
	return f.header
}

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

func (p *Parser) addPairOrFigure(f *frame, i, second int, c counter, u unit, l label, framed bool) {
	if second == 0 {
		if c == counterDevice {
			return
		}
		p.add(i, c, u, framed)
		return
	}
	su := p.toks[second].unit
	if su.form == unitNone {
		su = u
	}
	if c == counterDevice {
		c = counterUsed
	}
	one, two := p.pairCounters(l, c)
	if one != counterIgnored {
		p.add(i, one, u, framed)
	} else if !two.isTorch() {
		return
	}
	if two == counterTotal || two.isTorch() {
		p.add(second, two, su, framed)
		return
	}
	if f.pairTotal || one == counterUsed {
		p.add(second, counterTotal, su, framed)
	} else {
		p.maybe = append(p.maybe, figure{counter: counterTotal, value: p.toks[second].value, decimals: p.toks[second].decimals, unit: su, token: second})
	}
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

func (p *Parser) add(i int, c counter, u unit, framed bool) {
	t := p.toks[i]
	if f := p.currentOf(i, c); f > 0 {
		m := p.toks[f]
		p.figs = append(p.figs, figure{counter: c.peak(), value: m.value, decimals: m.decimals, unit: m.unit, token: f, ofFrame: framed, group: p.groupOf(i)})
	}
	p.figs = append(p.figs, figure{counter: c, value: t.value, decimals: t.decimals, unit: u, token: i, ofFrame: framed, group: p.groupOf(i)})
}

func (p *Parser) currentOf(i int, c counter) int {
	if c != counterA && c != counterR {
		return 0
	}
	return p.currentAndMax(i)
}

// groupOf tells which device of a line about several a token belongs to: the
// number of device names before it.
func (p *Parser) groupOf(i int) int {
	g := 0
	for _, at := range p.devices {
		if at < i {
			g++
		}
	}
	return max(g, 1)
}

// resolveNeighbours types the figures that are named by their neighbours only:
// "11.4GB allocated, 13.0GB peak", "total=25.4GB", "(… max=5.09GB)".
func (p *Parser) resolveNeighbours() {
	torch := false
	for _, f := range p.figs {
		torch = torch || f.counter.isTorch()
	}
	for i := range p.figs {
		f := &p.figs[i]
		switch f.counter {
		case counterPeak:
			f.counter = counterNone
			if torch {
				f.counter = p.peakOf(i)
			}
		case counterCapacity:
			f.counter = counterNone
			if torch {
				f.counter = counterTotal
			}
		}
	}
	p.acceptTotals()
}

// peakOf types a lone "peak": in brackets behind a current figure it is that
// one's peak, else that of allocated.
func (p *Parser) peakOf(i int) counter {
	for j := p.figs[i].token; j >= 0; j-- {
		if isMark(p.text, p.toks[j], ")") {
			break
		}
		if isMark(p.text, p.toks[j], "(") {
			if i > 0 && (p.figs[i-1].counter == counterA || p.figs[i-1].counter == counterR) {
				return p.figs[i-1].counter.peak()
			}
			break
		}
	}
	for _, f := range p.figs[:i] {
		if f.counter == counterMaxA {
			return counterNone
		}
	}
	return counterMaxA
}

// acceptTotals takes the second numbers of "allocated: 9.4GB / 15.84GB" as
// capacities when they are the size of a card; they could be anything.
func (p *Parser) acceptTotals() {
	for _, m := range p.maybe {
		if p.div.isCard(&m, m.unit.scale(true)) || m.unit.form == unitBare && p.div.isCard(&m, m.unit.scale(false)) {
			m.group = p.groupOf(m.token)
			p.figs = append(p.figs, m)
		}
	}
}

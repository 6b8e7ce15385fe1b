package formats

import "strings"

// figure is a number with what it counts.
type figure struct {
	counter  counter
	value    float64
	decimals int
	unit     unit
	told     bool  // the text states the unit
	bare     bool  // named by one word without a colon
	weak     bool  // counts only beside others: "cached 14 GB" is said of many things
	short    bool  // counts only beside allocated: "res 14 GB"
	key      label // in front of it
	token    int
	group    int // of a line about several devices
}

// naming is how one figure is named, while that is being found out.
type naming struct {
	number, second int // tokens: of the figure, and of the other one of a pair or 0
	before         label
	counter        counter
	unit           unit
	told           bool
	weak, bare     bool
	short          bool
	end            int // where the words of the next figure may begin
}

// figures pairs every number of the line with its words, and keeps those that
// count memory.
func (p *Parser) figures(f *frame) {
	from := 0
	p.delta, p.namelessPeak = false, false
	header := p.headerUnit(f)
	for i := 0; i < len(p.toks) && !p.delta; i++ {
		t := &p.toks[i]
		if t.kind != kindNumber || t.place || t.named || p.isMoment(i) {
			continue
		}
		if t.percent || t.rate {
			from = t.after()
			continue
		}
		if p.hopeless(f, i, header) {
			from = t.after()
			continue
		}
		from = p.figureAt(f, i, from, header)
		if from > i+1 {
			i = from - 1
		}
	}
	for i := range p.later {
		if n := &p.later[i]; fitsUnit(&p.toks[n.number], n.counter, p.div.raw) {
			n.unit = p.div.raw
			p.keep(f, n)
		}
	}
	p.resolveNeighbours()
}

// isMoment reports whether number i is that of a step or an epoch in a label,
// "allocated during epoch 3: 12.5 GiB", and marks it as no figure.
func (p *Parser) isMoment(i int) bool {
	s, toks := p.text, p.toks
	if i < 3 || i+2 >= len(toks) || !isMark(s, toks[i+1], ":") || toks[i+2].unit.form == unitNone || toks[i-1].kind != kindWord {
		return false
	}
	word := lower(p.scratch[:0], s[toks[i-1].start:toks[i-1].end])
	if stepWeight(word) == 0 && !isEpochWord(word) || toks[i-2].kind != kindWord || !p.bitsOf(toks[i-2]).has(wordWhen) {
		return false
	}
	toks[i].place = true
	return true
}

// hopeless reports whether number i cannot be a figure: it has no unit, and
// nothing near it can give it one. Most numbers of a log are of this kind.
func (p *Parser) hopeless(f *frame, i int, header unit) bool {
	t := &p.toks[i]
	if t.unit.form != unitNone || header.form != unitNone || t.value >= 1<<20 || t.decimals >= 5 {
		return false
	}
	s, toks := p.text, p.toks
	if i+2 < len(toks) && toks[i+2].kind == kindNumber && (isMark(s, toks[i+1], "/") || toks[i+2].gap > 0 && isMark(s, toks[i+1], ",")) {
		return false // of a pair, whose unit may stand behind the other
	}
	j := skipWrappers(s, toks, i-1, 0)
	colon := j > 0 && isMark(s, toks[j], ":=,")
	if colon {
		for j--; j > 0 && isMark(s, toks[j], "'\"`*"); j-- {
		}
	}
	if j < 0 {
		return true
	}
	last := &toks[j]
	switch {
	case last.kind == kindMark:
		return !colon || s[last.start] != ')' && s[last.start] != ']'
	case last.place && f.bare.form != unitNone:
		return false
	case last.kind != kindWord:
		return true
	}
	word := s[last.start:last.end]
	if endsInUnit(word) && (colon || strings.IndexByte(word, '_') >= 0) { // "reserved_gb 6.5"
		return false
	}
	return !colon && f.bare.form == unitNone || !f.endsLabel(word)
}

// endsInUnit reports whether a word ends like a unit: "_gb", "Bytes".
func endsInUnit(word string) bool {
	n := len(word)
	return n >= 2 && word[n-1]|0x20 == 'b' && isUnitEnd(word, n-1) || n >= 5 && equalFold(word[n-5:], "bytes")
}

// figureAt reads the figure at number i and returns where the next one may
// take its words from.
func (p *Parser) figureAt(f *frame, i, from int, header unit) int {
	n := naming{number: i, before: p.labelBefore(i, from), second: p.pairOf(i), end: p.toks[i].after()}
	if n.second > 0 {
		n.end = p.toks[n.second].after()
	}
	c, framed := f.lookup(p, n.before)
	n.counter = c
	if c == counterIgnored {
		return n.end
	}
	p.unitOf(f, &n, framed, header)
	if n.counter == counterNone && !p.nameBefore(f, &n) {
		return n.end
	}
	if n.counter == counterNone || n.counter == counterCapacity && !n.before.colon {
		p.nameAfter(f, &n)
	} else if !framed {
		if after, _ := p.labelAfter(max(i, n.second)); p.contradicted(after) {
			return n.end
		}
	}
	if n.counter == counterNone && f.first != counterNone && n.unit.form != unitNone && !p.named(f.first) {
		n.counter = f.first
	}
	if !framed {
		n.counter = p.underHeading(n.counter, i)
		if p.doubtful(f, &n) {
			return n.end
		}
	}
	if n.counter == counterNone || n.counter == counterIgnored || p.oom != nil && !framed && !n.before.colon {
		return n.end // prose just behind the head of a failure is most likely part of it
	}
	if n.unit.form == unitNone {
		n.unit = p.rawUnit(&n)
	}
	if n.unit.form != unitNone {
		p.keep(f, &n)
	}
	return n.end
}

// rawUnit is the unit of a figure without one, by its digits or by those of
// another such figure of this log.
func (p *Parser) rawUnit(n *naming) unit {
	t := &p.toks[n.number]
	u := rawUnit(t, n.before, n.counter)
	switch {
	case u.form == unitBinary || u.form == unitDecimal:
		p.div.raw = u
	case u.form == unitNone && n.before.named && !t.whole && n.counter.isTorch():
		if p.div.raw.form == unitNone {
			p.later = append(p.later, *n)
		} else if fitsUnit(t, n.counter, p.div.raw) {
			return p.div.raw
		}
	}
	return u
}

// unitOf finds the unit of a figure: behind it, behind its partner, in its
// label, told once for the line, or known of the producer.
func (p *Parser) unitOf(f *frame, n *naming, framed bool, header unit) {
	n.unit = p.toks[n.number].unit
	if n.unit.form == unitNone && n.second > 0 {
		n.unit = p.toks[n.second].unit
	}
	if n.unit.form == unitNone {
		n.unit = n.before.unit
	}
	if both := p.currentAndMax(n.number); both > 0 && n.unit.form == unitNone && n.before.colon {
		n.unit, n.end = p.toks[both].unit, p.toks[both].after()
	}
	n.told = n.unit.form != unitNone
	if !n.told && framed {
		n.unit = f.bare
	}
	if n.unit.form == unitNone && header.form != unitNone && p.sharesUnit(n.number) {
		n.unit, n.told = header, true
	}
}

// nameBefore types a figure by the words in front of it. It returns false when
// the figure is none of ours whatever stands behind it.
func (p *Parser) nameBefore(f *frame, n *naming) bool {
	if !n.before.colon && len(f.labels) == 0 && p.isDelta(n.before) {
		p.delta = true // "freed 1.2 GB reserved, 0.1 GB allocated": so is the rest
		return false
	}
	n.counter = p.classify(n.before)
	p.namelessPeak = p.namelessPeak || p.isNamelessPeak(n)
	n.weak, n.short = p.isWeak(n.before), p.isShort(n.before)
	n.bare = !n.before.colon && len(p.wordsOf(n.before)) == 1
	if n.second > 0 && n.before.slash > 0 {
		if one, two := p.pairCounters(n.before, n.counter); one != counterNone || two != counterNone {
			n.counter = one
			if one == counterIgnored && two.isTorch() {
				n.counter = two
			}
		}
	}
	if !n.before.colon && n.counter != counterNone && p.parentVeto(n.before, n.number) {
		return false
	}
	signed := p.toks[n.number].sign != 0 && !f.signed
	return !signed || n.counter == counterNone
}

// nameAfter types a figure by the words behind it.
func (p *Parser) nameAfter(f *frame, n *naming) {
	if n.unit.form == unitNone || p.toks[n.number].sign != 0 && !f.signed {
		return
	}
	after, end := p.labelAfter(max(n.number, n.second))
	if after.first == after.last {
		return
	}
	c, framed := f.lookupAfter(p, after)
	if c == counterNone {
		c = p.classify(after)
		n.weak, n.short = p.isWeak(after) || p.isLone(after) || p.isAmount(after), p.isShort(after)
	}
	if c.isTorch() && !framed && p.contradicted(n.before) {
		p.delta = p.isDelta(n.before) // "memory delta: 1.2 GB allocated, 1.5 GB reserved"
		return
	}
	if c != counterNone && c != counterIgnored {
		n.counter, n.end = c, end
	}
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

// keep adds a named figure, and the other one of a pair when it is known what
// that is.
func (p *Parser) keep(f *frame, n *naming) {
	if n.second == 0 {
		if n.counter != counterDevice {
			p.add(n.number, n.counter, n)
		}
		return
	}
	if n.counter == counterDevice {
		n.counter = counterUsed
	}
	one, two := p.pairCounters(n.before, n.counter)
	if one != counterIgnored {
		p.add(n.number, one, n)
	} else if !two.isTorch() {
		return
	}
	if u := p.toks[n.second].unit; u.form != unitNone {
		n.unit = u
	}
	switch {
	case two == counterTotal || two.isTorch():
		p.add(n.second, two, n)
	case f.pairTotal || one == counterUsed:
		p.add(n.second, counterTotal, n)
	default:
		p.maybe = append(p.maybe, p.figureOf(n.second, counterTotal, n))
	}
}

func (p *Parser) figureOf(token int, c counter, n *naming) figure {
	t := p.toks[token]
	return figure{counter: c, value: t.value, decimals: int(t.decimals), unit: n.unit, told: n.told, weak: n.weak, short: n.short, bare: n.bare, key: n.before, token: token, group: p.groupOf(token)}
}

func (p *Parser) add(token int, c counter, n *naming) {
	p.figs = append(p.figs, p.figureOf(token, c, n))
	if c != counterA && c != counterR {
		return
	}
	if both := p.currentAndMax(token); both > 0 && n.before.colon {
		p.figs = append(p.figs, p.figureOf(both, c.peak(), n))
	}
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
		torch = torch || f.counter.isTorch() && !f.weak && !f.short
	}
	for i := range p.figs {
		f := &p.figs[i]
		if f.weak && !torch || f.short && !p.besideAllocated(f) {
			f.counter = counterNone
		}
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
		default:
		}
	}
	p.sharePeak()
	p.doubtAmongPeaks()
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

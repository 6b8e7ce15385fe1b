package formats

import "strings"

// headerUnit finds a unit in brackets that is told once for several figures of
// the line: "memory (MB) |", "Memory [GB]: allocated 1, reserved 2", in front of
// all, or behind the last.
func (p *Parser) headerUnit(f *frame) unit {
	p.unitLast = 0
	s, toks := p.text, p.toks
	if !strings.Contains(s, "B)") && !strings.Contains(s, "B]") {
		return f.header
	}
	for i := 0; i+3 < len(toks); i++ {
		u, ok := p.bracketed(i)
		if !ok {
			continue
		}
		if i > 0 && (isMark(s, toks[i+3], "|") || isMark(s, toks[i+3], ":") && p.headsSeveral(i)) {
			return u
		}
		if f == plain && p.leads(i) {
			return u
		}
	}
	if f == plain {
		return p.trailingUnit()
	}
	return f.header
}

// bracketed returns the unit that stands in brackets at token i: "(GB)".
func (p *Parser) bracketed(i int) (unit, bool) {
	s, toks := p.text, p.toks
	if i+2 >= len(toks) || !isMark(s, toks[i], "([") || toks[i+1].kind != kindWord || !isMark(s, toks[i+2], ")]") {
		return unit{}, false
	}
	var buf [16]byte
	w := toks[i+1]
	if int(w.end-w.start) > len(buf) {
		return unit{}, false
	}
	return wordUnit(lower(buf[:0], s[w.start:w.end]))
}

// headsSeveral reports whether the key with the unit at token i is the head of
// what follows, and not of the one figure behind it.
func (p *Parser) headsSeveral(i int) bool {
	if p.toks[i-1].kind != kindWord {
		return false
	}
	bits := p.wordsBack(i-1, 4)
	if bits.has(wordVeto | wordObject) {
		return false
	}
	if p.bitsOf(p.toks[i-1]) == wordMemory {
		return true
	}
	return bits.has(wordMemory|wordDevice) && i+4 < len(p.toks) && p.toks[i+4].kind == kindWord
}

// leads reports whether the unit at token i stands in front of all figures, with
// a key right behind it, and no figure has a unit of its own.
func (p *Parser) leads(i int) bool {
	if i > 0 && !isMark(p.text, p.toks[i-1], "]:|-") || p.toks[i+3].kind != kindWord {
		return false
	}
	return p.lastUnit() < 0 && !p.wordsBack(i-2, 4).has(wordVeto|wordObject)
}

// lastUnit returns the last number with a unit of its own, or -1.
func (p *Parser) lastUnit() int {
	for i := len(p.toks) - 1; i >= 0; i-- {
		if p.toks[i].kind == kindNumber && p.toks[i].unit.form != unitNone {
			return i
		}
	}
	return -1
}

// trailingUnit finds the unit behind the last figure that is that of those
// before it as well: "Allocated: 1.5 Reserved: 2.5 (GB)". Nothing may follow it,
// and no other figure may have a unit of its own.
func (p *Parser) trailingUnit() unit {
	last := p.lastUnit()
	if last < 0 {
		return unit{}
	}
	if _, ok := p.bracketed(last + 1); !ok {
		return unit{}
	}
	for i := range p.toks {
		t := &p.toks[i]
		if t.kind == kindNumber && i != last && t.unit.form != unitNone || i > last+3 && t.kind != kindMark && hasASCII(p.text[t.start:t.end]) {
			return unit{}
		}
	}
	p.unitLast = last
	return p.toks[last].unit
}

// sharesUnit reports whether the unit of the line is that of number i: one that
// stands behind the last figure is that of figures written like it.
func (p *Parser) sharesUnit(i int) bool {
	return p.unitLast == 0 || p.toks[i].decimals == p.toks[p.unitLast].decimals
}

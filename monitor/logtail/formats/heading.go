package formats

import "strings"

// heading is what stands above figures and speaks of all of them: "Peak
// memory: allocated 5 GB, reserved 6 GB", or a line of its own that ends with a
// colon.
type heading struct {
	bits wordBits // of what matters: peaks, and memory that is not a GPU's
	at   int64    // line, of those that matter
}

// headingLines is how many lines that matter may stand below a heading that
// they belong to.
const headingLines = 6

const headingBits = wordPeak | wordHost | wordDelta

// titleBits returns what the words of a heading say of the figures under it.
// That they are differences is said of memory: "Saving checkpoint:" is not.
func titleBits(all wordBits) wordBits {
	if !all.has(wordMemory | wordDevice) {
		all &^= wordDelta
	}
	return all & headingBits
}

// noteHeading takes a line that is a heading.
func (p *Parser) noteHeading() {
	if !isHeading(p.text) {
		return
	}
	old := p.heading.bits
	p.heading = heading{at: p.count + 1}
	for _, t := range p.toks {
		if t.kind == kindWord {
			p.heading.bits |= p.bitsOf(t)
		}
	}
	p.heading.bits = titleBits(p.heading.bits)
	p.used = p.used || p.heading.bits|old != 0
}

// isHeading reports whether a line is one: short, and with a colon at its end.
func isHeading(s string) bool {
	if s == "" || len(s) > 200 || isAlnum(s[len(s)-1]) {
		return false
	}
	s = trimTail(s)
	return strings.HasSuffix(s, ":") && len(s) <= 100
}

// trimTail drops blanks, quotes and broken bytes at the end of a line.
func trimTail(s string) string {
	return strings.TrimRightFunc(s, func(r rune) bool { return r > 0x7e || strings.ContainsRune(" \t\"'`", r) })
}

// bitsOf returns the bits of all words of an identifier.
func (p *Parser) bitsOf(t token) wordBits {
	l := label{first: len(p.words)}
	p.addIdentifier(&l, p.text[t.start:t.end])
	var all wordBits
	for _, w := range p.words[l.first:] {
		all |= w.bits
	}
	p.words = p.words[:l.first]
	return all
}

// parentOf returns what stands above number n inside its line: a key followed
// by words, or a title in brackets.
func (p *Parser) parentOf(n int) wordBits {
	for i := n - 1; i > 0; i-- {
		t := p.toks[i]
		if t.kind != kindMark {
			continue
		}
		switch p.text[t.start] {
		case '|', ';':
			return 0
		case ':':
			if p.toks[i+1].kind == kindWord && t.gap == 0 {
				return titleBits(p.wordsBack(i-1, 4))
			}
		case ']':
			if bits := p.wordsBack(i-1, 6); bits.has(wordMemory | wordDevice) {
				return titleBits(bits)
			}
		}
	}
	return 0
}

// wordsBack returns the bits of up to n words that end at token j.
func (p *Parser) wordsBack(j, n int) wordBits {
	var all wordBits
	for ; j >= 0 && n > 0 && (p.toks[j].kind == kindWord || p.toks[j].place); j-- {
		all |= p.bitsOf(p.toks[j])
		n--
	}
	return all
}

// underHeading applies what stands above to the counter of a figure.
func (p *Parser) underHeading(c counter, number int) counter {
	if !c.isTorch() {
		return c
	}
	bits := p.parentOf(number)
	if p.heading.at > 0 && p.count-p.heading.at <= headingLines {
		bits |= p.heading.bits
	}
	switch {
	case bits.has(wordHost | wordDelta):
		return counterNone
	case bits.has(wordPeak):
		return c.peak()
	}
	return c
}

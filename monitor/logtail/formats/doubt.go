package formats

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

// parentVeto reports whether the label stands below a key that says that it is
// none of ours: "Swap: allocated 8 GB".
func (p *Parser) parentVeto(l label, number int) bool {
	words := p.wordsOf(l)
	if len(words) == 0 {
		return false
	}
	j := number - 1
	for j > 0 && (p.toks[j].kind == kindWord || p.toks[j].place) {
		j--
	}
	if !isMark(p.text, p.toks[j], ":") {
		return false
	}
	for k := j - 1; k >= 0 && k >= j-3 && p.toks[k].kind == kindWord; k-- {
		name, _ := splitDigits(p.text[p.toks[k].start:p.toks[k].end]) // "cpu1"
		w := lower(p.scratch[:0], name)
		if vocab(w).has(wordVeto | wordObject) {
			return true
		}
	}
	return false
}

// isWeak reports whether a label counts only beside others of the allocator:
// it has no word for it but "cache", and is no key "Cached:".
func (p *Parser) isWeak(l label) bool {
	weak := false
	for _, w := range p.wordsOf(l) {
		if w.bits.has(wordMemory | wordDevice | wordAllocated | wordReserved | wordPeak) {
			return false
		}
		if w.bits.has(wordCache) {
			weak = !l.colon || string(p.labels[w.from:w.to]) == "cache"
		}
	}
	return weak
}

// isLone reports whether words behind a figure say nothing of memory, and the
// rest of the line does not either: "1 GB reserved" is said of disks and hosts.
func (p *Parser) isLone(l label) bool {
	const about = wordMemory | wordDevice | wordPeak | wordAllocated
	for _, w := range p.wordsOf(l) {
		if w.bits.has(about) {
			return false
		}
	}
	for _, t := range p.toks {
		if t.kind == kindWord && p.bitsOf(t).has(wordMemory|wordDevice) {
			return false
		}
	}
	return true
}

// isAmount reports whether words behind a figure say that it is so much "of memory
// reserved", and the line names no device: schedulers and hosts say so as well.
func (p *Parser) isAmount(l label) bool {
	words := p.wordsOf(l)
	if len(words) == 0 || string(p.labels[words[0].from:words[0].to]) != "of" {
		return false
	}
	for _, t := range p.toks {
		if t.kind == kindWord && p.bitsOf(t).has(wordDevice|wordDriver|wordNVML) {
			return false
		}
	}
	return true
}

// isShort reports whether a label says "res" alone: reserved if allocated stands
// beside it, else resident memory, a resolution, a result.
func (p *Parser) isShort(l label) bool {
	short := false
	for _, w := range p.wordsOf(l) {
		if w.bits.has(wordAllocated) {
			return false
		}
		short = short || w.bits.has(wordShort)
	}
	return short
}

// besideAllocated reports whether a figure has one of allocated beside it that
// it can be the reserved of: in the same unit, and not above it.
func (p *Parser) besideAllocated(f *figure) bool {
	found := false
	for i := range p.figs {
		a := &p.figs[i]
		if a.group != f.group || !a.counter.isAllocated() || a.weak {
			continue
		}
		if a.unit.scale(true)*a.value > f.unit.scale(true)*f.value && (a.counter == counterA || f.counter == counterMaxR) {
			return false
		}
		found = true
	}
	return found
}

// labelHas reports whether a label has a word of these kinds.
func (p *Parser) labelHas(l label, bits wordBits) bool {
	for _, w := range p.wordsOf(l) {
		if w.bits.has(bits) {
			return true
		}
	}
	return false
}

// isDelta reports whether a label speaks of a difference.
func (p *Parser) isDelta(l label) bool { return p.labelHas(l, wordDelta) }

// maxPlain bounds what is believed of a line that no frame knows, in bytes: no
// device has as much.
const maxPlain = 1 << 40

// doubtful reports whether a figure is more likely of another program: kilobytes
// by a letter, as virtual machines print them, or of nothing that is named, as
// /proc/meminfo has them; a count of bytes in prose, as C programs do; more than
// any device has.
func (p *Parser) doubtful(f *frame, n *naming) bool {
	if f != plain || !n.counter.isTorch() {
		return false
	}
	u := n.unit
	if u.letter && u.power == 1 || p.toks[n.number].value*u.scale(true) > maxPlain {
		return true
	}
	if u.form == unitBare && u.power == 1 && !p.labelHas(n.before, wordDevice|wordMemory) {
		return true
	}
	if u.form != unitBytes || u.letter || n.before.colon || n.before.named {
		return false
	}
	for _, w := range p.wordsOf(n.before) {
		if w.bits.has(wordDevice|wordPeak) || w.bits.has(wordMemory) && string(p.labels[w.from:w.to]) != "bytes" {
			return false
		}
	}
	return true
}

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
		w := lower(p.scratch[:0], p.text[p.toks[k].start:p.toks[k].end])
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

// isDelta reports whether a label speaks of a difference.
func (p *Parser) isDelta(l label) bool {
	for _, w := range p.wordsOf(l) {
		if w.bits.has(wordDelta) {
			return true
		}
	}
	return false
}

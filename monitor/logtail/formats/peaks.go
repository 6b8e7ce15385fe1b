package formats

// In a line of peaks, a "reserved" without a word of its own may be a peak too:
// producers print max_memory_reserved under that name. As a current figure it
// would be wrong, so it is a peak where the words say so, and else nothing.

// canBePeak reports whether a key names a counter and does not say that it is the
// current figure of it, as PyTorch's own names and "current" do.
func (p *Parser) canBePeak(l label) bool {
	if !l.colon || p.labelHas(l, wordPeak|wordNeighbour) {
		return false
	}
	switch string(p.textFrom(l, 0)) {
	case "memory allocated", "memory reserved", "memory cached", "torch cuda memory allocated", "torch cuda memory reserved":
		return false
	}
	return true
}

// isNamelessPeak reports whether a figure is a peak of memory whose counter is not
// told: "max_memory: 43.2 GB".
func (p *Parser) isNamelessPeak(n *naming) bool {
	return n.counter == counterNone && n.unit.form != unitNone && p.labelHas(n.before, wordPeak) &&
		p.labelHas(n.before, wordMemory|wordDevice) && !p.labelHas(n.before, wordVeto|wordObject)
}

// sharePeak lets "max memory allocated 5 GB, reserved 6 GB" and "peak memory
// allocated: 5 GB reserved: 6 GB" mean two peaks: the second has no word of its
// own but the counter's.
func (p *Parser) sharePeak() {
	if len(p.figs) != 2 || !p.figs[1].bare && !p.sharesHead() {
		return
	}
	if first := p.figs[0].counter; first == counterMaxA || first == counterMaxR {
		p.figs[1].counter = p.figs[1].counter.peak()
	}
}

// sharesHead reports whether the second of two figures has one word for a key,
// right behind the first, and that one's key begins with "peak memory", which can
// be said of both.
func (p *Parser) sharesHead() bool {
	first, second := p.figs[0].token, p.keyOf(p.figs[1].token)
	next := p.toks[first].after()
	if next < second && isMark(p.text, p.toks[next], ",;|") {
		next++
	}
	if j := p.keyOf(first); next == second && j >= 2 {
		return p.bitsOf(p.toks[j-1]) == wordMemory && p.bitsOf(p.toks[j-2]) == wordPeak
	}
	return false
}

// keyOf returns the last word of the key in front of a number, or −1.
func (p *Parser) keyOf(number int) int {
	i := number - 1
	if i > 0 && isMark(p.text, p.toks[i], ":=") {
		i--
	}
	if i < 0 || p.toks[i].kind != kindWord {
		return -1
	}
	return i
}

// doubtAmongPeaks drops the one figure that is named like a current one where all
// others are peaks, and none is the peak of it.
func (p *Parser) doubtAmongPeaks() {
	if p.survey.frame != plain {
		return
	}
	one, peaks := -1, p.namelessPeak
	for i := range p.figs {
		switch c := p.figs[i].counter; c {
		case counterA, counterR:
			if one >= 0 {
				return
			}
			one = i
		case counterMaxA, counterMaxR:
			peaks = true
		default:
		}
	}
	if one < 0 || !peaks || !p.canBePeak(p.figs[one].key) || p.named(p.figs[one].counter.peak()) {
		return
	}
	p.figs[one].counter = counterNone
}

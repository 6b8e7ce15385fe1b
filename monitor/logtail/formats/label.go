package formats

// labelWord is one word of a label, in lower case.
type labelWord struct {
	from, to int // in the parser's label text
	bits     wordBits
}

// label is the words that name a figure: those of the key before it, or those
// behind it. Its words lie in the parser's scratch space.
type label struct {
	first, last int  // in Parser.words
	unit        unit // "(GB)", "_gb"
	colon       bool // a key with ':' or '='
	named       bool // written as a name: "max_memory_allocated"
	slash       int  // index behind first of the word after a '/', 0 when none
}

// maxLabelWords bounds a label.
const maxLabelWords = 14

// labelBefore builds the label in front of number n. It does not go back
// beyond token from, where the figure before ends.
func (p *Parser) labelBefore(n, from int) label {
	s, toks := p.text, p.toks
	l := label{first: len(p.words)}
	j := skipWrappers(s, toks, n-1, from)
	switch {
	case j > from && p.inBrackets(n, j):
		j-- // "allocated (3.25 GiB)"
	case j >= from && isMark(s, toks[j], ":="):
		l.colon = true
		j--
	case j > from && isMark(s, toks[j], ",") && isMark(s, toks[j-1], "'\""):
		l.colon = true // ('allocated_bytes.all.current', 1024)
		j--
	}
	for j >= from && isMark(s, toks[j], "'\"`*") {
		l.named = l.named || l.colon && !isMark(s, toks[j], "*") // a key in quotes
		j--
	}
	if l.colon && j > from && isMark(s, toks[j], ")]") {
		if open := matching(s, toks, j, from); open > from {
			p.qualifier(&l, open+1, j)
			j = open - 1
		}
	}
	p.collect(&l, p.labelStart(j, from), j+1)
	return l
}

// inBrackets reports whether number n stands with its unit, and alone, in the
// brackets that open at token j, behind a word.
func (p *Parser) inBrackets(n, j int) bool {
	t, next := &p.toks[n], p.toks[n].after()
	return j == n-1 && isMark(p.text, p.toks[j], "(") && p.toks[j-1].kind == kindWord && t.unit.form != unitNone &&
		next < len(p.toks) && isMark(p.text, p.toks[next], ")")
}

// skipWrappers steps back over what may stand between a separator and a
// number: quotes, signs, and a constructor as in "np.float64(1.5)".
func skipWrappers(s string, toks []token, j, from int) int {
	for j >= from && isMark(s, toks[j], "'\"`~+-<>") {
		j--
	}
	if j <= from || !isMark(s, toks[j], "(") || toks[j].gap > 0 {
		return j
	}
	k := j - 1
	for k > from && (toks[k].kind == kindWord || isMark(s, toks[k], ".")) {
		k--
	}
	if isMark(s, toks[k], ":=") && k < j-1 {
		return k
	}
	return j
}

// labelStart walks back from token j to the first token of the label.
func (p *Parser) labelStart(j, from int) int {
	s, toks := p.text, p.toks
	start := j + 1
	for words := 0; j >= from && words < maxLabelWords; j-- {
		t := toks[j]
		joins := j > from && j+1 < len(toks) && t.gap == 0 && toks[j+1].gap == 0
		switch {
		case t.kind == kindWord:
			words++
			start = j
		case t.place:
			start = j
		case isMark(s, t, "/.-") && joins && toks[j-1].kind == kindWord:
		case isMark(s, t, "/") && j > from && toks[j-1].kind == kindWord:
		default:
			return start
		}
		if t.gap >= 2 {
			return start
		}
	}
	return start
}

// matching returns the bracket that token j closes, or -1.
func matching(s string, toks []token, j, from int) int {
	open := "("
	if s[toks[j].start] == ']' {
		open = "["
	}
	for k := j - 1; k >= from && j-k <= 8; k-- {
		if isMark(s, toks[k], open) {
			return k
		}
	}
	return -1
}

// qualifier takes what stands in brackets between a label and its colon: a
// unit, or words that go in front of the label.
func (p *Parser) qualifier(l *label, from, to int) {
	for i := from; i < to; i++ {
		switch t := p.toks[i]; {
		case t.kind == kindWord:
			p.addIdentifier(l, p.text[t.start:t.end])
		case isMark(p.text, t, "/"):
			l.slash = len(p.words) - l.first
		}
	}
}

// collect adds the words of tokens from..to to the label.
func (p *Parser) collect(l *label, from, to int) {
	for i := from; i < to; i++ {
		t := p.toks[i]
		switch {
		case t.place:
		case t.kind == kindWord:
			p.addIdentifier(l, p.text[t.start:t.end])
		case isMark(p.text, t, "/"):
			l.slash = len(p.words) - l.first
		case isMark(p.text, t, ".") && t.gap == 0:
			l.named = true
		}
	}
	l.last = len(p.words)
}

// addIdentifier adds the words of one identifier: "MaxMemAllocated" and
// "max_mem_allocated" are three.
func (p *Parser) addIdentifier(l *label, s string) {
	if !hasASCII(s) {
		return // a picture, or a broken byte
	}
	if isOneWord(s) {
		p.addWord(l, s)
		return
	}
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] != '_' {
			j++
		}
		if j < len(s) && i > 0 || i > 0 && j > i {
			l.named = true
		}
		for k := i; k < j; {
			end := k + 1
			if isUnitWord(s[k:j]) {
				end = j
			}
			for end < j && (!isUpper(s[end]) || !camelBreak(s[k:j], end-k)) {
				end++
			}
			p.addWord(l, s[k:end])
			k = end
		}
		i = j + 1
	}
}

// isOneWord reports whether an identifier has no parts: most have none.
func isOneWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] == '_' || i > 0 && isUpper(s[i]) {
			return false
		}
	}
	return true
}

func hasASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x80 {
			return true
		}
	}
	return false
}

func isUnitWord(s string) bool {
	var buf [16]byte
	if len(s) > len(buf) {
		return false
	}
	_, ok := wordUnit(lower(buf[:0], s))
	return ok
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// camelBreak reports whether a word begins at the capital s[k].
func camelBreak(s string, k int) bool {
	return isLower(s[k-1]) || isUpper(s[k-1]) && k+1 < len(s) && isLower(s[k+1])
}

func (p *Parser) addWord(l *label, s string) {
	from := len(p.labels)
	p.labels = lower(p.labels, s)
	w := p.labels[from:]
	if u, ok := wordUnit(w); ok {
		l.unit = u
		if u.form != unitBytes {
			p.labels = p.labels[:from]
			return
		}
	}
	p.words = append(p.words, labelWord{from: from, to: len(p.labels), bits: vocab(w)})
	p.labels = append(p.labels, ' ')
}

// labelAfter builds the label behind number n: "9.42GB allocated". It is empty
// when the words behind are the key of the next figure. The second result is
// the token where it ends.
func (p *Parser) labelAfter(n int) (label, int) {
	s, toks := p.text, p.toks
	l := label{first: len(p.words)}
	start := toks[n].after()
	j := start
	for ; j < len(toks) && j-start < 8; j++ {
		t := toks[j]
		joins := j > start && t.gap == 0 && j+1 < len(toks) && toks[j+1].gap == 0 && toks[j+1].kind == kindWord
		if t.gap >= 2 || t.kind != kindWord && (!joins || !isMark(s, t, "/-.")) {
			break
		}
	}
	if j < len(toks) && isMark(s, toks[j], ":=") && toks[j].gap < 2 {
		l.last = l.first
		return l, start
	}
	p.collect(&l, start, j)
	return l, j
}

// isMark reports whether t is one of the marks.
func isMark(s string, t token, marks string) bool {
	if t.kind != kindMark {
		return false
	}
	c := s[t.start]
	for i := 0; i < len(marks); i++ {
		if marks[i] == c {
			return true
		}
	}
	return false
}

// wordsOf returns the words of a label.
func (p *Parser) wordsOf(l label) []labelWord { return p.words[l.first:l.last] }

// textFrom returns the label's text from its i-th word on: lower-case words
// with single spaces between.
func (p *Parser) textFrom(l label, i int) []byte {
	if l.first+i >= l.last {
		return nil
	}
	return p.labels[p.words[l.first+i].from:p.words[l.last-1].to]
}

// classify types a label by its words alone.
func (p *Parser) classify(l label) counter {
	words := p.wordsOf(l)
	for len(words) > 0 && words[0].bits == wordUnknown {
		words = words[1:] // "INFO", a module's name
	}
	all, typed := wordBits(0), -1
	timed := false
	for i, w := range words {
		switch {
		case w.bits.has(wordVeto):
			return counterNone
		case w.bits.has(wordObject) && !timed:
			return counterNone
		case w.bits.has(wordAllocated | wordReserved | wordCache):
			if typed < 0 {
				typed = i
			}
		case w.bits.has(wordWhen):
			timed = true
		}
		all |= w.bits
		if typed >= 0 && i > typed {
			if w.bits.has(wordFor) && !forDevice(words[i+1:]) {
				return counterNone
			}
			if w.bits.has(wordGlue | wordWhen) {
				break
			}
			if w.bits.has(wordUnknown) {
				return counterNone
			}
		}
	}
	return typeOf(all, len(words))
}

// forDevice reports whether what follows a "for" is a device: "allocated for
// GPU 2" is no plan.
func forDevice(words []labelWord) bool {
	for _, w := range words {
		if !w.bits.has(wordDevice | wordDriver | wordGlue) {
			return false
		}
	}
	return len(words) > 0
}

// typeOf turns the kinds of words of a label into a counter.
func typeOf(all wordBits, words int) counter {
	c := counterNone
	switch {
	case all.has(wordReserved) && all.has(wordAllocated):
		return counterNone
	case all.has(wordReserved | wordCache):
		c = counterR
	case all.has(wordAllocated):
		c = counterA
	}
	if c != counterNone {
		if all.has(wordTotal) && !all.has(wordDevice) {
			return counterNone // of whom?
		}
		if all.has(wordPeak) {
			return c.peak()
		}
		return c
	}
	switch {
	case all.has(wordDriver|wordNVML) && all.has(wordUsed) && !all.has(wordTotal|wordUnknown):
		return counterUsed
	case all == wordDriver:
		return counterDevice
	case all == wordPeak && words == 1:
		return counterPeak
	case all.has(wordTotal) && all&^(wordTotal|wordMemory|wordDevice|wordDriver|wordNeighbour) == 0:
		return counterCapacity
	}
	return counterNone
}

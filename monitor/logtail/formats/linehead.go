package formats

// lineHead is how a line begins that is written over by carriage returns, as bars
// are: what a launcher puts in front of a line stands before the first of its
// parts, and is said of all.
type lineHead struct {
	text   []byte
	number int64 // of the line, 0 when not known
	parts  int   // of it that were read
}

// headBytes is how much of a line's first part is kept; behindHead stands for
// what a label is in front of.
const (
	headBytes  = 64
	behindHead = " x"
)

// begin tells of which line the next parts are. A log that is followed gives the
// parts one by one, under one number.
func (h *lineHead) begin(number int64) {
	if number == 0 || number != h.number {
		h.number, h.parts = number, 0
	}
}

// keep keeps the beginning of the line's first part.
func (h *lineHead) keep(part string) {
	if h.parts == 0 {
		h.text = append(append(h.text[:0], part[:min(len(part), headBytes)]...), behindHead...)
	}
	h.parts++
}

// later reports whether the part that is read is not the first.
func (h *lineHead) later() bool { return h.parts > 0 }

// placesWithHead cuts the text up and returns where it comes from: what it says
// itself, and the rank that the beginning of its line says.
func (p *Parser) placesWithHead() place {
	rank, has := 0, false
	if p.head.later() {
		text := p.text
		p.text, p.headBuf = clean(view(p.head.text), hintControl, p.headBuf)
		p.toks = tokenize(p.text, p.toks)
		pl := p.places()
		rank, has = pl.rank, pl.hasRank
		p.text = text
	}
	p.toks = tokenize(p.text, p.toks)
	pl := p.places()
	if has {
		p.setRank(&pl, rank)
	}
	return pl
}

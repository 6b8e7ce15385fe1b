package output

// parser tells the text of a stream from its control sequences (ECMA-48), however
// the stream is chunked.
type parser struct {
	state   state
	arg     int
	args    int    // parameters so far
	private bool   // the sequence is one of the terminal's own
	partial []byte // of a character that is not complete
}

type state uint8

const (
	ground    state = iota
	escape          // after ESC
	charset         // after ESC and an intermediate: one more byte
	csi             // after ESC [
	str             // inside OSC, DCS, APC, PM, SOS: up to BEL or ST
	strEscape       // ESC inside of one
)

func (p *parser) feed(b []byte, r *Ring) {
	for len(b) > 0 {
		if p.state == ground && b[0] >= 0x80 || len(p.partial) > 0 {
			b = p.character(b, r)
			continue
		}
		p.byte(b[0], r)
		b = b[1:]
	}
}

// character takes one character beyond ASCII, which may have begun in an earlier
// chunk.
func (p *parser) character(b []byte, r *Ring) []byte {
	joined := append(p.partial, b[:min(len(b), 4)]...)
	had := len(p.partial)
	c, n := decode(joined)
	if n == 0 {
		p.partial = joined
		return b[min(len(b), 4):]
	}
	p.partial = nil
	if n < had { // its beginning was of another one
		p.partial = append(p.partial, joined[n:had]...)
	}
	if c >= 0x80 && c < 0xa0 { // control characters of eight bits
		return b[max(0, n-had):]
	}
	r.put(c)
	return b[max(0, n-had):]
}

func (p *parser) byte(c byte, r *Ring) {
	switch p.state {
	case ground:
		switch {
		case c == 0x1b:
			p.state = escape
		case c >= ' ' && c < 0x7f:
			r.put(rune(c))
		default:
			r.control(c)
		}
	case escape:
		p.escaped(c)
	case charset:
		if c < 0x20 || c > 0x2f {
			p.state = ground
		}
	case csi:
		p.csi(c, r)
	case str:
		switch c {
		case 0x07, 0x18, 0x1a:
			p.state = ground
		case 0x1b:
			p.state = strEscape
		}
	case strEscape:
		p.state = str
		if c == '\\' {
			p.state = ground
		}
	}
}

func (p *parser) escaped(c byte) {
	switch {
	case c == '[':
		p.state, p.arg, p.args, p.private = csi, 0, 0, false
	case c == ']', c == 'P', c == '_', c == '^', c == 'X':
		p.state = str
	case c == 0x1b:
	case c >= 0x20 && c <= 0x2f:
		p.state = charset
	default:
		p.state = ground
	}
}

func (p *parser) csi(c byte, r *Ring) {
	switch {
	case c >= '0' && c <= '9':
		if p.args == 0 && p.arg < 1<<16 {
			p.arg = 10*p.arg + int(c-'0')
		}
	case c == ';', c == ':':
		p.args++
	case c >= 0x3c && c <= 0x3f:
		p.private = true
	case c >= 0x20 && c <= 0x2f:
		p.private = true // an intermediate: none of those obeyed has one
	case c >= 0x40 && c <= 0x7e:
		p.state = ground
		if !p.private {
			r.sequence(c, p.arg)
		}
	case c == 0x1b:
		p.state = escape
	case c == 0x18, c == 0x1a:
		p.state = ground
	default:
		r.control(c) // obeyed inside of a sequence too
	}
}

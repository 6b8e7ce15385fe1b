package formats

import "strings"

// maxLine is the part of a line that is looked at, in bytes. The longest text
// of interest is a memory_stats() dictionary, about 6 KiB.
const maxLine = 64 << 10

// clean returns s without terminal escapes and control bytes, using buf where
// it has to copy: the text holds until buf is used again. Colours split words and
// carry digits, so they go first. A collector that drops only the ESC byte leaves
// "[32m" behind; that goes too. What a collector has put into a string of JSON
// comes out of it. Bytes that are no UTF-8 stay: only ASCII is ever compared.
func clean(s string, buf []byte) (string, []byte) {
	escaped := false
	if i := strings.IndexByte(s, '\\'); i >= 0 {
		s, escaped = openEnvelope(s)
		escaped = escaped || strings.Contains(s[min(i, len(s)):], `\"`)
	}
	if !escaped && !hasControl(s) && !hasStrippedColour(s) {
		return s, buf
	}
	buf = buf[:0]
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '\\' && escaped:
			n := jsonEscape(&c, s[i:])
			if c == 0x1b {
				i += n + max(0, escapeLength("\x1b"+s[i+n:min(len(s), i+n+64)])-1)
				continue
			}
			buf = append(buf, c)
			i += n
		case c == 0x1b:
			i += escapeLength(s[i:])
		case c == '[':
			n := strippedColour(s[i:])
			if n == 0 {
				buf = append(buf, c)
				n = 1
			}
			i += n
		case c == '\t' || c >= 0x20 && c != 0x7f:
			buf = append(buf, c)
			i++
		default:
			i++
		}
	}
	return view(buf), buf
}

// hasControl reports whether a line has terminal escapes or control bytes, but
// for tabs.
func hasControl(s string) bool {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		if mayBeControl(load(s, i)) && anyControl(s[i:i+8]) {
			return true
		}
	}
	return anyControl(s[i:])
}

// mayBeControl reports whether one of eight bytes is below ' ', or DEL.
func mayBeControl(w uint64) bool {
	const each = 0x0101010101010101
	del := w ^ 0x7f*each // 0 where there was one
	return ((w-' '*each)&^w|(del-each)&^del)&(0x80*each) != 0
}

func anyControl(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\t' && c != '\n' || c == 0x7f {
			return true
		}
	}
	return false
}

// openEnvelope returns the text that Docker's json-file driver has put into an
// object of its own, `{"log":"text\n","stream":"stderr",…}`, still escaped.
func openEnvelope(s string) (string, bool) {
	const opening, closing = `{"log":"`, `","stream":"`
	if !strings.HasPrefix(s, opening) {
		return s, false
	}
	end := strings.LastIndex(s, closing)
	if end < len(opening) {
		return s, false
	}
	return strings.TrimSuffix(s[len(opening):end], `\n`), true
}

// jsonEscape returns the length of the escape that s starts with, and sets c to
// what it stands for: a blank for anything that is none of the marks of a text.
func jsonEscape(c *byte, s string) int {
	if len(s) < 2 {
		return 1
	}
	switch s[1] {
	case '"', '\\', '/':
		*c = s[1]
	case 'u':
		*c = ' '
		if len(s) < 6 {
			return 2
		}
		if equalFold(s[2:6], "001b") {
			*c = 0x1b
		}
		return 6
	default:
		*c = ' '
	}
	return 2
}

func hasStrippedColour(s string) bool {
	for i := strings.IndexByte(s, '['); i >= 0; {
		if strippedColour(s[i:]) > 0 {
			return true
		}
		n := strings.IndexByte(s[i+1:], '[')
		if n < 0 {
			return false
		}
		i += n + 1
	}
	return false
}

// escapeLength returns the length of the escape sequence that s starts with:
// CSI, OSC up to its end, or two bytes (ECMA-48).
func escapeLength(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s) && i < 64; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e {
				return i
			}
		}
		return 2
	case ']':
		for i := 2; i < len(s) && i < 512; i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b {
				return min(i+2, len(s))
			}
		}
		return 2
	}
	return 2
}

// strippedColour returns the length of a colour sequence whose ESC byte was
// lost ("[32m", "[38;2;54;234;195m"), or 0.
func strippedColour(s string) int {
	i := 1
	for i < len(s) && i < 24 && (s[i] >= '0' && s[i] <= '9' || s[i] == ';') {
		i++
	}
	if i < len(s) && s[i] == 'm' && (i > 1) && !inBrackets(s[i+1:]) {
		return i + 1
	}
	return 0
}

// inBrackets keeps "[5m ago]" as text: a colour that lost its ESC byte has no
// closing bracket behind it in the next few bytes.
func inBrackets(rest string) bool {
	rest = rest[:min(len(rest), 8)]
	j := strings.IndexByte(rest, ']')
	return j >= 0 && strings.IndexByte(rest[:j], '[') < 0
}

package cli

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// harmless is a writer for JSON that people may look at on a terminal: control
// and formatting characters, which stand in strings only and which a terminal
// might obey (C1, DEL, bidirectional and invisible ones), are written as \u
// escapes. What the JSON says stays the same.
type harmless struct{ to io.Writer }

// Write takes whole values: a character is not split between two calls.
func (h harmless) Write(p []byte) (int, error) {
	out := make([]byte, 0, len(p)+64)
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		switch {
		case r < 0x7f || r != 0x7f && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
			out = append(out, p[i:i+size]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	if _, err := h.to.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

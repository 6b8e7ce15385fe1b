package formats

import "math/bits"

// longNumber returns a place in front of the first number of seven digits in a
// row, of five behind a point, or of three groups as in 1,234,567 whatever stands
// between them; −1 when there is none. It looks at eight bytes at once.
func longNumber(s string) int {
	const step = 56 // the longest of these begins in it and ends within 64
	for at := 0; at < len(s); at += step {
		var m uint64 // bit n is set when s[at+n] is a digit
		for i := 0; i < 64 && at+i < len(s); i += 8 {
			m |= digits(loadEnd(s, at+i)) << i
		}
		two := m & (m >> 1)
		three := two & (m >> 2)
		five := three & (two >> 3)
		grouped := m & (three >> 2) & (three >> 6) &^ (m >> 1) &^ (m >> 5)
		if five&(two>>5)|grouped != 0 {
			return max(0, at-1)
		}
		for five &^= m << 1; five != 0; five &= five - 1 { // where they begin
			if n := at + bits.TrailingZeros64(five); n > 0 && s[n-1] == '.' {
				return n - 1
			}
		}
	}
	return -1
}

// digits returns which of eight bytes are digits, the lowest bit of the first.
func digits(w uint64) uint64 {
	const each = 0x0101010101010101
	w ^= '0' * each // 0 to 9
	none := (w&(0x7f*each) + (0x80-10)*each | w) >> 7 & each
	const gather = 0x0102040810204080 // bit 8n to bit 56+n
	return (none ^ each) * gather >> 56
}

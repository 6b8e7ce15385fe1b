package formats

// longNumber returns a place in front of the first number of five digits in a
// row, or of three groups as in 1,234,567 whatever stands between them; −1 when
// there is none. It looks at eight bytes at once.
func longNumber(s string) int {
	const step = 56 // the longest of these can begin in it and end in 64
	for at := 0; at < len(s); at += step {
		var m uint64 // bit n is set when s[at+n] is a digit
		for i := 0; i < 64 && at+i < len(s); i += 8 {
			m |= digits(loadEnd(s, at+i)) << i
		}
		two := m & (m >> 1)
		three := two & (m >> 2)
		grouped := m & (three >> 2) & (three >> 6) &^ (m >> 1) &^ (m >> 5)
		if three&(two>>3)|grouped != 0 {
			return max(0, at-1) // it may begin with a point
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

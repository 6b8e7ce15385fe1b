package formats

// byteKinds tells for every byte whether a size may be found by it: 'b' of a
// unit, a digit of a figure.
var byteKinds = func() (t [256]uint8) {
	for c := '0'; c <= '9'; c++ {
		t[c] = byteDigit
	}
	t['b'], t['B'] = byteUnit, byteUnit
	return t
}()

const (
	byteUnit  = 1
	byteDigit = 2
)

// hasSize reports whether anything in a line can be a size of memory by itself,
// without a producer that is known: a unit, a letter of one behind a digit, or
// a number that is large enough, or written with enough digits, to be raw. Most
// lines that speak of memory have none ("cache hit rate 0.91"), and this costs
// far less than to cut them into words.
func hasSize(s string) bool {
	for i := 0; i < len(s); i++ {
		switch byteKinds[s[i]] {
		case byteUnit:
			if isUnitEnd(s, i) {
				return true
			}
		case byteDigit:
			end, raw := figureEnd(s, i)
			if raw || endsInUnitLetter(s, end) {
				return true
			}
			i = end - 1
		}
	}
	return false
}

// isUnitEnd reports whether the 'b' at i is that of a unit: "GB", "MiB", "kb"
// at the end of a word, or "bytes".
func isUnitEnd(s string, i int) bool {
	if i+4 <= len(s) && equalFold(s[i:i+4], "byte") {
		return true
	}
	if i == 0 || i+1 < len(s) && (s[i+1] >= 'a' && s[i+1] <= 'z' || isDigit(s[i+1])) {
		return false
	}
	switch s[i-1] | 0x20 {
	case 'k', 'm', 'g', 't', 'i':
		return true
	}
	return false
}

// figureEnd returns where the number at i ends, with commas and a fraction, and
// whether it can be a size without a unit: seven digits or more in front of the
// point, or five behind it. The fraction of a second, "11:22:33.123456", cannot.
func figureEnd(s string, i int) (end int, raw bool) {
	start, digits := i, 0
	for i < len(s) && (isDigit(s[i]) || s[i] == ',' && i+1 < len(s) && isDigit(s[i+1])) {
		if s[i] != ',' {
			digits++
		}
		i++
	}
	raw = digits >= 7 || digits >= 5 && start > 0 && s[start-1] == '.'
	if i+1 < len(s) && s[i] == '.' && isDigit(s[i+1]) {
		point := i
		for i++; i < len(s) && isDigit(s[i]); i++ {
		}
		raw = raw || i-point > 5 && !isClock(s, start)
	}
	return i, raw
}

// isClock reports whether the two digits at i are the seconds of a time of day.
func isClock(s string, i int) bool {
	return i >= 3 && s[i-1] == ':' && isDigit(s[i-2]) && isDigit(s[i-3])
}

// endsInUnitLetter reports whether a number that ends at i goes on with a letter
// that is a unit: "6.73G", "0.25 G", "512[M]".
func endsInUnitLetter(s string, i int) bool {
	for n := 0; n < 3 && i < len(s) && (s[i] == ' ' || s[i] == '[' || s[i] == '('); n++ {
		i++
	}
	if i >= len(s) || i+1 < len(s) && isLetter(s[i+1]) && s[i+1] < 0x80 {
		return false
	}
	_, ok := letterUnit(s[i])
	return ok
}

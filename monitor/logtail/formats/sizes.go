package formats

// unitMarks finds where a unit may stand, or a letter of one behind a digit.
var unitMarks = newFinder("[kmgti]b", "byte", "0[kmgtb]", "0 [kmgtb]", "0[[(]", "0 [[(]")

// numberMarks finds numbers of seven digits and fractions of five.
var numberMarks = newFinder("0000000", "0,000,000", ".00000")

// hasSize reports whether anything in a line can be a size of memory by itself,
// without a producer that is known: a unit, a letter of one behind a digit, or
// a number that is large enough, or written with enough digits, to be raw. Most
// lines that speak of memory have none ("cache hit rate 0.91"), and this costs
// far less than to cut them into words. The words of the line's first look are
// given, and where they stand.
func hasSize(s string, words uint64, where spots) bool {
	if words&lettersOfUnits != 0 {
		where = everywhere // it may stand in brackets, far behind its number
	}
	if words&(lettersOfUnits|endsOfUnits) != 0 && hasSizeAt(s, 0, unitMarks, where) {
		return true
	}
	at := longNumber(s)
	return at >= 0 && hasSizeAt(s, at, numberMarks, everywhere)
}

// hasSizeAt reports whether one of the marks from i on is of a size.
func hasSizeAt(s string, i int, marks *finder, where spots) bool {
	for i, state := marks.next(s, i, 0, where); i >= 0; i, state = marks.next(s, i+1, state, where) {
		if i < len(s) && isSize(s, i) {
			return true
		}
	}
	return false
}

// isSize reports whether a mark that ends at i is of a size.
func isSize(s string, i int) bool {
	switch c := s[i]; {
	case isDigit(c):
		return !isSecond(s, i)
	case c|0x20 == 'e':
		return true
	case c|0x20 == 'b' && isUnitEnd(s, i):
		return true
	}
	return endsInUnitLetter(s, i)
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

// isSecond reports whether the digit at i is of the fraction of a second, as in
// "11:22:33.123456", which no size is.
func isSecond(s string, i int) bool {
	for i > 0 && isDigit(s[i-1]) {
		i--
	}
	if i < 3 || s[i-1] != '.' || !isDigit(s[i-2]) || !isDigit(s[i-3]) {
		return false
	}
	return isClock(s, i-3)
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

package formats

import "strings"

// rateOf reads the steps per second of a progress bar: "2.78it/s", "1.31s/it".
// The last bar of a line counts.
func rateOf(s string) (float64, bool) {
	if i := lastIndex(s, "it/s"); i > 0 {
		return floatBefore(s, i)
	}
	if i := lastIndex(s, "s/it"); i > 0 {
		if v, ok := floatBefore(s, i); ok && v > 0 {
			return 1 / v, true
		}
	}
	return 0, false
}

// lastIndex is strings.LastIndex for what is rare: a line without it is passed
// over many bytes at a time.
func lastIndex(s, text string) int {
	last := -1
	for from := 0; ; from = last + 1 {
		i := strings.Index(s[from:], text)
		if i < 0 {
			return last
		}
		last = from + i
	}
}

func floatBefore(s string, i int) (float64, bool) {
	for i > 0 && s[i-1] == ' ' {
		i--
	}
	j := i
	for j > 0 && (isDigit(s[j-1]) || s[j-1] == '.') {
		j--
	}
	if j == i || !isDigit(s[j]) {
		return 0, false
	}
	var t token
	readNumber(&t, s[:i], j)
	return t.value, true
}

// quickRank reads the rank in front of a line without cutting it up.
func quickRank(s string) place {
	var pl place
	head := s[:min(len(s), 120)]
	for from := 0; ; {
		i := strings.Index(head[from:], "ank")
		if i < 0 {
			return pl
		}
		i += from
		from = i + 3
		if i == 0 || head[i-1]|0x20 != 'r' || i > 1 && isLetter(head[i-2]) || precededBy(head, i-1, "local") {
			continue
		}
		j := from
		for j < len(s) && j < from+4 && (s[j] == ' ' || s[j] == ':' || s[j] == '=' || s[j] == '-') {
			j++
		}
		k := j
		for k < len(s) && isDigit(s[k]) && k-j < 7 {
			k++
		}
		if n, ok := small(s[j:k], maxRank); ok {
			pl.rank, pl.hasRank = n, true
			return pl
		}
	}
}

package formats

import "strings"

// rateOf reads the steps per second of a progress bar: "2.78it/s", "1.31s/it".
// The last bar of a line counts.
func rateOf(s string) (rate float64, ok bool) {
	for i := strings.IndexByte(s, '/'); i >= 0; {
		if v, fits := rateAt(s, i); fits {
			rate, ok = v, true
		}
		next := strings.IndexByte(s[i+1:], '/')
		if next < 0 {
			break
		}
		i += next + 1
	}
	return rate, ok
}

// rateAt reads the rate whose slash stands at i.
func rateAt(s string, i int) (float64, bool) {
	if i >= 2 && strings.HasPrefix(s[i-2:], "it/s") {
		return floatBefore(s, i-2)
	}
	if i >= 1 && strings.HasPrefix(s[i-1:], "s/it") {
		v, ok := floatBefore(s, i-1)
		return 1 / v, ok && v > 0
	}
	return 0, false
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
	const piece, overlap = 64, 4 // what is searched at once
	for from := 0; from < min(len(s), 2*piece-overlap); from += piece - overlap {
		head := s[:min(len(s), from+piece)]
		for at := from; ; {
			i := strings.Index(head[at:], "ank")
			if i < 0 {
				break
			}
			at += i + 3
			if n, ok := rankBehind(s, at); ok {
				return place{rank: n, hasRank: true}
			}
		}
	}
	return place{}
}

// rankBehind reads the number behind the "rank" that ends at i.
func rankBehind(s string, i int) (int, bool) {
	from := i - 4
	if from < 0 || s[from]|0x20 != 'r' || from > 0 && isLetter(s[from-1]) || precededBy(s, from, "local") {
		return 0, false
	}
	j := i
	for j < len(s) && j < i+4 && (s[j] == ' ' || s[j] == ':' || s[j] == '=' || s[j] == '-') {
		j++
	}
	k := j
	for k < len(s) && isDigit(s[k]) && k-j < 7 {
		k++
	}
	return small(s[j:k], maxRank)
}

package formats

import (
	"math"
	"strings"
)

type kind uint8

const (
	kindWord   kind = iota // letters, digits and underscores, letter first
	kindNumber             // 1,234.5e6
	kindMark               // one byte of anything else
)

// token is a piece of a line. It is small: lines have dozens.
type token struct {
	value      float64
	start, end int32 // in the line
	next       int32 // index of the token behind a number and its unit
	unit       unit
	kind       kind
	gap        uint8 // columns of white space before it; a tab counts two
	decimals   uint8 // digits behind the point
	sign       byte  // '+', '-' or 0
	whole      bool  // no point and no exponent
	named      bool  // part of a name or date: "A100-80GB", "2024-05"
	percent    bool
	rate       bool // GB/s
	place      bool // part of "cuda:1", "GPU 0", "rank 3"
}

// after returns the index of the token behind a number and its unit.
func (t *token) after() int { return int(t.next) }

// maxTokens bounds the work on one line.
const maxTokens = 4096

// letters are the bytes that words are made of, besides digits.
var letters = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
	}
	return t
}()

func isDigit(c byte) bool { return c-'0' < 10 }

func isLetter(c byte) bool { return letters[c] }

// tokenize cuts a clean line into tokens, reusing toks.
func tokenize(s string, toks []token) []token {
	toks = toks[:0]
	gap := 0
	for i := 0; i < len(s) && len(toks) < maxTokens; {
		c := s[i]
		if c == ' ' || c == '\t' {
			if gap++; c == '\t' {
				gap++
			}
			i++
			continue
		}
		toks = append(toks, token{})
		t := &toks[len(toks)-1]
		t.gap = uint8(min(gap, 255))
		gap = 0
		switch {
		case isDigit(c) || c == '.' && startsFraction(s, i):
			readNumber(t, s, i)
			i = int(t.end)
			continue
		case letters[c]:
			t.kind = kindWord
			t.start = int32(i)
			i = wordEnd(s, i)
		default:
			t.kind = kindMark
			t.start = int32(i)
			i++
		}
		t.end = int32(i)
	}
	attachUnits(s, toks)
	return toks
}

// wordEnd returns where the word at i ends. Where ASCII turns into something
// else it ends as well: "MiB，reserved" is three.
func wordEnd(s string, i int) int {
	wide := s[i] >= 0x80
	for i++; i < len(s) && (letters[s[i]] || isDigit(s[i])) && (s[i] >= 0x80) == wide; i++ {
	}
	return i
}

// startsFraction reports whether the point at i begins a number: ".5".
func startsFraction(s string, i int) bool {
	return i+1 < len(s) && isDigit(s[i+1]) && (i == 0 || !isDigit(s[i-1]) && !isLetter(s[i-1]))
}

// readNumber reads the number at i: digits, groups of three behind commas, a
// fraction, an exponent.
func readNumber(t *token, s string, i int) {
	t.kind, t.start, t.whole = kindNumber, int32(i), true
	v, j := 0.0, i
	for j < len(s) && isDigit(s[j]) {
		v = v*10 + float64(s[j]-'0')
		j++
	}
	if j-i <= 3 && j > i {
		for j+3 < len(s) && s[j] == ',' && isDigit(s[j+1]) && isDigit(s[j+2]) && isDigit(s[j+3]) &&
			(j+4 >= len(s) || !isDigit(s[j+4])) {
			v = v*1000 + float64(s[j+1]-'0')*100 + float64(s[j+2]-'0')*10 + float64(s[j+3]-'0')
			j += 4
		}
	}
	if j+1 < len(s) && s[j] == '.' && isDigit(s[j+1]) {
		t.whole = false
		k := j + 1
		frac, scale := 0.0, 1.0
		for k < len(s) && isDigit(s[k]) {
			if k-j <= 17 {
				frac = frac*10 + float64(s[k]-'0')
				scale *= 10
			}
			t.decimals = min(t.decimals+1, 200)
			k++
		}
		v += frac / scale
		j = k
	}
	if e, n := exponent(s[j:]); n > 0 {
		v *= math.Pow10(e)
		t.whole = false
		j += n
	}
	t.end, t.value = int32(j), v
	t.sign, t.named = signOf(s, i)
}

func exponent(s string) (int, int) {
	if len(s) < 2 || s[0] != 'e' && s[0] != 'E' {
		return 0, 0
	}
	i, neg := 1, false
	if s[i] == '+' || s[i] == '-' {
		neg = s[i] == '-'
		i++
	}
	e, from := 0, i
	for i < len(s) && isDigit(s[i]) && i-from < 3 {
		e = e*10 + int(s[i]-'0')
		i++
	}
	if i == from || i < len(s) && (isDigit(s[i]) || isLetter(s[i])) {
		return 0, 0
	}
	if neg {
		e = -e
	}
	return e, i
}

// signOf looks at the byte before a number: a sign, or a hyphen that ties the
// number to a name.
func signOf(s string, i int) (sign byte, named bool) {
	if i == 0 {
		return 0, false
	}
	c := s[i-1]
	if c != '-' && c != '+' {
		return 0, false
	}
	if i >= 2 && (isLetter(s[i-2]) || isDigit(s[i-2])) {
		return 0, c == '-'
	}
	return c, false
}

// attachUnits gives every number the unit behind it.
func attachUnits(s string, toks []token) {
	var buf [24]byte
	for i := range toks {
		t := &toks[i]
		if t.kind != kindNumber {
			continue
		}
		t.next = int32(i + 1)
		if i+1 >= len(toks) {
			continue
		}
		next := &toks[i+1]
		switch {
		case next.kind == kindMark && s[next.start] == '%' && next.gap <= 1:
			t.percent = true
			t.next = int32(i + 2)
		case next.kind == kindWord && next.gap <= 1:
			if u, ok := unitAt(s, next, buf[:]); ok {
				t.unit, t.next = u, int32(i+2)
				t.rate = isRate(s, toks, i+2)
			}
		case next.kind == kindMark && (s[next.start] == '[' || s[next.start] == '(') && next.gap <= 1 && i+3 < len(toks) &&
			toks[i+2].kind == kindWord && toks[i+3].kind == kindMark && strings.IndexByte("])", s[toks[i+3].start]) >= 0:
			if u, ok := unitAt(s, &toks[i+2], buf[:]); ok {
				t.unit, t.next = u, int32(i+4)
			}
		}
	}
}

func unitAt(s string, w *token, buf []byte) (unit, bool) {
	text := s[w.start:w.end]
	if len(text) == 1 {
		if w.gap > 0 && text != "G" && text != "M" {
			return unit{}, false
		}
		return letterUnit(text[0])
	}
	if len(text) > len(buf) {
		return unit{}, false
	}
	return wordUnit(lower(buf[:0], text))
}

// isRate reports whether the unit before token i is a rate: "GB/s".
func isRate(s string, toks []token, i int) bool {
	if i+1 >= len(toks) || toks[i].kind != kindMark || s[toks[i].start] != '/' || toks[i].gap > 0 {
		return false
	}
	return toks[i+1].kind == kindWord && toks[i+1].gap == 0
}

// lower appends text in lower case (ASCII only).
func lower(dst []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

package formats

import "strings"

// prefixEnd returns where a line in lower case goes on behind what loggers and
// launchers put in front of it: brackets, times, levels, and the names of
// loggers where one of these shows that they are such. What is left can be a
// message of one word, so a name that could be that word stays.
func prefixEnd(low string) int {
	at, sure, named := 0, false, 0
	for {
		for at < len(low) && (low[at] == ' ' || low[at] == '\t' || low[at] == '|' || low[at] == '>') {
			at++
		}
		if strings.HasPrefix(low[at:], "- ") && at > 0 {
			at += 2
			continue
		}
		n, isName := prefixPiece(low[at:], sure)
		if n == 0 {
			break
		}
		if isName && named == 0 {
			named = at + 1
		}
		sure = sure || !isName
		at += n
	}
	if named > 0 && !sure {
		return named - 1
	}
	return at
}

// prefixPiece returns the length of the piece of a prefix that s begins with, 0
// when there is none, and whether it is a name, which only another piece shows
// to be one of a logger.
func prefixPiece(s string, sure bool) (n int, isName bool) {
	switch {
	case s == "":
		return 0, false
	case s[0] == '[' || s[0] == '(':
		end := strings.IndexAny(s, ")]") + 1
		if end == 0 || end > 60 || isPhrase(s[1:end-1]) || s[0] == '(' && !strings.Contains(s[:end], "pid=") && !strings.Contains(s[:end], "rank") {
			return 0, false
		}
		return skipColon(s, end), false
	case isDigit(s[0]):
		return clockPiece(s, sure), false
	}
	i := 0
	for i < len(s) && (isAlnum(s[i]) || strings.IndexByte("_.<>-", s[i]) >= 0) {
		i++
	}
	word := s[:i]
	switch {
	case i == 0 || bareKindOf(word) != bareNone:
		return 0, false
	case isLevel(word) && (i == len(s) || s[i] == ' ' || s[i] == ':' || s[i] == ']' || s[i] == '|'):
		return skipColon(s, i), false
	case word == "rank" && i < len(s) && s[i] == ' ':
		j := i + 1
		for j < len(s) && isDigit(s[j]) {
			j++
		}
		return skipColon(s, j), false
	}
	return namePiece(s, i)
}

// namePiece returns the length of the name of a logger and what ends it: "a.b:",
// "a.py:12] ", "a:b:12 - ", "trainer-1  | ".
func namePiece(s string, i int) (int, bool) {
	for i < len(s) && (isAlnum(s[i]) || strings.IndexByte("_.<>-:", s[i]) >= 0) {
		i++
	}
	j := i
	for j < len(s) && s[j] == ' ' {
		j++
	}
	switch {
	case i > 60 || i == len(s):
	case s[i] == ']':
		return i + 1, true
	case j < len(s) && s[j] == '|':
		return j + 1, !isDigit(s[i-1]) // "trainer-1  | " is a container
	case strings.HasPrefix(s[j:], "- ") && j > i:
		return j + 2, true
	}
	if k := strings.IndexByte(s, ':'); k > 0 && k < i && k+1 < len(s) && s[k+1] != ' ' && !isDigit(s[k+1]) {
		return k + 1, true // "root:validation"
	}
	return 0, false
}

// clockPiece returns the length of a date, a time, a task's label, or a thread's
// number at the start of s.
func clockPiece(s string, sure bool) int {
	i, marks := 0, 0
	for i < len(s) && (isDigit(s[i]) || strings.IndexByte(":.,/-+tz", s[i]) >= 0) {
		if !isDigit(s[i]) {
			marks++
		}
		i++
	}
	switch {
	case i < len(s) && s[i] != ' ' && s[i] != '|' && s[i] != ']':
		return 0
	case marks == 0 && !sure, i == len(s):
		return 0
	case marks == 1 && s[i-1] == ':' && i <= 5, marks >= 2, marks == 0:
		return i
	}
	return 0
}

func skipColon(s string, i int) int {
	if i < len(s) && s[i] == ':' {
		i++
	}
	return i
}

// isPhrase reports whether what stands in brackets names a phase.
func isPhrase(s string) bool {
	says, _ := bareWords(strings.TrimSpace(s))
	return says != saysNothing
}

// isLevel reports whether a word is the level of a logger, or what a container's
// log has in its place; "i0424" is absl's, with the date.
func isLevel(w string) bool {
	switch w {
	case "info", "warning", "warn", "debug", "error", "notice", "success", "stdout", "stderr", "f", "p":
		return true
	}
	return len(w) == 5 && strings.IndexByte("iwef", w[0]) >= 0 && isDigits(w[1:])
}

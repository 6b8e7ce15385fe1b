package scrub

import "strings"

// place is where a name stands in a line and where its value begins.
type place struct{ from, to, value int }

// findNamed finds NAME= and NAME: up to the value, also "NAME": as in JSON and
// environ['NAME'] = as in Python.
func findNamed(line string) []place {
	var found []place
	for i := 0; i < len(line); i++ {
		if line[i] != '=' && line[i] != ':' {
			continue
		}
		to := skipBack(line, i, " \t")
		if to > 1 && line[to-1] == ']' && (line[to-2] == '"' || line[to-2] == '\'') {
			to--
		}
		if to > 0 && (line[to-1] == '"' || line[to-1] == '\'') {
			to--
			if to > 0 && line[to-1] == '\\' {
				to--
			}
		}
		from := to
		for from > 0 && isNameByte(line[from-1]) {
			from--
		}
		for from < to && !isLetter(line[from]) {
			from++
		}
		value := i + 1
		for value < len(line) && (line[value] == ' ' || line[value] == '\t') {
			value++
		}
		if from < to {
			found = append(found, place{from, to, value})
		}
	}
	return found
}

func skipBack(line string, i int, what string) int {
	for i > 0 && strings.IndexByte(what, line[i-1]) >= 0 {
		i--
	}
	return i
}

func isLetter(c byte) bool { return isLower(c) || isUpper(c) }

func isNameByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// findOptions finds --name and the space before its value.
func findOptions(line string) []place {
	var found []place
	for _, m := range flag.FindAllStringSubmatchIndex(line, -1) {
		found = append(found, place{m[2], m[3], m[1]})
	}
	return found
}

// maskNamed masks the values behind the names found.
func maskNamed(line string, found []place, option bool) string {
	var b strings.Builder
	done := 0
	for _, p := range found {
		if p.value < done || secrecyOf(words(line[p.from:p.to])) == harmless {
			continue
		}
		from, to := valueSpan(line, p.value)
		value, between, how := line[from:to], line[p.to:p.value], byAssignment
		switch {
		case option && isOption(value):
			continue
		case option:
			how = byOption
		case strings.ContainsAny(between, `"'`) && from > p.value:
			// "name": "value" is data and no prose
		case strings.Contains(between, ":"):
			how = byColon
		}
		if from == to || !isSecret(line[p.from:p.to], value, how) {
			continue
		}
		b.WriteString(line[done:from])
		b.WriteString(Mask)
		done = to
	}
	if done == 0 {
		return line
	}
	b.WriteString(line[done:])
	return b.String()
}

// valueSpan returns where the value that begins at start lies, without its
// quotes. A value that names a scheme (Basic, Bearer) reaches over the word
// after it.
func valueSpan(line string, start int) (from, to int) {
	rest := line[start:]
	if m := scheme.FindString(rest); m != "" {
		start += len(m)
		rest = line[start:]
	}
	for _, quote := range []string{`\"`, `"`, `'`} {
		if !strings.HasPrefix(rest, quote) {
			continue
		}
		from = start + len(quote)
		if end := strings.Index(line[from:], quote); end >= 0 {
			return from, from + end
		}
		return from, len(line)
	}
	if end := strings.IndexAny(rest, " \t\r\n\"'&"); end >= 0 {
		return start, start + end
	}
	return start, len(line)
}

package record

import "unicode/utf8"

// Most of the time that a recording takes to load went into encoding/json
// (seven tenths, by a profile). Rows of samples are therefore read by hand as
// far as they are what the Writer writes: flat objects of known keys. Whatever
// else comes (an escape, a key of a later version, a value of another kind)
// makes the scanner give up, and the row is read by encoding/json, which is
// what a row means. A test and a fuzz test hold that both read the same.

// target takes one JSON value; the fields of rows are targets.
type target interface {
	UnmarshalJSON(value []byte) error
}

// scanner goes through one line. Its methods report false where the line is
// not as simple as it reads.
type scanner struct {
	line []byte
	at   int
}

// next passes over white space and returns the byte after it, 0 at the end.
func (s *scanner) next() byte {
	for s.at < len(s.line) {
		switch c := s.line[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

// pass passes over one byte, which must be c.
func (s *scanner) pass(c byte) bool {
	if s.next() != c {
		return false
	}
	s.at++
	return true
}

// text reads a string without escapes, with its quotes.
func (s *scanner) text() ([]byte, bool) {
	if s.next() != '"' {
		return nil, false
	}
	end, wide := s.at+1, false
	for ; end < len(s.line) && s.line[end] != '"'; end++ {
		c := s.line[end]
		if c < ' ' || c == '\\' {
			return nil, false
		}
		wide = wide || c >= utf8.RuneSelf
	}
	if end == len(s.line) {
		return nil, false
	}
	out := s.line[s.at : end+1]
	s.at = end + 1
	return out, !wide || utf8.Valid(out)
}

// value reads a string, a number, a literal, or a list of strings.
func (s *scanner) value() ([]byte, bool) {
	switch c := s.next(); {
	case c == '"':
		return s.text()
	case c == '[':
		return s.texts()
	case c == '-' || isDigit(c):
		return s.number()
	}
	for _, word := range [...]string{"null", "true", "false"} {
		if end := s.at + len(word); end <= len(s.line) && string(s.line[s.at:end]) == word {
			s.at = end
			return s.line[end-len(word) : end], true
		}
	}
	return nil, false
}

// texts reads a list of strings.
func (s *scanner) texts() ([]byte, bool) {
	begin := s.at
	s.at++
	for first := true; s.next() != ']'; first = false {
		if !first && !s.pass(',') {
			return nil, false
		}
		if _, ok := s.text(); !ok {
			return nil, false
		}
	}
	s.at++
	return s.line[begin:s.at], true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// number reads a number as JSON has it, without an exponent.
func (s *scanner) number() ([]byte, bool) {
	begin := s.at
	if s.line[s.at] == '-' {
		s.at++
	}
	whole := s.digits()
	ok := whole == 1 || whole > 1 && s.line[s.at-whole] != '0'
	if s.at < len(s.line) && s.line[s.at] == '.' {
		s.at++
		ok = s.digits() > 0 && ok
	}
	return s.line[begin:s.at], ok // what follows must be a comma or an end
}

func (s *scanner) digits() int {
	begin := s.at
	for s.at < len(s.line) && isDigit(s.line[s.at]) {
		s.at++
	}
	return s.at - begin
}

// members reads an object; each is called at the value of every key.
func (s *scanner) members(each func(key []byte) bool) bool {
	if !s.pass('{') {
		return false
	}
	for first := true; s.next() != '}'; first = false {
		if !first && !s.pass(',') {
			return false
		}
		key, ok := s.text()
		if !ok || !s.pass(':') || !each(key[1:len(key)-1]) {
			return false
		}
	}
	return s.pass('}')
}

// into reads a value into a target; nil is a key that is not known here.
func (s *scanner) into(to target) bool {
	if to == nil {
		return false
	}
	value, ok := s.value()
	return ok && to.UnmarshalJSON(value) == nil
}

// rowsInto reads a list of objects into rows, whose room is used again.
func rowsInto[T any](s *scanner, rows []T, field func(*T, []byte) target) ([]T, bool) {
	if !s.pass('[') {
		return rows, false
	}
	for first := true; s.next() != ']'; first = false {
		if !first && !s.pass(',') {
			return rows, false
		}
		var blank T
		rows = append(rows, blank)
		row := &rows[len(rows)-1]
		if !s.members(func(key []byte) bool { return s.into(field(row, key)) }) {
			return rows, false
		}
	}
	return rows, s.pass(']')
}

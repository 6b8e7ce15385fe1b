package procs

import (
	"fmt"
	"strings"
)

// WordError is a word of a filter that means nothing.
type WordError struct {
	Word       string // as it was written
	Start, End int    // its bytes in the filter
	Problem    string // what is wrong, and what would be right
}

// Error names the word and says what would be right.
func (e *WordError) Error() string { return fmt.Sprintf("%q: %s", e.Word, e.Problem) }

// ParseFilter reads a filter. Words apart by spaces must all hold, and | stands
// between alternatives and binds weaker:
//
//	train                command, user or container holds it, in any case
//	torch                that, or the process has PyTorch loaded
//	user:ann gpu:0,2-3   a field is one of these; text of cmd and container is held
//	mem>2G time>=1h30m   : = != > < >= <= compare, ~ looks inside; 2G is 2 GiB
//	!user:bob -jupyter   not
//	alloc:unknown        there is no figure
//	"user:x" --lr=1      quotes, or two dashes at the start, take the meaning away
//
// The fields are FilterFields. A figure that is not known is neither equal to
// a value nor different from it. The error is a *WordError for the first word
// that is wrong; the filter is then that of the others.
func ParseFilter(s string) (Filter, error) { return parse(s, false) }

// ParseTyping reads a filter that is still being typed: its last word, up to
// which no space was typed, is no error. As far as it is clear it counts, with
// what begins like it for users, states and PIDs.
func ParseTyping(s string) (Filter, error) { return parse(s, true) }

func parse(s string, typing bool) (Filter, error) {
	p := parser{words: lex(s)}
	if last := len(p.words) - 1; typing && last >= 0 && p.words[last].end == len(s) {
		p.unfinished, p.typing = last, true
	}
	p.typed = typing
	return p.parse()
}

type parser struct {
	words      []word
	typed      bool // nothing at the end is an error
	typing     bool // the word unfinished may go on
	unfinished int
	err        *WordError
}

func (p *parser) parse() (Filter, error) {
	var f Filter
	var terms []term
	lastBar := -1 // −1: the filter begins here
	for i := range p.words {
		w := &p.words[i]
		if !w.bar {
			t, problem := p.term(i)
			if problem != "" {
				p.fail(i, problem)
			} else {
				terms = append(terms, t)
			}
			continue
		}
		if i == lastBar+1 {
			p.fail(i, "nothing stands before |; write one | other, or put it in quotes")
		}
		f.add(terms)
		terms, lastBar = nil, i
	}
	f.add(terms)
	if lastBar >= 0 && lastBar == len(p.words)-1 && !p.typed {
		p.fail(lastBar, "nothing stands behind |; write one | other, or put it in quotes")
	}
	if p.err != nil {
		return f, p.err
	}
	return f, nil
}

// add adds an alternative; one that asks nothing is none.
func (f *Filter) add(terms []term) {
	if len(terms) > 0 {
		f.any = append(f.any, terms)
	}
}

func (p *parser) fail(i int, problem string) {
	if p.err != nil || p.typing && i == p.unfinished {
		return
	}
	w := &p.words[i]
	p.err = &WordError{Word: w.source, Start: w.start, End: w.end, Problem: problem}
}

// term reads one word; the problem is empty when it means something.
func (p *parser) term(i int) (term, string) {
	w := &p.words[i]
	if w.open && (!p.typing || i != p.unfinished) {
		return term{}, "the quote is not closed"
	}
	at, not := negations(w)
	if at == len(w.text) {
		if at > 0 {
			return term{}, "nothing stands behind it; write !user:bob or -jupyter"
		}
		return term{}, "nothing stands between the quotes"
	}
	name, operator := split(w, at)
	if operator == "" {
		test := holds(w.text[at:])
		if !w.anyQuoted(at) && isTorch(w.text[at:]) {
			test = hasTorch(test)
		}
		return term{not: not, test: test}, ""
	}
	if name == "" {
		return term{}, "a comparison needs a field before it and no spaces, such as mem>2G"
	}
	f, ok := fieldNamed(name)
	if !ok {
		return term{}, fmt.Sprintf("there is no field %s; there are %s; put it in quotes to look for it", name, strings.Join(FilterFields(), " "))
	}
	from := at + len(name) + len(operator)
	c := condition{
		field: f, operator: operator, value: w.text[from:], quoted: w.anyQuoted(from),
		unfinished: p.typing && i == p.unfinished && !not,
	}
	if c.operator == "==" {
		c.operator = "="
	}
	if c.value == "" {
		return term{}, fmt.Sprintf("a value must follow without a space, such as %s", f.example)
	}
	test, problem := f.compile(&c)
	return term{not: not, test: test}, problem
}

// negations counts the signs of negation before a word. Two dashes begin an
// option of a command line, which is a word like any other.
func negations(w *word) (at int, not bool) {
	for at < len(w.text) && w.plainAt(at) {
		switch {
		case w.text[at] == '!' && !strings.HasPrefix(w.text[at:], "!="):
		case w.text[at] == '-' && (!strings.HasPrefix(w.text[at:], "--") || !w.plainAt(at+1)):
			return at + 1, !not
		default:
			return at, not
		}
		at++
		not = !not
	}
	return at, not
}

// split returns the field and the operator of a word; both are empty for a
// word without a field.
func split(w *word, at int) (name, operator string) {
	end := at
	for end < len(w.text) && w.plainAt(end) && (isLetter(w.text[end]) || end > at && w.text[end] == '-') {
		end++
	}
	for _, op := range []string{"!=", ">=", "<=", "==", ":", "=", ">", "<", "~"} {
		if end == at && (op == ":" || op == "~") {
			continue // ~/train.py
		}
		if strings.HasPrefix(w.text[end:], op) && w.plainAt(end) && w.plainAt(end+len(op)-1) {
			return w.text[at:end], op
		}
	}
	return "", ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// holds tests whether the command, the user or the container holds a text.
func holds(s string) func(*Row) bool {
	s = strings.ToLower(s)
	return func(r *Row) bool {
		return contains(r.Command, s) || contains(r.User, s) || contains(r.Container, s)
	}
}

// isTorch tells whether a word asks for PyTorch, which few command lines name.
func isTorch(s string) bool { return strings.EqualFold(s, "torch") || strings.EqualFold(s, "pytorch") }

// hasTorch tests also whether PyTorch was found in the process, or in its log.
func hasTorch(otherwise func(*Row) bool) func(*Row) bool {
	return func(r *Row) bool { return r.Allocator != nil || otherwise(r) }
}

// contains tells whether a text holds another one, which is in lower case.
func contains(s, lower string) bool { return strings.Contains(strings.ToLower(s), lower) }

package procs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// condition is a field, an operator and a value.
type condition struct {
	field      *field
	operator   string
	value      string
	quoted     bool
	unfinished bool // the value may go on
}

// field is what a filter can ask of a row.
type field struct {
	names   []string // the first is the one to show
	example string
	compile func(c *condition) (test func(*Row) bool, problem string)
}

// FilterFields returns the names of the fields that a filter knows, in the
// order in which a help shows them.
func FilterFields() []string {
	names := make([]string, 0, 16)
	for _, f := range fields() {
		names = append(names, f.names[0])
	}
	return names
}

func fields() []field {
	bytesOf := func(id ColumnID) func(*Row) monitor.Reading[float64] {
		return func(r *Row) monitor.Reading[float64] {
			v, _ := r.bytes(id)
			return monitor.Map(v, func(n int64) float64 { return float64(n) })
		}
	}
	size := func(id ColumnID) func(*condition) (func(*Row) bool, string) {
		return quantityField(bytesOf(id), parseSize, around)
	}
	return []field{
		{[]string{"user"}, "user:ann", textField(func(r *Row) []string { return some(r.User) }, false)},
		{[]string{"pid"}, "pid:446", intField(func(r *Row) monitor.Reading[int] { return r.PID }, true)},
		{[]string{"gpu"}, "gpu:1", intField(func(r *Row) monitor.Reading[int] { return r.GPU }, false)},
		{[]string{"rank"}, "rank:0-3", intField(func(r *Row) monitor.Reading[int] { return r.Rank }, false)},
		{[]string{"cmd", "command"}, "cmd:train.py", textField(func(r *Row) []string { return some(r.Command) }, true)},
		{[]string{"container"}, "container:docker", textField(containers, true)},
		{[]string{"state"}, "state:zombie", textField(states, false)},
		{[]string{"mem", "used"}, "mem>2G", size(ColumnUsed)},
		{[]string{"alloc", "allocated"}, "alloc>2G", size(ColumnAllocated)},
		{[]string{"reserved"}, "reserved>2G", size(ColumnReserved)},
		{[]string{"cache"}, "cache>500M", size(ColumnCache)},
		{[]string{"nontorch", "non-torch"}, "nontorch>500M", size(ColumnNonTorch)},
		{[]string{"host"}, "host>10G", size(ColumnHost)},
		{[]string{"cpu"}, "cpu>50", quantityField(func(r *Row) monitor.Reading[float64] { return r.CPUPercent }, parsePercent, around)},
		{[]string{"time"}, "time>1h", quantityField(func(r *Row) monitor.Reading[float64] {
			return monitor.Map(r.Age, func(d time.Duration) float64 { return float64(d) })
		}, parseTime, from)},
	}
}

func fieldNamed(name string) (*field, bool) {
	name = strings.ToLower(name)
	all := fields()
	for i := range all {
		for _, n := range all[i].names {
			if n == name {
				return &all[i], true
			}
		}
	}
	return nil, false
}

// wordUnknown as a value stands for a field that is not known.
const wordUnknown = "unknown"

func (c *condition) asksUnknown() bool {
	return !c.quoted && strings.EqualFold(c.value, wordUnknown) && (c.operator == ":" || c.operator == "=" || c.operator == "!=")
}

// some is a text that is known unless it is empty.
func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// containers returns the container as shown, its parts, and "none" for a
// process that is known to be in none.
func containers(r *Row) []string {
	switch {
	case r.Container != "":
		runtime, id, _ := strings.Cut(r.Container, " ")
		return append(some(id), r.Container, runtime)
	case r.Process != nil && !r.ID.IsJob():
		return []string{"none"}
	}
	return nil
}

// states returns every word that a state can be called by.
func states(r *Row) []string {
	var out []string
	if r.State != "" {
		out = append(out, r.State)
	}
	if r.Allocator != nil {
		out = append(out, r.Allocator.State.String())
	}
	if r.Process != nil && r.Process.State != "" {
		out = append(out, r.Process.State)
		if word := processState(r.Process.State); word != "" {
			out = append(out, word)
		}
	}
	return out
}

// textField compares texts without regard to case. With inside, : looks inside
// the text as ~ does; otherwise it asks for the whole text, and commas stand
// between several.
func textField(get func(*Row) []string, inside bool) func(*condition) (func(*Row) bool, string) {
	return func(c *condition) (func(*Row) bool, string) {
		if c.asksUnknown() {
			equal := c.operator != "!="
			return func(r *Row) bool { return (len(get(r)) == 0) == equal }, ""
		}
		values := []string{strings.ToLower(c.value)}
		if !inside && !c.quoted {
			values = strings.Split(values[0], ",")
		}
		fits := func(s, value string) bool { return strings.EqualFold(s, value) }
		switch {
		case c.operator == "~", c.operator == ":" && inside:
			fits = contains
		case c.operator == ":" || c.operator == "=":
			if c.unfinished {
				fits = func(s, value string) bool { return strings.HasPrefix(strings.ToLower(s), value) }
			}
		case c.operator != "!=":
			return nil, fmt.Sprintf("%s is text, which %s does not compare; use : = != or ~, such as %s", c.field.names[0], c.operator, c.field.example)
		}
		equal := c.operator != "!="
		return func(r *Row) bool {
			texts := get(r)
			return len(texts) > 0 && anyFits(texts, values, fits) == equal
		}, ""
	}
}

func anyFits(texts, values []string, fits func(s, value string) bool) bool {
	for _, value := range values {
		for _, s := range texts {
			if value != "" && fits(s, value) {
				return true
			}
		}
	}
	return false
}

// span is whole numbers from first to last.
type span struct{ first, last int }

// intField compares whole numbers; : = and != take several and ranges, such as
// 0,4-7. With prefix, a number that is still being typed fits what begins like
// it.
func intField(get func(*Row) monitor.Reading[int], prefix bool) func(*condition) (func(*Row) bool, string) {
	return func(c *condition) (func(*Row) bool, string) {
		if c.asksUnknown() {
			equal := c.operator != "!="
			return func(r *Row) bool { return !get(r).Known() == equal }, ""
		}
		if c.unfinished {
			c.value = strings.TrimRight(c.value, ",-")
		}
		if c.operator == "~" || c.unfinished && prefix && (c.operator == ":" || c.operator == "=") {
			if _, err := strconv.ParseUint(c.value, 10, 63); err == nil {
				fits := strings.Contains
				if c.operator != "~" {
					fits = strings.HasPrefix
				}
				return known(get, func(n int) bool { return fits(strconv.Itoa(n), c.value) }), ""
			}
		}
		spans, ok := parseSpans(c.value)
		single := ok && len(spans) == 1 && spans[0].first == spans[0].last
		switch compare := comparison(c.operator); {
		case c.operator == "~" || !ok:
			return nil, fmt.Sprintf("%s is a whole number, such as %s; several are written 0,4-7", c.field.names[0], c.field.example)
		case compare != nil && !single:
			return nil, fmt.Sprintf("%s compares with one number, such as %s%s3", c.operator, c.field.names[0], c.operator)
		case compare != nil:
			return known(get, func(n int) bool { return compare(float64(n), float64(spans[0].first)) }), ""
		}
		equal := c.operator != "!="
		return known(get, func(n int) bool { return within(spans, n) == equal }), ""
	}
}

func known[T any](get func(*Row) monitor.Reading[T], test func(T) bool) func(*Row) bool {
	return func(r *Row) bool {
		v, ok := get(r).Get()
		return ok && test(v)
	}
}

func within(spans []span, n int) bool {
	for _, s := range spans {
		if n >= s.first && n <= s.last {
			return true
		}
	}
	return false
}

// parseSpans reads 0,4-7.
func parseSpans(s string) ([]span, bool) {
	var out []span
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(part, "-")
		a, err := strconv.ParseUint(first, 10, 31)
		if err != nil {
			return nil, false
		}
		b := a
		if isRange {
			if b, err = strconv.ParseUint(last, 10, 31); err != nil || b < a {
				return nil, false
			}
		}
		out = append(out, span{int(a), int(b)})
	}
	return out, true
}

// comparison returns the comparison of an operator; nil for one that asks
// whether a value is equal.
func comparison(operator string) func(a, b float64) bool {
	switch operator {
	case ">":
		return func(a, b float64) bool { return a > b }
	case "<":
		return func(a, b float64) bool { return a < b }
	case ">=":
		return func(a, b float64) bool { return a >= b }
	case "<=":
		return func(a, b float64) bool { return a <= b }
	}
	return nil
}

// around tells whether a value would be written like that when rounded.
func around(v float64, q quantity) bool {
	if q.value == 0 {
		return v == 0
	}
	return v >= q.value-q.step/2 && v < q.value+q.step/2
}

// from tells whether a value would be written like that when cut.
func from(v float64, q quantity) bool { return v >= q.value && v < q.value+q.step }

// quantityField compares figures with a unit. Equal is what would be written
// like the value: mem=2G holds from 1.5 to 2.5 GiB, mem=2.0G from 1.95 to 2.05.
func quantityField(
	get func(*Row) monitor.Reading[float64], parse func(string) (quantity, string), equals func(float64, quantity) bool,
) func(*condition) (func(*Row) bool, string) {
	finite := func(r *Row) monitor.Reading[float64] {
		if v, ok := get(r).Get(); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
			return monitor.Unknown[float64](monitor.Failed, "it is no number")
		}
		return get(r)
	}
	return func(c *condition) (func(*Row) bool, string) {
		if c.asksUnknown() {
			equal := c.operator != "!="
			return func(r *Row) bool { return !finite(r).Known() == equal }, ""
		}
		q, problem := parse(c.value)
		switch compare := comparison(c.operator); {
		case problem != "":
			return nil, problem
		case c.operator == "~":
			return nil, fmt.Sprintf("~ looks inside text and %s is a figure; use = != > < >= or <=, such as %s", c.field.names[0], c.field.example)
		case compare != nil:
			return known(finite, func(v float64) bool { return compare(v, q.value) }), ""
		}
		equal := c.operator != "!="
		return known(finite, func(v float64) bool { return equals(v, q) == equal }), ""
	}
}

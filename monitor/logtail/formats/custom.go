package formats

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// Custom is a user's own format: one regular expression with named groups.
type Custom struct {
	re     *regexp.Regexp
	groups map[string]int
}

// customGroups are the names that a group may have. The first four are
// figures; "unit" is what stands behind all of them.
var customGroups = []string{"allocated", "reserved", "max_allocated", "max_reserved", "unit", "rank", "gpu", "step"}

// NewCustom checks a user's format. Its groups are allocated, reserved,
// max_allocated, max_reserved (one of these at least), unit, rank, gpu and
// step. A figure may carry its own unit, "4.87 GB"; without any, whole numbers
// from 1 MiB on are bytes and others are not read. The error names what is
// wrong.
func NewCustom(pattern string) (*Custom, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("log format %q: %w", pattern, err)
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("log format %q: it matches the empty line, so it would match every line", pattern)
	}
	c := &Custom{re: re, groups: make(map[string]int)}
	for i, name := range re.SubexpNames() {
		switch {
		case name == "":
		case !known(name):
			return nil, fmt.Errorf("log format %q: group %q is not one of %s", pattern, name, strings.Join(customGroups, ", "))
		case c.groups[name] > 0:
			return nil, fmt.Errorf("log format %q: group %q stands twice", pattern, name)
		default:
			c.groups[name] = i
		}
	}
	for _, name := range customGroups[:4] {
		if c.groups[name] > 0 {
			return c, nil
		}
	}
	return nil, fmt.Errorf("log format %q: %w", pattern, errNoFigure)
}

var errNoFigure = errors.New("no group for a figure: name one allocated, reserved, max_allocated or max_reserved, as in (?P<allocated>[0-9.]+)")

func known(name string) bool {
	for _, g := range customGroups {
		if g == name {
			return true
		}
	}
	return false
}

// custom reads the line by the user's format and reports whether it fitted.
func (p *Parser) custom(line *monitor.LogLine, h hints) bool {
	c := p.cfg.Custom
	m := c.re.FindStringSubmatch(p.text)
	if m == nil {
		return false
	}
	p.linestep.scan(p.text, p.first)
	p.announce(h)
	text := func(name string) string {
		if i := c.groups[name]; i > 0 {
			return strings.TrimSpace(m[i])
		}
		return ""
	}
	d := draft{frame: plain, basis: monitor.UnitStated, step: p.linestep}
	figures := [...]counter{counterA, counterR, counterMaxA, counterMaxR}
	for i, name := range customGroups[:4] {
		p.customFigure(&d, figures[i], text(name), text("unit"))
	}
	if !d.any() {
		return false
	}
	if n, ok := small(text("rank"), maxRank); ok {
		d.place.rank, d.place.hasRank = n, true
	}
	if n, ok := small(text("gpu"), maxDevice); ok {
		d.place.gpu, d.place.hasGPU = n, true
	}
	if n, err := strconv.ParseInt(strings.ReplaceAll(text("step"), ",", ""), 10, 64); err == nil && n >= 0 && n <= maxCount {
		d.step.step, d.step.hasStep = n, true
	}
	p.emitDraft(&d, line)
	return true
}

func (p *Parser) customFigure(d *draft, c counter, figureText, unitText string) {
	if figureText == "" {
		return
	}
	p.cells = tokenize(figureText, p.cells)
	if len(p.cells) == 0 || p.cells[0].kind != kindNumber {
		return
	}
	t := p.cells[0]
	if strings.Contains(figureText[:t.start], "-") || digitsFollow(figureText[t.end:]) {
		return // a difference, or no number, as 1.2.3
	}
	u := t.unit
	if u.form == unitNone && unitText != "" {
		if len(unitText) == 1 {
			u, _ = letterUnit(unitText[0])
		} else {
			u, _ = wordUnit([]byte(strings.ToLower(unitText)))
		}
	}
	if u.form == unitNone {
		if !t.whole || t.value < 1<<20 {
			return
		}
		u = unit{form: unitBytes, letter: true}
	}
	g := figure{counter: c, value: t.value, decimals: int(t.decimals), unit: u}
	p.div.weigh(&g)
	binary, basis := p.divisorOf2(u)
	if b, ok := u.toBytes(t.value, binary); ok {
		d.set(c, b)
		d.basis = weaker(d.basis, basis)
	}
}

// digitsFollow reports whether digits follow a number behind a point or a comma.
func digitsFollow(rest string) bool {
	return len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') && isDigit(rest[1])
}

package formats

import (
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// csvTable is a CSV file of metrics: a header row names the columns once, the
// rows below have figures only.
type csvTable struct {
	open    bool
	columns []csvColumn
	bad     int // rows since the last that fitted
}

type csvColumn struct {
	counter counter
	unit    unit
	step    bool
	epoch   bool
	rank    bool
	gpu     bool
}

// maxCSVColumns bounds a header; maxCSVMisses is how many other lines may
// stand between rows.
const (
	maxCSVColumns = 256
	maxCSVMisses  = 64
)

// csvFrame names no producer: the columns are the user's own.
var csvFrame = &frame{}

// csvLine takes a header row or a row below one.
func (p *Parser) csvLine(line *monitor.LogLine, h hints) bool {
	if h&(hintMemory|hintSized) != 0 && p.csvHeader() {
		return true
	}
	if !p.csv.open {
		return false
	}
	if p.csvRow(line) {
		p.csv.bad = 0
		return true
	}
	if p.csv.bad++; p.csv.bad > maxCSVMisses {
		p.csv = csvTable{}
	}
	return false
}

// csvHeader opens a table when the line is nothing but column names of which
// one counts memory.
func (p *Parser) csvHeader() bool {
	if strings.IndexByte(p.text, ',') < 0 || strings.ContainsAny(p.text, ":={}|;\t") || !isHeader(p.text) {
		return false
	}
	names := strings.Split(p.text, ",")
	columns, found := make([]csvColumn, len(names)), false
	for i, name := range names {
		columns[i] = p.csvColumn(cellText(name))
		found = found || columns[i].counter.isTorch()
	}
	if !found {
		return false
	}
	p.csv = csvTable{open: true, columns: columns}
	return true
}

// isHeader reports whether all cells of a line can be names. The first may be
// empty, as that of an index.
func isHeader(s string) bool {
	for n := 0; ; n++ {
		cell, rest, more := strings.Cut(s, ",")
		if name := cellText(cell); n >= maxCSVColumns || !isColumnName(name) && (name != "" || n > 0) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

// cellText returns a cell without blanks and quotes around it.
func cellText(s string) string { return strings.Trim(strings.TrimSpace(s), "\"'`") }

// isColumnName reports whether a cell of a header row can be one: a name, with
// a unit in brackets at most.
func isColumnName(name string) bool {
	if i := strings.IndexAny(name, "[("); i > 0 && (name[len(name)-1] == ']' || name[len(name)-1] == ')') {
		name = strings.TrimRight(name[:i], " ")
	}
	return name != "" && !isDigit(name[0]) && strings.IndexByte(name, ' ') < 0
}

func (p *Parser) csvColumn(name string) csvColumn {
	var c csvColumn
	low := strings.ToLower(name)
	switch low {
	case "rank", "global_rank":
		c.rank = true
	case "gpu", "gpu_id", "device":
		c.gpu = true
	}
	base := low[strings.LastIndexAny(low, "/.")+1:]
	c.step = stepWeight([]byte(base)) > 0
	c.epoch = isEpochWord([]byte(base))
	p.words, p.labels = p.words[:0], p.labels[:0]
	toks := tokenize(name, nil)
	l := label{first: len(p.words), colon: true}
	for _, t := range toks {
		if t.kind == kindWord {
			p.addIdentifier(&l, name[t.start:t.end])
		}
	}
	l.last = len(p.words)
	c.counter, _ = statsFrame.lookup(p, l)
	if c.counter == counterNone {
		c.counter = p.classify(l)
		if p.isShort(l) {
			c.counter = counterNone // nothing beside it can be weighed
		}
	}
	c.unit = l.unit
	return c
}

// csvRow reads a row of figures.
func (p *Parser) csvRow(line *monitor.LogLine) bool {
	if strings.Count(p.text, ",")+1 != len(p.csv.columns) {
		return false
	}
	d := draft{frame: csvFrame, basis: monitor.UnitStated}
	rest := p.text
	for i := range p.csv.columns {
		cell := rest
		if j := strings.IndexByte(rest, ','); j >= 0 {
			cell, rest = rest[:j], rest[j+1:]
		}
		p.csvCell(&d, &p.csv.columns[i], cellText(cell))
	}
	if !d.any() {
		return true
	}
	p.emitDraft(&d, line)
	return true
}

func (p *Parser) csvCell(d *draft, c *csvColumn, cell string) {
	if cell == "" || !isDigit(cell[0]) {
		return
	}
	var t token
	readNumber(&t, cell, 0)
	if int(t.end) != len(cell) {
		return
	}
	switch {
	case (c.step || c.epoch) && !isCount(t.value):
		return
	case c.step && !d.step.hasStep:
		d.step.step, d.step.hasStep = int64(t.value), true
	case c.epoch:
		d.step.epoch, d.step.hasEpoch = t.value, true
	case c.rank && t.value <= maxRank:
		d.place.rank, d.place.hasRank = int(t.value), true
	case c.gpu && t.value <= maxDevice:
		d.place.gpu, d.place.hasGPU = int(t.value), true
	case c.counter == counterNone:
		return
	}
	u := c.unit
	if u.form == unitNone {
		if !t.whole || t.value < 1<<20 {
			return
		}
		u = unit{form: unitBytes, letter: true}
	}
	g := figure{counter: c.counter, value: t.value, decimals: int(t.decimals), unit: u}
	p.div.weigh(&g)
	binary, basis := p.divisorOf2(u)
	if b, ok := u.toBytes(t.value, binary); ok {
		d.set(c.counter, b)
		d.basis = weaker(d.basis, basis)
	}
}

// divisorOf2 settles a unit outside any frame.
func (p *Parser) divisorOf2(u unit) (bool, monitor.UnitBasis) {
	switch {
	case u.form == unitBytes && u.letter:
		return false, monitor.UnitInferred
	case u.form != unitBare:
		return true, monitor.UnitStated
	}
	return p.div.settle(u)
}

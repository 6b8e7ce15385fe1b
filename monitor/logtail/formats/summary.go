package formats

import (
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// table is a torch.cuda.memory_summary() whose rows come in one by one
// (torch/cuda/memory.py). Two rows matter: "Allocated memory" and "GPU
// reserved memory"; they are floored, and their "MB" has always been 2^20.
type table struct {
	line  monitor.LogLine
	place place
	step  progress
	draft draft
	rows  int
	other bool // of another backend: nothing in it is ours
}

// summaryFrame is the producer of these tables.
var summaryFrame = &frame{producer: "PyTorch memory_summary", divisor: 1024}

// loneRow is of a row without its table: nothing in it is a figure of ours.
var loneRow = &frame{silent: true}

// summaryTitle is in the title of a table.
const summaryTitle = "memory summary, device ID "

// summaryLine takes a line that belongs to a table and reports whether it did.
func (p *Parser) summaryLine(line *monitor.LogLine) bool {
	s := p.text
	if p.survey.heads.any() {
		if i := strings.Index(s, summaryTitle); i >= 0 {
			p.openTable(line, i)
			return true
		}
	}
	name, cells, ok := tableRow(s)
	if !ok {
		if p.table != nil && !strings.Contains(s, "|") && strings.TrimSpace(s) != "" {
			p.used = true
			p.closeTable()
		}
		return false
	}
	c := counterNone
	switch name {
	case "Allocated memory":
		c = counterA
	case "GPU reserved memory":
		c = counterR
	}
	if p.table == nil {
		if c == counterNone {
			p.survey.frame = loneRow
			return false
		}
		p.table = &table{line: withoutText(*line), place: p.lineplace, step: p.linestep}
	}
	if c == counterNone || p.table.other {
		return true
	}
	p.tableFigures(c, cells)
	if c == counterR {
		p.closeTable()
	}
	return true
}

// openTable begins a table at its title, in which summaryTitle stands at i.
func (p *Parser) openTable(line *monitor.LogLine, i int) {
	p.closeTable()
	before := p.text[:i]
	p.table = &table{
		line: withoutText(*line), place: p.lineplace, step: p.linestep,
		other: !strings.Contains(before, "CUDA") && !strings.Contains(before, "HIP"),
	}
	if n, _, ok := intAfter(p.text, i+len(summaryTitle)); ok && n <= maxDevice {
		p.table.place.gpu, p.table.place.hasGPU = int(n), true
	}
}

// isRow reports whether a cell is the name of a row of these tables.
func isRow(name string) bool {
	switch name {
	case "Allocated memory", "GPU reserved memory", "Active memory", "Requested memory", "Non-releasable memory",
		"Allocations", "Active allocs", "GPU reserved segments", "Non-releasable allocs",
		"Oversize allocations", "Oversize GPU segments", "from large pool", "from small pool", "Metric":
		return true
	}
	return false
}

// tableRow finds the row of a table in a line: the cell that is the name of a
// row, and the cells behind it.
func tableRow(s string) (string, string, bool) {
	for from, n := strings.IndexByte(s, '|')+1, 0; from > 0 && n < 8; n++ {
		end := strings.IndexByte(s[from:], '|')
		if end < 0 {
			break
		}
		name := strings.TrimSpace(s[from : from+end])
		if isRow(name) {
			return name, s[from+end:], true
		}
		from += end + 1
	}
	return "", "", false
}

// tableFigures takes the current and the peak figure of a row.
func (p *Parser) tableFigures(c counter, cells string) {
	p.cells = tokenize(cells, p.cells)
	n := 0
	for i, t := range p.cells {
		if t.kind != kindNumber {
			continue
		}
		if i+1 < len(p.cells) && t.unit.form == unitNone && p.cells[i+1].gap <= 1 && cells[p.cells[i+1].start:p.cells[i+1].end] == "B" {
			t.unit = unit{form: unitBytes}
		}
		if t.unit.form == unitNone {
			return
		}
		b, ok := t.unit.toBytes(t.value, true)
		if !ok {
			return
		}
		if t.unit.form == unitBare {
			p.table.draft.basis = monitor.UnitInferred
		}
		if n == 0 {
			p.table.draft.set(c, b)
			p.table.rows++
		} else {
			p.table.draft.set(c.peak(), b)
			break
		}
		n++
	}
}

// closeTable gives the reading of an open table that has one.
func (p *Parser) closeTable() {
	t := p.table
	p.table = nil
	if t == nil || t.rows == 0 {
		return
	}
	d := t.draft
	d.frame, d.place, d.step = summaryFrame, t.place, t.step
	if d.basis == "" {
		d.basis = monitor.UnitStated
	}
	p.emitDraft(&d, &t.line)
}

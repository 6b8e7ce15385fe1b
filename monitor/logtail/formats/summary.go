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

// summaryLine takes a line that belongs to a table and reports whether it did.
func (p *Parser) summaryLine(line monitor.LogLine) bool {
	s := p.text
	if i := strings.Index(s, "memory summary, device ID "); i >= 0 {
		p.closeTable()
		p.table = &table{line: withoutText(line), place: p.lineplace, step: p.linestep, other: !strings.Contains(s[:i], "CUDA") && !strings.Contains(s[:i], "HIP")}
		if n, _, ok := intAfter(s, i+len("memory summary, device ID")); ok && n <= maxDevice {
			p.table.place.gpu, p.table.place.hasGPU = int(n), true
		}
		return true
	}
	name, cells, ok := tableRow(s)
	if !ok {
		if p.table != nil && !strings.Contains(s, "|") && strings.TrimSpace(s) != "" {
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
			return knownRows[name]
		}
		p.table = &table{line: withoutText(line), place: p.lineplace, step: p.linestep}
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

// knownRows are the rows that are nothing of ours when they stand alone.
var knownRows = map[string]bool{
	"Active memory": true, "Requested memory": true, "Non-releasable memory": true, "Allocations": true,
	"Active allocs": true, "GPU reserved segments": true, "Non-releasable allocs": true,
	"Oversize allocations": true, "Oversize GPU segments": true, "from large pool": true, "from small pool": true, "Metric": true,
}

// tableRow splits "| Allocated memory | 14935 MB | … |" into its name and the
// rest.
func tableRow(s string) (string, string, bool) {
	i := strings.IndexByte(s, '|')
	if i < 0 {
		return "", "", false
	}
	j := strings.IndexByte(s[i+1:], '|')
	if j < 10 || j > 40 {
		return "", "", false
	}
	name := strings.TrimSpace(s[i+1 : i+1+j])
	if name == "" || strings.Count(s[i+1+j:], "|") < 4 && !knownRows[name] && name != "Allocated memory" && name != "GPU reserved memory" {
		return "", "", false
	}
	return name, s[i+1+j:], true
}

// tableFigures takes the current and the peak figure of a row.
func (p *Parser) tableFigures(c counter, cells string) {
	p.cells = tokenize(cells, p.cells)
	n := 0
	for i, t := range p.cells {
		if t.kind != kindNumber {
			continue
		}
		if i+1 < len(p.cells) && t.unit.form == unitNone && cells[p.cells[i+1].start:p.cells[i+1].end] == "B" {
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
		} else {
			p.table.draft.set(c.peak(), b)
			break
		}
		n++
	}
	p.table.rows++
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
	p.emit(d.reading(t.line))
}

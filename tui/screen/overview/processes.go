package overview

import (
	"slices"
	"strings"

	"github.com/vramscope/vramscope/tui/procs"
	"github.com/vramscope/vramscope/tui/screen"
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/table"
)

// processes is the process table of one frame.
type processes struct {
	table   *procs.Table
	listing procs.Listing
	columns []procs.Column
	th      *theme.Theme
	row     []table.Cell
}

// processesOf joins, filters and orders the processes of the moment on screen.
func (o *Overview) processesOf(st *screen.State) *processes {
	p := &processes{table: o.joiner.Join(st.Sample), columns: columnsOf(st.Settings.Columns), th: st.Theme}
	view := procs.View{Filter: o.filter, Order: orderOf(st.Settings), Collapsed: o.collapsed}
	switch {
	case st.Settings.Group:
		view.Mode = procs.Jobs
	case st.Settings.Tree:
		view.Mode = procs.Tree
	}
	p.listing = p.table.Lines(view)
	return p
}

func orderOf(s screen.Settings) procs.Order {
	id := procs.ColumnID(s.Sort)
	if _, ok := procs.ColumnOf(id); !ok {
		return procs.Order{}
	}
	return procs.Order{By: id, Descending: procs.FirstDescending(id) != s.Reverse}
}

// columnsOf returns the chosen columns, or the default ones.
func columnsOf(names []string) []procs.Column {
	ids := make([]procs.ColumnID, len(names))
	for i, n := range names {
		ids[i] = procs.ColumnID(n)
	}
	if columns, err := procs.ChooseColumns(ids); err == nil {
		return columns
	}
	columns, _ := procs.ChooseColumns(procs.DefaultColumns())
	return columns
}

// set gives the table widget the columns and the mark of the sorted one.
func (p *processes) set(t *table.Table[procs.ID], s screen.Settings) {
	t.Columns = t.Columns[:0]
	t.Sorted, t.SortSign = -1, ""
	order := orderOf(s)
	for i, c := range p.columns {
		t.Columns = append(t.Columns, table.Column{Title: c.Title, Width: c.Width, Right: c.Right, Grow: c.Grow, Drop: c.Drop})
		if order.By != procs.ColumnNone && c.ID == order.By {
			t.Sorted, t.SortSign = i, p.th.Glyphs.Up
			if order.Descending {
				t.SortSign = p.th.Glyphs.Down
			}
		}
	}
}

// rows returns the rows for the table widget.
func (p *processes) rows() table.Rows[procs.ID] {
	lines := p.listing.Lines
	return table.Rows[procs.ID]{
		Count: len(lines),
		ID:    func(i int) procs.ID { return lines[i].ID() },
		Find:  func(id procs.ID) int { return procs.Find(lines, id) },
		Cells: func(i int) []table.Cell { return p.cells(&lines[i]) },
	}
}

// cells returns what a line shows. It holds until the next call.
func (p *processes) cells(l *procs.Line) []table.Cell {
	p.row = slices.Grow(p.row[:0], len(p.columns))[:len(p.columns)]
	cells := p.row
	for i, c := range p.columns {
		text := l.Row.Cell(c.ID, p.th.Glyphs.Unknown)
		if p.th.Glyphs.ASCII {
			text = p.th.Outside(text)
		}
		role := roleOf(c.ID, l)
		if c.ID == procs.ColumnCommand {
			text = p.indent(l) + text
		}
		cells[i] = table.Cell{Text: text, Role: role}
	}
	return cells
}

// indent shows how deep a line lies and whether there is more below it.
func (p *processes) indent(l *procs.Line) string {
	sign := ""
	if l.Fold != (procs.ID{}) {
		sign = p.th.Glyphs.Unfolded + " "
		if l.Collapsed {
			sign = p.th.Glyphs.Folded + " "
		}
	}
	return strings.Repeat("  ", l.Depth) + sign
}

func roleOf(id procs.ColumnID, l *procs.Line) theme.Role {
	if l.Context {
		return theme.Dim
	}
	switch id {
	case procs.ColumnPID:
		return theme.Strong
	case procs.ColumnAllocated:
		return theme.Allocated
	case procs.ColumnReserved:
		return theme.Reserved
	case procs.ColumnUsed:
		return theme.Used
	case procs.ColumnState:
		return theme.Warn
	case procs.ColumnRank:
		if odd(l.Row) {
			return theme.Warn
		}
	default:
	}
	return theme.Plain
}

// odd tells the rank of a job that differs from the others.
func odd(r *procs.Row) bool {
	return r.Job != nil && r.Job.Odd != nil && !r.ID.IsJob() && r.Job.Odd.ID == r.ID
}

package procs

import "slices"

// Mode is how the rows of a table stand to each other.
type Mode uint8

// The modes.
const (
	List Mode = iota // one row after the other
	Tree             // processes under their parents, launchers and workers too
	Jobs             // the ranks of a job under a row with its sums
)

// View is how to show a table. The zero View is the whole list in the table's
// own order.
type View struct {
	Filter Filter
	Order  Order
	Mode   Mode
	// Collapsed holds the names (Line.Fold) of what is folded. Names that are
	// not in the table are kept: what is gone may come back.
	Collapsed Collapsed
}

// Collapsed is a set of folded branches and jobs.
type Collapsed map[ID]bool

// Toggle returns the set with one name folded or unfolded. The set that it is
// called on does not change.
func (c Collapsed) Toggle(fold ID) Collapsed {
	out := make(Collapsed, len(c)+1)
	for id, folded := range c {
		if folded {
			out[id] = true
		}
	}
	if out[fold] {
		delete(out, fold)
	} else {
		out[fold] = true
	}
	return out
}

// Line is one line of a table as it is shown.
type Line struct {
	Row   *Row // never nil; read only
	Depth int  // 0 for the outermost
	// Fold is the name to collapse by; the zero ID where there is nothing below
	// to fold.
	Fold      ID
	Below     int  // lines that are shown below it, or would be if it were not folded
	Collapsed bool // it is folded
	// Context is true for a line that the filter does not match and that stands
	// here for one below it.
	Context bool
}

// ID returns the name of the line.
func (l Line) ID() ID { return l.Row.ID }

// Listing is the lines to show, and how much of the table that is.
type Listing struct {
	Lines []Line
	// Matched and Total count rows of processes on devices: those that the
	// filter matches, folded or not, and all.
	Matched, Total int
}

// Lines returns what to show.
func (t *Table) Lines(v View) Listing {
	listing := Listing{Total: len(t.rows)}
	match := make([]bool, len(t.rows))
	for i := range t.rows {
		if match[i] = v.Filter.Match(&t.rows[i]); match[i] {
			listing.Matched++
		}
	}
	switch v.Mode {
	case Tree:
		listing.Lines = t.treeLines(v, match)
	case Jobs:
		listing.Lines = t.jobLines(v, match)
	default:
		listing.Lines = t.listLines(v, match)
	}
	return listing
}

func (t *Table) listLines(v View, match []bool) []Line {
	lines := make([]Line, 0, len(t.rows))
	for i := range t.rows {
		if match[i] {
			lines = append(lines, Line{Row: &t.rows[i]})
		}
	}
	if v.Order.By != ColumnNone {
		slices.SortStableFunc(lines, func(a, b Line) int { return v.Order.Compare(a.Row, b.Row) })
	}
	return lines
}

// Find returns the place of a name among the lines, −1 when it is not there. A
// process that had no start time when it was selected is found by its PID.
func Find(lines []Line, id ID) int {
	later := -1
	for i := range lines {
		switch found := lines[i].ID(); {
		case found == id:
			return i
		case later < 0 && sameLater(found, id):
			later = i
		}
	}
	return later
}

// Row returns the row of that name, also that of a job; nil when there is none.
// Processes without a row of their own in the list are found by Lines alone.
func (t *Table) Row(id ID) *Row {
	for i := range t.jobs {
		if t.jobs[i].Row.ID == id {
			return &t.jobs[i].Row
		}
	}
	for i := range t.rows {
		if t.rows[i].ID == id {
			return &t.rows[i]
		}
	}
	return nil
}

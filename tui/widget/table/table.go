// Package table draws rows under column titles and keeps a selection. The
// selection is the identity of a row, not its place, so that it survives
// sorting and refresh.
//
// It must not know what the rows are. Which columns fit is decided from the
// width alone, never from the data, so that columns do not move.
package table

import (
	"github.com/vramscope/vramscope/tui/theme"
	"github.com/vramscope/vramscope/tui/widget/line"
)

// Column is a column of a table.
type Column struct {
	Title string
	Width int  // columns of the terminal; the least for one that grows
	Right bool // align to the right
	Grow  bool // takes what is left over; one column of a table may
	// Drop says when the column goes as the table gets narrower: the highest
	// goes first, 0 stays.
	Drop int
}

// Cell is one field of a row. The text must be clean.
type Cell struct {
	Text string
	Role theme.Role
}

// Row is a row with its identity and a cell for each column.
type Row[K comparable] struct {
	ID    K
	Cells []Cell
}

// Rows are the rows of a table. Cells are asked for only of rows that are drawn;
// they need to hold until the next are asked for.
type Rows[K comparable] struct {
	Count int
	ID    func(i int) K
	Cells func(i int) []Cell
	// Find returns the place of an identity, −1 when it is not there; nil looks
	// for the very identity.
	Find func(id K) int
}

// Table is the state of a table between frames: the selection and how far it is
// scrolled.
type Table[K comparable] struct {
	Columns []Column
	// Sorted is the place of the column that the rows are sorted by, and its
	// sign; −1 marks none.
	Sorted   int
	SortSign string

	layout      Layout // as last drawn
	window      Window
	selected    K
	hasSelected bool
	place       int // of the selection when it was last seen
	offset      int
}

const (
	pointerWidth = 2 // the pointer and a space
	gap          = 1
)

// Selected returns the identity of the selected row; false when there is none.
func (t *Table[K]) Selected() (K, bool) { return t.selected, t.hasSelected }

// Clear takes the selection away.
func (t *Table[K]) Clear() {
	var none K
	t.selected, t.hasSelected = none, false
}

// Select selects a row by its identity.
func (t *Table[K]) Select(id K) { t.selected, t.hasSelected = id, true }

// Place returns the place of the selected row among the rows.
func (t *Table[K]) Place(rows Rows[K]) (int, bool) { return t.find(rows) }

// RowAt returns the place of the row on a line of the table as last drawn,
// counted from its title; false where there is none.
func (t *Table[K]) RowAt(lineNo int) (int, bool) {
	i := t.window.First + lineNo - 1
	return i, lineNo >= 1 && i < t.window.End
}

// ColumnAt returns the column at a column of the terminal as last drawn.
func (t *Table[K]) ColumnAt(x int) (int, bool) {
	at := pointerWidth
	for i, column := range t.layout.Shown {
		if x >= at && x < at+t.layout.Widths[i] {
			return column, true
		}
		at += t.layout.Widths[i] + gap
	}
	return 0, false
}

// Scroll moves what is shown by so many lines and lets the selection go where
// it would leave the screen.
func (t *Table[K]) Scroll(rows Rows[K], by int) {
	shown := t.window.End - t.window.First
	t.offset = max(0, min(t.offset+by, rows.Count-shown))
	if at, found := t.find(rows); found && (at < t.offset || at >= t.offset+shown) {
		t.Clear()
	}
}

// Move moves the selection by so many rows. Without a selection it starts at
// the place where the last one was.
func (t *Table[K]) Move(rows Rows[K], by int) {
	if rows.Count == 0 {
		t.Clear()
		return
	}
	at, found := t.find(rows)
	switch {
	case found:
		at += by
	case t.place == 0 && by < 0:
		at = rows.Count - 1
	default:
		at = t.place
	}
	at = max(0, min(at, rows.Count-1))
	t.selected, t.hasSelected, t.place = rows.ID(at), true, at
}

func (t *Table[K]) find(rows Rows[K]) (int, bool) {
	if !t.hasSelected {
		return 0, false
	}
	if rows.Find != nil {
		i := rows.Find(t.selected)
		return max(0, i), i >= 0
	}
	for i := range rows.Count {
		if rows.ID(i) == t.selected {
			return i, true
		}
	}
	return 0, false
}

// Layout is which columns a width has room for.
type Layout struct {
	Shown  []int    // indices of Columns
	Widths []int    // of the shown columns
	Hidden []string // titles of the others
}

// Fit returns the layout for a width.
func (t *Table[K]) Fit(width int) Layout {
	limit := 0
	for _, c := range t.Columns {
		limit = max(limit, c.Drop)
	}
	for ; limit > 0 && t.need(limit) > width; limit-- {
	}
	var l Layout
	rest := width - t.need(limit)
	for i, c := range t.Columns {
		if c.Drop > limit {
			l.Hidden = append(l.Hidden, c.Title)
			continue
		}
		w := c.Width
		if c.Grow {
			w += max(0, rest)
		}
		l.Shown, l.Widths = append(l.Shown, i), append(l.Widths, w)
	}
	return l
}

// need returns the width of all columns that stay at that limit.
func (t *Table[K]) need(limit int) int {
	n := pointerWidth
	for _, c := range t.Columns {
		if c.Drop <= limit {
			n += c.Width + gap
		}
	}
	return n - gap
}

// Window is which rows were drawn: from First to before End, of Total.
type Window struct{ First, End, Total int }

// Draw returns the title line and as many rows as fit in height lines, the
// selected one among them, and says which rows those are. No line is wider than
// width.
func (t *Table[K]) Draw(th *theme.Theme, width, height int, rows Rows[K]) ([]string, Window) {
	if height <= 0 {
		t.window = Window{Total: rows.Count}
		return nil, t.window
	}
	layout := t.Fit(width)
	t.layout = layout
	at, found := t.find(rows)
	if found {
		t.place = at
	}
	shown := max(0, min(height-1, rows.Count))
	t.scroll(at, found, shown, rows.Count)
	window := Window{First: t.offset, End: t.offset + shown, Total: rows.Count}
	t.window = window

	lines := make([]string, 0, shown+1)
	lines = append(lines, t.heading(th, width, layout))
	for i := window.First; i < window.End; i++ {
		lines = append(lines, t.row(th, width, layout, rows.Cells(i), found && i == at))
	}
	return lines, window
}

func (t *Table[K]) scroll(at int, found bool, shown, total int) {
	if found && at < t.offset {
		t.offset = at
	}
	if found && shown > 0 && at >= t.offset+shown {
		t.offset = at - shown + 1
	}
	t.offset = max(0, min(t.offset, total-shown))
}

func (t *Table[K]) heading(th *theme.Theme, width int, layout Layout) string {
	l := line.New(width, th)
	l.Space(pointerWidth)
	for i, column := range layout.Shown {
		title := t.Columns[column].Title
		if t.SortSign != "" && column == t.Sorted {
			if line.Width(title) < layout.Widths[i] {
				title += t.SortSign
			} else {
				title = line.Cut(title, layout.Widths[i]-1, "") + t.SortSign
			}
		}
		t.field(l, th.Style(theme.Heading), t.Columns[column], layout.Widths[i], title, th)
		l.Space(gap)
	}
	return l.String()
}

func (t *Table[K]) row(th *theme.Theme, width int, layout Layout, cells []Cell, selected bool) string {
	l := line.New(width, th)
	pointer, override := " ", false
	if selected {
		pointer, override = th.Glyphs.Pointer, true
	}
	selectedStyle := th.Style(theme.Selected)
	put := func(style theme.Style, text string) {
		if override {
			style = selectedStyle
		}
		l.Add(style, text)
	}
	put(theme.Style{}, pointer+" ")
	for i, column := range layout.Shown {
		cell := Cell{}
		if column < len(cells) {
			cell = cells[column]
		}
		text := padded(cell.Text, layout.Widths[i], t.Columns[column].Right, th.Glyphs.Ellipsis)
		put(th.Style(cell.Role), text)
		if i < len(layout.Shown)-1 {
			put(theme.Style{}, " ")
		}
	}
	return l.String()
}

func (t *Table[K]) field(l *line.Line, style theme.Style, c Column, width int, text string, th *theme.Theme) {
	l.Add(style, padded(text, width, c.Right, th.Glyphs.Ellipsis))
}

// padded returns text in exactly width columns.
func padded(text string, width int, right bool, ellipsis string) string {
	missing := width - line.Width(text)
	if missing < 0 {
		text = line.Cut(text, width, ellipsis)
		missing = width - line.Width(text)
	}
	if missing <= 0 {
		return text
	}
	if right {
		return spaces(missing) + text
	}
	return text + spaces(missing)
}

const blank = "                                                                "

func spaces(n int) string {
	for n > len(blank) {
		return blank + spaces(n-len(blank))
	}
	return blank[:n]
}

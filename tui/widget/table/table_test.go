package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/tui/theme"
)

func someTable() *Table[int] {
	return &Table[int]{Columns: []Column{
		{Title: "ID", Width: 4, Right: true},
		{Title: "USER", Width: 5, Drop: 1},
		{Title: "NAME", Width: 6, Grow: true, Drop: 2},
		{Title: "TIME", Width: 4, Right: true, Drop: 3},
	}}
}

func someRows(ids ...int) []Row[int] {
	rows := make([]Row[int], len(ids))
	for i, id := range ids {
		rows[i] = Row[int]{ID: id, Cells: []Cell{{Text: fmt.Sprint(id)}, {Text: "ann"}, {Text: "train.py"}, {Text: "1h"}}}
	}
	return rows
}

func draw(t *testing.T, table *Table[int], width, height int, rows []Row[int]) []string {
	t.Helper()
	th, err := theme.New(theme.Mono, false)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := table.Draw(&th, width, height, Of(rows))
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return lines
}

func TestColumnsGoInOrderAsTheTableGetsNarrower(t *testing.T) {
	for _, tt := range []struct {
		width  int
		hidden []string
	}{
		{40, nil}, {24, nil}, {23, []string{"TIME"}}, {19, []string{"TIME"}}, {18, []string{"NAME", "TIME"}}, {11, []string{"USER", "NAME", "TIME"}}, {2, []string{"USER", "NAME", "TIME"}},
	} {
		if diff := cmp.Diff(tt.hidden, someTable().Fit(tt.width).Hidden); diff != "" {
			t.Errorf("width %d: -want +got:\n%s", tt.width, diff)
		}
	}
}

func TestCellsAreCutAlignedAndGrow(t *testing.T) {
	want := []string{"    ID USER  NAME   TIME", "     7 ann   train…   1h"}
	if diff := cmp.Diff(want, draw(t, someTable(), 24, 5, someRows(7))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want = []string{"    ID USER  NAME     TIME", "     7 ann   train.py   1h"}
	if diff := cmp.Diff(want, draw(t, someTable(), 26, 5, someRows(7))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTheSelectionIsARowAndNotAPlace(t *testing.T) {
	table := someTable()
	table.Move(Of(someRows(1, 2, 3)), 1)
	table.Move(Of(someRows(1, 2, 3)), 1)
	if id, ok := table.Selected(); !ok || id != 2 {
		t.Fatalf("row %d (%v) is selected, want 2", id, ok)
	}
	lines := draw(t, table, 30, 5, someRows(3, 2, 1))
	if !strings.HasPrefix(lines[2], "▸    2") {
		t.Errorf("after sorting: %q", lines)
	}
}

func TestASelectedRowThatIsGoneSelectsNoOther(t *testing.T) {
	table := someTable()
	table.Move(Of(someRows(1, 2, 3)), 1)
	table.Move(Of(someRows(1, 2, 3)), 1)
	for _, l := range draw(t, table, 30, 5, someRows(1, 3)) {
		if strings.HasPrefix(l, "▸") {
			t.Errorf("another row is marked: %q", l)
		}
	}
	table.Move(Of(someRows(1, 3)), 1)
	if id, _ := table.Selected(); id != 3 {
		t.Errorf("the next key selects row %d, want the one at that place", id)
	}
	table.Move(Of[int](nil), 1)
	if _, ok := table.Selected(); ok {
		t.Error("an empty table has a selection")
	}
}

func TestTheTableScrollsWithTheSelection(t *testing.T) {
	table := someTable()
	rows := someRows(1, 2, 3, 4, 5, 6, 7, 8, 9)
	th, err := theme.New(theme.Mono, false)
	if err != nil {
		t.Fatal(err)
	}
	window := func() Window {
		_, w := table.Draw(&th, 30, 4, Of(rows))
		return w
	}
	if w := window(); w != (Window{0, 3, 9}) {
		t.Errorf("at first %v", w)
	}
	table.Move(Of(rows), -1) // from nothing upwards is the last
	if w := window(); w != (Window{6, 9, 9}) {
		t.Errorf("at the end %v", w)
	}
	table.Move(Of(rows), -3)
	if w := window(); w != (Window{5, 8, 9}) {
		t.Errorf("three up %v", w)
	}
	rows = rows[:2]
	if w := window(); w != (Window{0, 2, 2}) {
		t.Errorf("with fewer rows %v", w)
	}
}

// Of returns rows that are all there.
func Of[K comparable](rows []Row[K]) Rows[K] {
	return Rows[K]{Count: len(rows), ID: func(i int) K { return rows[i].ID }, Cells: func(i int) []Cell { return rows[i].Cells }}
}

package procs

import (
	"fmt"
	"slices"
	"strings"
)

// ColumnID names a column, as it stands in the configuration and in a filter.
type ColumnID string

// The columns. ColumnNone as an order is the table's own.
const (
	ColumnNone      ColumnID = ""
	ColumnPID       ColumnID = "pid"
	ColumnUser      ColumnID = "user"
	ColumnGPU       ColumnID = "gpu"
	ColumnRank      ColumnID = "rank"
	ColumnAllocated ColumnID = "alloc"
	ColumnReserved  ColumnID = "reserved"
	ColumnUsed      ColumnID = "used"
	ColumnCache     ColumnID = "cache"
	ColumnNonTorch  ColumnID = "nontorch"
	ColumnHost      ColumnID = "host"
	ColumnCPU       ColumnID = "cpu"
	ColumnTime      ColumnID = "time"
	ColumnState     ColumnID = "state"
	ColumnContainer ColumnID = "container"
	ColumnCommand   ColumnID = "command"
)

// Column says how a column looks. Widths are in cells of the terminal and
// never follow from the data.
type Column struct {
	ID    ColumnID
	Title string
	Width int  // the least for one that grows
	Right bool // align to the right
	Grow  bool // takes what is left over
	// Drop says when the column goes as the table gets narrower: the highest
	// goes first, 0 stays.
	Drop int
	Help string // what it shows, in a few words
}

// allColumns is every column in the order of the screen. It is never changed.
var allColumns = [...]Column{
	{ColumnPID, "PID", 7, true, false, 0, "number of the process"},
	{ColumnUser, "USER", 8, false, false, 4, "owner of the process"},
	{ColumnGPU, "GPU", 3, true, false, 0, "number of the device"},
	{ColumnRank, "RANK", 5, true, false, 5, "rank in its job"},
	{ColumnAllocated, "ALLOC", 6, true, false, 0, "GiB in live tensors"},
	{ColumnReserved, "RESERVED", 8, true, false, 0, "GiB that PyTorch took from the driver"},
	{ColumnUsed, "USED", 6, true, false, 0, "GiB that the process holds on the device"},
	{ColumnCache, "CACHE", 6, true, false, 6, "GiB reserved and not allocated"},
	{ColumnNonTorch, "NON-TORCH", 9, true, false, 3, "GiB used outside PyTorch's allocator"},
	{ColumnHost, "HOST", 6, true, false, 7, "GiB of the host's memory"},
	{ColumnCPU, "CPU", 5, true, false, 8, "processor use, 100 % is one core"},
	{ColumnTime, "TIME", 6, true, false, 9, "since the process started"},
	{ColumnState, "STATE", 13, false, false, 10, "what is not as it should be"},
	{ColumnContainer, "CONTAINER", 16, false, false, 11, "container or batch job"},
	{ColumnCommand, "COMMAND", 14, false, true, 2, "command line"},
}

// Columns returns every column in the order of the screen.
func Columns() []Column { return slices.Clone(allColumns[:]) }

// DefaultColumns returns the columns of a table that nobody configured.
func DefaultColumns() []ColumnID {
	return []ColumnID{
		ColumnPID, ColumnUser, ColumnGPU, ColumnRank, ColumnAllocated, ColumnReserved, ColumnUsed, ColumnNonTorch,
		ColumnHost, ColumnCPU, ColumnTime, ColumnCommand,
	}
}

// ColumnOf returns the column of that name; false when there is none.
func ColumnOf(id ColumnID) (Column, bool) {
	for _, c := range allColumns {
		if c.ID == id {
			return c, true
		}
	}
	return Column{}, false
}

// ChooseColumns returns the columns of a list in its order. The error names a
// column that does not exist or stands twice, and those that there are. An
// empty list is an error too: a table needs a column.
func ChooseColumns(ids []ColumnID) ([]Column, error) {
	if len(ids) == 0 {
		return nil, fmt.Errorf("no columns: choose from %s", columnNames())
	}
	out := make([]Column, 0, len(ids))
	for i, id := range ids {
		at := slices.IndexFunc(allColumns[:], func(c Column) bool { return c.ID == id })
		switch {
		case at < 0:
			return nil, fmt.Errorf("column %q does not exist; there are %s", string(id), columnNames())
		case slices.Contains(ids[:i], id):
			return nil, fmt.Errorf("column %q stands twice", string(id))
		}
		out = append(out, allColumns[at])
	}
	return out, nil
}

func columnNames() string {
	var names []string
	for _, c := range allColumns {
		names = append(names, string(c.ID))
	}
	return strings.Join(names, " ")
}

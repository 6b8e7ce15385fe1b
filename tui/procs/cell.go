package procs

import (
	"math"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/text"
)

// Cell returns what a row shows in a column, without padding: memory in GiB
// with one decimal, CPU in percent, time as text.Duration writes it. What is
// not known is the sign given; an empty text is nothing to say. The text is
// clean and may be longer than the column is wide.
func (r *Row) Cell(id ColumnID, unknown string) string {
	if r.ID.IsJob() {
		if s, ok := r.Job.cell(id); ok {
			return s
		}
	}
	if bytes, ok := r.bytes(id); ok {
		sign := r.sign(id)
		return or(monitor.Map(bytes, func(v int64) string { return strings.TrimSpace(text.GiB(v)) + sign }), unknown)
	}
	switch id {
	case ColumnPID:
		return or(monitor.Map(r.PID, strconv.Itoa), unknown)
	case ColumnGPU:
		return or(monitor.Map(r.GPU, strconv.Itoa), unknown)
	case ColumnRank:
		return or(monitor.Map(r.Rank, strconv.Itoa), unknown)
	case ColumnCPU:
		if v, ok := r.CPUPercent.Get(); ok && !math.IsNaN(v) && !math.IsInf(v, 0) {
			return strings.TrimSpace(text.Percent(v))
		}
		return unknown
	case ColumnTime:
		if v, ok := r.Age.Get(); ok {
			return strings.TrimSpace(text.Duration(v))
		}
		return unknown
	case ColumnUser:
		if r.User == "" {
			return unknown
		}
		return r.User
	case ColumnState:
		return r.State
	case ColumnContainer:
		return r.Container
	case ColumnCommand:
		return r.title()
	default:
		return ""
	}
}

// sign is what stands behind a figure in bytes: ? for one that follows from a
// rule, or in which such a one is summed up, + for a sum that lacks a figure and
// is at least that.
func (r *Row) sign(id ColumnID) string {
	switch {
	case (id == ColumnUsed || id == ColumnNonTorch) && r.Assumed():
		return "?"
	case r.ID.IsJob() && r.Job.Missing[id] > 0:
		return "+"
	}
	return ""
}

// Assumed tells whether the memory used, or a part of it, follows from a rule
// because the driver does not tell it: ? stands behind it.
func (r *Row) Assumed() bool {
	if r.ID.IsJob() {
		return r.Job.Assumed > 0
	}
	return r.Holder != nil && r.Holder.Assumed
}

// title is the command line with what must be seen beside it.
func (r *Row) title() string {
	parts := make([]string, 0, 3)
	switch {
	case r.ID.Outside:
		parts = append(parts, "(the number is the host's)") // its name would be another process's here
	case r.Allocator != nil && r.Allocator.State != monitor.AllocatorOK:
		parts = append(parts, "("+r.Allocator.State.String()+")", r.Command)
	default:
		parts = append(parts, r.Command)
	}
	if r.Workers > 0 && !r.ID.IsJob() {
		parts = append(parts, "+"+plural(r.Workers, "worker", "workers"))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// Why returns the reason of a figure that a column does not show; false when
// it shows one or when there is no reason to give.
func (r *Row) Why(id ColumnID) (monitor.Reason, bool) {
	if bytes, ok := r.bytes(id); ok {
		return bytes.Why(), !bytes.Known()
	}
	switch id {
	case ColumnPID:
		return r.PID.Why(), !r.PID.Known()
	case ColumnGPU:
		return r.GPU.Why(), !r.GPU.Known()
	case ColumnRank:
		return r.Rank.Why(), !r.Rank.Known()
	case ColumnCPU:
		return r.CPUPercent.Why(), !r.CPUPercent.Known()
	case ColumnTime:
		return r.Age.Why(), !r.Age.Known()
	case ColumnUser, ColumnCommand, ColumnContainer:
		if r.Process == nil && !r.ID.IsJob() && r.Cell(id, "") == "" {
			return r.HostBytes.Why(), true // all of them come from one reading of the process
		}
		return monitor.Reason{}, false
	default:
		return monitor.Reason{}, false
	}
}

func or(r monitor.Reading[string], unknown string) string { return r.Or(unknown) }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

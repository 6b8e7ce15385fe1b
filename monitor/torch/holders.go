package torch

import (
	"github.com/vramscope/vramscope/monitor"
)

// holding is what the driver says a process holds on one GPU, all its
// instances and lists together.
type holding struct {
	pid, gpu int
	used     int64
	known    bool // used is
	compute  bool
	assumed  bool // which process it is follows from a rule: no evidence of anything
}

// holdings are those of one sample.
type holdings struct {
	rows []holding
	// groups remembers which process a listed thread belongs to.
	groups map[int]int
}

// load takes the driver's lists out of a sample. group returns the process
// that a number belongs to.
func (h *holdings) load(seen *monitor.Sample, group func(pid int) int) {
	h.rows = h.rows[:0]
	if seen == nil {
		return
	}
	for i := range seen.Holders {
		row := &seen.Holders[i]
		if !row.InNamespace || row.PID <= 0 {
			continue
		}
		used, known := row.UsedBytes.Get()
		next := holding{pid: group(row.PID), gpu: row.GPU, used: used, known: known,
			assumed: row.AssumedProcess, compute: row.Kinds == 0 || row.Kinds&(monitor.HolderCompute|monitor.HolderMPS) != 0}
		next.known = next.known && !row.Assumed
		h.add(next)
	}
}

func (h *holdings) add(next holding) {
	for i := range h.rows {
		if had := &h.rows[i]; had.pid == next.pid && had.gpu == next.gpu {
			had.used += next.used
			had.known = had.known && next.known
			had.compute = had.compute || next.compute
			had.assumed = had.assumed && next.assumed
			return
		}
	}
	h.rows = append(h.rows, next)
}

// listed tells whether the driver lists the process on any GPU.
func (h *holdings) listed(pid int) bool {
	for i := range h.rows {
		if h.rows[i].pid == pid && !h.rows[i].assumed {
			return true
		}
	}
	return false
}

// named tells whether the driver's list names processes by numbers that hold
// here.
func (h *holdings) named() bool {
	for i := range h.rows {
		if !h.rows[i].assumed {
			return true
		}
	}
	return false
}

// on tells whether the driver lists the process on that GPU.
func (h *holdings) on(pid, gpu int) bool {
	for i := range h.rows {
		if h.rows[i].pid == pid && h.rows[i].gpu == gpu {
			return true
		}
	}
	return false
}

// onlyGPU returns the GPU if the driver lists the process on exactly one;
// assumed tells that a rule does, not the driver.
func (h *holdings) onlyGPU(pid int) (gpu int, assumed, ok bool) {
	count := 0
	for i := range h.rows {
		if h.rows[i].pid == pid {
			gpu, assumed = h.rows[i].gpu, h.rows[i].assumed
			count++
		}
	}
	return gpu, assumed, count == 1
}

// used returns what the process holds on a GPU.
func (h *holdings) used(pid, gpu int) (int64, bool) {
	for i := range h.rows {
		if row := &h.rows[i]; row.pid == pid && row.gpu == gpu {
			return row.used, row.known
		}
	}
	return 0, false
}

// usedAnywhere returns what the process holds on all GPUs together.
func (h *holdings) usedAnywhere(pid int) (int64, bool) {
	sum, known, listed := int64(0), true, false
	for i := range h.rows {
		if row := &h.rows[i]; row.pid == pid {
			sum += row.used
			known = known && row.known
			listed = true
		}
	}
	return sum, known && listed
}

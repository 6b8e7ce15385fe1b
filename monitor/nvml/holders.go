package nvml

import (
	"cmp"
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// maxPID is far above the kernel's own limit (PID_MAX_LIMIT, 4194304); entries
// beyond it, and those of PID 0, are the torn structs that some drivers wrote.
const maxPID = 1 << 30

// Reasons of a holder's unknown memory.
const (
	detailNoMemory    = "the driver does not give this process's memory (WSL, MIG without the right, or a driver that hides it)"
	detailZeroNested  = "this driver names the processes of a container and gives 0 for their memory (seen from 550 to 560); a newer driver, or running outside the container's PID namespace, gives the figure"
	detailTwoNested   = "this driver mixes up PIDs inside containers, so the figure may be another process's"
	detailNotSplit    = "the device is not split into MIG instances"
	detailInstanceNot = "the driver does not tell the MIG instance"
)

// owner is what /proc tells of a PID in a process list.
type owner struct {
	pid  int    // the process, also when the driver listed one of its threads
	name string // short name; may be empty
	seen bool   // the process can be seen here and can be the one meant
}

// listed is the entries of one device.
type listed struct {
	gpu     int
	split   bool
	entries []processEntry
}

// holders turns the raw lists of all devices into one row a process, device
// and MIG instance. find maps a listed PID to its process. nested tells that
// this program runs in a PID namespace of its own, and mixed that the driver
// is of a branch known to compare PIDs of different namespaces.
//
// One process can stand in several lists, and more than once in one
// (field reports on drivers that compare translated with untranslated PIDs):
// every entry tells of the whole process, so the largest counts and nothing
// is added up. They are put together in the memory of rows.
func holders(rows []monitor.Holder, devices []listed, find func(pid int) owner, nested, mixed bool) []monitor.Holder {
	rows = rows[:0]
	for _, d := range devices {
		from := len(rows)
		for _, e := range d.entries {
			if e.pid == 0 || e.pid > maxPID {
				continue
			}
			rows = addEntry(rows, from, d, e, find(int(e.pid)))
		}
		slices.SortFunc(rows[from:], func(a, b monitor.Holder) int {
			return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.Instance.Or(-1), b.Instance.Or(-1)))
		})
	}
	if nested {
		distrustZeros(rows, mixed)
	}
	return rows
}

// addEntry merges one entry into the rows of its device, which start at from.
func addEntry(rows []monitor.Holder, from int, d listed, e processEntry, who owner) []monitor.Holder {
	row := monitor.Holder{
		PID:         who.pid,
		GPU:         d.gpu,
		UsedBytes:   entryMemory(e.usedBytes),
		Kinds:       e.list.kind(),
		Name:        who.name,
		InNamespace: who.seen,
		Instance:    entryInstance(d.split, e.instance),
	}
	for i := from; i < len(rows); i++ {
		if rows[i].PID != row.PID || rows[i].Instance.Or(-1) != row.Instance.Or(-1) {
			continue
		}
		rows[i].Kinds |= row.Kinds
		if used, ok := row.UsedBytes.Get(); ok && used > rows[i].UsedBytes.Or(-1) {
			rows[i].UsedBytes = row.UsedBytes
		}
		return rows
	}
	return append(rows, row)
}

func entryMemory(used uint64) monitor.Reading[int64] {
	switch {
	case used == noMemory:
		return monitor.Unknown[int64](monitor.NotAvailable, detailNoMemory)
	case used > maxCount:
		return monitor.Unknown[int64](monitor.Failed, "the driver's answer is out of range")
	}
	return monitor.Known(int64(used))
}

func entryInstance(split bool, number uint32) monitor.Reading[int] {
	switch {
	case !split:
		return monitor.Unknown[int](monitor.NotApplicable, detailNotSplit)
	case number == noInstance:
		return monitor.Unknown[int](monitor.NotAvailable, detailInstanceNot)
	}
	return monitor.Known(int(number))
}

// distrustZeros replaces figures that a driver cannot mean. In a nested
// namespace some drivers list the processes by their local PIDs and then look
// the memory up by the host's: the answer is 0, or, when the numbers happen to
// meet, another process's memory. A process that holds a context never holds
// nothing, so a 0 is no figure in any case; the rest is dropped too when the
// driver is known to mix.
func distrustZeros(rows []monitor.Holder, mixed bool) {
	zeros := 0
	for i := range rows {
		if used, ok := rows[i].UsedBytes.Get(); ok && used == 0 {
			rows[i].UsedBytes = monitor.Unknown[int64](monitor.NotAvailable, detailZeroNested)
			zeros++
		}
	}
	if !mixed || zeros == 0 {
		return
	}
	for i := range rows {
		if rows[i].UsedBytes.Known() {
			rows[i].UsedBytes = monitor.Unknown[int64](monitor.NotAvailable, detailTwoNested)
		}
	}
}

func (l processList) kind() monitor.HolderKind {
	switch l {
	case listGraphics:
		return monitor.HolderGraphics
	case listMPS:
		return monitor.HolderMPS
	default:
		return monitor.HolderCompute
	}
}

// mixesNamespaces tells whether the driver is of a branch whose source
// compares translated with untranslated PIDs: open-gpu-kernel-modules 550.40.07
// (gpu_rmapi.c) does, 565.77 no longer does.
func mixesNamespaces(version string) bool {
	major := majorOf(version)
	return major >= 545 && major < 565
}

// listsHostNumbers tells whether the driver is of a branch whose source does
// not translate PIDs at all (535.104.05). What is seen decides everywhere that
// it can; this decides only for processes that cannot be looked into.
func listsHostNumbers(version string) bool {
	major := majorOf(version)
	return major > 0 && major < 545
}

func majorOf(version string) int {
	major := 0
	for _, r := range version {
		if r < '0' || r > '9' || major > 10000 {
			break
		}
		major = major*10 + int(r-'0')
	}
	return major
}

package procs

import (
	"cmp"

	"github.com/vramscope/vramscope/monitor"
)

// ID names a row across samples, so that a selection or a folded branch stays
// with what it is about. It is comparable with ==.
type ID struct {
	Process monitor.ProcessKey // zero for a log without a PID and for a job
	// GPU is the NVML index when OnGPU. When the device is not known it is the
	// ordinal inside the process, as far as that is known.
	GPU   int
	OnGPU bool
	// Outside is true for a number of another PID namespace, which names no
	// process here.
	Outside bool
	// Whole is true for a process as a whole: one without a device in the tree,
	// and the branch of a process when it is folded.
	Whole bool
	Job   JobID // set for the row of a job alone
}

// JobID names a job across samples.
type JobID struct {
	Root  monitor.ProcessKey // what started the ranks; zero when it cannot be seen
	World int                // ranks as the job was told; 0 when not known
	Place string             // container and user, for ranks whose starter cannot be seen
}

// IsJob tells whether the name is that of a job.
func (id ID) IsJob() bool { return id.Job != JobID{} }

// Compare orders names: by PID, start, device; what is apart last. It is what
// decides between rows that are equal in the column sorted by.
func (id ID) Compare(other ID) int {
	if id.IsJob() || other.IsJob() {
		if c := compareJob(id, other); c != 0 {
			return c
		}
	}
	if c := compareBool(id.Process.PID <= 0, other.Process.PID <= 0); c != 0 {
		return c
	}
	if c := compareKey(id.Process, other.Process); c != 0 {
		return c
	}
	return cmp.Or(
		compareBool(!id.OnGPU, !other.OnGPU),
		cmp.Compare(id.GPU, other.GPU),
		compareBool(id.Outside, other.Outside),
		compareBool(id.Whole, other.Whole),
	)
}

func compareJob(a, b ID) int {
	return cmp.Or(
		compareBool(a.IsJob(), b.IsJob()),
		compareKey(a.Job.Root, b.Job.Root),
		cmp.Compare(a.Job.World, b.Job.World),
		cmp.Compare(a.Job.Place, b.Job.Place),
	)
}

func compareKey(a, b monitor.ProcessKey) int {
	if a.PID != b.PID {
		return cmp.Compare(a.PID, b.PID)
	}
	return cmp.Compare(a.StartTicks, b.StartTicks)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// sameLater tells whether two names can be the same thing seen before and
// after its start time became known. A process that could not be read in its
// first sample has none.
func sameLater(a, b ID) bool {
	if a.Process.StartTicks != 0 && b.Process.StartTicks != 0 {
		return false
	}
	a.Process.StartTicks, b.Process.StartTicks = 0, 0
	return a == b && a.Process.PID != 0 && !a.IsJob()
}

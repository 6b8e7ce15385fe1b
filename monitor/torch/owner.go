package torch

// A process forked after its parent started CUDA carries the parent's
// statistics of that moment, frozen and in perfect order. No rule of the
// statistics tells them apart, so figures are published only with evidence
// that they are the process's own.

// ownership is what is known of that.
type ownership uint8

const (
	ownerUnknown   ownership = iota // may be a copy of a parent that has ended
	ownerSelf                       // the process's own
	ownerInherited                  // a copy of a living ancestor's
	ownerUnused                     // as unknown, and nothing was ever allocated
)

// judgeOwner looks for evidence, the surest first. Once a process is known to
// own its figures it stays so as long as the attachment lasts.
func (r *Reader) judgeOwner(t *target) {
	if t.owner == ownerSelf {
		return
	}
	switch {
	case r.holders.listed(t.pid):
		// The driver lists only processes that have a context of their own, and
		// a forked child cannot start CUDA once its parent has.
		t.owner = ownerSelf
	case t.attached.grew:
		// A frozen copy never allocates.
		t.owner = ownerSelf
	case t.threadsDue(r.now()) && r.proc.hasCUDAThread(t.pid):
		t.owner = ownerSelf
	default:
		t.owner, t.ancestor = ownerUnknown, 0
		if !t.attached.used() {
			t.owner = ownerUnused
		} else if pid, ok := r.ancestorOf(t); ok {
			t.owner, t.ancestor = ownerInherited, pid
		}
	}
}

// maxAncestors bounds the walk to the first process.
const maxAncestors = 64

// ancestorOf returns a living ancestor that has its allocator and its devices
// at the same addresses.
func (r *Reader) ancestorOf(t *target) (int, bool) {
	pid := t.parent
	for range maxAncestors {
		if pid <= 1 {
			return 0, false
		}
		if a, ok := r.targets[pid]; ok && a.attached != nil && a.attached.same(&t.attached.place) {
			return pid, true
		}
		id, err := r.proc.identify(pid)
		if err != nil {
			return 0, false
		}
		pid = id.parent
	}
	return 0, false
}

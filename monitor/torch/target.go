package torch

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// target is a process with PyTorch's CUDA part in it, or one that may have it
// and cannot be looked at.
type target struct {
	pid    int
	start  uint64
	parent int
	stat   statFile
	kind   kind

	attached *attachment // nil while no allocator was found
	out      outcome     // why not
	retryAt  time.Time
	wait     time.Duration

	listedBefore  bool      // in the driver's list at the last look
	missingSince  time.Time // the driver lists it, and no allocator is found
	startingSince time.Time
	broken        int  // attachments in a row that broke their layout's rules
	endedNow      bool // ended during this read

	owner     ownership
	ancestor  int
	threadsAt time.Time // when its threads were looked at last

	env         devicesEnv
	foreign     bool  // sees another file system than this program
	visibleGPUs []int // by env
	visibleOf   int   // number of GPUs they were found among; negative when env could not be read
	uuidsOf     int   // number of GPUs that the devices were last searched for

	plausibility // of all its devices together
}

// detach forgets the allocator and whatever was judged by it.
func (t *target) detach() {
	if t.attached != nil {
		_ = t.attached.mem.Close()
		t.attached = nil
	}
	t.owner, t.ancestor, t.threadsAt = ownerUnknown, 0, time.Time{}
	t.plausibility = plausibility{}
	t.uuidsOf = 0
}

func (t *target) close() {
	t.detach()
	t.stat.close()
}

// threadsDue tells whether to look at the threads again.
func (t *target) threadsDue(now time.Time) bool {
	if !t.threadsAt.IsZero() && now.Sub(t.threadsAt) < time.Second {
		return false
	}
	t.threadsAt = now
	return true
}

// retryAfter is how long to leave a process alone after an outcome: first, and
// at most when the outcome repeats.
func retryAfter(s monitor.AllocatorState) (first, most time.Duration) {
	switch s {
	case monitor.AllocatorStarting:
		return 200 * time.Millisecond, 2 * time.Second
	case monitor.AllocatorNoCUDA, monitor.AllocatorUnknown:
		return time.Second, 5 * time.Second
	case monitor.AllocatorDenied:
		return 5 * time.Second, 30 * time.Second
	default:
		return 5 * time.Second, 15 * time.Second
	}
}

// settle notes an outcome without figures and when to look again.
func (t *target) settle(out outcome, now time.Time) {
	first, most := retryAfter(out.state)
	if out.state != t.out.state || t.wait == 0 {
		t.wait = first
	} else {
		t.wait = min(2*t.wait, most)
	}
	t.out = out
	t.retryAt = now.Add(t.wait)
}

// due tells whether to look for the allocator again.
func (t *target) due(now time.Time, listed bool) bool {
	return t.out.state == monitor.AllocatorUnread || !now.Before(t.retryAt) || listed && !t.listedBefore
}

// explainMissing turns "no allocator found" into "layout unknown" when the
// driver has listed the process with memory for a while, and likewise a start
// that does not end. A layout known to be empty stays what it is: then the
// memory belongs to another library.
func (t *target) explainMissing(out outcome, listed bool, now time.Time) outcome {
	if out.state != monitor.AllocatorStarting {
		t.startingSince = time.Time{}
	} else if t.startingSince.IsZero() {
		t.startingSince = now
	} else if now.Sub(t.startingSince) >= missingLimit {
		return outcome{state: monitor.AllocatorUnknown, reason: reasonNeverStarted}
	}
	if out.state != monitor.AllocatorNoCUDA || !listed {
		t.missingSince = time.Time{}
		return out
	}
	if out.empty {
		out.reason = reasonOtherLibrary
		return out
	}
	if t.missingSince.IsZero() {
		t.missingSince = now
	}
	if now.Sub(t.missingSince) >= missingLimit {
		return outcome{state: monitor.AllocatorUnknown, reason: reasonNoLayout}
	}
	return out
}

// missingLimit is how long a process may hold GPU memory without an allocator
// that is found before its layout is called unknown.
const missingLimit = 10 * time.Second

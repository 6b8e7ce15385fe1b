package advisor

import (
	"cmp"
	"slices"
	"time"

	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// How findings come and go in a live view. Counts are passes of Advise.
const (
	appearPasses  = 2                // in a row, before a warning is shown
	resolvePasses = 3                // missing in a row, before it counts as resolved
	resolveAfter  = 10 * time.Second // and missing for this long
	keepResolved  = 2 * time.Minute  // that a finding stays on show that is missing
	maxTracked    = 64
)

// Tracked is a finding with its life in a live view.
type Tracked struct {
	Finding
	Since    time.Time // when it was first shown; zero before
	Seen     time.Time // when it last held
	Acked    bool      // the user has seen it
	Muted    bool      // the user does not want to see it again
	Shown    bool      // it appeared: two passes in a row, or at once when it is critical or a fact
	passes   int       // in a row
	missing  int       // in a row
	lower    int       // passes in a row in which it was less severe than shown
	resolved time.Time // since when it counts as resolved, or as missing where its process had ended before
}

// Tracker is the state of a live view's findings. The zero value is empty. It
// is a value: Update returns the next state and leaves this one as it is, so
// that it can run away from the screen and be thrown away.
type Tracker struct {
	items []Tracked
}

// Update takes what a pass of Advise found in a window that ends at now, and
// which processes are there, as Lives tells it; nil when nobody knows. A finding
// appears once and keeps its place while its figures are updated; when it is
// gone for a while it is shown as resolved, or as ended where its process is gone
// as well, and then goes. One that comes back in the meantime is the same
// finding, not a new one.
func (t Tracker) Update(now time.Time, found []Finding, lives func(pid int) bool) Tracker {
	next := Tracker{items: slices.Clone(t.items)}
	for i := range next.items {
		k := next.items[i].Key()
		if at := slices.IndexFunc(found, func(f Finding) bool { return f.Key() == k }); at >= 0 {
			next.items[i] = next.items[i].held(now, found[at])
		} else {
			next.items[i] = next.items[i].missed(now, lives)
		}
	}
	for _, f := range found {
		if next.index(f.Key()) < 0 && len(next.items) < maxTracked {
			next.items = append(next.items, Tracked{}.held(now, f))
		}
	}
	next.items = slices.DeleteFunc(next.items, func(x Tracked) bool { return x.over(now) || x.disproved(found) })
	slices.SortStableFunc(next.items, func(a, b Tracked) int {
		return cmp.Or(cmp.Compare(a.State, b.State), -cmp.Compare(a.Severity, b.Severity), cmp.Compare(placeOf(a.ID), placeOf(b.ID)),
			a.Since.Compare(b.Since))
	})
	return next
}

// held is the finding after a pass in which it was found. Its severity does not
// fall while it is on show, so that it does not flicker between two colours,
// until it was lower for several passes.
func (x Tracked) held(now time.Time, f Finding) Tracked {
	was := x
	x.Finding, x.Seen, x.missing, x.resolved = f, now, 0, time.Time{}
	x.passes++
	x.lower = 0
	if was.Shown && f.Severity < was.Severity {
		if x.lower = was.lower + 1; x.lower <= resolvePasses {
			x.Severity = was.Severity
		} else {
			x.lower = 0
		}
	}
	if f.Severity > was.Severity {
		x.Acked = false // it got worse
	}
	if was.Shown && !was.From.IsZero() && (f.From.IsZero() || was.From.Before(f.From)) {
		x.From = was.From
	}
	if !x.Shown && (x.passes >= appearPasses || f.Severity == Critical || f.Confidence == Fact) {
		x.Shown, x.Since = true, now
	}
	return x
}

// missed is the finding after a pass in which it was not found.
func (x Tracked) missed(now time.Time, lives func(pid int) bool) Tracked {
	x.passes = 0
	x.missing++
	gone := x.PID != nil && lives != nil && !lives(*x.PID)
	soon := gone && x.ID == catalog.ForecastFull // nothing comes of it any more
	if !x.Shown || !x.resolved.IsZero() || !soon && (x.missing < resolvePasses || now.Sub(x.Seen) < resolveAfter) {
		return x
	}
	x.resolved = now
	if x.State == Active {
		x.State, x.Title = Resolved, x.Sentence(true)
		if gone {
			x.State, x.Advice = Ended, catalog.Afterwards(x.Advice)
		}
	}
	return x
}

// disproved reports whether a finding that is missing was a forecast for a card
// on which a process met a limit of its own before the card was full.
func (x Tracked) disproved(found []Finding) bool {
	return x.ID == catalog.ForecastFull && x.missing > 0 && slices.ContainsFunc(found, func(f Finding) bool {
		return f.ID == catalog.MemoryFractionLimit && f.GPUID == x.GPUID
	})
}

// Lives returns whether a process is there in a sample. A sample that lists
// nobody while a source failed does not tell that somebody is gone.
func Lives(s *monitor.Sample) func(pid int) bool {
	failed := slices.ContainsFunc(s.Sources, func(x monitor.SourceStatus) bool {
		return x.State == monitor.StateStale || x.State == monitor.StateUnavailable
	})
	if failed && len(s.Processes)+len(s.Holders)+len(s.Torch) == 0 {
		return func(int) bool { return true }
	}
	return func(pid int) bool {
		return slices.ContainsFunc(s.Processes, func(p monitor.Process) bool { return p.PID == pid }) ||
			slices.ContainsFunc(s.Holders, func(h monitor.Holder) bool { return h.PID == pid }) ||
			slices.ContainsFunc(s.Torch, func(a monitor.Allocator) bool { return a.PID == pid && a.State != monitor.AllocatorGone })
	}
}

// over reports whether the finding is to be forgotten.
func (x Tracked) over(now time.Time) bool {
	if !x.Shown {
		return x.missing > 0
	}
	return !x.Muted && !x.resolved.IsZero() && now.Sub(x.resolved) >= keepResolved
}

func (t Tracker) index(k Key) int {
	return slices.IndexFunc(t.items, func(x Tracked) bool { return x.Key() == k })
}

// Findings returns what is to be shown, most important first, without the
// muted ones.
func (t Tracker) Findings() []Tracked {
	var out []Tracked
	for _, x := range t.items {
		if x.Shown && !x.Muted {
			out = append(out, x)
		}
	}
	return out
}

// Muted returns the findings that the user muted.
func (t Tracker) Muted() []Tracked {
	var out []Tracked
	for _, x := range t.items {
		if x.Muted {
			out = append(out, x)
		}
	}
	return out
}

// Top returns the finding for the one line of an overview: the first that is
// active and was not acknowledged. False when there is none.
func (t Tracker) Top() (Tracked, bool) {
	for _, x := range t.Findings() {
		if !x.Acked && x.State == Active {
			return x, true
		}
	}
	return Tracked{}, false
}

// Acknowledge returns the state in which the finding of that key is known to
// the user. It stays in the list and leaves the overview until it gets worse.
func (t Tracker) Acknowledge(k Key, yes bool) Tracker {
	return t.change(k, func(x *Tracked) { x.Acked = yes })
}

// Mute returns the state in which the finding of that key is not shown.
func (t Tracker) Mute(k Key, yes bool) Tracker {
	return t.change(k, func(x *Tracked) { x.Muted = yes })
}

func (t Tracker) change(k Key, f func(*Tracked)) Tracker {
	next := Tracker{items: slices.Clone(t.items)}
	if i := next.index(k); i >= 0 {
		f(&next.items[i])
	}
	return next
}

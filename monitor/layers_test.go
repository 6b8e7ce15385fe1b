package monitor

import "testing"

const gib = int64(1) << 30

// card is a device of 100 GiB of which so much is used.
func card(usedGiB int64) Sample {
	return Sample{GPUs: []GPU{{Index: 0, State: StateOK, Memory: DeviceMemory{
		TotalBytes: Known(100 * gib), UsedBytes: Known(usedGiB * gib), FreeBytes: Known((100 - usedGiB) * gib),
	}}}}
}

func holder(pid int, usedGiB int64) Holder {
	return Holder{PID: pid, GPU: 0, UsedBytes: Known(usedGiB * gib), InNamespace: true}
}

func allocator(pid int, allocatedGiB, reservedGiB int64) Allocator {
	return Allocator{
		PID: pid, GPU: Known(0), State: AllocatorOK, Origin: OriginAttach,
		AllocatedBytes: Known(allocatedGiB * gib), ReservedBytes: Known(reservedGiB * gib),
		ActiveBytes: Known(allocatedGiB * gib), InactiveSplitBytes: Known(1 * gib),
		PeakAllocatedBytes: Known(reservedGiB * gib), PeakReservedBytes: Known(reservedGiB * gib),
	}
}

func want(t *testing.T, name string, got Reading[int64], wantGiB int64) {
	t.Helper()
	v, ok := got.Get()
	if !ok || v != wantGiB*gib {
		t.Errorf("%s is %v (%v), want %d GiB", name, got, got.Why(), wantGiB)
	}
}

func TestTheGapsAddUpToWhatIsUsed(t *testing.T) {
	s := card(60)
	s.Holders = []Holder{holder(1, 30), holder(2, 20), holder(3, 9)}
	s.Torch = []Allocator{allocator(1, 10, 25), allocator(2, 5, 18)}
	l := LayersOf(&s, 0)
	want(t, "allocated", l.Allocated, 15)
	want(t, "reserved", l.Reserved, 43)
	want(t, "cache", l.Cache, 28)
	want(t, "split", l.Split, 2)
	want(t, "releasable", l.Releasable, 26)
	want(t, "non-torch", l.NonTorch, 7)
	want(t, "others", l.Others, 10)
	if sum := l.Allocated.Or(0) + l.Cache.Or(0) + l.NonTorch.Or(0) + l.Others.Or(0); sum != 60*gib {
		t.Errorf("the layers and gaps add up to %d, used is %d", sum, 60*gib)
	}
	if l.PeakAllocated.Known() {
		t.Error("peaks of two processes were added")
	}
}

func TestAnUnknownUseOfOneProcessIsNotAZero(t *testing.T) {
	s := card(60)
	s.Holders = []Holder{{PID: 1, GPU: 0, InNamespace: true, UsedBytes: Unknown[int64](NotAvailable, "")}}
	s.Torch = []Allocator{allocator(1, 10, 25)}
	l := LayersOf(&s, 0)
	want(t, "reserved", l.Reserved, 25)
	if l.NonTorch.Known() || l.Others.Known() {
		t.Errorf("non-torch %v and others %v were made up", l.NonTorch, l.Others)
	}
	want(t, "peak reserved", l.PeakReserved, 25)
}

func TestFiguresOfDifferentMomentsGiveNoGap(t *testing.T) {
	s := card(60)
	s.Holders = []Holder{holder(1, 24)} // read before the allocator grew to 25
	s.Torch = []Allocator{allocator(1, 10, 25)}
	if l := LayersOf(&s, 0); l.NonTorch.Known() {
		t.Errorf("non-torch is %v", l.NonTorch)
	}
}

func TestAProcessThatCannotBeReadMakesTheSumsLowerBounds(t *testing.T) {
	s := card(60)
	s.Holders = []Holder{holder(1, 30), holder(2, 20)}
	s.Torch = []Allocator{allocator(1, 10, 25), {PID: 2, State: AllocatorDenied}}
	l := LayersOf(&s, 0)
	if l.Unread != 1 || l.Jobs != 1 {
		t.Errorf("%d unread and %d read, want one of each", l.Unread, l.Jobs)
	}
	s.Torch[1].State = AllocatorInherited // a worker holds nothing of its own
	if l := LayersOf(&s, 0); l.Unread != 0 {
		t.Error("a forked copy counts as unread")
	}
	s.Torch[1].State, s.Holders = AllocatorDenied, s.Holders[:1]
	if l := LayersOf(&s, 0); l.Unread != 0 {
		t.Error("a process that is not on this device counts as unread here")
	}
}

func TestAHolderOfAnotherNamespaceIsNotJoinedWithALocalProcess(t *testing.T) {
	s := card(60)
	foreign := holder(1, 30)
	foreign.InNamespace = false
	s.Holders = []Holder{foreign}
	s.Torch = []Allocator{allocator(1, 10, 25)}
	if l := LayersOf(&s, 0); l.NonTorch.Known() {
		t.Errorf("non-torch %v was computed from a stranger's memory", l.NonTorch)
	}
}

func TestTheWeakestOriginIsShown(t *testing.T) {
	s := card(60)
	s.Torch = []Allocator{allocator(1, 10, 25), allocator(2, 5, 18)}
	s.Torch[0].Origin = OriginLog
	if l := LayersOf(&s, 0); l.Origin != OriginLog {
		t.Errorf("origin %q", l.Origin)
	}
}

func TestAnUnreadableDeviceHasReasonsNotNumbers(t *testing.T) {
	var s Sample
	l := LayersOf(&s, 3)
	for name, r := range map[string]Reading[int64]{"used": l.Used, "reserved": l.Reserved, "others": l.Others, "cache": l.Cache} {
		if r.Known() {
			t.Errorf("%s is %v on a device that does not exist", name, r)
		}
		if r.Why().String() == "" {
			t.Errorf("%s is unknown without a reason", name)
		}
	}
}

func TestTheZeroReadingIsUnknown(t *testing.T) {
	var r Reading[int64]
	if r.Known() || r.Why().Code != NotRead || r.Or(7) != 7 {
		t.Errorf("the zero reading is %v", r)
	}
	if m := Map(r, func(v int64) float64 { return float64(v) }); m.Known() || m.Why() != r.Why() {
		t.Error("a mapped unknown became known or lost its reason")
	}
}

func TestNamesOfStatesGoThereAndBack(t *testing.T) {
	for s := AllocatorUnread; s <= AllocatorImplausible; s++ {
		if back, ok := ParseAllocatorState(s.String()); !ok || back != s {
			t.Errorf("%d is %q and back %d", s, s, back)
		}
	}
	for s := StateUnavailable; s <= StateStale; s++ {
		if back, ok := ParseState(s.String()); !ok || back != s {
			t.Errorf("%d is %q and back %d", s, s, back)
		}
	}
}

package nvml

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// everyone finds every PID as a process of its own.
func everyone(pid int) owner { return owner{pid: pid, seen: true} }

func entry(pid uint32, used uint64, list processList) processEntry {
	return processEntry{pid: pid, usedBytes: used, instance: noInstance, list: list}
}

// memoryOf returns pid → bytes, −1 for unknown.
func memoryOf(rows []monitor.Holder) map[int]int64 {
	got := map[int]int64{}
	for _, h := range rows {
		got[h.PID] = h.UsedBytes.Or(-1)
	}
	return got
}

func TestAProcessInSeveralListsCountsOnceWithItsLargestFigure(t *testing.T) {
	rows := holders(nil, []listed{{entries: []processEntry{
		entry(7, 100, listCompute), entry(7, 300, listGraphics), entry(7, 200, listMPS), entry(7, noMemory, listCompute),
		entry(8, noMemory, listCompute), entry(8, 5, listGraphics),
	}}}, everyone, false, false)
	if diff := cmp.Diff(map[int]int64{7: 300, 8: 5}, memoryOf(rows)); diff != "" {
		t.Error(diff)
	}
	if len(rows) != 2 || rows[0].Kinds != monitor.HolderCompute|monitor.HolderGraphics|monitor.HolderMPS {
		t.Errorf("%+v", rows)
	}
}

func TestThreadsOfOneProcessAreThatProcess(t *testing.T) {
	find := func(pid int) owner { return owner{pid: pid / 10 * 10, seen: true} }
	rows := holders(nil, []listed{{entries: []processEntry{entry(100, 1, listCompute), entry(101, 2, listCompute)}}}, find, false, false)
	if diff := cmp.Diff(map[int]int64{100: 2}, memoryOf(rows)); diff != "" {
		t.Error(diff)
	}
}

func TestOneProcessOnTwoGPUsIsTwoRows(t *testing.T) {
	rows := holders(nil, []listed{{gpu: 0, entries: []processEntry{entry(1, 10, listCompute)}}, {gpu: 1, entries: []processEntry{entry(1, 20, listCompute)}}}, everyone, false, false)
	if len(rows) != 2 || rows[0].GPU != 0 || rows[1].GPU != 1 || rows[1].UsedBytes.Or(0) != 20 {
		t.Errorf("%+v", rows)
	}
}

func TestTornEntriesAreNoProcesses(t *testing.T) {
	rows := holders(nil, []listed{{entries: []processEntry{entry(0, 10, listCompute), entry(4294967295, 10, listCompute)}}}, everyone, false, false)
	if len(rows) != 0 {
		t.Errorf("%+v", rows)
	}
}

func TestZeroMemoryIsAFigureOutsideContainersAndNoneInside(t *testing.T) {
	list := []listed{{entries: []processEntry{entry(1, 0, listCompute), entry(2, 50, listCompute)}}}
	for _, c := range []struct {
		name          string
		nested, mixed bool
		want          map[int]int64
	}{
		{"outside", false, true, map[int]int64{1: 0, 2: 50}},
		{"inside, a driver that translates", true, false, map[int]int64{1: -1, 2: 50}},
		{"inside, a driver that mixes", true, true, map[int]int64{1: -1, 2: -1}},
	} {
		if diff := cmp.Diff(c.want, memoryOf(holders(nil, list, everyone, c.nested, c.mixed))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestInsideAContainerFiguresAreKeptWhenTheDriverGivesThemAll(t *testing.T) {
	list := []listed{{entries: []processEntry{entry(2, 50, listCompute)}}}
	if diff := cmp.Diff(map[int]int64{2: 50}, memoryOf(holders(nil, list, everyone, true, true))); diff != "" {
		t.Error(diff)
	}
}

func TestDriverBranchesThatMixNamespaces(t *testing.T) {
	for version, want := range map[string]bool{
		"535.104.05": false, "545.23.08": true, "550.40.07": true, "560.35.03": true, "565.77": false, "580.159.04": false,
		"": false, "x": false, "99999999999999999999999": false,
	} {
		if got := mixesNamespaces(version); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

// Whatever a driver lists: one row a process, device and instance, no row
// without an entry, and no figure above the largest listed.
func TestHoldersNeverAddUpAndNeverInvent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var list []listed
		largest := map[[2]int]uint64{}
		for gpu := range rng.IntN(3) {
			l := listed{gpu: gpu, split: rng.IntN(2) == 0}
			for range rng.IntN(12) {
				e := processEntry{pid: uint32(rng.IntN(4)), usedBytes: uint64(rng.IntN(5)), instance: uint32(rng.IntN(2)), list: processList(rng.IntN(3))}
				if rng.IntN(4) == 0 {
					e.usedBytes = noMemory
				} else if e.pid != 0 {
					largest[[2]int{gpu, int(e.pid)}] = max(largest[[2]int{gpu, int(e.pid)}], e.usedBytes)
				}
				l.entries = append(l.entries, e)
			}
			list = append(list, l)
		}
		seen := map[[3]int]bool{}
		for _, h := range holders(nil, list, everyone, rng.IntN(2) == 0, rng.IntN(2) == 0) {
			key := [3]int{h.GPU, h.PID, h.Instance.Or(-1)}
			if seen[key] {
				t.Fatalf("two rows of %v in %+v", key, list)
			}
			seen[key] = true
			if used, ok := h.UsedBytes.Get(); ok && uint64(used) > largest[[2]int{h.GPU, h.PID}] {
				t.Fatalf("%+v of %+v", h, list)
			}
		}
	}
}

func FuzzEntriesOfAnyBytesAreReadWithoutPanic(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8}, 1)
	f.Fuzz(func(t *testing.T, data []byte, count int) {
		words := make([]uint64, 8*entryWords)
		fillUnwritten(words)
		for i, b := range data {
			if i/8 < len(words) {
				words[i/8] = words[i/8]<<8 | uint64(b)
			}
		}
		if count < 0 || count > len(words)/entryWords {
			count = len(words) / entryWords
		}
		if got := appendEntries(nil, words, count, listCompute); len(got) != count {
			t.Errorf("%d entries of %d", len(got), count)
		}
	})
}

func FuzzTextsBecomeFitToShow(f *testing.F) {
	f.Add("NVIDIA H200")
	f.Add("\x1b]0;x\a\u202e\xff")
	f.Fuzz(func(t *testing.T, raw string) {
		for _, clean := range []string{cleanText(raw), cleanLine(raw)} {
			for _, r := range clean {
				if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e || r == 0xfffd {
					t.Errorf("%q of %q", clean, raw)
				}
			}
		}
		if len(cleanText(raw)) > maxTextBytes {
			t.Errorf("too long: %q", raw)
		}
	})
}

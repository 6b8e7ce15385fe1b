package advisor_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// named returns the evidence in bytes of the first finding of a cause.
func evidenceOf(t *testing.T, found []advisor.Finding, id catalog.ID) (names []string, sure advisor.Confidence) {
	t.Helper()
	i := slices.IndexFunc(found, func(f advisor.Finding) bool { return f.ID == id })
	if i < 0 {
		t.Fatalf("no %s: %s", id, list(found, 4))
	}
	for _, e := range found[i].Evidence {
		if e.Unit == advisor.Bytes {
			names = append(names, e.Text())
		}
	}
	return names, found[i].Confidence
}

func all(names []string, f func(string) bool) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(s string) bool { return !f(s) })
}

func TestEvidenceSaysWhenItIsFromTheLog(t *testing.T) {
	w := newWorld(3)
	leak(w, 0.05)
	w.logEvery = 1
	names, _ := evidenceOf(t, advisor.Advise(inputOf(w.samples())), catalog.Leak)
	if !all(names, func(s string) bool { return !strings.Contains(s, "log") }) {
		t.Errorf("read and said to be of the log: %v", names)
	}
	logged := withoutTorch(w.samples())
	names, sure := evidenceOf(t, advisor.Advise(inputOf(logged)), catalog.Leak)
	if !all(names, func(s string) bool { return strings.HasSuffix(s, ", from the log") }) {
		t.Errorf("of the log and not said to be: %v", names)
	}
	for i := range logged {
		for n := range logged[i].Readings {
			logged[i].Readings[n].Unit = monitor.UnitAssumed
		}
	}
	names, less := evidenceOf(t, advisor.Advise(inputOf(logged)), catalog.Leak)
	if !all(names, func(s string) bool { return strings.Contains(s, "unit assumed") }) || less >= sure {
		t.Errorf("the unit is assumed: %v, %v sure, with a unit %v", names, less, sure)
	}
	names, _ = evidenceOf(t, advisor.Advise(pasted("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 23.65 GiB of which 100.00 MiB is free. Including non-PyTorch memory, this process has 23.50 GiB memory in use. Of the allocated memory 22.80 GiB is allocated by PyTorch, and 150.00 MiB is reserved by PyTorch but unallocated.")), catalog.Capacity)
	if !all(names, func(s string) bool { return strings.HasSuffix(s, ", from the log") }) {
		t.Errorf("of the text of an error: %v", names)
	}
}

func TestAnAssumedProcessMakesAFindingLessSure(t *testing.T) {
	bench := func(assumed bool) []advisor.Finding {
		b := newBench(t).hold(10, 0, 12*gib).tensors(10, 0, 5*gib, 5*gib)
		b.procs = []monitor.Process{{PID: 10, ParentPID: 2, Name: "python"}}
		b.holders[0].Assumed = assumed
		return b.advise()
	}
	names, sure := evidenceOf(t, bench(false), catalog.NonTorchMemory)
	if !all(names, func(s string) bool { return !strings.Contains(s, "assumed") }) {
		t.Errorf("known and said to be assumed: %v", names)
	}
	names, less := evidenceOf(t, bench(true), catalog.NonTorchMemory)
	if !all(names, func(s string) bool { return strings.HasSuffix(s, ", assumed") }) || less >= sure {
		t.Errorf("assumed: %v, %v sure, without %v", names, less, sure)
	}
}

package advisor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// message makes an error text in PyTorch's form of before version 2.
func message(tried, gpu, total, allocated, free, reserved string) string {
	return fmt.Sprintf("RuntimeError: CUDA out of memory. Tried to allocate %s (GPU %s; %s total capacity; %s already allocated; %s free; %s reserved in total by PyTorch)",
		tried, gpu, total, allocated, free, reserved)
}

// first returns the first finding on a pasted text.
func first(t *testing.T, text string) advisor.Finding {
	t.Helper()
	found := advisor.Advise(pasted(text))
	if len(found) == 0 {
		t.Fatal("nothing was found")
	}
	t.Logf("%s", list(found, 3))
	return found[0]
}

const optimizerTrace = `Traceback (most recent call last):
  File "train.py", line 80, in <module>
    optimizer.step()
  File "/env/torch/optim/adamw.py", line 220, in step
    adamw(params)
`

func TestAFailureInTheOptimizerAfterManyStepsIsNotOfTheFirst(t *testing.T) {
	failed := optimizerTrace + message("512.00 MiB", "0", "23.69 GiB", "22.31 GiB", "120.00 MiB", "22.60 GiB")
	if f := first(t, failed); f.ID != catalog.OptimizerStateFirstStep {
		t.Errorf("without steps: %s", f.ID)
	}
	for _, steps := range []string{"step 5000 loss 2.10\n", "step 1 loss 9.9\nstep 2 loss 9.1\nstep 3 loss 8.8\n"} {
		if f := first(t, steps+failed); f.ID != catalog.Capacity && f.ID != catalog.ActivationsTooLarge {
			t.Errorf("after %q: %s: %s", steps, f.ID, f.Title)
		}
	}
}

func TestTheRateOfALeakAgreesWithItsOwnFigures(t *testing.T) {
	for _, gaps := range [][]int{{1}, {1, 4, 2, 9}} {
		var in advisor.Input
		at := start
		for i := range 20 {
			at = at.Add(time.Duration(gaps[i%len(gaps)]) * time.Second)
			in.Readings = append(in.Readings, monitor.LogReading{Time: at, Line: int64(i + 1), Source: "train.log", Kind: monitor.LogMemory,
				AllocatedBytes: monitor.Known(int64(i+1) * 100 << 20), Step: monitor.Known(int64(i))})
		}
		in.Window.From, in.Window.To = start, at
		found := advisor.Advise(in)
		if len(found) == 0 || found[0].ID != catalog.Leak || !strings.Contains(found[0].Title, " 100 MiB a step") {
			t.Fatalf("gaps %v: %s", gaps, list(found, 3))
		}
		e := map[string]float64{}
		for _, v := range found[0].Evidence {
			e[v.Name] = v.Value
		}
		told := (e["allocated floor at the end"] - e["allocated floor at the start"]) / e["steps"]
		if got := e["rise a step"]; got != told || got != 100<<20 {
			t.Errorf("gaps %v: %v a step, by its own figures %v", gaps, got, told)
		}
	}
}

func TestMuchFreeMemoryIsNotCalledFull(t *testing.T) {
	f := first(t, "RuntimeError: CUDA out of memory. Tried to allocate 14.50 MiB (GPU 0; 11.17 GiB total capacity; 9.12 MiB already allocated; 9.50 GiB free; 5.25 MiB cached)")
	if f.ID != catalog.DriverOrAllocatorBug || f.Confidence != advisor.Possible || !strings.Contains(f.Title, "9.5 GiB of 11.2 GiB were free") {
		t.Errorf("%s %s: %s", f.ID, f.Confidence, f.Title)
	}
	for _, a := range f.Advice {
		if strings.Contains(a.Do, "batch") {
			t.Error(a.Do)
		}
	}
}

func TestATextThatContradictsItselfIsNoCertainFinding(t *testing.T) {
	for name, text := range map[string]string{
		"more free than there is":  message("2.00 GiB", "0", "8.00 GiB", "7.00 GiB", "90.00 GiB", "7.50 GiB"),
		"allocated beyond a spill": message("2.00 GiB", "0", "8.00 GiB", "800.00 GiB", "1.00 GiB", "801.00 GiB"),
	} {
		f := first(t, text)
		if f.Severity == advisor.Critical || f.Confidence != advisor.Possible || !strings.Contains(f.Title, "contradict each other") {
			t.Errorf("%s: %s %s: %s", name, f.Severity, f.Confidence, f.Title)
		}
	}
	if f := first(t, message("2.00 GiB", "0", "8.00 GiB", "17.00 GiB", "0 bytes", "18.00 GiB")); f.ID != catalog.SpillingToHost {
		t.Errorf("spilling: %s", f.ID)
	}
}

func TestIdleCacheUnderALimitIsNamedBesideMemoryOutsideTorch(t *testing.T) {
	f := first(t, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.20 GiB. GPU 0 has a total capacity of 24.00 GiB of which 1.00 GiB is free. "+
		"Including non-PyTorch memory, this process has 22.90 GiB memory in use. 20.00 GiB allowed; "+
		"Of the allocated memory 10.11 GiB is allocated by PyTorch, and 9.12 GiB is reserved by PyTorch but unallocated.")
	if f.ID != catalog.Fragmentation || f.Severity != advisor.Critical {
		t.Errorf("%s %s: %s", f.ID, f.Severity, f.Title)
	}
}

func TestAFailureKnowsTheDeviceAndTheRankThatItsTextNames(t *testing.T) {
	f := first(t, "[rank3]: "+message("2.00 GiB", "3", "24.00 GiB", "22.50 GiB", "0.30 GiB", "23.00 GiB"))
	if f.GPU == nil || *f.GPU != 3 || f.Rank == nil || *f.Rank != 3 {
		t.Errorf("gpu %v, rank %v", f.GPU, f.Rank)
	}
}

func TestARecordingSaysNothingOfNow(t *testing.T) {
	said := false
	for seed := range uint64(20) {
		in := inputOf(newSick("leak of 10 % a minute", seed).samples())
		in.Over = true
		for _, f := range advisor.Advise(in) {
			if strings.Contains(f.Title, "now") || strings.Contains(f.Title, "is full") {
				t.Errorf("seed %d: %s", seed, f.Title)
			}
			said = said || f.ID == catalog.ForecastFull
		}
	}
	if !said {
		t.Error("no forecast at all: the test shows nothing")
	}
}

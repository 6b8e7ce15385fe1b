package advisor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

const gib = 1 << 30

// bench is a small machine for single rules: one 24 GiB card and processes
// that hold what they are given, for thirty samples.
type bench struct {
	t       *testing.T
	total   int64
	gpus    int
	holders []monitor.Holder
	procs   []monitor.Process
	torch   []monitor.Allocator
	lines   []string
	gpu     func(*monitor.GPU)
	each    func(i int, s *monitor.Sample)
}

func newBench(t *testing.T) *bench { return &bench{t: t, total: 24 * gib, gpus: 1} }

func (b *bench) hold(pid, gpu int, bytes int64) *bench {
	b.holders = append(b.holders, monitor.Holder{PID: pid, GPU: gpu, UsedBytes: monitor.Known(bytes), InNamespace: true, Name: "python"})
	return b
}

func (b *bench) tensors(pid, gpu int, allocated, reserved int64) *bench {
	b.torch = append(b.torch, monitor.Allocator{PID: pid, GPU: monitor.Known(gpu), State: monitor.AllocatorOK, Origin: monitor.OriginAttach,
		AllocatedBytes: monitor.Known(allocated), ReservedBytes: monitor.Known(reserved), PeakAllocatedBytes: monitor.Known(allocated)})
	return b
}

func (b *bench) samples() []monitor.Sample {
	var out []monitor.Sample
	for i := range 30 {
		s := monitor.Sample{Time: start.Add(time.Duration(i) * time.Second), Holders: b.holders, Processes: b.procs, Torch: append([]monitor.Allocator(nil), b.torch...)}
		for g := range b.gpus {
			used := int64(0)
			for _, h := range b.holders {
				if h.GPU == g {
					used += h.UsedBytes.Or(0)
				}
			}
			card := monitor.GPU{Index: g, State: monitor.StateOK}
			card.Memory.TotalBytes, card.Memory.UsedBytes = monitor.Known(b.total), monitor.Known(used)
			card.Memory.FreeBytes = monitor.Known(b.total - used)
			if b.gpu != nil {
				b.gpu(&card)
			}
			s.GPUs = append(s.GPUs, card)
		}
		if b.each != nil {
			b.each(i, &s)
		}
		out = append(out, s)
	}
	return out
}

func (b *bench) advise() []advisor.Finding {
	in := inputOf(b.samples())
	for i, l := range b.lines {
		in.Lines = append(in.Lines, monitor.LogLine{Time: start.Add(20 * time.Second), Number: int64(i + 1), Text: l})
	}
	return advisor.Advise(in)
}

func (b *bench) first(want catalog.ID, severity advisor.Severity) advisor.Finding {
	b.t.Helper()
	found := b.advise()
	if len(found) == 0 {
		b.t.Fatalf("nothing was found, want %s", want)
	}
	if found[0].ID != want || found[0].Severity != severity {
		b.t.Fatalf("first is %s (%s), want %s (%s): %s", found[0].ID, found[0].Severity, want, severity, found[0].Title)
	}
	return found[0]
}

func (b *bench) nothing() {
	b.t.Helper()
	for _, f := range b.advise() {
		if f.Severity >= advisor.Warning {
			b.t.Errorf("found %s: %s", f.ID, f.Title)
		}
	}
}

func TestAProcessOfSomebodyElseOnTheCardIsNamed(t *testing.T) {
	b := newBench(t).hold(10, 0, 6*gib).hold(20, 0, 8*gib).tensors(10, 0, 5*gib, 5*gib)
	b.procs = []monitor.Process{{PID: 10, ParentPID: 2}, {PID: 20, ParentPID: 3, Name: "jupyter"}}
	f := b.first(catalog.OtherProcess, advisor.Warning)
	if f.PID == nil || *f.PID != 20 || !strings.Contains(f.Title, "jupyter") {
		t.Errorf("it says %q of %v", f.Title, f.PID)
	}
}

func TestRanksOfOneLauncherAreNoStrangers(t *testing.T) {
	b := newBench(t).hold(10, 0, 6*gib).hold(20, 0, 6*gib).tensors(10, 0, 5*gib, 5*gib).tensors(20, 0, 5*gib, 5*gib)
	b.procs = []monitor.Process{{PID: 10, ParentPID: 7}, {PID: 20, ParentPID: 7}}
	b.nothing()
}

func TestAProcessWithoutParentOrWorkIsLeftOver(t *testing.T) {
	b := newBench(t).hold(10, 0, 6*gib).hold(20, 0, 8*gib).tensors(10, 0, 5*gib, 5*gib)
	b.procs = []monitor.Process{{PID: 10, ParentPID: 2}, {PID: 20, ParentPID: 1, Name: "python", CPUPercent: monitor.Known(0.0)}}
	b.first(catalog.ZombieProcess, advisor.Warning)
}

func TestMemoryThatNoListedProcessHoldsIsNamed(t *testing.T) {
	b := newBench(t).hold(10, 0, 6*gib).tensors(10, 0, 5*gib, 5*gib)
	b.gpu = func(g *monitor.GPU) { g.Memory.UsedBytes = monitor.Known[int64](15 * gib) }
	b.first(catalog.OtherProcess, advisor.Warning)
}

func TestARankOnTwoGPUsIsAStrayContext(t *testing.T) {
	b := newBench(t)
	b.gpus = 2
	b.hold(10, 0, 10*gib).hold(20, 1, 10*gib).hold(20, 0, gib/2)
	f := b.first(catalog.DDPRankContexts, advisor.Warning)
	if *f.GPU != 0 || *f.PID != 20 {
		t.Errorf("it names GPU %d and process %d", *f.GPU, *f.PID)
	}
}

func TestOneProcessOverAllGPUsIsAModelThatIsSpread(t *testing.T) {
	b := newBench(t)
	b.gpus = 2
	b.hold(10, 0, 10*gib).hold(10, 1, 12*gib).nothing()
}

func TestLoaderWorkersWithContextsAreNamed(t *testing.T) {
	b := newBench(t).hold(10, 0, 8*gib).tensors(10, 0, 7*gib, 7*gib)
	b.procs = []monitor.Process{{PID: 10, ParentPID: 2}}
	for pid := 30; pid < 36; pid++ {
		b.hold(pid, 0, gib/2)
		b.procs = append(b.procs, monitor.Process{PID: pid, ParentPID: 10})
	}
	b.first(catalog.DataloaderWorkers, advisor.Warning)
}

func TestAContainerNearItsLimitIsNamed(t *testing.T) {
	b := newBench(t).hold(10, 0, 8*gib)
	b.procs = []monitor.Process{{PID: 10, HostBytes: monitor.Known[int64](62 * gib),
		Container: monitor.Container{ID: "abc", LimitBytes: monitor.Known[int64](64 * gib)}}}
	b.first(catalog.ContainerLimit, advisor.Warning)
}

func TestErrorsOfTheGPUComeFirst(t *testing.T) {
	b := newBench(t).hold(10, 0, 8*gib)
	b.gpu = func(g *monitor.GPU) { g.ECC.RowRemapFailure = monitor.Known(true) }
	b.first(catalog.GPUError, advisor.Critical)
	b.gpu = func(g *monitor.GPU) { g.ECC.UncorrectedCount = monitor.Known[int64](3) }
	b.first(catalog.GPUError, advisor.Warning)
	b.gpu = func(g *monitor.GPU) { g.Throttle = monitor.Known([]string{"sw power cap"}) }
	b.nothing()
}

func TestAllocatorSettingsAreChecked(t *testing.T) {
	for conf, want := range map[string]string{
		"expandable_segments:True":                       "",
		"max_split_size_mb:512":                          "",
		"expandable_segment:True":                        "misspelt",
		"max_split_size_mb:512,expandable_segments:True": "both set",
		"roundup_power2_divisions:[256:1,512:2,>:4]":     "",
		"banana:1": "does not know",
		"backend:cudaMallocAsync,expandable_segments:True": "does not know",
		"garbage_collection_threshold:0.8":                 "",
	} {
		b := newBench(t).hold(10, 0, 8*gib)
		b.procs = []monitor.Process{{PID: 10, AllocConf: monitor.Known(conf), TorchVersion: monitor.Known("2.8.0")}}
		if want == "" {
			b.nothing()
			continue
		}
		if f := b.first(catalog.AllocConf, advisor.Warning); !strings.Contains(f.Title, want) {
			t.Errorf("%s: %q does not say %q", conf, f.Title, want)
		}
	}
}

func TestASettingThatTheVersionLacksIsNamed(t *testing.T) {
	b := newBench(t).hold(10, 0, 8*gib)
	b.procs = []monitor.Process{{PID: 10, AllocConf: monitor.Known("expandable_segments:True"), TorchVersion: monitor.Known("2.0.1+cu118")}}
	b.first(catalog.AllocConf, advisor.Warning)
}

func TestTextsOfKnownErrorsAreNamed(t *testing.T) {
	for line, want := range map[string]catalog.ID{
		"RuntimeError: DataLoader worker (pid 88) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.": catalog.DevShmTooSmall,
		"torch.distributed.elastic: Signal 9 (SIGKILL) received by PID 77":                                                                            catalog.HostRAM,
		"slurmstepd: error: Detected 1 oom-kill event(s) in StepId=4711.0":                                                                            catalog.ContainerLimit,
		"RuntimeError: [enforce fail at alloc_cpu.cpp:83] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8589934592 bytes":         catalog.HostRAM,
		"node7: [12] NCCL WARN Failed to CUDA calloc 4194304 bytes":                                                                                   catalog.NCCLOverhead,
		"NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.":                                                                                 catalog.GPUError,
	} {
		b := newBench(t).hold(10, 0, 8*gib)
		b.lines = []string{line}
		b.first(want, advisor.Critical)
	}
}

func TestAnXidOfTheJobsOwnFaultIsNoErrorOfTheGPU(t *testing.T) {
	for _, line := range []string{
		"NVRM: Xid (PCI:0000:3b:00): 31, pid=77, name=python3, Ch 00000008, MMU Fault",
		"NVRM: Xid (GPU 1): 13, a kernel of a job failed",
		"NVRM: Xid (GPU 1): 43",
	} {
		b := newBench(t).hold(10, 0, 8*gib)
		b.lines = []string{line}
		b.nothing()
	}
	b := newBench(t).hold(10, 0, 8*gib)
	b.lines = []string{"NVRM: Xid (GPU 1): 31", "NVRM: Xid (GPU 1): 79, the GPU has fallen off the bus"}
	if f := b.first(catalog.GPUError, advisor.Critical); !strings.Contains(f.Title, "79") {
		t.Errorf("%q", f.Title)
	}
}

func TestAFigureThatIsNotAvailableIsNoOtherProcess(t *testing.T) {
	text := "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. Process 77 has 17179869184.00 GiB memory in use. Of the allocated memory 7.10 GiB is allocated by PyTorch, and 112.00 MiB is reserved by PyTorch but unallocated."
	found := advisor.Advise(pasted(text))
	if len(found) == 0 || found[0].ID != catalog.Capacity {
		t.Errorf("found %s", list(found, 3))
	}
}

// The text names nobody; the driver lists who else is on the card.
func TestWhoHeldTheCardAtAFailureIsNamedThoughTheTextNamesNobody(t *testing.T) {
	b := newBench(t).hold(10, 0, 12*gib).hold(20, 0, 11*gib).tensors(10, 0, 10*gib, 11*gib)
	b.procs = []monitor.Process{{PID: 10, ParentPID: 2}, {PID: 20, ParentPID: 3, Name: "jupyter"}}
	samples := b.samples()
	failed := &samples[25]
	failed.Readings = []monitor.LogReading{{Time: failed.Time, Kind: monitor.LogOOM, PID: 10, OOM: &monitor.LogOOMFigures{
		RequestedBytes: monitor.Known[int64](2 * gib), TotalBytes: monitor.Known[int64](24 * gib), FreeBytes: monitor.Known[int64](1 * gib)}}}
	in := inputOf(samples)
	in.Readings = failed.Readings
	found := advisor.Advise(in)
	if len(found) == 0 || found[0].ID != catalog.OtherProcess || found[0].Severity != advisor.Critical || found[0].PID == nil || *found[0].PID != 20 {
		t.Errorf("found %s", list(found, 3))
	}
}

// The driver's figure of the failing process is older than the text: since the
// sample the job has grown, or PyTorch has given back its cache.
func TestAnOlderFigureOfTheFailingProcessBlamesNobodyElse(t *testing.T) {
	for name, c := range map[string]struct{ used, reserved, free int64 }{
		"it grew after the sample":    {2 * gib, 22 * gib, 1 * gib},
		"it gave back its cache":      {23 * gib, 14 * gib, 9 * gib},
		"the text tells of no tensor": {2 * gib, -1, 1 * gib},
	} {
		b := newBench(t).hold(10, 0, c.used).tensors(10, 0, c.used-gib, c.used-gib/2)
		b.procs = []monitor.Process{{PID: 10, ParentPID: 2}}
		samples := b.samples()
		failed := &samples[25]
		oom := &monitor.LogOOMFigures{RequestedBytes: monitor.Known[int64](12 * gib), TotalBytes: monitor.Known[int64](24 * gib), FreeBytes: monitor.Known(c.free)}
		if c.reserved > 0 {
			oom.AllocatedBytes, oom.ReservedBytes = monitor.Known(c.reserved-gib/4), monitor.Known(c.reserved)
		}
		failed.Readings = []monitor.LogReading{{Time: failed.Time, Kind: monitor.LogOOM, PID: 10, OOM: oom}}
		in := inputOf(samples)
		in.Readings = failed.Readings
		found := advisor.Advise(in)
		if len(found) == 0 || found[0].ID == catalog.OtherProcess || found[0].ID == catalog.NonTorchMemory {
			t.Errorf("%s: found %s", name, list(found, 3))
		}
	}
}

func TestAnOverflowIsNoNeedForMemory(t *testing.T) {
	text := "RuntimeError: CUDA out of memory. Tried to allocate 17179869176.57 GiB (GPU 0; 15.78 GiB total capacity; 10.34 GiB already allocated; 4.33 GiB free; 10.51 GiB reserved in total by PyTorch)"
	found := advisor.Advise(pasted(text))
	if len(found) == 0 || found[0].ID != catalog.DriverOrAllocatorBug {
		t.Errorf("found %s", list(found, 3))
	}
}

func TestMoreThanTheCardAllocatedIsSpilling(t *testing.T) {
	text := "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 64.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. Of the allocated memory 11.20 GiB is allocated by PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated."
	found := advisor.Advise(pasted(text))
	if len(found) == 0 || found[0].ID != catalog.SpillingToHost {
		t.Errorf("found %s", list(found, 3))
	}
}

func TestExpandableSegmentsAreNotAdvisedWhereTheyAreOn(t *testing.T) {
	text := "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB of which 1.10 GiB is free. Including non-PyTorch memory, this process has 22.54 GiB memory in use. Of the allocated memory 14.00 GiB is allocated by PyTorch, and 8.10 GiB is reserved by PyTorch but unallocated."
	for conf, want := range map[string]bool{"": true, "expandable_segments:True": false} {
		b := newBench(t).hold(10, 0, 22*gib).tensors(10, 0, 14*gib, 22*gib)
		if conf != "" {
			b.procs = []monitor.Process{{PID: 10, AllocConf: monitor.Known(conf), TorchVersion: monitor.Known("2.6.0")}}
		}
		b.each = func(i int, s *monitor.Sample) {
			if i == 28 {
				s.Readings = pasted(text).Readings
				for n := range s.Readings {
					s.Readings[n].Time = s.Time
				}
			}
		}
		f := b.first(catalog.Fragmentation, advisor.Critical)
		advised := false
		for _, a := range f.Advice {
			advised = advised || strings.Contains(a.Code, "expandable_segments:True")
		}
		if advised != want {
			t.Errorf("with %q advised %v, want %v", conf, advised, want)
		}
	}
}

func TestALeakIsNotFoundWhereMemoryIsOnlyLoaded(t *testing.T) {
	b := newBench(t)
	b.each = func(i int, s *monitor.Sample) {
		a := int64(i+1) * gib / 2
		s.Torch = []monitor.Allocator{{PID: 10, GPU: monitor.Known(0), State: monitor.AllocatorOK, AllocatedBytes: monitor.Known(a),
			ReservedBytes: monitor.Known(a), PeakAllocatedBytes: monitor.Known(a)}}
	}
	b.hold(10, 0, 2*gib).nothing()
}

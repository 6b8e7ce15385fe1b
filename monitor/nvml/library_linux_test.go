//go:build linux && cgo

package nvml

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
)

const gib = int64(1) << 30

func wantState(t testing.TB, part monitor.Part, want monitor.State) {
	t.Helper()
	if part.Status.State != want {
		t.Fatalf("source is %v (%s), want %v", part.Status.State, part.Status.Reason, want)
	}
}

func wantKnown[T comparable](t testing.TB, what string, r monitor.Reading[T], want T) {
	t.Helper()
	if got, ok := r.Get(); !ok || got != want {
		t.Errorf("%s = %v (%v), want %v", what, got, r.Why(), want)
	}
}

func wantUnknown[T any](t testing.TB, what string, r monitor.Reading[T], want monitor.Code) {
	t.Helper()
	if got, ok := r.Get(); ok || r.Why().Code != want {
		t.Errorf("%s = %v, known %v, because %v; want unknown: %v", what, got, ok, r.Why(), want)
	}
}

func TestAHealthyGPUIsReadInFull(t *testing.T) {
	cfg := (&fakedriver.Config{GPUs: 1, Driver: "580.159.04"}).Set(0, "name", "NVIDIA H200").Set(0, "throttle", 4).
		Set(0, "corrected", 7).Set(0, "uncorrected", 2).Set(0, "remaps", 1).Process(0, 100, 3*gib, 'c', -1)
	withDriver(t, fakedriver.Options{}, cfg, func(f *fake) {
		s := f.source(100)
		f.read(s)
		part := f.read(s)
		wantState(t, part, monitor.StateOK)
		if part.Driver != "580.159.04" || len(part.GPUs) != 1 {
			t.Fatalf("driver %q, %d GPUs", part.Driver, len(part.GPUs))
		}
		g := part.GPUs[0]
		wantKnown(t, "name", g.Name, "NVIDIA H200")
		wantKnown(t, "uuid", g.UUID, "GPU-00000000-0000-0000-0000-000000000000")
		wantKnown(t, "total", g.Memory.TotalBytes, 80*gib)
		wantKnown(t, "used", g.Memory.UsedBytes, 10*gib)
		wantKnown(t, "free", g.Memory.FreeBytes, 69*gib)
		wantKnown(t, "driver-reserved", g.Memory.DriverReservedBytes, gib)
		if g.Memory.Source != monitor.MemoryV2 || !g.ReadAt.Equal(f.now) {
			t.Errorf("source %q, read at %v", g.Memory.Source, g.ReadAt)
		}
		wantKnown(t, "utilisation", g.UtilPercent, 50)
		wantKnown(t, "memory utilisation", g.MemUtilPercent, 25)
		wantKnown(t, "temperature", g.TemperatureC, 40)
		wantKnown(t, "power", g.PowerW, 300)
		wantKnown(t, "power limit", g.PowerLimitW, 700)
		wantKnown(t, "SM clock", g.SMClockMHz, 1980)
		wantKnown(t, "memory clock", g.MemClockMHz, 2619)
		if diff := cmp.Diff([]string{"sw-power-cap"}, g.Throttle.Or(nil)); diff != "" {
			t.Error(diff)
		}
		wantKnown(t, "ECC", g.ECC.Enabled, true)
		wantKnown(t, "corrected", g.ECC.CorrectedCount, 7)
		wantKnown(t, "uncorrected", g.ECC.UncorrectedCount, 2)
		wantKnown(t, "pending remap", g.ECC.PendingRowRemap, true)
		wantKnown(t, "failed remap", g.ECC.RowRemapFailure, false)
		wantUnknown(t, "retired pages", g.ECC.RetiredPagesCount, monitor.NotApplicable)
		wantKnown(t, "MIG", g.MIG, false)
		wantKnown(t, "SM activity", g.Activity.SMPercent, 60)
		wantKnown(t, "tensor activity", g.Activity.TensorPercent, 30)
		wantKnown(t, "fp32 activity", g.Activity.FP32Percent, 10)
		wantKnown(t, "DRAM activity", g.Activity.DRAMPercent, 20)
		if len(part.Holders) != 1 || part.Holders[0].PID != 100 || !part.Holders[0].InNamespace || part.Holders[0].Name != "python100" {
			t.Fatalf("holders %+v", part.Holders)
		}
		wantKnown(t, "process memory", part.Holders[0].UsedBytes, 3*gib)
	})
}

func TestWithoutADriverLibraryTheMachineIsAbsentAndSaysSo(t *testing.T) {
	withDriver(t, fakedriver.Options{}, nil, func(f *fake) {
		s := f.source()
		if f.read(s).Driver != "" {
			t.Skip("this machine has a driver library of its own, which cannot be hidden")
		}
		for range 3 {
			part := f.read(s)
			wantState(t, part, monitor.StateUnavailable)
			if !s.Absent() || !errors.Is(s.Err(), ErrNoLibrary) || !strings.Contains(part.Status.Reason, "install the NVIDIA driver") {
				t.Fatalf("absent %v, reason %q", s.Absent(), part.Status.Reason)
			}
		}
	})
}

func TestALibraryThatIsNotThereIsToldOnWhateverThreadTheQuestionRuns(t *testing.T) {
	withDriver(t, fakedriver.Options{}, nil, func(f *fake) {
		if _, err := openDirect(); err == nil {
			t.Skip("this machine has a driver library of its own, which cannot be hidden")
		}
		var asking sync.WaitGroup
		for range 16 {
			asking.Go(func() {
				for range 200 {
					if _, err := openDirect(); !errors.Is(err, ErrNoLibrary) {
						t.Errorf("got %v", err)
						return
					}
					runtime.Gosched()
				}
			})
		}
		asking.Wait()
	})
}

func TestNoGPUIsAbsentAndSixteenAreAllRead(t *testing.T) {
	withDriver(t, fakedriver.Options{}, &fakedriver.Config{GPUs: 0}, func(f *fake) {
		s := f.source()
		wantState(t, f.read(s), monitor.StateUnavailable)
		if !s.Absent() || !errors.Is(s.Err(), ErrNoGPU) {
			t.Fatalf("absent %v, err %v", s.Absent(), s.Err())
		}
		f.set(&fakedriver.Config{GPUs: 16})
		part := f.read(s)
		wantState(t, part, monitor.StateOK)
		if s.Absent() || len(part.GPUs) != 16 {
			t.Fatalf("absent %v, %d GPUs", s.Absent(), len(part.GPUs))
		}
		for i, g := range part.GPUs {
			if g.Index != i || g.State != monitor.StateOK {
				t.Errorf("GPU %d: index %d, %v", i, g.Index, g.State)
			}
		}
	})
}

func TestFunctionsThatAnOldDriverLacksAreNotCalled(t *testing.T) {
	opts := fakedriver.Options{Missing: append([]string{
		"nvmlGpmQueryDeviceSupport", "nvmlGpmSampleAlloc", "nvmlGpmSampleGet", "nvmlGpmMetricsGet", "nvmlGpmSampleFree",
		"nvmlInit_v2", "nvmlDeviceGetCount_v2", "nvmlDeviceGetHandleByIndex_v2",
		"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
		"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2", "nvmlDeviceGetGraphicsRunningProcesses",
		"nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2", "nvmlDeviceGetMPSComputeRunningProcesses",
	}, optional...)}
	// The first version of the memory question is kept, as every driver has it.
	for i, name := range opts.Missing {
		if name == "nvmlDeviceGetMemoryInfo" {
			opts.Missing = append(opts.Missing[:i], opts.Missing[i+1:]...)
			break
		}
	}
	withDriver(t, opts, (&fakedriver.Config{GPUs: 1}).Process(0, 100, 3*gib, 'c', -1), func(f *fake) {
		s := f.source(100)
		f.read(s)
		part := f.read(s)
		wantState(t, part, monitor.StateOK)
		g := part.GPUs[0]
		wantKnown(t, "used", g.Memory.UsedBytes, 11*gib)
		wantUnknown(t, "driver-reserved", g.Memory.DriverReservedBytes, monitor.NotSupported)
		if g.Memory.Source != monitor.MemoryV1 {
			t.Errorf("source %q", g.Memory.Source)
		}
		wantUnknown(t, "name", g.Name, monitor.NotSupported)
		wantUnknown(t, "power", g.PowerW, monitor.NotSupported)
		wantUnknown(t, "throttle", g.Throttle, monitor.NotSupported)
		wantUnknown(t, "SM activity", g.Activity.SMPercent, monitor.NotSupported)
		wantKnown(t, "process memory", part.Holders[0].UsedBytes, 3*gib)
	})
}

func TestALibraryThatIsNoDriverLibraryIsAFailureAndEndsNothing(t *testing.T) {
	opts := fakedriver.Options{Missing: []string{"nvmlInit_v2", "nvmlInit", "nvmlShutdown"}}
	withDriver(t, opts, &fakedriver.Config{GPUs: 1}, func(f *fake) {
		s := f.source()
		for range 3 {
			part := f.read(s)
			wantState(t, part, monitor.StateUnavailable)
			if s.Absent() || !strings.Contains(part.Status.Reason, "too old") {
				t.Fatalf("absent %v, reason %q", s.Absent(), part.Status.Reason)
			}
		}
	})
}

func TestAProcessWhoseMemoryTheDriverHidesIsUnknownNotHuge(t *testing.T) {
	cfg := (&fakedriver.Config{GPUs: 1}).Process(0, 100, fakedriver.NotAvailable, 'c', -1)
	withDriver(t, fakedriver.Options{}, cfg, func(f *fake) {
		part := f.read(f.source(100))
		if len(part.Holders) != 1 {
			t.Fatalf("holders %+v", part.Holders)
		}
		wantUnknown(t, "process memory", part.Holders[0].UsedBytes, monitor.NotAvailable)
	})
}

func TestProcessesAreReadInEveryLayoutThatDriversWrite(t *testing.T) {
	cfg := &fakedriver.Config{GPUs: 1}
	want := map[int]int64{}
	for i := range 70 { // more than the first buffer has room for
		pid := 1000 + i
		cfg.Process(0, pid, int64(i+1)<<20, 'c', -1)
		want[pid] = int64(i+1) << 20
	}
	withDriver(t, fakedriver.Options{}, cfg, func(f *fake) {
		s := f.source()
		for _, layout := range []int{16, 24, 32} {
			cfg.Layout = layout
			f.set(cfg)
			got := map[int]int64{}
			for _, h := range f.read(s).Holders {
				got[h.PID] = h.UsedBytes.Or(-1)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("layout of %d bytes: %s", layout, diff)
			}
		}
	})
}

func TestTextsOfTheDriverAreMadeFitToShow(t *testing.T) {
	cfg := (&fakedriver.Config{GPUs: 3}).Set(0, "name", `Evil\x1b[31m\xff\x07GPU`).Set(1, "name", "unterminated").Set(2, "name", `\x01\x02`)
	withDriver(t, fakedriver.Options{}, cfg, func(f *fake) {
		gpus := f.read(f.source()).GPUs
		wantKnown(t, "name", gpus[0].Name, "Evil[31mGPU")
		wantKnown(t, "name", gpus[1].Name, strings.Repeat("x", 96))
		wantUnknown(t, "name", gpus[2].Name, monitor.Failed)
	})
}

func TestMIGProcessesCarryTheirInstance(t *testing.T) {
	cfg := (&fakedriver.Config{GPUs: 1}).Set(0, "mig", 1).Set(0, "instance", 3).Set(0, "instance", 5).
		Set(0, "list-ret", fakedriver.ReturnNoPermission).Process(0, 100, gib, 'c', 3).Process(0, 200, 2*gib, 'c', 5).Process(0, 100, 4*gib, 'c', 5)
	withDriver(t, fakedriver.Options{}, cfg, func(f *fake) {
		part := f.read(f.source(100, 200))
		wantState(t, part, monitor.StateOK)
		wantKnown(t, "MIG", part.GPUs[0].MIG, true)
		got := map[[2]int]int64{}
		for _, h := range part.Holders {
			got[[2]int{h.PID, h.Instance.Or(-1)}] = h.UsedBytes.Or(-1)
		}
		if diff := cmp.Diff(map[[2]int]int64{{100, 3}: gib, {100, 5}: 4 * gib, {200, 5}: 2 * gib}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUnifiedMemoryIsEstimatedOnlyWhenNeitherVersionIsSupported(t *testing.T) {
	cfg := (&fakedriver.Config{GPUs: 3}).Set(0, "v1-ret", fakedriver.ReturnNotSupported).
		Set(fakedriver.AllGPUs, "v2-ret", fakedriver.ReturnNotSupported).Set(2, "v1-ret", fakedriver.ReturnUnknown)
	withDriver(t, fakedriver.Options{}, cfg, func(f *fake) {
		s := f.source()
		writeFile(t, f.proc, "meminfo", "MemTotal:       125829120 kB\nMemFree:  1 kB\nMemAvailable:   104857600 kB\n")
		gpus := f.read(s).GPUs
		wantKnown(t, "total", gpus[0].Memory.TotalBytes, 120*gib)
		wantKnown(t, "used", gpus[0].Memory.UsedBytes, 20*gib)
		wantUnknown(t, "driver-reserved", gpus[0].Memory.DriverReservedBytes, monitor.NotApplicable)
		wantKnown(t, "used", gpus[1].Memory.UsedBytes, 11*gib)
		wantUnknown(t, "used", gpus[2].Memory.UsedBytes, monitor.Failed)
		for i, want := range []monitor.MemorySource{monitor.MemorySystem, monitor.MemoryV1, ""} {
			if got := gpus[i].Memory.Source; got != want {
				t.Errorf("GPU %d: source %q, want %q", i, got, want)
			}
		}
	})
}

func TestAReadMakesFewCallsAndAsksSlowThingsRarely(t *testing.T) {
	cfg := (&fakedriver.Config{GPUs: 1}).Process(0, 100, gib, 'c', -1).Process(0, 200, gib, 'c', -1)
	withDriver(t, fakedriver.Options{}, cfg, func(f *fake) {
		s := f.source(100, 200)
		f.read(s)
		f.read(s)
		before := f.calls()
		for range 5 {
			f.read(s)
		}
		got := map[string]int64{}
		for name, n := range f.calls() {
			if n -= before[name]; n > 0 {
				got[name] = n
			}
		}
		want := map[string]int64{
			"nvmlDeviceGetMemoryInfo_v2": 5, "nvmlDeviceGetUtilizationRates": 5, "nvmlDeviceGetTemperature": 5,
			"nvmlDeviceGetPowerUsage": 5, "nvmlDeviceGetClockInfo": 10, "nvmlDeviceGetCurrentClocksEventReasons": 5,
			"nvmlGpmSampleGet": 5, "nvmlGpmMetricsGet": 5, "nvmlDeviceGetComputeRunningProcesses_v3": 5,
			"nvmlDeviceGetGraphicsRunningProcesses_v3": 5, "nvmlDeviceGetMPSComputeRunningProcesses_v3": 5,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls of five reads (-want +got):\n%s", diff)
		}
	})
}

// A day of one-second samples: nothing may be left behind by a read. What is
// held is looked at 24 times, and the least of the first and of the last six
// counts: what is on its way at one of these moments is not growth.
func TestADayOfReadingLeavesNothingBehind(t *testing.T) {
	withDriver(t, fakedriver.Options{}, machine(), func(f *fake) {
		s := f.source(machinePIDs()...)
		f.now = f.now.Add(time.Minute)
		for range 50 {
			f.read(s)
		}
		var goroutines []int
		var objects []uint64
		for range 24 {
			// Each read is a minute of the day, so that slow questions take part.
			for range 60 {
				f.now = f.now.Add(59 * time.Second)
				f.read(s)
			}
			var m runtime.MemStats
			runtime.GC()
			runtime.GC() // what a pool kept over the first goes with the second
			runtime.ReadMemStats(&m)
			goroutines, objects = append(goroutines, runtime.NumGoroutine()), append(objects, m.HeapObjects)
		}
		if before, after := slices.Min(goroutines[:6]), slices.Min(goroutines[18:]); after > before {
			t.Errorf("%d goroutines at first, %d a day later: %v", before, after, goroutines)
		}
		if before, after := slices.Min(objects[:6]), slices.Min(objects[18:]); after > before+200 {
			t.Errorf("%d objects in the heap at first, %d a day later: %v", before, after, objects)
		}
	})
}

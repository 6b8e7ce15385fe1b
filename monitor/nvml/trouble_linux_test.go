//go:build linux && cgo

package nvml

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
)

func TestAHungGPUFreezesNeitherTheOthersNorTheRead(t *testing.T) {
	withDriver(t, fakedriver.Options{}, (&fakedriver.Config{GPUs: 3}).Process(1, 100, gib, 'c', -1), func(f *fake) {
		s := f.source(100)
		wantState(t, f.read(s), monitor.StateOK)
		before := f.now
		f.set((&fakedriver.Config{GPUs: 3}).Set(1, "hang", 1))
		for range 3 {
			part := f.readUntilOK(s, 0, 2)
			wantState(t, part, monitor.StatePartial)
			for i, want := range []monitor.State{monitor.StateOK, monitor.StateStale, monitor.StateOK} {
				if g := part.GPUs[i]; g.State != want {
					t.Fatalf("GPU %d is %v (%s), want %v", i, g.State, g.Reason, want)
				}
			}
			stale := part.GPUs[1]
			wantKnown(t, "last used", stale.Memory.UsedBytes, 10*gib)
			if !stale.ReadAt.Equal(before) || !strings.Contains(stale.Reason, "no answer") {
				t.Errorf("read at %v, reason %q", stale.ReadAt, stale.Reason)
			}
			if len(part.Holders) != 1 {
				t.Errorf("holders %+v", part.Holders)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAGPUThatNeverAnsweredIsListedAsUnavailable(t *testing.T) {
	withDriver(t, fakedriver.Options{}, (&fakedriver.Config{GPUs: 2}).Set(0, "hang", 2), func(f *fake) {
		part := f.readUntilOK(f.source(), 1)
		wantState(t, part, monitor.StatePartial)
		if g := part.GPUs[0]; g.State != monitor.StateUnavailable || g.Reason == "" {
			t.Errorf("GPU 0 is %v (%s)", g.State, g.Reason)
		}
		wantUnknown(t, "used", part.GPUs[0].Memory.UsedBytes, monitor.TimedOut)
		wantUnknown(t, "name", part.GPUs[0].Name, monitor.TimedOut)
		wantKnown(t, "used", part.GPUs[1].Memory.UsedBytes, 10*gib)
	})
}

func TestAHungStartDoesNotHoldUpTheRead(t *testing.T) {
	withDriver(t, fakedriver.Options{}, &fakedriver.Config{GPUs: 1, InitHang: true}, func(f *fake) {
		s := f.source()
		for range 3 {
			part := f.readWithin(s, 100*time.Millisecond)
			wantState(t, part, monitor.StateUnavailable)
			if s.Absent() || !strings.Contains(part.Status.Reason, "the driver does not answer") {
				t.Fatalf("absent %v, reason %q", s.Absent(), part.Status.Reason)
			}
		}
		if n := f.calls()["nvmlInit_v2"]; n != 1 {
			t.Errorf("a start that hangs was begun %d times", n)
		}
	})
}

func TestALostGPULeavesTheRest(t *testing.T) {
	withDriver(t, fakedriver.Options{}, (&fakedriver.Config{GPUs: 3}).Process(1, 100, gib, 'c', -1), func(f *fake) {
		s := f.source(100)
		f.read(s)
		f.set((&fakedriver.Config{GPUs: 3}).Set(1, "ret", fakedriver.ReturnLost).Process(1, 100, gib, 'c', -1))
		part := f.read(s)
		wantState(t, part, monitor.StatePartial)
		lost := part.GPUs[1]
		if lost.State != monitor.StateUnavailable || !strings.Contains(lost.Reason, "lost") {
			t.Errorf("GPU 1 is %v (%s)", lost.State, lost.Reason)
		}
		wantUnknown(t, "used", lost.Memory.UsedBytes, monitor.Gone)
		wantKnown(t, "name", lost.Name, "Fake GPU 1")
		wantKnown(t, "used", part.GPUs[2].Memory.UsedBytes, 10*gib)
		if len(part.Holders) != 0 {
			t.Errorf("holders %+v", part.Holders)
		}
		before := f.calls()
		f.read(s)
		if n := f.calls()["nvmlInit_v2"] - before["nvmlInit_v2"]; n != 0 {
			t.Errorf("one lost GPU started the driver anew %d times", n)
		}
		f.set(&fakedriver.Config{GPUs: 3})
		wantState(t, f.read(s), monitor.StateOK)
	})
}

func TestADriverThatIsNotLoadedIsAbsentUntilItIs(t *testing.T) {
	withDriver(t, fakedriver.Options{}, &fakedriver.Config{GPUs: 1, Init: fakedriver.ReturnNoDriver}, func(f *fake) {
		s := f.source()
		part := f.read(s)
		wantState(t, part, monitor.StateUnavailable)
		if !s.Absent() || !strings.Contains(part.Status.Reason, "modprobe nvidia") {
			t.Fatalf("absent %v, reason %q", s.Absent(), part.Status.Reason)
		}
		f.set(&fakedriver.Config{GPUs: 1})
		wantState(t, f.read(s), monitor.StateOK)
		if s.Absent() || s.Err() != nil {
			t.Errorf("absent %v, err %v", s.Absent(), s.Err())
		}
	})
}

func TestALibraryThatDoesNotMatchTheModuleIsExplainedWithItsCure(t *testing.T) {
	withDriver(t, fakedriver.Options{}, &fakedriver.Config{GPUs: 1, Init: fakedriver.ReturnMismatch}, func(f *fake) {
		s := f.source()
		writeFile(t, f.proc, "driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024\n")
		part := f.read(s)
		wantState(t, part, monitor.StateUnavailable)
		if s.Absent() {
			t.Error("a mismatch is a failure, not an absence")
		}
		for _, want := range []string{"550.54.14", "reboot", "reload the module"} {
			if !strings.Contains(part.Status.Reason, want) {
				t.Errorf("reason %q lacks %q", part.Status.Reason, want)
			}
		}
	})
}

func TestAfterARestartOfTheDriverReadingStartsAgain(t *testing.T) {
	withDriver(t, fakedriver.Options{}, &fakedriver.Config{GPUs: 2}, func(f *fake) {
		s := f.source()
		wantState(t, f.read(s), monitor.StateOK)
		f.set(&fakedriver.Config{GPUs: 2, Init: fakedriver.ReturnNoDriver, Epoch: 1})
		part := f.read(s)
		wantState(t, part, monitor.StateUnavailable)
		wantUnknown(t, "used", part.GPUs[0].Memory.UsedBytes, monitor.Failed)
		wantState(t, f.read(s), monitor.StateUnavailable)
		f.set(&fakedriver.Config{GPUs: 2, Epoch: 1})
		f.now = f.now.Add(time.Minute)
		part = f.read(s)
		wantState(t, part, monitor.StateOK)
		wantKnown(t, "used", part.GPUs[1].Memory.UsedBytes, 10*gib)
		wantKnown(t, "SM activity", f.read(s).GPUs[1].Activity.SMPercent, 60)
	})
}

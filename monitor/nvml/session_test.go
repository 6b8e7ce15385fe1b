package nvml

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

var monitorTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// bubble runs body in fake time with a source on drv, and closes the source.
func bubble(t *testing.T, drv *goDriver, body func(s *Source, read func() monitor.Part)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSource(Config{ProcRoot: t.TempDir(), Timeout: time.Second, StartTimeout: 5 * time.Second}, drv)
		read := func() monitor.Part {
			return s.Read(context.Background(), monitor.Request{Time: time.Now()})
		}
		body(s, read)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

func state(t *testing.T, part monitor.Part, want monitor.State) {
	t.Helper()
	if part.Status.State != want {
		t.Fatalf("source is %v (%s), want %v", part.Status.State, part.Status.Reason, want)
	}
}

func TestAFailedStartIsTriedAgainAfterOneSecondThenTwiceAsLongUpToAMinute(t *testing.T) {
	drv := newGoDriver(1)
	drv.openErr = fault{call: "nvmlInit", code: returnNoDriver}
	bubble(t, drv, func(s *Source, read func() monitor.Part) {
		begin := time.Now()
		var tries []int
		for range 400 {
			opens := drv.opens
			state(t, read(), monitor.StateUnavailable)
			if drv.opens > opens {
				tries = append(tries, int(time.Since(begin)/time.Second))
			}
			time.Sleep(time.Second)
		}
		if diff := cmp.Diff([]int{0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303, 363}, tries); diff != "" {
			t.Error(diff)
		}
		if !s.Absent() {
			t.Error("a driver that is not loaded is not absent")
		}
	})
}

func TestAGoodReadMakesTheNextRetryASecondAgain(t *testing.T) {
	drv := newGoDriver(1)
	drv.openErr = fault{call: "nvmlInit", code: returnNoDriver}
	bubble(t, drv, func(s *Source, read func() monitor.Part) {
		for range 20 {
			read()
			time.Sleep(time.Second)
		}
		drv.openErr = nil
		time.Sleep(time.Minute)
		state(t, read(), monitor.StateOK)
		drv.devices[0].set(always(returnUninitialized))
		time.Sleep(time.Second)
		state(t, read(), monitor.StateUnavailable)
		drv.devices[0].set(nil)
		time.Sleep(time.Second)
		state(t, read(), monitor.StateOK)
	})
}

func TestAStartThatWorksOnADriverThatDoesNotIsNotRepeatedEverySecond(t *testing.T) {
	drv := newGoDriver(2)
	for _, d := range drv.devices {
		d.set(always(returnLost))
	}
	bubble(t, drv, func(_ *Source, read func() monitor.Part) {
		for range 121 {
			state(t, read(), monitor.StateUnavailable)
			time.Sleep(time.Second)
		}
		if drv.opens > 8 {
			t.Errorf("started %d times in two minutes", drv.opens)
		}
	})
}

func TestAClockThatIsSetBackDoesNotPutOffTheNextTry(t *testing.T) {
	drv := newGoDriver(1)
	drv.openErr = fault{call: "nvmlInit", code: returnNoDriver}
	bubble(t, drv, func(s *Source, _ func() monitor.Part) {
		s.Read(context.Background(), monitor.Request{Time: monitorTime})
		s.Read(context.Background(), monitor.Request{Time: monitorTime.Add(-time.Hour)})
		if drv.opens != 2 {
			t.Errorf("started %d times", drv.opens)
		}
	})
}

func TestReadReturnsBeforeItsDeadlineWithEverythingThatAnswered(t *testing.T) {
	drv := newGoDriver(3)
	release := make(chan struct{})
	bubble(t, drv, func(s *Source, read func() monitor.Part) {
		release = make(chan struct{})
		read()
		at := time.Now()
		drv.devices[1].set(func(string) error { <-release; return nil })
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(context.Background(), 800*time.Millisecond)
		defer cancel()
		begin := time.Now()
		part := s.Read(ctx, monitor.Request{Time: begin})
		if took := time.Since(begin); took != 700*time.Millisecond {
			t.Errorf("took %v", took)
		}
		state(t, part, monitor.StatePartial)
		if g := part.GPUs[1]; g.State != monitor.StateStale || !g.ReadAt.Equal(at) || !g.Memory.UsedBytes.Known() {
			t.Errorf("GPU 1: %v, read at %v", g.State, g.ReadAt)
		}
		calls := drv.devices[1].called("memoryV2")
		for range 5 {
			time.Sleep(time.Second)
			part = read()
		}
		if n := drv.devices[1].called("memoryV2") - calls; n != 0 {
			t.Errorf("a device that hangs was asked %d times more", n)
		}
		if !strings.Contains(part.GPUs[1].Reason, "for 9 s") {
			t.Errorf("reason %q", part.GPUs[1].Reason)
		}
		close(release)
		synctest.Wait()
		state(t, read(), monitor.StateOK)
	})
}

func TestALateAnswerIsShownWithTheTimeItWasAskedFor(t *testing.T) {
	drv := newGoDriver(1)
	bubble(t, drv, func(_ *Source, read func() monitor.Part) {
		drv.devices[0].set(func(call string) error {
			if call == "memoryV2" {
				time.Sleep(1500 * time.Millisecond)
			}
			return nil
		})
		asked := time.Now()
		state(t, read(), monitor.StateUnavailable) // 1 s
		time.Sleep(time.Second)
		part := read() // has the first answer, waits for the second
		if g := part.GPUs[0]; g.State != monitor.StateStale || !g.ReadAt.Equal(asked) {
			t.Errorf("%v (%s), read at %v, asked at %v", g.State, g.Reason, g.ReadAt, asked)
		}
		time.Sleep(2 * time.Second)
	})
}

func TestAStartThatHangsIsBegunOnceAndUsedWhenItComesBack(t *testing.T) {
	drv := newGoDriver(1)
	bubble(t, drv, func(s *Source, read func() monitor.Part) {
		release := make(chan struct{})
		drv.onOpen = func() { <-release }
		begin := time.Now()
		part := read()
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("the first read waited %v", took)
		}
		state(t, part, monitor.StateUnavailable)
		if s.Absent() || !strings.Contains(part.Status.Reason, "the driver does not answer") {
			t.Errorf("absent %v, reason %q", s.Absent(), part.Status.Reason)
		}
		begin = time.Now()
		for range 100 {
			state(t, read(), monitor.StateUnavailable)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("later reads waited %v", took)
		}
		close(release)
		synctest.Wait()
		state(t, read(), monitor.StateOK)
		if drv.opens != 1 {
			t.Errorf("started %d times", drv.opens)
		}
	})
}

func TestTheDriverIsNotRestartedUnderACallThatHangs(t *testing.T) {
	drv := newGoDriver(2)
	bubble(t, drv, func(_ *Source, read func() monitor.Part) {
		state(t, read(), monitor.StateOK)
		release := make(chan struct{})
		drv.devices[0].set(always(returnLost))
		time.Sleep(time.Second)
		state(t, read(), monitor.StatePartial)
		drv.devices[0].set(func(string) error { <-release; return fault{call: "x", code: returnUninitialized} })
		drv.devices[1].set(always(returnUninitialized))
		for range 10 {
			time.Sleep(time.Second)
			read()
		}
		if drv.opens != 1 || drv.closes != 0 {
			t.Fatalf("opened %d times, closed %d times", drv.opens, drv.closes)
		}
		drv.devices[1].set(nil)
		time.Sleep(time.Second)
		if g := read().GPUs[1]; g.State != monitor.StateOK {
			t.Errorf("GPU 1 answers again and is %v (%s)", g.State, g.Reason)
		}
		close(release)
		synctest.Wait()
		drv.devices[0].set(nil)
		for range 5 {
			time.Sleep(time.Second)
			read()
		}
		state(t, read(), monitor.StateOK)
	})
}

func TestAPanicInTheBindingCostsOneDeviceOneRound(t *testing.T) {
	drv := newGoDriver(2)
	bubble(t, drv, func(_ *Source, read func() monitor.Part) {
		drv.devices[0].set(func(call string) error {
			if call == "compute" {
				panic("slice bounds out of range")
			}
			return nil
		})
		part := read()
		state(t, part, monitor.StatePartial)
		if !strings.Contains(part.GPUs[0].Reason, "slice bounds") || part.GPUs[1].State != monitor.StateOK {
			t.Errorf("%q, %v", part.GPUs[0].Reason, part.GPUs[1].State)
		}
		drv.devices[0].set(nil)
		state(t, read(), monitor.StateOK)
	})
}

func TestGPUsThatAppearOrGoWithARestartAreListedAsTheDriverSays(t *testing.T) {
	drv := newGoDriver(3)
	bubble(t, drv, func(_ *Source, read func() monitor.Part) {
		drv.count = 2
		if n := len(read().GPUs); n != 2 {
			t.Errorf("%d GPUs", n)
		}
		for _, d := range drv.devices {
			d.set(always(returnUninitialized))
		}
		time.Sleep(time.Second)
		read()
		drv.count = 3
		for _, d := range drv.devices {
			d.set(nil)
		}
		time.Sleep(time.Second)
		if n := len(read().GPUs); n != 3 {
			t.Errorf("%d GPUs", n)
		}
	})
}

func TestCloseWaitsForNothingThatHangs(t *testing.T) {
	drv := newGoDriver(1)
	synctest.Test(t, func(t *testing.T) {
		s := newSource(Config{ProcRoot: t.TempDir(), Timeout: time.Second}, drv)
		release := make(chan struct{})
		read := func() { s.Read(context.Background(), monitor.Request{Time: time.Now()}) }
		read()
		drv.devices[0].set(func(string) error { <-release; return nil })
		read()
		begin := time.Now()
		if err := s.Close(); err != nil || time.Since(begin) != 0 || drv.closes != 0 {
			t.Errorf("%v after %v, closed %d times", err, time.Since(begin), drv.closes)
		}
		read() // after Close: answers, asks nothing
		close(release)
	})
}

func TestCloseGivesUpOnALibraryThatDoesNotCome(t *testing.T) {
	drv := newGoDriver(1)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := newSource(Config{ProcRoot: t.TempDir()}, drv)
		s.Read(context.Background(), monitor.Request{Time: time.Now()})
		drv.onClose = func() { <-release }
		begin := time.Now()
		if err := s.Close(); !errors.Is(err, errSilent) || time.Since(begin) != time.Second {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		close(release)
	})
}

func TestEveryFailureOfAStartSaysWhatToDo(t *testing.T) {
	for code, want := range map[returnCode]string{
		returnNoDriver:       "modprobe nvidia",
		returnNoLibrary:      "modprobe nvidia",
		returnMismatch:       "reboot",
		returnNoPermission:   "/dev/nvidiactl",
		returnUnknown:        "could not be started",
		returnCode(12345678): "driver error 12345678",
	} {
		if got := openError(fault{call: "nvmlInit", code: code}, "").Error(); !strings.Contains(got, want) {
			t.Errorf("code %d: %q lacks %q", code, got, want)
		}
	}
	if got := openError(fault{code: returnMismatch}, "550.54.14").Error(); !strings.Contains(got, "550.54.14") {
		t.Errorf("%q lacks the version", got)
	}
}

package nvml

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

// goEvents is a set of events in Go: what is sent on tell, then what is set as
// the failure of every wait, then nothing until the time is over.
type goEvents struct {
	tell chan event
	hang chan struct{} // not nil: no wait returns before it is closed

	mu    sync.Mutex
	fail  error
	waits int
	freed bool
}

func newGoEvents() *goEvents { return &goEvents{tell: make(chan event, 1000)} }

func (e *goEvents) wait(timeout time.Duration) (event, error) {
	e.mu.Lock()
	e.waits++
	fail := e.fail
	e.mu.Unlock()
	if e.hang != nil {
		<-e.hang
	}
	select {
	case got := <-e.tell:
		return got, nil
	default:
	}
	if fail != nil {
		return event{}, fail
	}
	select {
	case got := <-e.tell:
		return got, nil
	case <-time.After(timeout):
		return event{}, fault{call: "nvmlEventSetWait", code: returnTimeout}
	}
}

func (e *goEvents) free() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.freed = true
}

func (e *goEvents) set(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fail = err
}

func (e *goEvents) state() (waits int, freed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.waits, e.freed
}

// watching runs body in fake time with a source that waits for events.
func watching(t *testing.T, drv *goDriver, body func(s *Source, read func() monitor.Part)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSource(Config{ProcRoot: t.TempDir(), Timeout: time.Second, StartTimeout: 5 * time.Second, Watch: true}, drv)
		body(s, func() monitor.Part {
			part := s.Read(context.Background(), monitor.Request{Time: time.Now()})
			synctest.Wait()
			return part
		})
		begin := time.Now()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took > 0 {
			t.Errorf("closing waited %v for the events", took)
		}
		time.Sleep(eventWait + time.Second) // the wait under way comes back
	})
}

func with(sets ...*goEvents) func() (eventSet, error) {
	return func() (eventSet, error) {
		set := sets[0]
		if len(sets) > 1 {
			sets = sets[1:]
		}
		return set, nil
	}
}

func TestAnXidBecomesALineAndAMarkOfTheNextRead(t *testing.T) {
	drv := newGoDriver(2)
	var set *goEvents
	watching(t, drv, func(s *Source, read func() monitor.Part) {
		set = newGoEvents()
		drv.set = with(set)
		if part := read(); len(part.Lines)+len(part.Marks) != 0 {
			t.Fatalf("told before anything happened: %+v", part)
		}
		for _, e := range []event{{gpu: 1, xid: 79}, {gpu: 0, xid: 31}, {gpu: 0}, {gpu: -1, xid: 9999}, {gpu: 0, xid: 1 << 40}} {
			set.tell <- e
		}
		time.Sleep(time.Second)
		synctest.Wait()
		at := time.Now()
		part := read()
		var lines, marks []string
		for _, l := range part.Lines {
			if l.Source != EventSource || !l.Time.Equal(at) || l.PID != 0 {
				t.Errorf("%+v", l)
			}
			lines = append(lines, l.Text)
		}
		for _, m := range part.Marks {
			marks = append(marks, m.Text)
		}
		if diff := cmp.Diff([]string{
			"NVRM: Xid (GPU 1): 79, the GPU has fallen off the bus",
			"NVRM: Xid (GPU 0): 31, a job reached for memory that is not its own",
			"NVRM: GPU 0: uncorrectable ECC error",
			"NVRM: Xid (unknown GPU): 9999",
			"NVRM: Xid (GPU 0): 1099511627776",
		}, lines); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"Xid 79, GPU 1", "Xid 31, GPU 0", "memory error, GPU 0", "Xid 9999, unknown GPU", "Xid 1099511627776, GPU 0"}, marks); diff != "" {
			t.Error(diff)
		}
		if part := read(); len(part.Lines)+len(part.Marks) != 0 {
			t.Errorf("told twice: %+v", part)
		}
		if err := s.Watching(); err != nil {
			t.Error(err)
		}
	})
	if _, freed := set.state(); !freed {
		t.Error("the set was not given back")
	}
}

func TestADriverWithoutEventsIsAskedOnceAndSaysWhy(t *testing.T) {
	for _, code := range []returnCode{returnNotSupported, returnMissing, returnNoFunction} {
		drv := newGoDriver(1)
		asked := 0
		drv.set = func() (eventSet, error) {
			asked++
			return nil, fault{call: "nvmlEventSetCreate", code: code}
		}
		watching(t, drv, func(s *Source, read func() monitor.Part) {
			for range 5 {
				state(t, read(), monitor.StateOK)
				time.Sleep(time.Minute)
			}
			if err := s.Watching(); codeOf(err) != code || asked != 1 {
				t.Errorf("%v, asked %d times", err, asked)
			}
		})
	}
}

func TestAWaitThatTheDriverDoesNotSupportEndsTheWatchAndSaysWhy(t *testing.T) {
	drv := newGoDriver(1)
	watching(t, drv, func(s *Source, read func() monitor.Part) {
		set := newGoEvents()
		set.set(fault{call: "nvmlEventSetWait", code: returnNotSupported})
		drv.set = with(set)
		for range 5 {
			state(t, read(), monitor.StateOK)
			time.Sleep(time.Minute)
		}
		if waits, freed := set.state(); waits != 1 || !freed || codeOf(s.Watching()) != returnNotSupported {
			t.Errorf("waited %d times, freed %v: %v", waits, freed, s.Watching())
		}
	})
}

func TestAWaitThatHangsKeepsNeitherReadingNorClosingNorANewStart(t *testing.T) {
	drv := newGoDriver(1)
	watching(t, drv, func(s *Source, read func() monitor.Part) {
		set, next := newGoEvents(), newGoEvents()
		set.hang = make(chan struct{})
		drv.set = with(set, next)
		for range 40 {
			state(t, read(), monitor.StateOK)
			time.Sleep(time.Second)
		}
		read()
		if err := s.Watching(); !errors.Is(err, errSilent) {
			t.Errorf("after 40 s: %v", err)
		}
		drv.devices[0].set(always(returnUninitialized))
		state(t, read(), monitor.StateUnavailable)
		drv.devices[0].set(nil)
		for range 20 { // a new start waits for the one that hangs, not for ever
			time.Sleep(time.Second)
			read()
		}
		state(t, read(), monitor.StateOK)
		if waits, _ := next.state(); waits == 0 {
			t.Error("the new start does not wait for events")
		}
		close(set.hang)
	})
}

func TestALostGPUIsToldOnceAndDoesNotKeepTheProgramBusy(t *testing.T) {
	drv := newGoDriver(2)
	watching(t, drv, func(s *Source, read func() monitor.Part) {
		set := newGoEvents()
		drv.set = with(set)
		read()
		set.set(fault{call: "nvmlEventSetWait", code: returnLost})
		set.tell <- event{gpu: 1, xid: 79}
		drv.devices[1].set(always(returnLost))
		told := 0
		for range 600 {
			time.Sleep(time.Second)
			told += len(read().Lines)
		}
		waits, _ := set.state()
		if told != 1 || waits > 20 {
			t.Errorf("told %d times, waited %d times in ten minutes", told, waits)
		}
		if err := s.Watching(); codeOf(err) != returnLost {
			t.Error(err)
		}
		set.set(nil)
		time.Sleep(2 * time.Minute)
		read()
		if err := s.Watching(); err != nil {
			t.Errorf("after it came back: %v", err)
		}
	})
}

func TestADriverThatIsStartedAgainIsWatchedAgain(t *testing.T) {
	drv := newGoDriver(1)
	watching(t, drv, func(_ *Source, read func() monitor.Part) {
		first, second := newGoEvents(), newGoEvents()
		drv.set = with(first, second)
		read()
		drv.onClose = func() {
			if _, freed := first.state(); !freed {
				t.Error("the library was closed under a wait")
			}
		}
		drv.devices[0].set(always(returnUninitialized))
		read()
		drv.devices[0].set(nil)
		for range 15 {
			time.Sleep(time.Second)
			read()
		}
		drv.onClose = nil
		second.tell <- event{gpu: 0, xid: 48}
		synctest.Wait()
		part := read()
		if len(part.Lines) != 1 || !strings.Contains(part.Lines[0].Text, "48") {
			t.Errorf("%+v", part.Lines)
		}
	})
}

func TestAFloodOfEventsIsCutAndCounted(t *testing.T) {
	drv := newGoDriver(1)
	watching(t, drv, func(_ *Source, read func() monitor.Part) {
		set := newGoEvents()
		drv.set = with(set)
		read()
		for range 200 {
			set.tell <- event{gpu: 0, xid: 13}
		}
		synctest.Wait()
		part := read()
		last := part.Marks[len(part.Marks)-1].Text
		if len(part.Lines) != maxEvents || last != "136 more errors of the driver" {
			t.Errorf("%d lines, last mark %q", len(part.Lines), last)
		}
	})
}

func TestNothingIsWaitedForUnlessAsked(t *testing.T) {
	drv := newGoDriver(1)
	bubble(t, drv, func(s *Source, read func() monitor.Part) {
		set := newGoEvents()
		drv.set = with(set)
		read()
		if waits, _ := set.state(); waits != 0 || s.Watching() != nil {
			t.Errorf("waited %d times: %v", waits, s.Watching())
		}
	})
}

package sampler

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// fake is a source whose Read is a function.
type fake struct {
	name   string
	read   func(ctx context.Context, req monitor.Request) monitor.Part
	closed chan struct{}
}

func source(name string, read func(ctx context.Context, req monitor.Request) monitor.Part) *fake {
	return &fake{name: name, read: read, closed: make(chan struct{})}
}

func (f *fake) Name() string { return f.name }
func (f *fake) Close() error { close(f.closed); return nil }
func (f *fake) Read(ctx context.Context, req monitor.Request) monitor.Part {
	return f.read(ctx, req)
}

func fine(part monitor.Part) func(context.Context, monitor.Request) monitor.Part {
	return func(context.Context, monitor.Request) monitor.Part {
		part.Status.State = monitor.StateOK
		return part
	}
}

func start(t *testing.T, interval time.Duration, stages ...[]monitor.Source) *Sampler {
	t.Helper()
	s := New(Config{Interval: interval, Stages: stages, Host: "node"})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func one(t *testing.T, s *Sampler) monitor.Sample {
	t.Helper()
	b, err := s.Next(t.Context())
	if err != nil || len(b.Samples) != 1 {
		t.Fatalf("%d samples, %v", len(b.Samples), err)
	}
	return b.Samples[0]
}

func status(s monitor.Sample, name string) monitor.SourceStatus {
	for _, st := range s.Sources {
		if st.Name == name {
			return st
		}
	}
	return monitor.SourceStatus{}
}

func gpu(index int) monitor.GPU { return monitor.GPU{Index: index, State: monitor.StateOK} }

func TestSamplesComeAtThePaceWithoutDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := source("a", func(context.Context, monitor.Request) monitor.Part {
			time.Sleep(70 * time.Millisecond)
			return monitor.Part{}
		})
		s := start(t, time.Second, []monitor.Source{slow})
		first := one(t, s).Time
		for i := 1; i < 100; i++ {
			got := one(t, s)
			if want := first.Add(time.Duration(i) * time.Second); !got.Time.Equal(want) || got.Seq != uint64(i+1) {
				t.Fatalf("sample %d (seq %d) is %v after the first", i, got.Seq, got.Time.Sub(first))
			}
		}
	})
}

func TestALaterStageSeesWhatEarlierOnesFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := source("nvml", fine(monitor.Part{Driver: "580", GPUs: []monitor.GPU{gpu(0)}, Holders: []monitor.Holder{{PID: 3}}}))
		var saw monitor.Sample
		second := source("proc", func(_ context.Context, req monitor.Request) monitor.Part {
			saw = *req.Seen
			return monitor.Part{Processes: []monitor.Process{{PID: 3}}}
		})
		s := start(t, time.Second, []monitor.Source{first}, []monitor.Source{second})
		got := one(t, s)
		if len(saw.GPUs) != 1 || len(saw.Holders) != 1 || saw.Driver != "580" || len(saw.Processes) != 0 || saw.Time != got.Time {
			t.Errorf("the second stage saw %+v", saw)
		}
		if len(got.Processes) != 1 || len(got.Sources) != 2 || got.Host != "node" {
			t.Errorf("the sample is %+v", got)
		}
	})
}

func TestSourcesOfAStageRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nap := func(context.Context, monitor.Request) monitor.Part {
			time.Sleep(150 * time.Millisecond)
			return monitor.Part{}
		}
		s := start(t, time.Second, []monitor.Source{source("a", nap), source("b", nap), source("c", nap)})
		began := time.Now()
		one(t, s)
		if took := time.Since(began); took != 150*time.Millisecond {
			t.Errorf("three naps of 150 ms took %v", took)
		}
	})
}

func TestAHungSourceIsNotCalledAgainAndSaysSinceWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var calls atomic.Int64
		hung := source("nvml", func(ctx context.Context, req monitor.Request) monitor.Part {
			call := calls.Add(1)
			part := fine(monitor.Part{GPUs: []monitor.GPU{{Index: 0, State: monitor.StateOK, ReadAt: req.Time}}, Holders: []monitor.Holder{{PID: 1}}})(ctx, req)
			if call == 2 {
				<-release
				part.Readings = []monitor.LogReading{{Line: 42}}
			}
			return part
		})
		other := source("proc", fine(monitor.Part{Processes: []monitor.Process{{PID: 1}}}))
		s := start(t, time.Second, []monitor.Source{hung, other})
		good := one(t, s)
		for range 12 {
			one(t, s)
		}
		late := one(t, s)
		st := status(late, "nvml")
		if calls.Load() != 2 || st.State != monitor.StateStale || st.Reason != "no answer for 12 s" || !st.GoodAt.Equal(good.Time) {
			t.Errorf("after %d calls the status is %+v", calls.Load(), st)
		}
		if len(late.GPUs) != 1 || late.GPUs[0].State != monitor.StateStale || !late.GPUs[0].ReadAt.Equal(good.Time) || len(late.Holders) != 0 {
			t.Errorf("the silent source's part is %+v, %+v", late.GPUs, late.Holders)
		}
		if status(late, "proc").State != monitor.StateOK || len(late.Processes) != 1 {
			t.Error("the other source suffers")
		}
		close(release)
		back := one(t, s)
		if st := status(back, "nvml"); calls.Load() != 3 || st.State != monitor.StateOK || len(back.Holders) != 1 {
			t.Errorf("after it came back: %d calls, %+v", calls.Load(), st)
		}
		if len(back.Readings) != 1 || back.Readings[0].Line != 42 {
			t.Errorf("the log lines of the late answer are lost: %+v", back.Readings)
		}
	})
}

func TestASourceThatNeverAnsweredIsUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		s := start(t, time.Second, []monitor.Source{source("a", func(context.Context, monitor.Request) monitor.Part { <-release; return monitor.Part{} })})
		if st := status(one(t, s), "a"); st.State != monitor.StateUnavailable || st.Reason != "no answer for 0.8 s" || !st.GoodAt.IsZero() {
			t.Errorf("status %+v", st)
		}
	})
}

func TestAPanicIsTheSourcesOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		bad := source("bad", func(context.Context, monitor.Request) monitor.Part {
			calls++
			switch calls {
			case 1:
				panic(errors.New("index out\nof range"))
			case 2:
				runtime.Goexit()
			}
			return fine(monitor.Part{})(context.Background(), monitor.Request{})
		})
		s := start(t, time.Second, []monitor.Source{bad, source("good", fine(monitor.Part{GPUs: []monitor.GPU{gpu(0)}}))})
		got := one(t, s)
		if st := status(got, "bad"); st.State != monitor.StateUnavailable || st.Reason != "it failed: index out of range" || len(got.GPUs) != 1 {
			t.Errorf("status %+v", st)
		}
		if st := status(one(t, s), "bad"); !strings.Contains(st.Reason, "it failed") {
			t.Errorf("status %+v", st)
		}
		if st := status(one(t, s), "bad"); st.State != monitor.StateOK {
			t.Errorf("it is not called again: %+v", st)
		}
	})
}

func TestASlowReaderGetsTheNewestSampleAndEveryLogLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := int64(0)
		log := source("log", func(_ context.Context, req monitor.Request) monitor.Part {
			n++
			return monitor.Part{Lines: []monitor.LogLine{{Number: n}}, Readings: []monitor.LogReading{{Line: n}}}
		})
		s := start(t, time.Second, []monitor.Source{log})
		one(t, s)
		s.Mark(monitor.Mark{Text: "first"})
		time.Sleep(5*time.Second + time.Millisecond)
		s.Mark(monitor.Mark{Text: "second"})
		time.Sleep(5 * time.Second)
		b, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := b.Samples[0]
		if b.Dropped != 9 || got.Seq != 11 {
			t.Errorf("dropped %d, seq %d", b.Dropped, got.Seq)
		}
		if len(got.Readings) != 10 || got.Readings[0].Line != 2 || got.Readings[9].Line != 11 || len(got.Lines) != 10 || len(got.Marks) != 2 {
			t.Errorf("%d readings, %d lines, %d marks", len(got.Readings), len(got.Lines), len(got.Marks))
		}
		b, err = s.Next(t.Context())
		if err != nil || b.Dropped != 0 || len(b.Samples[0].Readings) != 1 {
			t.Errorf("afterwards: dropped %d, %v", b.Dropped, err)
		}
	})
}

func TestTheIntervalChangesWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, time.Minute, []monitor.Source{source("a", fine(monitor.Part{}))})
		began := one(t, s).Time
		time.Sleep(10 * time.Second)
		s.SetInterval(15 * time.Second)
		if got := one(t, s).Time.Sub(began); got != 15*time.Second {
			t.Errorf("the next sample came after %v", got)
		}
		time.Sleep(14 * time.Second)
		s.SetInterval(time.Nanosecond)
		if got := one(t, s).Time.Sub(began); got != 29*time.Second || s.Interval() != MinInterval {
			t.Errorf("the next sample came after %v at %v", got, s.Interval())
		}
		if got := one(t, s).Time.Sub(began); got != 29*time.Second+MinInterval {
			t.Errorf("the one after that after %v", got)
		}
		s.SetInterval(time.Hour)
		if s.Interval() != MaxInterval {
			t.Errorf("interval %v", s.Interval())
		}
	})
}

func TestNowTakesASampleAndKeepsThePace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, 10*time.Second, []monitor.Source{source("a", fine(monitor.Part{}))})
		began := one(t, s).Time
		time.Sleep(3 * time.Second)
		s.Now()
		if got := one(t, s).Time.Sub(began); got != 3*time.Second {
			t.Errorf("asked for after 3 s, taken after %v", got)
		}
		if got := one(t, s).Time.Sub(began); got != 10*time.Second {
			t.Errorf("the next came after %v", got)
		}
	})
}

func TestAfterALongSleepThereIsNoBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		s := start(t, time.Second, []monitor.Source{source("a", func(context.Context, monitor.Request) monitor.Part {
			calls.Add(1)
			return monitor.Part{}
		})})
		one(t, s)
		// The last sample was due an hour ago, as after a suspend.
		if got := nextDue(time.Now().Add(-time.Hour), time.Second); !got.Equal(time.Now()) {
			t.Errorf("the next sample is due at %v, want now", got)
		}
		if got := nextDue(time.Now().Add(-1500*time.Millisecond), time.Second); !got.Equal(time.Now().Add(-500 * time.Millisecond)) {
			t.Errorf("a little late: due at %v, want the pace kept", got)
		}
		synctest.Wait()
		before := calls.Load()
		time.Sleep(10*time.Second + time.Millisecond)
		synctest.Wait()
		if got := calls.Load() - before; got != 10 {
			t.Errorf("%d samples in 10 seconds", got)
		}
	})
}

func TestDevicesAndProcessesAreNotDoubled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := source("a", fine(monitor.Part{GPUs: []monitor.GPU{gpu(0), gpu(1)}, Processes: []monitor.Process{{PID: 1, Name: "first"}}}))
		b := source("b", fine(monitor.Part{GPUs: []monitor.GPU{gpu(1), gpu(2)}, Processes: []monitor.Process{{PID: 1, Name: "second"}, {PID: 2}}}))
		got := one(t, start(t, time.Second, []monitor.Source{a}, []monitor.Source{b}))
		if len(got.GPUs) != 3 || len(got.Processes) != 2 || got.Processes[0].Name != "first" {
			t.Errorf("%+v %+v", got.GPUs, got.Processes)
		}
	})
}

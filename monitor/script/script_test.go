package script

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

var readings = cmp.AllowUnexported(monitor.Reading[int]{}, monitor.Reading[int64]{}, monitor.Reading[float64]{}, monitor.Reading[string]{},
	monitor.Reading[bool]{}, monitor.Reading[[]string]{})

func at0(t *testing.T, m Machine, i int) monitor.Sample {
	t.Helper()
	s, ok := m.Sample(i)
	if !ok {
		t.Fatalf("sample %d falls into a gap", i)
	}
	return s
}

func TestTheSameScriptGivesTheSameSamples(t *testing.T) {
	m := TwoGPUs()
	m.Length = 20 * time.Second
	first := m.Samples()
	if len(first) != 21 {
		t.Errorf("%d samples, want 21", len(first))
	}
	if diff := cmp.Diff(first, m.Samples(), readings); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first[7], at0(t, m, 7), readings); diff != "" {
		t.Errorf("a sample depends on those before it: %s", diff)
	}
}

func TestFiguresFitTogether(t *testing.T) {
	m := NewMachine(4, 9)
	m.Length = time.Minute
	m.Jobs[0] = Leaking(400, 0, 10*GiB, 64*MiB)
	m.Jobs[1] = Growing(401, 1, 8*GiB, GiB, 5*time.Second, 30*GiB)
	m.Jobs[2].Allocated = Leak(0, GiB) // would pass reserved
	peak := int64(0)
	for _, s := range m.Samples() {
		for _, g := range s.GPUs {
			l := monitor.LayersOf(&s, g.Index)
			for name, r := range map[string]monitor.Reading[int64]{"cache": l.Cache, "split": l.Split, "releasable": l.Releasable, "non-torch": l.NonTorch, "others": l.Others, "free": l.Free} {
				if v, ok := r.Get(); !ok || v < 0 {
					t.Fatalf("%v GPU %d: %s is %d (%v)", s.Time, g.Index, name, v, r.Why())
				}
			}
		}
		now := s.Torch[0].PeakAllocatedBytes.Or(-1)
		if now < peak || now < s.Torch[0].AllocatedBytes.Or(0) {
			t.Fatalf("the peak fell from %d to %d", peak, now)
		}
		peak = now
	}
}

func TestThingsHappenWhenTheScriptSays(t *testing.T) {
	job := Healthy(7, 0, 4*GiB)
	job.Lives = Span{5 * time.Second, 20 * time.Second}
	job.OOMAt = []time.Duration{6 * time.Second}
	m := Machine{GPUs: []GPU{{Lost: Span{12 * time.Second, 15 * time.Second}}, {Missing: Span{From: 8 * time.Second}}}, Jobs: []Job{job},
		Gaps: []Span{{2 * time.Second, 4 * time.Second}}, Down: []Down{{Source: "torch", When: Span{16 * time.Second, 18 * time.Second}}},
		Events: []Event{{At: 9 * time.Second, Mark: "eval start", Line: "eval"}}}
	if _, ok := m.Sample(2); ok {
		t.Error("a sample in a gap")
	}
	if n := len(at0(t, m, 4).Torch) + len(at0(t, m, 20).Torch); n != 0 || len(at0(t, m, 5).Torch) != 1 {
		t.Error("the job does not come and go")
	}
	if len(at0(t, m, 7).GPUs) != 2 || len(at0(t, m, 8).GPUs) != 1 {
		t.Error("the missing device is there")
	}
	if s := at0(t, m, 9); len(s.Marks) != 1 || len(s.Lines) != 1 || len(at0(t, m, 10).Marks) != 0 {
		t.Error("the event comes at another time")
	}
	if s := at0(t, m, 11); s.Torch[0].OOMCount.Or(0) != 1 || len(s.Readings) != 1 || s.Readings[0].Kind != monitor.LogOOM || len(at0(t, m, 12).Readings) != 0 {
		t.Errorf("the failed request: %+v", s.Readings)
	}
	lost := at0(t, m, 14).GPUs[0]
	if lost.State != monitor.StateStale || !lost.ReadAt.Equal(m.start().Add(11*time.Second)) || at0(t, m, 15).GPUs[0].State != monitor.StateOK {
		t.Errorf("the lost device: %v of %v", lost.State, lost.ReadAt)
	}
	if s := at0(t, m, 17); len(s.Torch) != 0 || s.Sources[1].State != monitor.StateStale || s.Sources[1].Reason != "no answer for 1 s" {
		t.Errorf("the silent source: %+v", s.Sources)
	}
}

func TestAJobThatOnlyPrintsKeepsItsFigureUntilTheNextLine(t *testing.T) {
	job := Leaking(7, 0, GiB, MiB)
	job.FromLog = 10 * time.Second
	m := Machine{GPUs: make([]GPU, 1), Jobs: []Job{job}}
	a, b, c := at0(t, m, 10).Torch[0], at0(t, m, 19).Torch[0], at0(t, m, 20).Torch[0]
	if a.Origin != monitor.OriginLog || a.AllocatedBytes != b.AllocatedBytes || a.ReadAt != b.ReadAt || c.AllocatedBytes == b.AllocatedBytes {
		t.Errorf("%v, %v, %v", a.AllocatedBytes, b.AllocatedBytes, c.AllocatedBytes)
	}
}

func TestCurvesDoWhatTheirNamesSay(t *testing.T) {
	s := time.Second
	for name, c := range map[string]struct {
		curve Curve
		at    time.Duration
		want  int64
	}{
		"steady":        {Steady(5), 99 * s, 5},
		"sawtooth low":  {Sawtooth(10, 20, 2*s), 4 * s, 10},
		"sawtooth half": {Sawtooth(10, 20, 2*s), 5 * s, 15},
		"leak":          {Leak(3, 2), 10 * s, 23},
		"stairs":        {Stairs(0, 5, 10*s, 12), 29 * s, 10},
		"stairs limit":  {Stairs(0, 5, 10*s, 12), 90 * s, 12},
		"sum":           {Sum(Steady(1), Steady(2)), s, 3},
		"before":        {Between(Steady(1), 10*s, Leak(0, 1)), 9 * s, 1},
		"after":         {Between(Steady(1), 10*s, Leak(0, 1)), 13 * s, 3},
		"high water":    {HighWater(Between(Leak(0, 1), 10*s, Steady(0))), 3000 * s, 9},
	} {
		if got := c.curve(c.at); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestAFeedKeepsThePaceAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMachine(1, 1)
		m.Interval, m.Length, m.Gaps = 500*time.Millisecond, 3*time.Second, []Span{{time.Second, 2 * time.Second}}
		f := NewFeed(m)
		began := time.Now()
		var when []time.Duration
		for {
			b, err := f.Next(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || len(b.Samples) != 1 {
				t.Fatal(err)
			}
			when = append(when, time.Since(began))
		}
		want := []time.Duration{0, 500e6, 2000e6, 2500e6, 3000e6}
		if diff := cmp.Diff(want, when); diff != "" {
			t.Error(diff)
		}
		f = NewFeed(NewMachine(1, 1))
		go func() {
			time.Sleep(10 * time.Millisecond)
			_ = f.Close()
			_ = f.Close()
		}()
		_, _ = f.Next(t.Context())
		if _, err := f.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestAllAtOnceGivesEverythingThenEnds(t *testing.T) {
	m := NewMachine(2, 3)
	m.Length = 9 * time.Second
	f := AllAtOnce(m)
	b, err := f.Next(t.Context())
	if err != nil || len(b.Samples) != 10 {
		t.Fatalf("%d samples, %v", len(b.Samples), err)
	}
	if _, err := f.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("error %v", err)
	}
}

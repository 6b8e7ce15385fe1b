package logtail_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
)

// aged gives a log the time of its last change, before the first read.
func (b *bench) aged(name string, ago time.Duration) time.Time {
	b.t.Helper()
	at := b.now.Add(-ago)
	if err := os.Chtimes(b.path(name), at, at); err != nil {
		b.t.Fatal(err)
	}
	return at
}

func TestTheFiguresOfALogAtRestAreAsOldAsItsLastChange(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", line(1)+line(2))
	at := b.aged("train.log", 3*time.Hour)
	p := b.read()
	wantAllocated(t, p, 1, 2)
	for _, r := range p.Readings {
		if !r.Time.Equal(at) {
			t.Errorf("a figure of %v has the time %v", at, r.Time)
		}
	}
	if p.Status.State != monitor.StateStale || !strings.Contains(p.Status.Reason, "has not changed since") || !p.Status.GoodAt.Equal(at) {
		t.Errorf("the source is %+v", p.Status)
	}
	b.add("train.log", line(3))
	p = b.read()
	wantAllocated(t, p, 3)
	if !p.Readings[0].Time.Equal(b.now) || p.Status.State != monitor.StateOK {
		t.Errorf("what comes now has the time %v, and the source is %+v", p.Readings[0].Time, p.Status)
	}
}

func TestALogThatChangedJustBeforeItWasOpenedIsOfNow(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log", "timeless.log")
	b.add("train.log", line(1))
	b.aged("train.log", 0)
	b.add("timeless.log", line(2))
	if err := os.Chtimes(b.path("timeless.log"), time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	p := b.read()
	if len(p.Readings) != 2 || p.Status.State != monitor.StateOK {
		t.Fatalf("%+v", p)
	}
	for _, r := range p.Readings {
		if !r.Time.Equal(b.now) {
			t.Errorf("%v", r.Time)
		}
	}
}

func TestTheFiguresOfALogThatIsSilentForMinutesAreMinutesOld(t *testing.T) {
	for _, silent := range []time.Duration{5 * time.Second, time.Minute, 8 * time.Minute} {
		b := newBench(t, logtail.Config{}, "train.log")
		b.add("train.log", line(1))
		at := b.aged("train.log", silent)
		if p := b.read(); len(p.Readings) != 1 || !p.Readings[0].Time.Equal(at) || p.Status.State != monitor.StateOK {
			t.Errorf("silent for %v: %+v", silent, p)
		}
		b.add("train.log", line(2))
		if p := b.read(); len(p.Readings) != 1 || !p.Readings[0].Time.Equal(b.now) {
			t.Errorf("what comes after %v: %+v", silent, p)
		}
	}
}

func TestLogsOfSeveralDaysAreHandedOverInTheirOrder(t *testing.T) {
	b := newBench(t, logtail.Config{}, "a.log", "b.log", "c.log")
	for i, n := range []string{"a.log", "b.log", "c.log"} {
		b.add(n, line(10+i)+line(20+i))
	}
	b.aged("a.log", time.Hour)
	b.aged("b.log", 48*time.Hour)
	p := b.read()
	wantAllocated(t, p, 11, 21, 10, 20, 12, 22)
	if p.Status.State != monitor.StateOK {
		t.Errorf("one log is of now, and the source is %+v", p.Status)
	}
	last := time.Time{}
	for _, l := range p.Lines {
		if l.Time.Before(last) {
			t.Errorf("%v after %v", l.Time, last)
		}
		last = l.Time
	}
}

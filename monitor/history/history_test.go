package history

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/vramscope/vramscope/monitor"
)

var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const gib = int64(1) << 30

// one returns a sample of one device used by one process.
func one(at time.Time, used, reserved, allocated int64) monitor.Sample {
	return monitor.Sample{
		Time: at,
		GPUs: []monitor.GPU{{Index: 0, UUID: monitor.Known("GPU-a"), State: monitor.StateOK, ReadAt: at,
			Memory: monitor.DeviceMemory{TotalBytes: monitor.Known(80 * gib), UsedBytes: monitor.Known(used)}}},
		Holders:   []monitor.Holder{{PID: 7, GPU: 0, UsedBytes: monitor.Known(used), InNamespace: true}},
		Processes: []monitor.Process{{PID: 7, StartTicks: 99, Name: "python"}},
		Torch: []monitor.Allocator{{PID: 7, StartTicks: 99, GPU: monitor.Known(0), Origin: monitor.OriginAttach,
			State: monitor.AllocatorOK, ReadAt: at, ReservedBytes: monitor.Known(reserved), AllocatedBytes: monitor.Known(allocated)}},
	}
}

var (
	deviceUsed = Key{Metric: Used, GPU: "GPU-a"}
	proc       = monitor.ProcessKey{PID: 7, StartTicks: 99}
)

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

func fill(s *Store, seconds int, value func(i int) int64) {
	for i := range seconds {
		v := value(i)
		s.Append(one(at(float64(i)), v, v/2, v/4))
	}
}

func TestColumnsKeepTheHighestAndLowestOfManySamples(t *testing.T) {
	s := New(Config{})
	fill(s, 100, func(i int) int64 {
		if i == 42 {
			return 70 * gib
		}
		return int64(i%3) * gib
	})
	got := s.Columns(deviceUsed, at(0), at(99), 4)
	if len(got) != 4 || got[1].Max != float64(70*gib) || got[1].Min != 0 || got[0].Max != float64(2*gib) {
		t.Errorf("columns lose an extreme: %+v", got)
	}
	if n := got[0].Count + got[1].Count + got[2].Count + got[3].Count; n != 100 {
		t.Errorf("the columns hold %d samples, want 100", n)
	}
}

func TestTheDeviceSumsAreThoseOfTheLayers(t *testing.T) {
	s := New(Config{})
	sample := one(at(0), 10*gib, 6*gib, 3*gib)
	second := sample.Torch[0]
	second.PID, second.StartTicks = 8, 100
	sample.Torch = append(sample.Torch, second)
	s.Append(sample)
	for metric, want := range map[Metric]int64{Reserved: 12 * gib, Allocated: 6 * gib, Used: 10 * gib} {
		if got := s.Columns(Key{Metric: metric, GPU: "GPU-a"}, at(0), at(1), 1)[0]; got.Last != float64(want) {
			t.Errorf("%v is %v, want %d", metric, got.Last, want)
		}
	}
	got := s.Columns(Key{Metric: NonTorch, GPU: "GPU-a", Process: proc}, at(0), at(1), 1)[0]
	if got.Count != 1 || got.Last != float64(4*gib) {
		t.Errorf("non-torch of the process is %+v, want 4 GiB", got)
	}
}

func TestANarrowColumnRepeatsTheValueBeforeIt(t *testing.T) {
	s := New(Config{})
	fill(s, 4, func(i int) int64 { return int64(i+1) * gib })
	got := s.Columns(deviceUsed, at(0), at(4), 16)
	for i, b := range got {
		if want := float64(int64(i/4+1) * gib); b.Count == 0 || b.Last != want {
			t.Errorf("column %d is %+v, want the value %v held", i, b, want)
		}
	}
}

func TestATimeWithoutSamplesIsAGap(t *testing.T) {
	s := New(Config{})
	fill(s, 10, func(int) int64 { return gib })
	for i := 60; i < 70; i++ {
		s.Append(one(at(float64(i)), gib, 0, 0))
	}
	cols := s.Columns(deviceUsed, at(0), at(70), 70)
	for i, b := range cols {
		inGap := i > 9 && i < 60
		if (b.Count == 0) != inGap {
			t.Errorf("column %d has count %d", i, b.Count)
		}
	}
	gaps := 0
	w := s.Window(at(0), at(70))
	for _, b := range w.Series(deviceUsed) {
		if b.Count == 0 {
			gaps++
			if !b.Start.Equal(at(9)) {
				t.Errorf("the gap begins at %v, want after the last sample at %v", b.Start, at(9))
			}
		}
	}
	if gaps != 1 {
		t.Errorf("the series has %d gaps, want 1", gaps)
	}
}

func TestASlowJobThatVanishesLeavesAGapThoughSamplesGoOn(t *testing.T) {
	s := New(Config{})
	for i := range 20 {
		sample := one(at(float64(i)), gib, gib, gib)
		if i >= 8 && i < 12 {
			sample.Torch = nil
		}
		s.Append(sample)
	}
	cols := s.Columns(Key{Metric: Reserved, GPU: "GPU-a", Process: proc}, at(0), at(20), 20)
	for i, b := range cols {
		if (b.Count == 0) != (i >= 8 && i < 12) {
			t.Errorf("column %d has count %d", i, b.Count)
		}
	}
}

func TestAStaleDeviceLeavesAGapInsteadOfOldFigures(t *testing.T) {
	s := New(Config{})
	for i := range 3 {
		s.Append(one(at(float64(i)), gib, gib, gib))
	}
	stale := one(at(3), gib, gib, gib)
	stale.GPUs[0].State = monitor.StateStale
	s.Append(stale)
	if got := s.Columns(deviceUsed, at(3), at(3.5), 1)[0]; got.Count != 0 {
		t.Errorf("a stale figure was kept as fresh: %+v", got)
	}
	if got := s.Columns(Key{Metric: Reserved, GPU: "GPU-a"}, at(3), at(3.5), 1)[0]; got.Count == 0 {
		t.Error("the allocator's figures of a stale device were lost")
	}
}

func TestOldSamplesAreFoldedNotLost(t *testing.T) {
	s := New(Config{Samples: 60, MidWidth: 10 * time.Second, MidBuckets: 30, CoarseWidth: time.Minute, CoarseBuckets: 60})
	fill(s, 3000, func(i int) int64 { return int64(i) << 20 })
	from, to := s.Span()
	if !from.Equal(at(0)) || !to.Equal(at(2999)) {
		t.Errorf("span is %v to %v", from, to)
	}
	series := s.Window(from, to).Series(deviceUsed)
	next, sum := int64(0), 0
	for _, b := range series {
		if b.Count == 0 {
			t.Fatalf("a gap at %v where there is none", b.Start)
		}
		if b.Max < b.Min || b.Last != b.Max {
			t.Errorf("bucket %+v of a rising series", b)
		}
		if low := int64(b.Min) >> 20; low > next {
			t.Errorf("values from %d MiB to %d MiB are in no bucket", next, low)
		}
		next = int64(b.Max)>>20 + 1
		sum += b.Count
	}
	if next != 3000 || len(series) > 60+30+50 || len(series) < 120 {
		t.Errorf("%d buckets with %d values up to %d", len(series), sum, next)
	}
}

func TestAClockSetBackKeepsTheAxisInOrder(t *testing.T) {
	s := New(Config{Samples: 50})
	fill(s, 100, func(i int) int64 { return int64(i) << 20 })
	for i := 80; i < 90; i++ {
		s.Append(one(at(float64(i)+0.5), 1<<20, 0, 0))
	}
	s.Append(one(at(89.5), 5<<20, 0, 0))
	if st := s.Stats(); st.ClockBack != 1 || st.Repeated != 1 {
		t.Errorf("stats %+v, want one step back and one repeated", st)
	}
	last := time.Time{}
	for _, b := range s.Window(at(0), at(200)).Series(deviceUsed) {
		if !b.Start.After(last) {
			t.Fatalf("%v follows %v", b.Start, last)
		}
		last = b.Start
	}
	if !last.Equal(at(89.5)) {
		t.Errorf("the newest bucket is of %v, want what came after the step back only", last)
	}
	if got, ok := s.At(at(95)); !ok || !got.Time.Equal(at(89.5)) {
		t.Errorf("At gives %v", got.Time)
	}
}

func TestAtGivesBackTheSampleAsItWas(t *testing.T) {
	s := New(Config{})
	rng := rand.New(rand.NewPCG(1, 2))
	var want []monitor.Sample
	for i := range 700 {
		sample := busy(rng, at(float64(i)), 2, 3)
		sample.Seq = uint64(i)
		if i%50 == 0 {
			sample.Marks = []monitor.Mark{{Time: sample.Time, Text: fmt.Sprint(i)}}
		}
		if i%70 == 3 {
			sample.Torch[0] = monitor.Allocator{PID: 1, State: monitor.AllocatorDenied, Reason: "no"}
		}
		want = append(want, sample)
		s.Append(sample)
	}
	kept := 0
	for i, w := range want {
		got, ok := s.At(w.Time.Add(500 * time.Millisecond))
		if !ok {
			if i >= 100 {
				t.Fatalf("sample %d is gone", i)
			}
			continue
		}
		kept++
		if diff := cmp.Diff(w, got, cmpopts.EquateEmpty(), cmp.AllowUnexported(anyReadings()...)); diff != "" {
			t.Fatalf("sample %d changed: %s", i, diff)
		}
	}
	if kept < 600 {
		t.Errorf("%d samples kept, want at least 600", kept)
	}
}

func anyReadings() []any {
	return []any{monitor.Reading[int]{}, monitor.Reading[int64]{}, monitor.Reading[float64]{}, monitor.Reading[string]{},
		monitor.Reading[bool]{}, monitor.Reading[[]string]{}}
}

func TestAProcessThatIsGoneIsForgottenAfterAWhile(t *testing.T) {
	s := New(Config{GoneAfter: time.Minute})
	s.Append(one(at(0), gib, gib, gib))
	for i := 1; i < 100; i++ {
		s.Append(monitor.Sample{Time: at(float64(i)), GPUs: one(at(0), 1, 1, 1).GPUs})
	}
	w := s.Window(at(0), at(100))
	if len(w.Processes) != 0 || w.Series(Key{Metric: Used, GPU: "GPU-a", Process: proc}) != nil {
		t.Error("a process gone for 99 seconds is still kept")
	}
	if w.Series(deviceUsed) == nil {
		t.Error("the device was forgotten with it")
	}
}

func TestAWindowDoesNotChangeWithTheStore(t *testing.T) {
	s := New(Config{Samples: 100})
	fill(s, 150, func(i int) int64 { return int64(i) << 20 })
	w := s.Window(at(20), at(140))
	before := w.Series(deviceUsed)
	for i := 150; i < 400; i++ {
		s.Append(one(at(float64(i)), 1, 1, 1))
	}
	if diff := cmp.Diff(before, w.Series(deviceUsed)); diff != "" {
		t.Error(diff)
	}
	if len(w.Times) != 91 || !w.Times[0].Equal(at(50)) || !w.Times[90].Equal(at(140)) {
		t.Errorf("%d times from %v to %v", len(w.Times), w.Times[0], w.Times[len(w.Times)-1])
	}
	if before[0].Start.Before(at(20)) || before[len(before)-1].Start.After(at(140)) {
		t.Errorf("the series leaves its window: %v to %v", before[0].Start, before[len(before)-1].Start)
	}
}

func TestReadingsAndMarksOfAWindowAreThoseInItsTime(t *testing.T) {
	s := New(Config{Readings: 5})
	for i := range 10 {
		sample := one(at(float64(i)), 1, 1, 1)
		sample.Readings = []monitor.LogReading{{Time: sample.Time, Line: int64(i)}}
		sample.Marks = []monitor.Mark{{Time: sample.Time, Text: "m"}}
		s.Append(sample)
	}
	if got := s.Readings(); len(got) != 5 || got[0].Line != 5 || got[4].Line != 9 {
		t.Errorf("the ring of five holds %+v", got)
	}
	w := s.Window(at(6), at(8))
	if len(w.Readings) != 3 || len(w.Marks) != 3 || w.Readings[0].Line != 6 {
		t.Errorf("window has %d readings, %d marks", len(w.Readings), len(w.Marks))
	}
}

func TestAFigureReadLessOftenThanTheRestIsNoGap(t *testing.T) {
	s := New(Config{})
	for i := range 50 {
		sample := one(at(float64(i)), gib, gib, gib)
		if i%5 == 0 {
			sample.GPUs[0].Activity.TensorPercent = monitor.Known(float64(i))
		}
		s.Append(sample)
	}
	for _, b := range s.Window(at(0), at(50)).Series(Key{Metric: Tensor, GPU: "GPU-a"}) {
		if b.Count == 0 {
			t.Errorf("a gap at %v", b.Start)
		}
	}
	for i, b := range s.Columns(Key{Metric: Tensor, GPU: "GPU-a"}, at(0), at(49), 49) {
		if b.Count == 0 {
			t.Errorf("column %d is empty", i)
		}
	}
}

func TestAWholeFileKeepsEverySampleSingly(t *testing.T) {
	s := New(WholeFile(5000, 5000*time.Second))
	fill(s, 5000, func(i int) int64 { return int64(i) })
	if got := s.Window(at(0), at(5000)).Series(deviceUsed); len(got) != 5000 {
		t.Errorf("%d buckets, want 5000", len(got))
	}
}

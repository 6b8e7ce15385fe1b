package sampler

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

var t0 = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func known(v int64) monitor.Reading[int64] { return monitor.Known(v) }

func memory(pid int, at time.Duration, allocated, reserved int64) monitor.LogReading {
	return monitor.LogReading{Time: t0.Add(at), Source: "job.log", PID: pid, Kind: monitor.LogMemory, AllocatedBytes: known(allocated), ReservedBytes: known(reserved)}
}

func join(s monitor.Sample, readings ...monitor.LogReading) []monitor.Allocator {
	book := newLogBook()
	book.add(readings)
	return joinLog(&s, &book)
}

// row is what a test says of an allocator.
type row struct {
	PID, GPU            int
	OnGPU, Assumed      bool
	Origin              monitor.Origin
	Allocated, Reserved int64
	Peak                int64
}

func rowsOf(as []monitor.Allocator) []row {
	var out []row
	for _, a := range as {
		out = append(out, row{a.PID, a.GPU.Or(0), a.GPU.Known(), a.GPUAssumed, a.Origin, a.AllocatedBytes.Or(0), a.ReservedBytes.Or(0), a.PeakAllocatedBytes.Or(0)})
	}
	return out
}

func gpus(n int) []monitor.GPU {
	var out []monitor.GPU
	for i := range n {
		out = append(out, gpu(i))
	}
	return out
}

func TestTheLogStandsInForAnAllocatorThatCannotBeRead(t *testing.T) {
	denied := func(pid, on int) monitor.Allocator {
		return monitor.Allocator{PID: pid, StartTicks: 5, GPU: monitor.Known(on), State: monitor.AllocatorDenied, Reason: "no right"}
	}
	attached := func(pid, on int) monitor.Allocator {
		return monitor.Allocator{PID: pid, GPU: monitor.Known(on), State: monitor.AllocatorOK, Origin: monitor.OriginAttach, AllocatedBytes: known(7), ReservedBytes: known(8)}
	}
	holder := func(pid, on int) monitor.Holder { return monitor.Holder{PID: pid, GPU: on, InNamespace: true} }
	rank := func(pid, r int) monitor.Process {
		return monitor.Process{PID: pid, Rank: monitor.Known(r)}
	}
	printed := memory(0, 0, 1, 2)
	printed.GPU = monitor.Known(1)
	ranked := memory(0, 0, 1, 2)
	ranked.Rank = monitor.Known(1)
	peak := monitor.LogReading{Kind: monitor.LogMemory, MaxAllocatedBytes: known(9)}
	oom := memory(0, 0, 1, 2)
	oom.Kind = monitor.LogOOM
	own := row{Origin: monitor.OriginAttach, Allocated: 7, Reserved: 8, OnGPU: true}
	log := func(pid, on int, onGPU, assumed bool) row {
		return row{PID: pid, GPU: on, OnGPU: onGPU, Assumed: assumed, Origin: monitor.OriginLog, Allocated: 1, Reserved: 2}
	}
	for name, c := range map[string]struct {
		s    monitor.Sample
		r    monitor.LogReading
		want []row
	}{
		"its PID is known": {monitor.Sample{GPUs: gpus(2), Torch: []monitor.Allocator{denied(4, 1)}}, memory(4, 0, 1, 2), []row{log(4, 1, true, false)}},
		"an attach row is never overridden": {monitor.Sample{GPUs: gpus(1), Torch: []monitor.Allocator{attached(4, 0)}}, memory(4, 0, 1, 2),
			[]row{{PID: 4, Origin: own.Origin, Allocated: 7, Reserved: 8, OnGPU: true}}},
		"nor by a log without a PID": {monitor.Sample{GPUs: gpus(1), Torch: []monitor.Allocator{attached(4, 0)}}, memory(0, 0, 1, 2),
			[]row{{PID: 4, Origin: own.Origin, Allocated: 7, Reserved: 8, OnGPU: true}}},
		"the only PyTorch process":                {monitor.Sample{GPUs: gpus(2), Torch: []monitor.Allocator{denied(4, 1)}}, memory(0, 0, 1, 2), []row{log(4, 1, true, true)}},
		"the only holder":                         {monitor.Sample{GPUs: gpus(2), Holders: []monitor.Holder{holder(4, 1)}}, memory(0, 0, 1, 2), []row{log(4, 1, true, true)}},
		"a holder of another namespace is nobody": {monitor.Sample{GPUs: gpus(1), Holders: []monitor.Holder{{PID: 4, GPU: 0}}}, memory(0, 0, 1, 2), []row{log(0, 0, true, true)}},
		"nobody, one GPU":                         {monitor.Sample{GPUs: gpus(1)}, memory(0, 0, 1, 2), []row{log(0, 0, true, true)}},
		"nobody, many GPUs":                       {monitor.Sample{GPUs: gpus(2)}, memory(0, 0, 1, 2), []row{log(0, 0, false, true)}},
		"nobody, the line tells the GPU":          {monitor.Sample{GPUs: gpus(2)}, printed, []row{log(0, 1, true, true)}},
		"no driver, the line tells the GPU":       {monitor.Sample{}, printed, []row{log(0, 1, true, true)}},
		"no driver":                               {monitor.Sample{}, memory(0, 0, 1, 2), []row{log(0, 0, false, true)}},
		"a GPU that does not exist":               {monitor.Sample{GPUs: gpus(1)}, printed, []row{log(0, 0, true, true)}},
		"one of several, by its rank": {monitor.Sample{GPUs: gpus(2), Torch: []monitor.Allocator{denied(4, 0), denied(5, 1)}, Processes: []monitor.Process{rank(4, 0), rank(5, 1)}},
			ranked, []row{{PID: 4, OnGPU: true}, log(5, 1, true, true)}},
		"several, one of them read": {monitor.Sample{GPUs: gpus(2), Torch: []monitor.Allocator{denied(4, 0), attached(5, 1)}}, memory(0, 0, 1, 2),
			[]row{{PID: 4, OnGPU: true}, {PID: 5, GPU: 1, OnGPU: true, Origin: own.Origin, Allocated: 7, Reserved: 8}}},
		"a peak is no current figure":                  {monitor.Sample{GPUs: gpus(1)}, peak, []row{{OnGPU: true, Assumed: true, Origin: monitor.OriginLog, Peak: 9}}},
		"an out-of-memory text is no current figure":   {monitor.Sample{GPUs: gpus(1)}, oom, nil},
		"the last process is gone and somebody looked": {monitor.Sample{GPUs: gpus(1), Sources: []monitor.SourceStatus{{Name: "proc", State: monitor.StateOK}}}, memory(4, 0, 1, 2), nil},
		"nobody looked for processes":                  {monitor.Sample{GPUs: gpus(1), Sources: []monitor.SourceStatus{{Name: "proc"}}}, memory(4, 0, 1, 2), []row{{PID: 4, OnGPU: true, Assumed: true, Origin: monitor.OriginLog, Allocated: 1, Reserved: 2}}},
		"the only PyTorch process, but nothing is read of a GPU here": {monitor.Sample{Torch: []monitor.Allocator{{PID: 4, State: monitor.AllocatorDenied}}}, memory(0, 0, 1, 2),
			[]row{{PID: 4}, log(0, 0, false, true)}},
		"the only process holds less than is printed": {monitor.Sample{GPUs: gpus(1), Holders: []monitor.Holder{{PID: 4, GPU: 0, InNamespace: true, UsedBytes: known(1 << 30)}}}, memory(0, 0, 2<<30, 3<<30),
			[]row{{Assumed: true, Origin: monitor.OriginLog, Allocated: 2 << 30, Reserved: 3 << 30}}},
		"more allocated than reserved is of two moments": {monitor.Sample{GPUs: gpus(1)}, memory(0, 0, 3, 2), []row{{OnGPU: true, Assumed: true, Origin: monitor.OriginLog, Reserved: 2}}},
		"the process is gone":                            {monitor.Sample{GPUs: gpus(1), Processes: []monitor.Process{{PID: 1}}}, memory(4, 0, 1, 2), nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := append([]monitor.Allocator(nil), c.s.Torch...)
			got := join(c.s, c.r)
			if diff := cmp.Diff(c.want, rowsOf(got)); diff != "" {
				t.Error(diff)
			}
			for i := range before {
				if before[i] != c.s.Torch[i] {
					t.Error("the sample's own rows were changed")
				}
			}
		})
	}
}

func TestVisibleDevicesMapThePrintedNumber(t *testing.T) {
	s := monitor.Sample{GPUs: gpus(8), Processes: []monitor.Process{{PID: 4, VisibleDevices: monitor.Known("6, 7")}}}
	r := memory(4, 0, 1, 2)
	r.GPU = monitor.Known(1)
	if got := join(s, r); len(got) != 1 || got[0].GPU != monitor.Known(7) || !got[0].GPUAssumed {
		t.Errorf("%+v", rowsOf(got))
	}
	s.Processes[0].VisibleDevices = monitor.Known("GPU-aaaa,GPU-bbbb")
	if got := join(s, r); len(got) != 1 || got[0].GPU.Known() {
		t.Errorf("a number among UUIDs was taken for an index: %+v", rowsOf(got))
	}
}

func TestALogFigureStandsUntilTheNextAndItsAgeGrows(t *testing.T) {
	book := newLogBook()
	s := monitor.Sample{GPUs: gpus(1)}
	book.add([]monitor.LogReading{memory(0, 0, 1, 2)})
	for range 100 {
		got := joinLog(&s, &book)
		if len(got) != 1 || !got[0].ReadAt.Equal(t0) || got[0].AllocatedBytes != known(1) {
			t.Fatalf("%+v", got)
		}
	}
	book.add([]monitor.LogReading{memory(0, time.Hour, 5, 6)})
	if got := joinLog(&s, &book); !got[0].ReadAt.Equal(t0.Add(time.Hour)) || got[0].AllocatedBytes != known(5) {
		t.Errorf("%+v", got)
	}
}

func TestFiguresOnNeighbouringLinesStandTogether(t *testing.T) {
	book := newLogBook()
	s := monitor.Sample{GPUs: gpus(1)}
	first, second := memory(0, 0, 1, 0), memory(0, time.Second, 0, 2)
	first.ReservedBytes, second.AllocatedBytes = monitor.Reading[int64]{}, monitor.Reading[int64]{}
	book.add([]monitor.LogReading{first, second})
	if got := joinLog(&s, &book)[0]; got.AllocatedBytes != known(1) || got.ReservedBytes != known(2) || !got.ReadAt.Equal(t0) {
		t.Errorf("%+v", got)
	}
	second.Time = t0.Add(time.Minute)
	book.add([]monitor.LogReading{second})
	if got := joinLog(&s, &book)[0]; got.AllocatedBytes.Known() || !got.ReadAt.Equal(second.Time) {
		t.Errorf("a figure of a minute ago looks as new as its neighbour: %+v", got)
	}
}

func TestTwoFilesOfOneProcessAreCountedOnce(t *testing.T) {
	a, b := memory(4, 0, 1, 2), memory(4, time.Second, 3, 4)
	b.Source = "other.log"
	got := join(monitor.Sample{GPUs: gpus(1), Processes: []monitor.Process{{PID: 4}}}, a, b)
	if len(got) != 1 || got[0].AllocatedBytes != known(3) {
		t.Errorf("%+v", rowsOf(got))
	}
}

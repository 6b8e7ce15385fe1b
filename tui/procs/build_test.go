package procs_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/procs"
)

const gib = 1 << 30

func holder(pid, gpu int, bytes int64) monitor.Holder {
	return monitor.Holder{PID: pid, GPU: gpu, UsedBytes: monitor.Known(bytes), InNamespace: true}
}

func on(gpu int) monitor.Reading[int] { return monitor.Known(gpu) }

func nowhere() monitor.Reading[int] { return monitor.Unknown[int](monitor.NotAvailable, "") }

func allocator(pid int, gpu monitor.Reading[int], state monitor.AllocatorState) monitor.Allocator {
	return monitor.Allocator{
		PID: pid, GPU: gpu, State: state, Origin: monitor.OriginAttach, Reason: "because of " + state.String(),
		AllocatedBytes: monitor.Known[int64](1 * gib), ReservedBytes: monitor.Known[int64](2 * gib),
	}
}

// name writes a row as "pid@gpu" with a + where reserved is known.
func name(r *procs.Row) string {
	s := strconv.Itoa(r.ID.Process.PID) + "@"
	if gpu, ok := r.GPU.Get(); ok {
		s += strconv.Itoa(gpu)
	}
	if r.ID.IsJob() {
		s = "job" + strconv.Itoa(r.ID.Job.Root.PID)
	}
	if r.ReservedBytes.Known() {
		s += "+"
	}
	return s
}

// names writes lines as names, with a dot for every level, brackets around
// context and ">" at what is folded.
func names(lines []procs.Line) []string {
	var out []string
	for _, l := range lines {
		s := name(l.Row)
		if l.Context {
			s = "(" + s + ")"
		}
		if l.Collapsed {
			s += ">"
		}
		out = append(out, strings.Repeat(".", l.Depth)+s)
	}
	return out
}

func list(s *monitor.Sample) []string { return names(procs.Build(s).Lines(procs.View{}).Lines) }

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRowsJoinDriverKernelAndAllocator(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sample monitor.Sample
		want   []string
	}{
		{"one job", monitor.Sample{
			Holders: []monitor.Holder{holder(1, 0, 5<<30)},
			Torch:   []monitor.Allocator{allocator(1, on(0), monitor.AllocatorOK)},
		}, []string{"1@0+"}},
		{"by GPU, then the biggest first", monitor.Sample{
			Holders: []monitor.Holder{holder(3, 1, 1<<30), holder(1, 0, 1<<30), holder(2, 0, 9<<30)},
		}, []string{"2@0", "1@0", "3@1"}},
		{"one process on two GPUs", monitor.Sample{
			Holders: []monitor.Holder{holder(1, 0, 1<<30), holder(1, 1, 1<<30)},
			Torch:   []monitor.Allocator{allocator(1, on(0), monitor.AllocatorOK), allocator(1, on(1), monitor.AllocatorOK)},
		}, []string{"1@0+", "1@1+"}},
		{"a process that may not be read has its reason on every GPU", monitor.Sample{
			Holders: []monitor.Holder{holder(1, 0, 1<<30), holder(1, 1, 1<<30)},
			Torch:   []monitor.Allocator{allocator(1, nowhere(), monitor.AllocatorDenied)},
		}, []string{"1@0", "1@1"}},
		{"figures of a GPU that is not known are given to no GPU", monitor.Sample{
			Holders: []monitor.Holder{holder(1, 0, 1<<30), holder(1, 1, 1<<30)},
			Torch:   []monitor.Allocator{allocator(1, nowhere(), monitor.AllocatorOK)},
		}, []string{"1@0", "1@1", "1@+"}},
		{"a job that the driver does not list", monitor.Sample{
			Torch: []monitor.Allocator{allocator(1, on(0), monitor.AllocatorOK)},
		}, []string{"1@0+"}},
		{"a job on a GPU that is not known comes last", monitor.Sample{
			Holders: []monitor.Holder{holder(2, 0, 1<<30)},
			Torch:   []monitor.Allocator{allocator(1, nowhere(), monitor.AllocatorOK)},
		}, []string{"2@0", "1@+"}},
		{"a log without a PID", monitor.Sample{
			Torch: []monitor.Allocator{allocator(0, nowhere(), monitor.AllocatorOK)},
		}, []string{"0@+"}},
		{"processes without a device are no rows", monitor.Sample{
			Holders:   []monitor.Holder{holder(1, 0, 1<<30)},
			Processes: []monitor.Process{{PID: 1, StartTicks: 1}, {PID: 9, StartTicks: 1}},
			Torch: []monitor.Allocator{
				allocator(1, on(0), monitor.AllocatorOK), allocator(7, nowhere(), monitor.AllocatorInherited),
				allocator(8, nowhere(), monitor.AllocatorNoCUDA), allocator(9, nowhere(), monitor.AllocatorGone),
			},
		}, []string{"1@0+"}},
		{"a number of another PID namespace is joined with nothing", monitor.Sample{
			Holders: []monitor.Holder{{PID: 1, GPU: 0, UsedBytes: monitor.Known[int64](1 << 30)}},
			Torch:   []monitor.Allocator{allocator(1, on(0), monitor.AllocatorOK)},
		}, []string{"1@0", "1@0+"}},
		{"a number used again is joined with nothing", monitor.Sample{
			Holders:   []monitor.Holder{holder(1, 0, 1<<30)},
			Processes: []monitor.Process{{PID: 1, StartTicks: 50}},
			Torch:     []monitor.Allocator{func() monitor.Allocator { a := allocator(1, on(0), monitor.AllocatorOK); a.StartTicks = 7; return a }()},
		}, []string{"1@0", "1@0+"}},
	} {
		t.Run(tt.name, func(t *testing.T) { same(t, tt.want, list(&tt.sample)) })
	}
}

func TestFiguresOfAnEarlierProcessDoNotGetTheNewOnesUser(t *testing.T) {
	old := allocator(1, on(0), monitor.AllocatorOK)
	old.StartTicks = 7
	s := monitor.Sample{Processes: []monitor.Process{{PID: 1, StartTicks: 50, User: "bob"}}, Torch: []monitor.Allocator{old}}
	if r := procs.Build(&s).Rows()[0]; r.User != "" || r.Process != nil {
		t.Errorf("got user %q", r.User)
	}
}

func TestAnUnknownFigureKeepsItsReason(t *testing.T) {
	s := monitor.Sample{
		Time: scene.Start(),
		Holders: []monitor.Holder{
			{PID: 1, GPU: 0, InNamespace: true, UsedBytes: monitor.Unknown[int64](monitor.NotAvailable, "WSL hides it")},
			holder(2, 0, gib), {PID: 3, GPU: 0, UsedBytes: monitor.Known[int64](gib)}, holder(4, 0, 1), holder(4, 1, 1),
		},
		Torch: []monitor.Allocator{allocator(1, on(0), monitor.AllocatorOK), allocator(2, nowhere(), monitor.AllocatorDenied), allocator(4, nowhere(), monitor.AllocatorOK)},
	}
	table := procs.Build(&s)
	for _, tt := range []struct {
		id     procs.ID
		column procs.ColumnID
		want   string
	}{
		{procs.ID{Process: monitor.ProcessKey{PID: 1}, OnGPU: true}, procs.ColumnUsed, "WSL hides it"},
		{procs.ID{Process: monitor.ProcessKey{PID: 1}, OnGPU: true}, procs.ColumnNonTorch, "WSL hides it"},
		{procs.ID{Process: monitor.ProcessKey{PID: 2}, OnGPU: true}, procs.ColumnReserved, "because of no-permission"},
		{procs.ID{Process: monitor.ProcessKey{PID: 2}, OnGPU: true}, procs.ColumnNonTorch, "because of no-permission"},
		{procs.ID{Process: monitor.ProcessKey{PID: 3}, OnGPU: true, Outside: true}, procs.ColumnCPU, "the process belongs to another PID namespace"},
		{procs.ID{Process: monitor.ProcessKey{PID: 2}, OnGPU: true}, procs.ColumnUser, "the process could not be read"},
		{procs.ID{Process: monitor.ProcessKey{PID: 4}, OnGPU: true}, procs.ColumnReserved, "the figures of this process could not be tied to this GPU"},
		{procs.ID{Process: monitor.ProcessKey{PID: 4}}, procs.ColumnUsed, "it is not known which GPU this is, so the driver's figure cannot be joined"},
	} {
		r := table.Row(tt.id)
		if r == nil {
			t.Fatalf("no row %+v", tt.id)
		}
		why, missing := r.Why(tt.column)
		if !missing || why.String() != tt.want {
			t.Errorf("%v %s: got %q (missing %v), want %q", tt.id, tt.column, why, missing, tt.want)
		}
		if got := r.Cell(tt.column, "?"); got != "?" {
			t.Errorf("%v %s shows %q", tt.id, tt.column, got)
		}
	}
}

func TestFiguresOfAnAllocatorThatCouldNotBeReadAreNotShown(t *testing.T) {
	s := monitor.Sample{Holders: []monitor.Holder{holder(1, 0, gib)}, Torch: []monitor.Allocator{allocator(1, on(0), monitor.AllocatorBusy)}}
	r := procs.Build(&s).Rows()[0]
	for _, reading := range []monitor.Reading[int64]{r.AllocatedBytes, r.ReservedBytes, r.CacheBytes, r.NonTorchBytes} {
		if reading.Known() {
			t.Errorf("a figure of a busy allocator: %d", reading.Or(0))
		}
	}
}

func TestMIGInstancesOfAProcessAddUpOnce(t *testing.T) {
	part := func(instance monitor.Reading[int], bytes int64) monitor.Holder {
		h := holder(1, 0, bytes)
		h.Instance = instance
		return h
	}
	for _, tt := range []struct {
		name    string
		holders []monitor.Holder
		want    int64
	}{
		{"two instances", []monitor.Holder{part(on(1), 3), part(on(2), 4)}, 7},
		{"one of them twice", []monitor.Holder{part(on(1), 3), part(on(2), 4), part(on(2), 4)}, 7},
		{"instances not told", []monitor.Holder{part(nowhere(), 3), part(nowhere(), 4)}, 4},
		{"one told", []monitor.Holder{part(on(1), 3), part(nowhere(), 4)}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows := procs.Build(&monitor.Sample{Holders: tt.holders}).Rows()
			if len(rows) != 1 || rows[0].UsedBytes != monitor.Known(tt.want) {
				t.Errorf("got %d rows with %v, want %d", len(rows), rows[0].UsedBytes, tt.want)
			}
		})
	}
}

func TestTheOrderDoesNotChangeWithEveryMegabyte(t *testing.T) {
	a := monitor.Sample{Holders: []monitor.Holder{holder(1, 0, 5<<30), holder(2, 0, 5<<30+1<<20)}}
	b := monitor.Sample{Holders: []monitor.Holder{holder(1, 0, 5<<30+1<<20), holder(2, 0, 5<<30)}}
	same(t, list(&a), list(&b))
}

func TestAgeIsThatOfTheSample(t *testing.T) {
	s := monitor.Sample{Time: scene.Start(), Holders: []monitor.Holder{holder(1, 0, 1)}, Processes: []monitor.Process{{PID: 1, Started: scene.Start().Add(-64 * time.Minute)}}}
	r := procs.Build(&s).Rows()[0]
	same(t, "1h04m", r.Cell(procs.ColumnTime, "?"))
}

// samples returns machines as they should be and as none should be.
func samples(t testing.TB) []*monitor.Sample {
	var out []*monitor.Sample
	for _, sc := range scene.All() {
		out = append(out, sc.Last())
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		sc := scene.Random(r)
		s := sc.Last()
		for i := range s.Processes {
			s.Processes[i].ParentPID = r.IntN(200)
			s.Processes[i].World = monitor.Known(r.IntN(4))
			s.Processes[i].Container.Runtime = []string{"", "docker", "slurm\x1b[2J"}[r.IntN(3)]
		}
		out = append(out, s)
	}
	return out
}

func TestOutsideTextIsCleanAndNamesAreUnique(t *testing.T) {
	for _, s := range samples(t) {
		table := procs.Build(s)
		for _, mode := range []procs.Mode{procs.List, procs.Tree, procs.Jobs} {
			seen := map[procs.ID]bool{}
			for _, l := range table.Lines(procs.View{Mode: mode}).Lines {
				if seen[l.ID()] {
					t.Fatalf("mode %d: %+v stands twice", mode, l.ID())
				}
				seen[l.ID()] = true
				for _, c := range procs.Columns() {
					if s := l.Row.Cell(c.ID, "–"); strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x202e }) {
						t.Fatalf("%s shows %q", c.ID, s)
					}
				}
			}
		}
	}
}

package overview

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/theme"
)

func holder(pid, gpu int, bytes int64) monitor.Holder {
	return monitor.Holder{PID: pid, GPU: gpu, UsedBytes: monitor.Known(bytes), InNamespace: true}
}

func allocator(pid int, gpu monitor.Reading[int], state monitor.AllocatorState) monitor.Allocator {
	return monitor.Allocator{
		PID: pid, GPU: gpu, State: state, Origin: monitor.OriginAttach, Reason: "because",
		AllocatedBytes: monitor.Known[int64](1 << 30), ReservedBytes: monitor.Known[int64](2 << 30),
	}
}

// rowNames returns the rows as "pid@gpu" with a + where layers are known.
func rowNames(s *monitor.Sample) []string {
	var out []string
	for _, r := range processRows(s) {
		name := itoa(r.id.process.PID) + "@"
		if r.id.onGPU {
			name += itoa(r.id.gpu)
		}
		if _, reserved, _ := r.figures(); reserved.Known() {
			name += "+"
		}
		out = append(out, name)
	}
	return out
}

func TestRowsJoinDriverKernelAndAllocator(t *testing.T) {
	on := monitor.Known[int]
	nowhere := monitor.Unknown[int](monitor.NotAvailable, "")
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
			Torch:   []monitor.Allocator{allocator(1, nowhere, monitor.AllocatorDenied)},
		}, []string{"1@0", "1@1"}},
		{"a job that the driver does not list", monitor.Sample{
			Torch: []monitor.Allocator{allocator(1, on(0), monitor.AllocatorOK)},
		}, []string{"1@0+"}},
		{"a job on a GPU that is not known comes last", monitor.Sample{
			Holders: []monitor.Holder{holder(2, 0, 1<<30)},
			Torch:   []monitor.Allocator{allocator(1, nowhere, monitor.AllocatorOK)},
		}, []string{"2@0", "1@+"}},
		{"workers with a copy of their parent's figures are no jobs", monitor.Sample{
			Holders: []monitor.Holder{holder(1, 0, 1<<30)},
			Torch: []monitor.Allocator{
				allocator(1, on(0), monitor.AllocatorOK), allocator(7, nowhere, monitor.AllocatorInherited), allocator(8, nowhere, monitor.AllocatorNoCUDA),
			},
		}, []string{"1@0+"}},
		{"a number of another PID namespace is joined with nothing", monitor.Sample{
			Holders: []monitor.Holder{{PID: 1, GPU: 0, UsedBytes: monitor.Known[int64](1 << 30)}},
			Torch:   []monitor.Allocator{allocator(1, on(0), monitor.AllocatorOK)},
		}, []string{"1@0", "1@0+"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, rowNames(&tt.sample)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTheOrderDoesNotChangeWithEveryMegabyte(t *testing.T) {
	a := monitor.Sample{Holders: []monitor.Holder{holder(1, 0, 5<<30), holder(2, 0, 5<<30+1<<20)}}
	b := monitor.Sample{Holders: []monitor.Holder{holder(1, 0, 5<<30+1<<20), holder(2, 0, 5<<30)}}
	if diff := cmp.Diff(rowNames(&a), rowNames(&b)); diff != "" {
		t.Error(diff)
	}
}

func TestARowExplainsWhatItDoesNotShow(t *testing.T) {
	now := scene.Start()
	for _, tt := range []struct {
		name string
		row  procRow
		want []string
	}{
		{"no permission", procRow{
			id:        rowID{process: monitor.ProcessKey{PID: 9}, onGPU: true},
			allocator: &monitor.Allocator{PID: 9, State: monitor.AllocatorDenied, Reason: "not permitted: run as ann."},
			used:      monitor.Known[int64](1), process: &monitor.Process{HostBytes: monitor.Known[int64](1)},
		}, []string{"PID 9 on GPU 0: allocated and reserved unknown: not permitted: run as ann."}},
		{"no reason given", procRow{
			id: rowID{process: monitor.ProcessKey{PID: 9}}, allocator: &monitor.Allocator{PID: 9, State: monitor.AllocatorBusy}, used: monitor.Known[int64](1),
		}, []string{"the allocator of PID 9 could not be read: busy"}},
		{"an assumed GPU and an old log", procRow{
			id: rowID{process: monitor.ProcessKey{PID: 9}, onGPU: true},
			allocator: &monitor.Allocator{
				PID: 9, State: monitor.AllocatorOK, Origin: monitor.OriginLog, GPUAssumed: true, ReadAt: now.Add(-95 * time.Second),
				ReservedBytes: monitor.Unknown[int64](monitor.NotAvailable, "the log does not print it"),
			},
			used: monitor.Unknown[int64](monitor.NotAvailable, "the driver does not give it"),
		}, []string{"as its log printed them, 1m35s ago", "that it is this GPU is assumed", "reserved unknown: the log does not print it", "used unknown: the driver does not give it"}},
		{"another namespace", procRow{
			id: rowID{process: monitor.ProcessKey{PID: 9}, onGPU: true}, holder: &monitor.Holder{PID: 9}, used: monitor.Known[int64](1),
		}, []string{"another PID namespace"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.row.explain(now)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in %q", want, got)
				}
			}
		})
	}
}

func TestSumsWithAnUnreadJobAreShownAsLowerBounds(t *testing.T) {
	sc := scene.ReservedGrowth()
	last := sc.Last()
	last.Holders = append(last.Holders, holder(77, 0, 1<<30))
	last.Torch = append(last.Torch, allocator(77, monitor.Unknown[int](monitor.NotAvailable, ""), monitor.AllocatorDenied))
	for _, size := range [][2]int{{120, 40}, {80, 10}} {
		text := plain(New().View(stateOf(t, sc, theme.Mono, false), size[0], size[1]))
		if size[1] == 40 && (!strings.Contains(text, "≥ 91.2") || !strings.Contains(text, "▲ 1 job unread")) {
			t.Errorf("no sign of the lower bound:\n%s", text)
		}
		if !strings.Contains(text, "▲") {
			t.Errorf("no mark at %v:\n%s", size, text)
		}
	}
}

func TestAFigureOlderThanTwoIntervalsShowsItsAge(t *testing.T) {
	sc := scene.DDP()
	st := stateOf(t, sc, theme.Mono, false)
	st.Sample.Torch[0].ReadAt = st.Now.Add(-14 * time.Second)
	st.Sample.Torch[1].ReadAt = st.Now.Add(-2 * time.Second)
	text := plain(New().View(st, 120, 40))
	if strings.Count(text, "attach 14 s") != 2 || strings.Contains(text, "attach 2") {
		t.Errorf("want the age of GPU 0 twice and no other:\n%s", text)
	}
}

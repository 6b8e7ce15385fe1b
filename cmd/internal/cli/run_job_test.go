package cli

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

func gpuOf(n int) monitor.Reading[int] { return monitor.Known(n) }

// torchrun is a machine of four GPUs: a launcher 10 with ranks 11 and 12 on GPU 1
// and 2, a stranger 99 on GPU 2 and another, 98, on GPU 3.
func torchrun() monitor.Sample {
	s := monitor.Sample{
		GPUs: []monitor.GPU{{Index: 0}, {Index: 1}, {Index: 2}, {Index: 3}},
		Holders: []monitor.Holder{
			{PID: 11, GPU: 1, InNamespace: true}, {PID: 12, GPU: 2, InNamespace: true},
			{PID: 99, GPU: 2, InNamespace: true}, {PID: 98, GPU: 3, InNamespace: true},
		},
		Processes: []monitor.Process{{PID: 10, ParentPID: 1}, {PID: 11, ParentPID: 10}, {PID: 12, ParentPID: 10}, {PID: 90}, {PID: 99, ParentPID: 90}, {PID: 98, ParentPID: 91}, {PID: 91}},
	}
	for _, h := range s.Holders {
		s.Torch = append(s.Torch, monitor.Allocator{PID: h.PID, GPU: gpuOf(h.GPU), State: monitor.AllocatorOK})
	}
	return s
}

func ofJob(pid int) bool { return pid >= 10 && pid < 20 }

func TestASampleIsNarrowedToTheJobAndWhateverHoldsItsGPUs(t *testing.T) {
	f := &jobFeed{mine: ofJob}
	got := f.narrow(torchrun())
	var gpus, holders, torch, processes []int
	for _, g := range got.GPUs {
		gpus = append(gpus, g.Index)
	}
	for _, h := range got.Holders {
		holders = append(holders, h.PID)
	}
	for _, a := range got.Torch {
		torch = append(torch, a.PID)
	}
	for _, p := range got.Processes {
		processes = append(processes, p.PID)
	}
	want := [][]int{{1, 2}, {11, 12, 99}, {11, 12, 99}, {10, 11, 12, 90, 99}}
	if diff := cmp.Diff(want, [][]int{gpus, holders, torch, processes}); diff != "" {
		t.Errorf("GPUs, holders, allocators, processes: -want +got:\n%s", diff)
	}
	after := torchrun()
	after.Holders, after.Torch = after.Holders[2:], after.Torch[2:]
	if got := f.narrow(after); len(got.GPUs) != 2 || len(got.Holders) != 1 {
		t.Errorf("after its end the job's GPUs are %v, held by %v", got.GPUs, got.Holders)
	}
}

func TestUntilTheJobHasAGPUEverythingIsShown(t *testing.T) {
	f := &jobFeed{mine: func(int) bool { return false }}
	if diff := cmp.Diff(4, len(f.narrow(torchrun()).GPUs)); diff != "" {
		t.Error(diff)
	}
}

// printing is a log source that gives the same lines again and again.
type printing struct{ part monitor.Part }

func (p printing) Name() string                                       { return "log" }
func (p printing) Close() error                                       { return nil }
func (p printing) Read(context.Context, monitor.Request) monitor.Part { return p.part }

func TestAJobsLinesAreOfTheProcessThatUsesTheGPU(t *testing.T) {
	inner := printing{monitor.Part{
		Lines:    []monitor.LogLine{{Source: "out"}, {Source: "other.log", PID: 5}},
		Readings: []monitor.LogReading{{Source: "out"}, {Source: "other.log", PID: 5}},
	}}
	l := &jobLog{Source: inner, name: "out", job: 10, writer: 10, mine: ofJob}
	one := torchrun()
	one.Holders, one.Torch = one.Holders[:1], append(one.Torch[:1:1], one.Torch[3])
	idle := torchrun()
	idle.Torch = []monitor.Allocator{{PID: 10, State: monitor.AllocatorNoCUDA}, {PID: 11, State: monitor.AllocatorOK}}
	all := torchrun()
	for _, c := range []struct {
		name string
		seen *monitor.Sample
		want int
	}{
		{"nobody uses a GPU yet: the job's", &monitor.Sample{}, 10},
		{"one rank", &one, 11},
		{"one rank under a launcher with PyTorch", &idle, 11},
		{"several: their lines must tell", &all, 0},
		{"one is left", &one, 11},
		{"it has died: the error is its own", &monitor.Sample{}, 11},
	} {
		got := l.Read(t.Context(), monitor.Request{Seen: c.seen})
		if got.Readings[0].PID != c.want || got.Lines[0].PID != c.want {
			t.Errorf("%s: pid %d, want %d", c.name, got.Readings[0].PID, c.want)
		}
		if got.Readings[1].PID != 5 {
			t.Errorf("%s: another log's pid became %d", c.name, got.Readings[1].PID)
		}
	}
}

func TestAJobRanUntilItsOwnEndAndNotUntilTheScreenWasLeft(t *testing.T) {
	began := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	left := func() time.Time { return began.Add(13 * time.Second) }
	a := &attended{sys: System{Now: left}, began: began, ended: make(chan time.Time, 1)}
	a.ended <- began.Add(2 * time.Second)
	if got := a.took(); got != 2*time.Second {
		t.Errorf("it ran for %v", got)
	}
}

//go:build linux

package torch

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// fill gives device 0 of a stand-in a known life.
var fill = []string{
	"init 1",
	"reserve 0 1 2097152 0",
	"reserve 0 0 20971520 0",
	"take 0 1 1024 600",
	"take 0 1 512 512",
	"take 0 0 10485760 10000000",
	"take 0 0 2097152 2097000",
	"give 0 0 2097152 2097000",
	"split 0 1048576",
	"retries 0 3 1",
}

func TestFiguresEqualTheProcessesOwn(t *testing.T) {
	cases := []struct {
		name    string
		defines []string
		layout  string
	}{
		{"1.8 without a symbol", []string{"-DTAIL=0", "-DHIDDEN"}, "core and byte arrays at 576, other counters unknown"},
		{"1.13 without a symbol", []string{"-DTAIL=1", "-DHIDDEN"}, "B (1.9 to 1.13)"},
		{"2.2", []string{"-DTAIL=2"}, "C (2.0 to 2.2)"},
		{"2.3", []string{"-DTAIL=3"}, "D (2.3)"},
		{"2.6", []string{"-DTAIL=4"}, "E (2.5 to 2.11)"},
		{"2.12", []string{"-DTAIL=5"}, "E' (2.12)"},
		{"2.14", []string{"-DTAIL=6"}, "F (2.13 and later)"},
		{"virtual base", []string{"-DTAIL=4", "-DVIRTUAL_BASE"}, "E (2.5 to 2.11)"},
		{"virtual base, newest tail", []string{"-DTAIL=6", "-DVIRTUAL_BASE"}, "F (2.13 and later)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, library(t, c.defines...))
			p.do(fill...)
			row := readOne(t, listed(p.pid), p.pid)
			wantState(t, row, monitor.AllocatorOK, "")
			if row.Layout != c.layout {
				t.Errorf("layout %q, want %q", row.Layout, c.layout)
			}
			compareAll(t, row, p.stats(0))
			if row.GPU.Or(-1) != 0 || row.GPUAssumed || row.Ordinal.Or(-1) != 0 {
				t.Errorf("GPU %v assumed %v ordinal %v, want 0, false, 0", row.GPU, row.GPUAssumed, row.Ordinal)
			}
		})
	}
}

// compareAll compares every figure of a row with the stand-in's own print.
func compareAll(t *testing.T, row monitor.Allocator, own map[string][]int64) {
	t.Helper()
	if len(own) == 0 || row.State != monitor.AllocatorOK {
		t.Fatalf("nothing to compare: %+v", row)
	}
	type figure struct {
		name string
		got  monitor.Reading[int64]
		want int64
	}
	figures := []figure{
		{"allocated", row.AllocatedBytes, own["allocated_bytes"][0]},
		{"reserved", row.ReservedBytes, own["reserved_bytes"][0]},
		{"peak allocated", row.PeakAllocatedBytes, own["allocated_bytes"][1]},
		{"peak reserved", row.PeakReservedBytes, own["reserved_bytes"][1]},
		{"active bytes", row.ActiveBytes, own["active_bytes"][0]},
		{"inactive split bytes", row.InactiveSplitBytes, own["inactive_split_bytes"][0]},
		{"allocation", row.AllocationCount, own["allocation"][0]},
		{"segment", row.SegmentCount, own["segment"][0]},
		{"active", row.ActiveCount, own["active"][0]},
		{"inactive split", row.InactiveSplitCount, own["inactive_split"][0]},
	}
	if requested, ok := own["requested_bytes"]; ok {
		figures = append(figures, figure{"requested", row.RequestedBytes, requested[0]})
	} else if row.RequestedBytes.Known() {
		t.Error("requested bytes are known where the release does not keep them")
	}
	if row.Layout[0] >= 'A' && row.Layout[0] <= 'F' {
		figures = append(figures, figure{"retries", row.AllocRetryCount, own["retries"][0]}, figure{"ooms", row.OOMCount, own["ooms"][0]})
	} else if row.AllocRetryCount.Known() {
		t.Error("the count of retries is known in a layout that does not tell where it is")
	}
	for _, f := range figures {
		if got, ok := f.got.Get(); !ok || got != f.want {
			t.Errorf("%s: %d (known %v, %v), want %d", f.name, got, ok, f.got.Why(), f.want)
		}
	}
}

func TestExpandableSegmentsCountNoSegmentAndAreRead(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 23068672 1", "take 0 0 20971520 20971520")
	row := readOne(t, listed(p.pid), p.pid)
	wantBytes(t, row, 20971520, 23068672)
	if row.SegmentCount.Or(-1) != 0 {
		t.Errorf("%v segments, want 0", row.SegmentCount)
	}
}

func TestAJobThatGaveEverythingBackReadsZeroExactly(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 2", "reserve 1 0 20971520 0", "take 1 0 1048576 1048576", "give 1 0 1048576 1048576", "release 1 0 20971520 0")
	row := readOne(t, listed(p.pid), p.pid)
	wantBytes(t, row, 0, 0)
	if row.Ordinal.Or(-1) != 1 || row.PeakReservedBytes.Or(-1) != 20971520 {
		t.Errorf("ordinal %v, peak %v", row.Ordinal, row.PeakReservedBytes)
	}
}

func TestAFlushedHistoryIsRememberedByTheReader(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 2", "reserve 1 0 20971520 0", "take 1 0 1048576 1048576")
	r := newReader(t, Config{})
	now := time.Now()
	wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 1048576, 20971520)
	p.do("give 1 0 1048576 1048576", "release 1 0 20971520 0", "resetpeak 1", "resetaccumulated 1")
	row := only(t, read(r, now.Add(time.Second), listed(p.pid), p.pid))
	wantBytes(t, row, 0, 0)
	if row.Ordinal.Or(-1) != 1 {
		t.Errorf("ordinal %v, want 1", row.Ordinal)
	}
}

func TestEightVisibleGPUsWithOneInUseGiveOneRow(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 8", "reserve 5 0 20971520 0", "take 5 0 1024 1024")
	row := readOne(t, listed(p.pid), p.pid)
	wantBytes(t, row, 1024, 20971520)
	if row.Ordinal.Or(-1) != 5 {
		t.Errorf("ordinal %v, want 5", row.Ordinal)
	}
}

func TestTwoDevicesInUseGiveTwoRows(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 2", "reserve 0 0 20971520 0", "reserve 1 0 41943040 0")
	rows := read(newReader(t, Config{}), time.Now(), listed(p.pid), p.pid)
	if len(rows) != 2 {
		t.Fatalf("%d rows, want 2", len(rows))
	}
	wantBytes(t, rows[0], 0, 20971520)
	wantBytes(t, rows[1], 0, 41943040)
}

func TestCUDAStartedAndNothingTakenReadsZero(t *testing.T) {
	for _, tail := range []int{1, 2, 3, 4, 5, 6} {
		t.Run(fmt.Sprint("tail ", tail), func(t *testing.T) {
			t.Parallel()
			defines := []string{fmt.Sprintf("-DTAIL=%d", tail)}
			if tail == 1 {
				defines = append(defines, "-DHIDDEN")
			}
			p := start(t, library(t, defines...))
			p.do("init 2")
			wantBytes(t, readOne(t, listed(p.pid), p.pid), 0, 0)
		})
	}
}

func TestProcessesThatHaveToWaitForTheirTurnSaySo(t *testing.T) {
	t.Parallel()
	r := newReader(t, Config{Limits: Limits{AttachesPerRead: 1}})
	now := time.Now()
	read(r, now, listed(), 0)
	one, two := start(t, library(t)), start(t, library(t))
	one.do("init 1", "reserve 0 0 20971520 0")
	two.do("init 1", "reserve 0 0 20971520 0")
	now = now.Add(time.Minute)
	part := r.Read(context.Background(), monitor.Request{Time: now, Seen: listed(one.pid, two.pid)})
	waiting := 0
	for _, row := range part.Torch {
		if row.PID != one.pid && row.PID != two.pid || row.State == monitor.AllocatorOK {
			continue
		}
		waiting++
		wantState(t, row, monitor.AllocatorUnread, "not been looked at")
	}
	if waiting == 0 {
		t.Error("both were looked at in one read")
	}
}

func TestFiguresFollowTheJob(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 1073741824 0")
	r := newReader(t, Config{})
	now := time.Now()
	for i := range int64(20) {
		p.do("take 0 0 1048576 1000000")
		now = now.Add(time.Second)
		wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), (i+1)<<20, 1<<30)
	}
}

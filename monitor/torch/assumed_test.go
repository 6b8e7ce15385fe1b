//go:build linux

package torch

import (
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func TestAnAssumedHolderProvesNothing(t *testing.T) {
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1024")
	seen := listed(p.pid)
	seen.Holders[0].Assumed = true
	wantBytes(t, readOne(t, seen, p.pid), 1024, 20971520) // listed, with memory by a rule
	seen.Holders[0].AssumedProcess = true
	row := readOne(t, seen, p.pid)
	wantState(t, row, monitor.AllocatorUnverified, "may be a copy")
	if gpu, ok := row.GPU.Get(); !ok || gpu != 0 || !row.GPUAssumed {
		t.Errorf("GPU %v, assumed %v", row.GPU, row.GPUAssumed)
	}
	p.do("thread cuda-EvtHandlr")
	row = readOne(t, seen, p.pid)
	wantBytes(t, row, 1024, 20971520)
	if !row.GPUAssumed {
		t.Error("the GPU is not marked assumed")
	}
}

func TestAnAssumedFigureDoesNotContradictTheAllocator(t *testing.T) {
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1024")
	seen := listed(p.pid)
	seen.Holders[0].UsedBytes = monitor.Known[int64](1024) // less than is reserved
	r := newReader(t, Config{})
	at := time.Now()
	refused := func(assumed bool) monitor.AllocatorState {
		seen.Holders[0].Assumed = assumed
		for range 20 { // a contradiction counts only when it lasts
			at = at.Add(time.Second)
			read(r, at, seen, p.pid)
		}
		return only(t, read(r, at, seen, p.pid)).State
	}
	if got := refused(true); got != monitor.AllocatorOK {
		t.Errorf("assumed: %v", got)
	}
	if got := refused(false); got != monitor.AllocatorImplausible {
		t.Errorf("told by the driver: %v", got)
	}
}

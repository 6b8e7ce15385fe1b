package sampler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func TestCloseIsQuickThoughASourceHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		hung := source("hung", func(context.Context, monitor.Request) monitor.Part { <-release; return monitor.Part{} })
		good := source("good", fine(monitor.Part{}))
		s := New(Config{Stages: [][]monitor.Source{{hung, good}}})
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		began := time.Now()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > 50*time.Millisecond {
			t.Errorf("Close took %v", took)
		}
		<-good.closed
		select {
		case <-hung.closed:
			t.Error("a source was closed in the middle of Read")
		default:
		}
		close(release)
		<-hung.closed // once it returned
		if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("after Close: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	})
}

func TestCloseDoesNotWaitForASourceThatCannotClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := New(Config{Stages: [][]monitor.Source{{stuck{release}}}})
		s.Once(t.Context())
		began := time.Now()
		_ = s.Close()
		if took := time.Since(began); took > 50*time.Millisecond {
			t.Errorf("Close took %v", took)
		}
		close(release)
	})
}

type stuck struct{ release chan struct{} }

func (s stuck) Name() string                                       { return "stuck" }
func (s stuck) Close() error                                       { <-s.release; return nil }
func (s stuck) Read(context.Context, monitor.Request) monitor.Part { return monitor.Part{} }
func TestOnceWaitsForASlowStartButNotForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := source("slow", func(context.Context, monitor.Request) monitor.Part {
			time.Sleep(3 * time.Second)
			return fine(monitor.Part{GPUs: []monitor.GPU{gpu(0)}})(context.Background(), monitor.Request{})
		})
		hung := source("hung", func(ctx context.Context, _ monitor.Request) monitor.Part {
			time.Sleep(time.Hour)
			return monitor.Part{}
		})
		s := New(Config{Stages: [][]monitor.Source{{slow, hung}}})
		began := time.Now()
		got := s.Once(t.Context())
		if took := time.Since(began); took != 5*time.Second || len(got.GPUs) != 1 || status(got, "hung").State != monitor.StateUnavailable {
			t.Errorf("after %v: %+v", took, got.Sources)
		}
		_ = s.Close()
		time.Sleep(2 * time.Hour) // let the hung one go
	})
}

// big is what a machine of 8 devices and 64 processes gives.
func big() monitor.Part {
	var p monitor.Part
	for i := range 8 {
		p.GPUs = append(p.GPUs, gpu(i))
	}
	for i := range 64 {
		pid := 100 + i
		p.Holders = append(p.Holders, monitor.Holder{PID: pid, GPU: i % 8, InNamespace: true})
		p.Processes = append(p.Processes, monitor.Process{PID: pid, Name: "python"})
		p.Torch = append(p.Torch, monitor.Allocator{PID: pid, GPU: monitor.Known(i % 8), State: monitor.AllocatorDenied})
		p.Readings = append(p.Readings, monitor.LogReading{PID: pid, Kind: monitor.LogMemory, AllocatedBytes: monitor.Known[int64](1)})
	}
	return p
}

func TestAMistakeInSamplingEndsTheFeedAndNotTheProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, time.Second, []monitor.Source{source("a", fine(monitor.Part{}))})
		one(t, s)
		s.taking.Lock()
		s.taker.stages = append(s.taker.stages, []*runner{nil})
		s.taking.Unlock()
		for range 2 {
			if _, err := s.Next(t.Context()); err == nil || !strings.Contains(err.Error(), "inside the program") {
				t.Errorf("the feed says %v", err)
			}
		}
		s.taker.stages = s.taker.stages[:1] // for Close
	})
}

func TestADayOfSamplesGrowsNothing(t *testing.T) {
	var before, after runtime.MemStats
	synctest.Test(t, func(t *testing.T) {
		part := big()
		n := 0
		s := start(t, 10*time.Second, []monitor.Source{source("a", func(ctx context.Context, req monitor.Request) monitor.Part {
			n++
			p := part
			p.Readings = []monitor.LogReading{{Source: fmt.Sprint(n), Time: req.Time, PID: 0, Kind: monitor.LogMemory, AllocatedBytes: monitor.Known(int64(n))}}
			return fine(p)(ctx, req)
		})})
		for i := range 8640 {
			one(t, s)
			if i == 600 {
				runtime.GC()
				runtime.ReadMemStats(&before)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if jobs := len(s.taker.book.jobs); jobs > maxLogJobs {
			t.Errorf("%d printers remembered", jobs)
		}
	})
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("a day grew the heap by %d bytes", grown)
	}
}

func BenchmarkTick8GPUs64Processes(b *testing.B) {
	part := big()
	empty := fine(monitor.Part{})
	s := New(Config{Stages: [][]monitor.Source{{source("a", fine(part)), source("b", empty)}, {source("c", empty)}}})
	b.ReportAllocs()
	for b.Loop() {
		s.taker.take(b.Context(), time.Second)
	}
}

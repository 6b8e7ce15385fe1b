package torch

import (
	"context"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// livePID is a running PyTorch job with figures, named in the environment by
// the check on a real GPU.
func livePID(b *testing.B) int {
	pid, err := strconv.Atoi(os.Getenv("VRAMSCOPE_LIVE_PID"))
	if err != nil {
		b.Skip("VRAMSCOPE_LIVE_PID names no job")
	}
	return pid
}

// liveReader returns a reader that shows the job's figures, and the request
// that it answers.
func liveReader(b *testing.B, pid int) (*Reader, monitor.Request, int) {
	seen := &monitor.Sample{Holders: []monitor.Holder{{PID: pid, GPU: 0, InNamespace: true, UsedBytes: monitor.Unknown[int64](monitor.NotRead, "")}}}
	r := New(Config{})
	req := monitor.Request{Time: time.Now(), Seen: seen}
	shown := 0
	for _, a := range r.Read(context.Background(), req).Torch {
		if a.PID == pid && a.State == monitor.AllocatorOK {
			shown++
		}
	}
	if shown == 0 {
		b.Fatalf("process %d shows no figures", pid)
	}
	return r, req, shown
}

// BenchmarkLiveSample reads the statistics of one real job's devices.
func BenchmarkLiveSample(b *testing.B) {
	pid := livePID(b)
	r, _, _ := liveReader(b, pid)
	defer r.Close()
	a := r.targets[pid].attached
	b.ReportAllocs()
	missed := 0
	for b.Loop() {
		if a.sample(time.Now, r.pause) != resultOK {
			missed++
		}
	}
	b.ReportMetric(float64(len(a.devices)), "devices")
	b.ReportMetric(float64(missed)/float64(b.N), "busy/op")
}

// BenchmarkLiveRead is a whole tick of the source, the list of processes
// included when it is due.
func BenchmarkLiveRead(b *testing.B) {
	r, req, _ := liveReader(b, livePID(b))
	defer r.Close()
	b.ReportAllocs()
	for b.Loop() {
		req.Time = time.Now()
		r.Read(context.Background(), req)
	}
}

// BenchmarkLiveDiscovery finds the job's allocator from nothing, without the
// 50 ms between the first two reads.
func BenchmarkLiveDiscovery(b *testing.B) {
	pid := livePID(b)
	seen := &monitor.Sample{Holders: []monitor.Holder{{PID: pid, GPU: 0, InNamespace: true}}}
	for b.Loop() {
		r := New(Config{Wait: func(context.Context, time.Duration) bool { return true }})
		r.Read(context.Background(), monitor.Request{Time: time.Now(), Seen: seen})
		b.StopTimer()
		if r.targets[pid] == nil || r.targets[pid].attached == nil {
			b.Fatalf("process %d was not found", pid)
		}
		_ = r.Close()
		b.StartTimer()
	}
}

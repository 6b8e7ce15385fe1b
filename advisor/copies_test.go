package advisor_test

import (
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/advisor/catalog"
	"github.com/vramscope/vramscope/monitor"
)

// A recording may lack the peak just where what is allocated has doubled.
func TestNoCopyIsFoundWhereThePeakIsUnknown(t *testing.T) {
	b := newBench(t).hold(10, 0, 10*gib).tensors(10, 0, 4*gib, 9*gib)
	b.each = func(i int, s *monitor.Sample) {
		x := &s.Torch[0]
		if i >= 4 {
			x.AllocatedBytes = monitor.Known[int64](8 * gib)
		}
		x.PeakAllocatedBytes = x.AllocatedBytes
		if i < 30 && i >= 3 {
			x.PeakAllocatedBytes = monitor.Unknown[int64](monitor.Failed, "made up")
		}
	}
	samples := b.samples()
	for i := range samples { // what comes after the failure tells of as many peaks as there are samples before it
		more := samples[i]
		more.Time = more.Time.Add(30 * time.Second)
		more.Torch = []monitor.Allocator{more.Torch[0]}
		more.Torch[0].PeakAllocatedBytes = more.Torch[0].AllocatedBytes
		samples = append(samples, more)
	}
	samples[29].Readings = []monitor.LogReading{{Time: samples[29].Time, Kind: monitor.LogOOM, PID: 10, OOM: &monitor.LogOOMFigures{
		RequestedBytes: monitor.Known[int64](12 * gib), TotalBytes: monitor.Known[int64](24 * gib)}}}
	in := inputOf(samples)
	in.Readings = samples[29].Readings
	in.Lines = []monitor.LogLine{{Time: samples[3].Time, Number: 1, PID: 10, Text: "Loading checkpoint from model.pt"}}
	for _, f := range advisor.Advise(in) {
		if f.ID == catalog.CheckpointLoadDoubling {
			t.Errorf("found %s", f.Title)
		}
	}
}

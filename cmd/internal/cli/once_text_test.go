package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/text"
)

const oneGiB = int64(1) << 30

func onceText(t *testing.T, s monitor.Sample) string {
	t.Helper()
	var b strings.Builder
	if err := printSample(&b, &s, text.Unicode); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func oneJob() monitor.Sample {
	return monitor.Sample{
		Time: time.Date(2026, 11, 30, 14, 2, 11, 0, time.UTC), Host: "node07", Driver: "580.1",
		GPUs: []monitor.GPU{{Index: 0, Name: monitor.Known("NVIDIA H200"), State: monitor.StateOK, Memory: monitor.DeviceMemory{
			TotalBytes: monitor.Known(140 * oneGiB), UsedBytes: monitor.Known(96 * oneGiB), FreeBytes: monitor.Known(43 * oneGiB), Source: monitor.MemoryV2,
		}}},
		Holders: []monitor.Holder{{PID: 446, GPU: 0, InNamespace: true, UsedBytes: monitor.Known(92 * oneGiB)}},
		Torch: []monitor.Allocator{{PID: 446, GPU: monitor.Known(0), State: monitor.AllocatorOK, Origin: monitor.OriginAttach,
			AllocatedBytes: monitor.Known(20 * oneGiB), ReservedBytes: monitor.Known(91 * oneGiB)}},
		Processes: []monitor.Process{{PID: 446, User: "ann", Command: "python train.py"}},
		Sources:   []monitor.SourceStatus{{Name: "nvml", State: monitor.StateOK}},
	}
}

func TestOncePrintsTheLayersAndTheProcessThatHoldsThem(t *testing.T) {
	got := onceText(t, oneJob())
	for _, want := range []string{
		"node07  driver 580.1", "NVIDIA H200  total 140.0 GiB",
		"used        96.0    69%  nvml-v2", "reserved    91.0    65%  attach", "allocated   20.0    14%  attach",
		"cache 71.0", "non-torch 1.0", "others 4.0",
		"446 ann           0    -      20.0      91.0      92.0       1.0  python train.py",
		"source nvml   ok",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestOnceSaysASharedReasonOnce(t *testing.T) {
	s := oneJob()
	denied := monitor.Allocator{State: monitor.AllocatorDenied, Reason: "it belongs to user 0", GPU: monitor.Unknown[int](monitor.NoPermission, "")}
	for _, pid := range []int{501, 502} {
		row := denied
		row.PID = pid
		s.Torch = append(s.Torch, row)
		s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: 0, InNamespace: true, UsedBytes: monitor.Known(oneGiB)})
	}
	got := onceText(t, s)
	if n := strings.Count(got, "it belongs to user 0"); n != 1 {
		t.Errorf("the reason stands %d times in:\n%s", n, got)
	}
	if n := strings.Count(got, "[1]"); n != 3 {
		t.Errorf("two rows and one footnote refer to it, got %d in:\n%s", n, got)
	}
	if !strings.Contains(got, "allocator of 2 more PyTorch process(es)") {
		t.Errorf("the sums do not say that they are lower bounds:\n%s", got)
	}
}

func TestOnceLetsNothingHostileThrough(t *testing.T) {
	s := oneJob()
	s.Host, s.Processes[0].Command, s.Processes[0].User = "n\x1b[2J", "python \x1b]0;x\x07\nrow", "a\u202eb"
	s.Torch[0].State, s.Torch[0].Reason = monitor.AllocatorDenied, "why\x1b[31m"
	s.GPUs[0].Name = monitor.Known("N\x9b1m")
	for _, r := range onceText(t, s) {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e') {
			t.Errorf("%q reaches the terminal", r)
		}
	}
}

func TestOnceSaysOfALogsFiguresThatTheyAreAtLeastSoOld(t *testing.T) {
	s := oneJob()
	s.Torch = []monitor.Allocator{{State: monitor.AllocatorOK, Origin: monitor.OriginLog, ReadAt: s.Time.Add(-8 * time.Minute), ReservedBytes: monitor.Known(2 * oneGiB)}}
	if got := onceText(t, s); !strings.Contains(got, "GiB, printed 8m00s ago or earlier\n") {
		t.Errorf("%s", got)
	}
}

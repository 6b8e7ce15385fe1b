//go:build linux && cgo

package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/torch"
	"github.com/vramscope/vramscope/tui"
)

// What the live screen must say in each environment, on the overview and on
// the page of sources. An environment without a line here fails.
var matrixScreens = map[string]struct{ overview, sources []string }{
	"host, driver 535, control groups 1":                 {overview: []string{"others 30.0 · free 49.0", "20 root 0 – – – 29.0 – <0.1"}},
	"host, a number that is a thread's, and twice":       {overview: []string{"1 process", "20 root 0 – – – 29.0 "}},
	"container, driver 535: the host's numbers, one job": {overview: []string{"(not visible from this PID namespace 1.0)", "20 root 0 – – – 29.0? "}},
	"container, driver 535: a neighbour's number that a local shell has": {
		overview: []string{"(not visible from this PID namespace 1.0)", "20 – 0 – – – 29.0 – – – – (the number is the host's)"}},
	"container, driver 550: names without memory":        {overview: []string{"others 30.0 · free", "20 root 0 – – – – – <0.1", "30 root 0 – – – – – <0.1"}},
	"container, driver 550: one name without memory":     {overview: []string{"20 root 0 – – – 30.0? "}},
	"container, driver 580: the rest is others'":         {overview: []string{"others 30.0 (not visible from this PID namespace 20.0)", "20 root 0 – – – 10.0 "}},
	"container, driver 580: everything is accounted for": {overview: []string{"others 30.0 · free", "20 root 0 – – – 30.0 "}},
	"container of another user namespace":                {overview: []string{"others 30.0 (not visible from this PID namespace 30.0)", "0 processes"}},
	"the host's proc in a container, driver 535":         {overview: []string{"20 root 0 – – – 29.0 "}},
	"MIG, without the right to the whole": {
		overview: []string{"20.0 GiB", "20 root 0 – – – 5.0 ", "GPU 0: memory is that of the MIG devices visible here; the whole GPU may not be asked"},
		sources:  []string{"◐ nvml partial", "◐ GPU 0 partial last read", "the whole GPU may not be asked"}},
	"MIG, seen by root": {overview: []string{"others 30.0 · free", "20 root 0 – – – 5.0 "}, sources: []string{"● nvml ok"}},
	"a virtual GPU that lists no processes": {
		overview: []string{"0 processes", "GPU 0: the list of processes is not complete"}, sources: []string{"◐ nvml partial", "the list of processes is not complete"}},
	"a virtual GPU that lists no processes, in a container with one job": {
		overview: []string{"20 root 0 – – – 30.0? ", "? assumed, the driver does not tell", "the list of processes is not complete"}, sources: []string{"◐ GPU 0 partial"}},
	"unified memory": {overview: []string{"125.0 GiB", "62.5 50%", "estimate", "others 62.5 · free 62.5 · driver –"}},
	"a discrete card whose driver is too old for the questions": {
		overview: []string{"others – · free – · driver –", "GPU 0: memory is not known: nvmlDeviceGetMemoryInfo: this driver is too old to have it"},
		sources:  []string{"◐ GPU 0 partial", "this driver is too old to have it"}},
	"an old driver without the second version of memory": {overview: []string{"driver 470.57.02", "others 31.0 · free 49.0 · driver –"}, sources: []string{"● nvml ok"}},
	"WSL: no memory of processes, all-ones answers":      {overview: []string{"–/700 W", "20 – 0 – – – – – – – – (the number is the host's)"}},
	"twenty mixed cards":                                 {overview: []string{"20 GPUs", "GPU 3 Small card 24.0 GiB"}, sources: []string{"● nvml ok"}},
	"one GPU lost among two": {
		overview: []string{"▲ lost", "GPU 1: nvmlDeviceGetName: the GPU is lost", "others 30.0 · free 49.0"}, sources: []string{"◐ nvml partial", "○ GPU 1 unavailable"}},
	"memory errors": {overview: []string{"gpu-error"}},
	"the library does not match the module": {
		overview: []string{"No GPU and no log to show.", "(loaded module: 550.54.14): reboot"}, sources: []string{"○ nvml unavailable never answered well", "reboot, or stop all GPU programs"}},
	"the module is not loaded":         {overview: []string{"the NVIDIA kernel driver is not loaded: load it (modprobe nvidia)"}, sources: []string{"○ nvml unavailable"}},
	"no library":                       {overview: []string{"no NVIDIA driver library (libnvidia-ml.so.1) here", "vramscope demo shows this screen"}, sources: []string{"○ nvml unavailable", "docker run --gpus all"}},
	"no GPU in the container":          {overview: []string{"the NVIDIA driver shows no GPU here: in a container, give it the GPUs"}, sources: []string{"○ nvml unavailable"}},
	"names that a terminal would obey": {overview: []string{"Bad[2J]0;xcard"}},
	"Yama 3":                           {overview: []string{"others 30.0 · free", "no PyTorch job seen"}},
}

// checkScreens compares both pages with what they must say, and with what must
// be said nowhere.
func checkScreens(t *testing.T, name, overview, sources string, never []string) {
	t.Helper()
	want, ok := matrixScreens[name]
	if !ok {
		t.Fatalf("nothing is known of what the screen says in %q", name)
	}
	says := func(page, text string, wanted []string) {
		for _, w := range append(wanted, "log") {
			if !strings.Contains(text, w) {
				t.Errorf("the %s does not say %q:\n%s", page, w, text)
			}
		}
		for _, bad := range never {
			if strings.Contains(text, bad) {
				t.Errorf("the %s says %q:\n%s", page, bad, text)
			}
		}
	}
	says("overview", overview, want.overview)
	says("page of sources", sources, append(want.sources, "no log found", "name it with --log FILE"))
}

// denials are the ways in which the kernel keeps a job from being read, with
// the cure that costs least after following the log.
var denials = map[string]struct {
	self  torch.Self
	owner torch.Owner
	cure  string
}{
	"Yama 1":                 {torch.Self{UID: 1000, Yama: monitor.Known(1)}, torch.Owner{UID: 1000, Known: true, Mapped: true}, "start the job with vramscope run"},
	"Yama 2":                 {torch.Self{UID: 1000, Yama: monitor.Known(2)}, torch.Owner{UID: 1000, Known: true, Mapped: true}, "run vramscope with sudo"},
	"Yama 3":                 {torch.Self{UID: 0, Ptrace: true, Yama: monitor.Known(3)}, torch.Owner{UID: 1000, Known: true, Mapped: true}, "until the next boot"},
	"another user":           {torch.Self{UID: 1000}, torch.Owner{UID: 1001, Known: true}, "run vramscope with sudo"},
	"root in a container":    {torch.Self{UID: 0, Nested: true}, torch.Owner{UID: 0, Known: true, Mapped: true}, "run vramscope on the host as root"},
	"another user namespace": {torch.Self{UID: 0, Ptrace: true, Nested: true}, torch.Owner{UID: 1000, Known: true}, "another user namespace"},
}

func TestTheScreenSaysWhyTheTorchLayerIsMissingAndWhatCostsLeast(t *testing.T) {
	for name, c := range denials {
		t.Run(name, func(t *testing.T) {
			d := c.self.Denied(c.owner)
			reason := "PyTorch found, but reading its memory is not permitted: " + d.Why + "; " + strings.Join(d.Cures[:min(3, len(d.Cures))], ", or ")
			overview, sources := drawn(t, monitor.Sample{
				Time: time.Unix(1_800_000_000, 0), Host: "box", Driver: "580.95.05",
				GPUs: []monitor.GPU{{Index: 0, State: monitor.StateOK, Memory: monitor.DeviceMemory{
					TotalBytes: monitor.Known(80 * gibibyte), UsedBytes: monitor.Known(30 * gibibyte), FreeBytes: monitor.Known(49 * gibibyte), Source: monitor.MemoryV2}}},
				Holders:   []monitor.Holder{{GPU: 0, PID: 20, InNamespace: true, UsedBytes: monitor.Known(21 * gibibyte)}},
				Processes: []monitor.Process{{PID: 20, Name: "python"}},
				Torch:     []monitor.Allocator{{PID: 20, GPU: monitor.Known(0), Origin: monitor.OriginAttach, State: monitor.AllocatorDenied, Reason: reason}},
				Sources: []monitor.SourceStatus{{Name: "nvml", State: monitor.StateOK}, {Name: "torch", State: monitor.StateUnavailable, Reason: "process 20: " + reason},
					{Name: "log", State: monitor.StateUnavailable, Reason: "no log found"}},
			})
			for page, text := range map[string]string{"overview": overview, "page of sources": sources} {
				for _, want := range []string{d.Why, "follow its log with --log FILE", c.cure} {
					if !strings.Contains(text, want) {
						t.Errorf("the %s does not say %q:\n%s", page, want, text)
					}
				}
			}
		})
	}
}

// The size of the terminal of the matrix, on which everything has room.
const matrixWidth, matrixHeight = 180, 60

// still is a feed of one sample, after which nothing comes.
type still struct{ samples []monitor.Sample }

func (f *still) Next(ctx context.Context) (monitor.Batch, error) {
	if len(f.samples) > 0 {
		b := monitor.Batch{Samples: f.samples}
		f.samples = nil
		return b, nil
	}
	<-ctx.Done()
	return monitor.Batch{}, ctx.Err()
}

func (f *still) Close() error { return nil }

// drawn shows a sample on the live screen, on a terminal of its own, and
// returns what stands on the overview and on the page of sources.
func drawn(t *testing.T, sample monitor.Sample) (overview, sources string) {
	t.Helper()
	ptm, pts, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer ptm.Close() //nolint:errcheck // of this test
	defer pts.Close() //nolint:errcheck // of this test
	if err := pty.Setsize(ptm, &pty.Winsize{Rows: matrixHeight, Cols: matrixWidth}); err != nil {
		t.Fatal(err)
	}
	terminal := vt.NewEmulator(matrixWidth, matrixHeight)
	go func() { _, _ = io.Copy(io.Discard, terminal) }() // it answers queries; somebody has to read
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	ended, begun := make(chan error, 1), time.Now()
	go func() {
		ended <- tui.Run(ctx, tui.Options{Feed: &still{[]monitor.Sample{sample}}, Interval: time.Second, User: "root",
			Now: func() time.Time { return sample.Time.Add(time.Since(begun)) }, Environ: []string{"TERM=xterm-256color", "LANG=C.UTF-8"}, Input: pts, Output: pts})
	}()
	overview = shownPage(t, ptm, terminal, "every 1 s")
	if _, err := ptm.WriteString("6"); err != nil {
		t.Fatal(err)
	}
	sources = shownPage(t, ptm, terminal, "History")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return overview, sources
}

// shownPage waits until a word stands on the terminal and nothing more comes, and
// returns the terminal's text, its words one space apart.
func shownPage(t *testing.T, ptm *os.File, terminal *vt.Emulator, word string) string {
	t.Helper()
	buf := make([]byte, 64<<10)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(ptm.Fd()), Events: unix.POLLIN}}, 300)
		if err != nil && err != unix.EINTR {
			t.Fatal(err)
		}
		if n == 0 && strings.Contains(terminal.String(), word) && !strings.Contains(terminal.String(), "Waiting for the first sample") {
			return strings.Join(strings.Fields(frames.Replace(terminal.String())), " ") + "\n"
		}
		if n > 0 {
			got, err := ptm.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := terminal.Write(bytes.Clone(buf[:got])); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Fatalf("the screen does not say %q:\n%s", word, terminal.String())
	return ""
}

// frames takes the frames of boxes out, so that a sentence that is broken
// within one is whole.
var frames = strings.NewReplacer("│", " ", "─", " ", "┃", " ", "━", " ")

//go:build linux

package torch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// The stand-in's threads take blocks of which exactly half was requested, and
// reserve four times what they take. A figure from before a change next to one
// from after it breaks that.
func TestNoTornReadIsEverAccepted(t *testing.T) {
	for _, defines := range [][]string{{"-DTAIL=4"}, {"-DTAIL=6", "-DVIRTUAL_BASE"}} {
		for _, work := range []int{0, 300} {
			t.Run(fmt.Sprint(defines, " work ", work), func(t *testing.T) {
				p := start(t, library(t, defines...))
				p.do("init 1", "reserve 0 0 67108864 1", "take 0 0 16777216 8388608")
				r := newReader(t, Config{Limits: Limits{StaleAfter: time.Hour}})
				now := time.Now()
				seen := listed(p.pid)
				wantBytes(t, only(t, read(r, now, seen, p.pid)), 16777216, 67108864)
				p.do(fmt.Sprintf("hammer 0 1 %d", work))
				var last time.Time
				fresh := 0
				for range 5000 {
					row := only(t, read(r, now, seen, p.pid))
					wantState(t, row, monitor.AllocatorOK, "")
					if row.ReadAt.Equal(last) {
						continue
					}
					last = row.ReadAt
					fresh++
					a, q, re := row.AllocatedBytes.Or(-1), row.RequestedBytes.Or(-1), row.ReservedBytes.Or(-1)
					if a != 2*q || a != row.ActiveBytes.Or(-1) || re%4096 != 0 || re < 4*a && re < 67108864 {
						t.Fatalf("torn read accepted: allocated %d, requested %d, active %v, reserved %d", a, q, row.ActiveBytes, re)
					}
				}
				p.do("stop")
				t.Logf("%d good reads of 5000", fresh)
				if fresh == 0 {
					t.Error("not one read was good")
				}
				wantBytes(t, only(t, read(r, now.Add(time.Second), seen, p.pid)), 16777216, 67108864)
			})
		}
	}
}

// fakeProc is a proc file system with processes that are none of ours.
func fakeProc(t testing.TB, pids int) string {
	t.Helper()
	root := t.TempDir()
	for pid := 1; pid <= pids; pid++ {
		writeProcess(t, root, pid, "00400000-00401000 r-xp 00000000 fe:01 1 /bin/sleep\n")
	}
	return root
}

func writeProcess(t testing.TB, root string, pid int, maps string) {
	t.Helper()
	dir := filepath.Join(root, strconv.Itoa(pid))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"maps":   maps,
		"stat":   fmt.Sprintf("%d (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 77 0 0\n", pid),
		"status": fmt.Sprintf("Name:\tx\nTgid:\t%d\nUid:\t0\t0\t0\t0\n", pid),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStrangersAreLookedAtSeldomAndInPortions(t *testing.T) {
	root := fakeProc(t, 300)
	r := newReader(t, Config{Root: root, Self: &Self{}, Limits: Limits{LooksPerRead: 40}})
	now := time.Now()
	part := r.Read(context.Background(), monitor.Request{Time: now})
	if len(r.dismissed) != 300 || part.Status.State != monitor.StateOK || len(part.Torch) != 0 {
		t.Fatalf("the first read dismissed %d of 300; %+v", len(r.dismissed), part.Status)
	}
	due := func() int {
		n := 0
		for _, d := range r.dismissed {
			if !now.Before(d.due) {
				n++
			}
		}
		return n
	}
	now = now.Add(firstDismissal)
	if due() != 300 {
		t.Fatalf("%d are due again, want all", due())
	}
	for want := 260; want > 0; want -= 40 {
		r.Read(context.Background(), monitor.Request{Time: now})
		if due() != want {
			t.Fatalf("%d are due, want %d: a read looks at no more than 40", due(), want)
		}
	}
	for _, d := range r.dismissed {
		if d.wait > mostDismissal {
			t.Errorf("left alone for %v", d.wait)
		}
	}
}

func TestAProcessThatLoadsTorchLaterIsFound(t *testing.T) {
	root := fakeProc(t, 3)
	denied := func(string, int) (Memory, error) { return nil, os.ErrPermission }
	r := newReader(t, Config{Root: root, Self: &Self{UID: 5}, Open: denied})
	now := time.Now()
	r.Read(context.Background(), monitor.Request{Time: now})
	writeProcess(t, root, 2, "7f0000000000-7f0000001000 r--p 00000000 fe:01 1 /x/libc10_cuda.so\n")
	part := r.Read(context.Background(), monitor.Request{Time: now.Add(firstDismissal)})
	if len(part.Torch) != 1 || part.Torch[0].PID != 2 || part.Torch[0].State != monitor.AllocatorDenied {
		t.Fatalf("%+v", part.Torch)
	}
	if part.Status.State != monitor.StateUnavailable || part.Status.Reason == "" {
		t.Errorf("status %+v", part.Status)
	}
	if err := os.RemoveAll(filepath.Join(root, "3")); err != nil {
		t.Fatal(err)
	}
	r.Read(context.Background(), monitor.Request{Time: now.Add(time.Minute)})
	if _, ok := r.dismissed[3]; ok {
		t.Error("a process that is gone is still remembered")
	}
}

func TestAProcessWhoseMemoryKeepsItsSizeIsSeldomLookedAt(t *testing.T) {
	const torch = "7f0000000000-7f0000001000 r--p 00000000 fe:01 1 /x/libc10_cuda.so\n"
	root := fakeProc(t, 2)
	statm := func(pid, pages int) {
		text := fmt.Sprintf("%d 100 50 1 0 40 0\n", pages)
		if err := os.WriteFile(filepath.Join(root, strconv.Itoa(pid), "statm"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	statm(1, 3000)
	statm(2, 4000)
	denied := func(string, int) (Memory, error) { return nil, os.ErrPermission }
	r := newReader(t, Config{Root: root, Self: &Self{UID: 5}, Open: denied})
	now := time.Now()
	found := func(after time.Duration) (pids []int) {
		now = now.Add(after)
		for _, row := range r.Read(context.Background(), monitor.Request{Time: now}).Torch {
			pids = append(pids, row.PID)
		}
		return pids
	}
	found(0)
	writeProcess(t, root, 1, torch)
	writeProcess(t, root, 2, torch)
	statm(2, 4001)
	if pids := found(firstDismissal); !slices.Equal(pids, []int{2}) {
		t.Fatalf("found %v, want the one that grew", pids)
	}
	if pids := found(mostUnlooked); !slices.Equal(pids, []int{1, 2}) {
		t.Errorf("found %v after %v, want both", pids, mostUnlooked)
	}
}

func TestAllProcessesAreListedSeldomWhereTheDriverNamesItsOwn(t *testing.T) {
	root := fakeProc(t, 3)
	r := newReader(t, Config{Root: root, Self: &Self{}})
	now := time.Now()
	passes := func(seen *monitor.Sample) int {
		before := r.pass
		for range 60 {
			now = now.Add(time.Second)
			r.Read(context.Background(), monitor.Request{Time: now, Seen: seen})
		}
		return int(r.pass - before)
	}
	foreign := listed(1)
	foreign.Holders[0].InNamespace = false
	if n := passes(foreign); n != 60 {
		t.Errorf("listed %d times in a minute where the driver's numbers are of another namespace, want every second", n)
	}
	if n := passes(listed(1)); n != 6 {
		t.Errorf("listed %d times in a minute where the driver names processes here, want every 10 s", n)
	}
}

func TestTheReasonForARefusalFitsWhatThisProcessMayDo(t *testing.T) {
	root := fakeProc(t, 1)
	yama := func(n int) monitor.Reading[int] { return monitor.Known(n) }
	cases := []struct {
		self  Self
		found bool
		want  string
	}{
		{Self{UID: 1000}, false, "it belongs to user 0; follow its log with --log FILE, or run vramscope with sudo"},
		{Self{UID: 0}, true, "--cap-add SYS_PTRACE"},
		{Self{UID: 0, Ptrace: true}, true, "another user namespace"},
		{Self{UID: 0, Ptrace: true, Yama: yama(3)}, true, "ptrace_scope 3"},
	}
	for _, c := range cases {
		r := newReader(t, Config{Root: root, Self: &c.self})
		wantWords(t, r.reasonDenied(1, c.found), c.want)
	}
	writeUser := filepath.Join(root, "1", "status")
	if err := os.WriteFile(writeUser, []byte("Tgid:\t1\nUid:\t1000\t1000\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for scope, want := range map[int]string{
		0: "protected (not dumpable)",
		1: "Yama ptrace_scope 1); follow its log with --log FILE, or start the job with vramscope run, or run vramscope with sudo",
		2: "Yama ptrace_scope 2",
		3: "Yama ptrace_scope 3",
	} {
		r := newReader(t, Config{Root: root, Self: &Self{UID: 1000, Yama: yama(scope)}})
		wantWords(t, r.reasonDenied(1, true), want)
	}
}

func wantWords(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%q does not say %q", got, want)
	}
}

func BenchmarkReadOneProcessWithEightGPUs(b *testing.B) {
	p := start(b, library(b))
	p.do("init 8")
	for i := range 8 {
		p.do(fmt.Sprintf("reserve %d 0 20971520 0", i), fmt.Sprintf("take %d 0 1024 1024", i))
	}
	r := newReader(b, Config{})
	now := time.Now()
	seen := listed(p.pid)
	if rows := read(r, now, seen, p.pid); len(rows) != 8 {
		b.Fatal(len(rows))
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Read(context.Background(), monitor.Request{Time: now, Seen: seen})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8, "ns/GPU")
}

// BenchmarkReadOf64Processes is a tick a second of a machine whose driver lists
// 64 processes: of PyTorch, with one GPU each, or of others.
func BenchmarkReadOf64Processes(b *testing.B) {
	for name, path := range map[string]string{"torch": library(b), "others": ""} {
		b.Run(name, func(b *testing.B) {
			var pids []int
			for range 64 {
				p := start(b, path)
				if pids = append(pids, p.pid); path != "" {
					p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1024")
				}
			}
			r := newReader(b, Config{})
			now := time.Now()
			seen := listed(pids...)
			r.Read(b.Context(), monitor.Request{Time: now, Seen: seen})
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(time.Second)
				r.Read(b.Context(), monitor.Request{Time: now, Seen: seen})
			}
		})
	}
}

func BenchmarkSampleOneGPU(b *testing.B) {
	p := start(b, library(b))
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(b, Config{})
	read(r, time.Now(), listed(p.pid), p.pid)
	a := r.targets[p.pid].attached
	b.ReportAllocs()
	for b.Loop() {
		if a.sample(r.now, r.pause) != resultOK {
			b.Fatal("not read")
		}
	}
}

func BenchmarkAttach(b *testing.B) {
	p := start(b, library(b))
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(b, Config{})
	now := time.Now()
	seen := listed(p.pid)
	read(r, now, seen, p.pid)
	t := r.targets[p.pid]
	b.ReportAllocs()
	for b.Loop() {
		r.attach(t, now)
		if t.attached == nil {
			b.Fatal(t.out.reason)
		}
	}
}

func BenchmarkFirstDiscovery(b *testing.B) {
	b.ReportAllocs()
	processes := 0
	for b.Loop() {
		r := New(Config{})
		r.discover(context.Background(), time.Now())
		processes = len(r.pids)
		_ = r.Close()
	}
	b.ReportMetric(float64(processes), "processes")
}

func BenchmarkLaterDiscovery(b *testing.B) {
	r := newReader(b, Config{})
	now := time.Now()
	r.Read(context.Background(), monitor.Request{Time: now})
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Second)
		r.discover(context.Background(), now)
	}
}

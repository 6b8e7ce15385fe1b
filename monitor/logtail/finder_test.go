package logtail_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
)

func TestOutputsThatAreFilesAreLogs(t *testing.T) {
	got := logtail.Candidates([]logtail.OpenFile{
		{PID: 812, FD: 1, Path: "/jobs/slurm-4711.out", Regular: true, Write: true},
		{PID: 812, FD: 2, Path: "/jobs/slurm-4711.out", Regular: true, Write: true},
		{PID: 812, FD: 0, Path: "/jobs/input.txt", Regular: true},
		{PID: 812, FD: 5, Path: "/data/shard.tar", Regular: true},
		{PID: 812, FD: 6, Path: "/jobs/metrics.jsonl", Regular: true, Write: true, Append: true, Telling: true},
		{PID: 812, FD: 7, Path: "/jobs/other.bin", Regular: true, Write: true, Append: true},
		{PID: 812, FD: 8, Path: "/jobs/rewritten", Regular: true, Write: true, Telling: true},
	})
	var names []string
	for _, c := range got {
		names = append(names, c.String())
	}
	want := []string{"slurm-4711.out, found by open file of pid 812", "metrics.jsonl, found by open file of pid 812"}
	if d := cmp.Diff(want, names); d != "" {
		t.Fatal(d)
	}
}

func TestAFileSharedByRanksBelongsToNoneOfThem(t *testing.T) {
	got := logtail.Candidates([]logtail.OpenFile{
		{PID: 14, FD: 1, Path: "/a/train.log", Regular: true, Write: true, Device: 1, Inode: 7},
		{PID: 12, FD: 2, Path: "/b/train.log", Regular: true, Write: true, Device: 1, Inode: 7},
	})
	if len(got) != 1 || got[0].PID != 0 || fmt.Sprint(got[0].PIDs) != "[12 14]" || !strings.Contains(got[0].How(), "2 processes") {
		t.Fatalf("got %+v", got)
	}
}

func TestDeletedFilesTerminalsAndDevicesAreNoLogs(t *testing.T) {
	got := logtail.Candidates([]logtail.OpenFile{
		{PID: 1, FD: 1, Path: "/dev/null", Regular: true, Write: true},
		{PID: 1, FD: 2, Path: "/jobs/gone.log", Regular: true, Write: true, Deleted: true},
		{PID: 2, FD: 1, Path: "/dev/pts/3", Write: true},
		{PID: 2, FD: 2, Path: "/jobs/readonly", Regular: true},
	})
	if len(got) != 0 {
		t.Fatalf("got %+v", got)
	}
}

// fakeProcess lays out /proc/PID/fd and fdinfo below a root of our own.
func fakeProcess(t *testing.T, root string, pid int, files map[int]string, flags map[int]string) {
	t.Helper()
	dir := filepath.Join(root, fmt.Sprint(pid))
	for _, d := range []string{"fd", "fdinfo"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for fd, target := range files {
		if err := os.Symlink(target, filepath.Join(dir, "fd", fmt.Sprint(fd))); err != nil {
			t.Fatal(err)
		}
		info := "pos:\t0\nflags:\t" + flags[fd] + "\nmnt_id:\t30\n"
		if err := os.WriteFile(filepath.Join(dir, "fdinfo", fmt.Sprint(fd)), []byte(info), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheLogsOfAProcessAreFoundWithoutBeingNamed(t *testing.T) {
	root, jobs := t.TempDir(), t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(jobs, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	out := write("slurm-9.out", line(3))
	metrics := write("metrics.jsonl", "step 1 allocated\n")
	secret := write("secret.db", "nothing of ours\n")
	fakeProcess(t, root, 812,
		map[int]string{0: "/dev/null", 1: out, 2: out, 3: "socket:[123]", 4: metrics, 5: secret},
		map[int]string{0: "0100000", 1: "0101001", 2: "0101001", 4: "02102001", 5: "02102001"})
	finder := logtail.Finder{ProcRoot: root, Telling: func(l string) bool { return strings.Contains(l, "step") }}
	b := newBench(t, logtail.Config{Discover: finder.Find})
	seen := &monitor.Sample{Torch: []monitor.Allocator{{PID: 812}}, Holders: []monitor.Holder{{PID: 813, InNamespace: true}, {PID: 812}}}
	p := b.src.Read(t.Context(), monitor.Request{Time: b.now, Seen: seen})
	wantAllocated(t, p, 3)
	if p.Lines[0].PID != 812 {
		t.Errorf("the line belongs to pid %d", p.Lines[0].PID)
	}
	var names []string
	for _, f := range b.src.Files() {
		names = append(names, filepath.Base(f.Path)+": "+f.How)
	}
	want := []string{"slurm-9.out: found by open file of pid 812", "metrics.jsonl: found by open file of pid 812"}
	if d := cmp.Diff(want, names); d != "" {
		t.Fatal(d)
	}
}

func TestWithoutALogTheReasonNamesTheCure(t *testing.T) {
	b := newBench(t, logtail.Config{Discover: func(*monitor.Sample) []logtail.Candidate { return nil }})
	if p := b.read(); p.Status.State != monitor.StateUnavailable || !strings.Contains(p.Status.Reason, "--log FILE") {
		t.Fatalf("got %+v", p.Status)
	}
}

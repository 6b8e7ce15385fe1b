//go:build linux

package torch

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

func TestEveryOtherBackendIsNamedAndGivesNoNumber(t *testing.T) {
	cases := []struct {
		backend int
		state   monitor.AllocatorState
		words   string
	}{
		{1, monitor.AllocatorAsync, "cudaMallocAsync"},
		{2, monitor.AllocatorPluggable, "CUDAPluggableAllocator"},
		{3, monitor.AllocatorForeign, "somebody::OwnAllocator"},
	}
	for _, c := range cases {
		t.Run(c.state.String(), func(t *testing.T) {
			t.Parallel()
			p := start(t, library(t, fmt.Sprintf("-DBACKEND=%d", c.backend)))
			p.do("init 1", "reserve 0 0 20971520 0")
			row := readOne(t, listed(p.pid), p.pid)
			wantState(t, row, c.state, c.words)
			if row.GPU.Or(-1) != 0 {
				t.Errorf("GPU %v: the driver lists the process on one GPU", row.GPU)
			}
		})
	}
}

func TestAnImportedTorchHasNotStartedCUDA(t *testing.T) {
	for _, tail := range []int{2, 3, 4, 6} {
		t.Run(fmt.Sprint("tail ", tail), func(t *testing.T) {
			t.Parallel()
			p := start(t, library(t, fmt.Sprintf("-DTAIL=%d", tail)))
			wantState(t, readOne(t, nil, p.pid), monitor.AllocatorNoCUDA, "has not started CUDA")
			r := newReader(t, Config{})
			now := time.Now()
			for range 5 {
				row := only(t, read(r, now, listed(p.pid), p.pid))
				wantState(t, row, monitor.AllocatorNoCUDA, "another library")
				now = now.Add(10 * time.Second)
			}
			p.do("init 1", "reserve 0 0 20971520 0")
			wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 0, 20971520)
		})
	}
}

func TestAStartThatNeverEndsBecomesUnknown(t *testing.T) {
	t.Parallel()
	p := start(t, library(t, "-DLATE"))
	r := newReader(t, Config{})
	now := time.Now()
	wantState(t, only(t, read(r, now, nil, p.pid)), monitor.AllocatorStarting, "being loaded")
	wantState(t, only(t, read(r, now.Add(5*time.Second), nil, p.pid)), monitor.AllocatorStarting, "being loaded")
	wantState(t, only(t, read(r, now.Add(20*time.Second), nil, p.pid)), monitor.AllocatorUnknown, "never set up")
}

func TestAnUnreadableLayoutIsUnknownOnceTheDriverSaysItIsUsed(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "break 0")
	r := newReader(t, Config{})
	now := time.Now()
	wantState(t, only(t, read(r, now, listed(p.pid), p.pid)), monitor.AllocatorNoCUDA, "no allocator in use was found")
	wantState(t, only(t, read(r, now.Add(11*time.Second), listed(p.pid), p.pid)), monitor.AllocatorUnknown, "not known")
}

func TestStatisticsThatStartBreakingARuleAreHiddenAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1024")
	r := newReader(t, Config{})
	now := time.Now()
	wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 1024, 20971520)
	p.do("break 0")
	wantState(t, only(t, read(r, now.Add(time.Second), listed(p.pid), p.pid)), monitor.AllocatorUnknown, "add up")
}

func TestTwoLibrariesCountOnlyWhileOneIsInUse(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "load "+library(t, "-DTAIL=6"))
	r := newReader(t, Config{})
	now := time.Now()
	wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 0, 20971520)
	p.do("second init 1", "second reserve 0 0 41943040 0")
	wantState(t, readOne(t, listed(p.pid), p.pid), monitor.AllocatorAmbiguous, "2 allocators")
}

func TestALibraryReplacedUnderARunningJobIsRead(t *testing.T) {
	t.Parallel()
	original, err := os.ReadFile(library(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "libc10_cuda.so")
	if err := os.WriteFile(path, original, 0o755); err != nil {
		t.Fatal(err)
	}
	p := start(t, path)
	p.do("unlink "+path, "init 1", "reserve 0 0 20971520 0")
	wantBytes(t, readOne(t, listed(p.pid), p.pid), 0, 20971520)
}

func TestAnImpostorGivesAClearStateAndNoCrash(t *testing.T) {
	header := func(machine byte) []byte {
		b := make([]byte, 8192)
		copy(b, "\x7fELF\x02\x01\x01")
		b[18], b[54], b[56] = machine, 56, 1
		return b
	}
	wild := header(62)
	for i := 64; i < len(wild); i++ {
		wild[i] = byte(i * 37)
	}
	cases := []struct {
		name    string
		content []byte
		state   monitor.AllocatorState
		words   string
	}{
		{"text", []byte("this is not a library\n"), monitor.AllocatorUnknown, "not a library"},
		{"other architecture", header(183), monitor.AllocatorUnsupported, "64-bit Arm"},
		{"32 bits", append([]byte("\x7fELF\x01\x01"), make([]byte, 4096)...), monitor.AllocatorUnsupported, "only x86-64"},
		{"no segments", header(62), monitor.AllocatorUnknown, "not a library"},
		{"garbage", wild, monitor.AllocatorUnknown, "not a library"},
		{"one byte", []byte{0x7f}, monitor.AllocatorUnknown, "not a library"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "libc10_cuda.so")
			if err := os.WriteFile(path, c.content, 0o644); err != nil {
				t.Fatal(err)
			}
			p := start(t, "")
			p.do("map " + path)
			wantState(t, readOne(t, listed(p.pid), p.pid), c.state, c.words)
		})
	}
}

func TestAStaticBuildIsFoundThroughTheProgramItself(t *testing.T) {
	t.Parallel()
	program := compile(t, "static-standin", "program.cpp", "allocator.cpp", "-DSTATIC", "-ldl", "-pthread")
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := os.WriteFile(path, []byte("driver"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := startProgram(t, program, "")
	p.do("map "+path, "init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1000")
	wantBytes(t, readOne(t, listed(p.pid), p.pid), 1024, 20971520)
}

func TestAProgramThatUsesCUDAWithoutTorchGetsNoRow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := os.WriteFile(path, []byte("driver"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := start(t, "")
	p.do("map " + path)
	if rows := read(newReader(t, Config{}), time.Now(), listed(p.pid), p.pid); len(rows) != 0 {
		t.Errorf("rows %+v, want none", rows)
	}
}

func TestAMonolithicBuildIsFoundThroughLibtorchCUDA(t *testing.T) {
	t.Parallel()
	p := start(t, libraryNamed(t, "libtorch_cuda.so", "-DTAIL=1", "-DHIDDEN"))
	p.do("init 1", "reserve 0 0 20971520 0", "take 0 0 1024 1000")
	wantBytes(t, readOne(t, listed(p.pid), p.pid), 1024, 20971520)
}

func TestAnExecIsNoticedAndTheNewProgramIsRead(t *testing.T) {
	t.Parallel()
	lib := library(t)
	p := start(t, lib)
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(t, Config{})
	now := time.Now()
	wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 0, 20971520)
	if _, err := io.WriteString(p.input, "exec "+lib+"\n"); err != nil {
		t.Fatal(err)
	}
	p.expect("ready")
	row := only(t, read(r, now.Add(time.Second), listed(p.pid), p.pid))
	wantState(t, row, monitor.AllocatorNoCUDA, "")
	p.do("init 1", "reserve 0 0 41943040 0")
	wantBytes(t, only(t, read(r, now.Add(10*time.Second), listed(p.pid), p.pid)), 0, 41943040)
	if _, err := io.WriteString(p.input, "exec\n"); err != nil {
		t.Fatal(err)
	}
	p.expect("ready")
	if rows := read(r, now.Add(11*time.Second), listed(p.pid), p.pid); len(rows) != 0 {
		t.Errorf("rows %+v after an exec of another program, want none", rows)
	}
}

func TestAnAllocatorPutInPlaceLaterIsNoticed(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(t, Config{})
	now := time.Now()
	wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 0, 20971520)
	p.do("backend 2")
	wantState(t, only(t, read(r, now.Add(time.Second), listed(p.pid), p.pid)), monitor.AllocatorPluggable, "")
}

func TestDevicesThatAreAddedLaterAreRead(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(t, Config{})
	now := time.Now()
	wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 0, 20971520)
	p.do("init 3", "reserve 3 0 41943040 0")
	rows := read(r, now.Add(time.Second), listed(p.pid), p.pid)
	if len(rows) != 2 || rows[1].Ordinal.Or(-1) != 3 {
		t.Fatalf("%+v", rows)
	}
	wantBytes(t, rows[1], 0, 41943040)
}

func TestAProcessThatEndedHasNoRow(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(t, Config{})
	now := time.Now()
	wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 0, 20971520)
	p.stop()
	if rows := read(r, now.Add(time.Second), listed(), p.pid); len(rows) != 0 {
		t.Errorf("rows %+v, want none", rows)
	}
	if len(r.targets) != 0 && r.targets[p.pid] != nil {
		t.Error("the ended process is still watched")
	}
}

func TestAProcessThatEndedAfterTheDriverListedItIsGoneOnce(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(t, Config{})
	now := time.Now()
	wantBytes(t, only(t, read(r, now, listed(p.pid), p.pid)), 0, 20971520)
	p.stop()
	wantState(t, only(t, read(r, now.Add(time.Second), listed(p.pid), p.pid)), monitor.AllocatorGone, "ended while it was read")
	if rows := read(r, now.Add(2*time.Second), listed(p.pid), p.pid); len(rows) != 0 {
		t.Errorf("rows %+v, want none", rows)
	}
}

// endingMemory ends the process at a chosen read.
type endingMemory struct {
	Memory
	end  func()
	left *int
}

func (m endingMemory) Read(spans []Span) error {
	if *m.left--; *m.left == 0 {
		m.end()
	}
	return m.Memory.Read(spans)
}

func TestAProcessThatEndsDuringTheReadIsGone(t *testing.T) {
	for _, after := range []int{1, 5, 20, 40} {
		t.Run(strconv.Itoa(after), func(t *testing.T) {
			t.Parallel()
			p := start(t, library(t))
			p.do("init 1", "reserve 0 0 20971520 0")
			left := after
			r := newReader(t, Config{Open: func(root string, pid int) (Memory, error) {
				m, err := OpenMemory(root, pid)
				if err != nil || pid != p.pid {
					return m, err
				}
				return endingMemory{m, p.stop, &left}, nil
			}})
			now := time.Now()
			rows := read(r, now, listed(p.pid), p.pid)
			for left > 0 {
				now = now.Add(time.Second)
				rows = read(r, now, listed(p.pid), p.pid)
			}
			wantState(t, only(t, rows), monitor.AllocatorGone, "ended while it was read")
			if rows := read(r, now.Add(time.Second), listed(p.pid), p.pid); len(rows) != 0 {
				t.Errorf("rows %+v after the end, want none", rows)
			}
		})
	}
}

func TestWhileTheLockIsHeldTheLastFiguresStayAndThenAge(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	shift := time.Duration(0)
	r := newReader(t, Config{Now: func() time.Time { return time.Now().Add(shift) }})
	now := time.Now()
	before := only(t, read(r, now, listed(p.pid), p.pid))
	wantBytes(t, before, 0, 20971520)
	p.do("hold 0 60000")
	row := only(t, read(r, now.Add(time.Second), listed(p.pid), p.pid))
	wantBytes(t, row, 0, 20971520)
	if !row.ReadAt.Equal(before.ReadAt) {
		t.Error("old figures carry a new time")
	}
	shift = 6 * time.Second
	wantState(t, only(t, read(r, now.Add(6*time.Second), listed(p.pid), p.pid)), monitor.AllocatorBusy, "changing during every try")
}

func TestAThreadListedByTheDriverStandsForItsProcess(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0", "thread worker")
	tids, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range tids {
		tid, err := strconv.Atoi(e.Name())
		if err != nil || tid == p.pid {
			continue
		}
		row := readOne(t, listed(tid), p.pid)
		wantBytes(t, row, 0, 20971520)
		if row.GPU.Or(-1) != 0 {
			t.Errorf("GPU %v, want 0", row.GPU)
		}
		return
	}
	t.Fatal("the stand-in has no second thread")
}

func TestCachingSwitchedOffIsNotShownAsZero(t *testing.T) {
	t.Parallel()
	p := start(t, library(t), withEnv("PYTORCH_NO_CUDA_MEMORY_CACHING=1"))
	p.do("init 1")
	wantState(t, readOne(t, listed(p.pid), p.pid), monitor.AllocatorForeign, "PYTORCH_NO_CUDA_MEMORY_CACHING")
}

func TestACallThatIsOutOfTimeReturns(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	part := r.Read(ctx, monitor.Request{Time: time.Now(), Seen: listed(p.pid)})
	for _, row := range part.Torch {
		if row.AllocatedBytes.Known() {
			t.Errorf("figures after one read: %+v", row)
		}
	}
	wantBytes(t, only(t, read(r, time.Now(), listed(p.pid), p.pid)), 0, 20971520)
}

func TestFiguresReadOnceAreNotShownYet(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 20971520 0")
	r := newReader(t, Config{Wait: func(context.Context, time.Duration) bool { return false }})
	now := time.Now()
	wantState(t, only(t, read(r, now, listed(p.pid), p.pid)), monitor.AllocatorUnread, "after the second read")
	wantBytes(t, only(t, read(r, now.Add(time.Second), listed(p.pid), p.pid)), 0, 20971520)
}

func TestTheMemoryFileServesWhereTheCallIsFiltered(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do(fill...)
	r := newReader(t, Config{Open: func(root string, pid int) (Memory, error) {
		m := &procMemory{pid: pid, path: fmt.Sprintf("%s/%d/mem", root, pid), file: -1}
		return m, m.openFile()
	}})
	compareAll(t, only(t, read(r, time.Now(), listed(p.pid), p.pid)), p.stats(0))
	p.stop()
	if rows := read(r, time.Now().Add(time.Second), listed(), p.pid); len(rows) != 0 {
		t.Errorf("rows %+v, want none", rows)
	}
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

//go:build linux

package torch

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

func gpus(n int) []monitor.GPU {
	var out []monitor.GPU
	for i := range n {
		out = append(out, testGPU(i))
	}
	return out
}

// onGPUs is a sample of n GPUs that lists the process with 60 GiB on some.
func onGPUs(n, pid int, on ...int) *monitor.Sample {
	s := &monitor.Sample{GPUs: gpus(n)}
	for _, gpu := range on {
		s.Holders = append(s.Holders, monitor.Holder{PID: pid, GPU: gpu, UsedBytes: monitor.Known[int64](60 << 30),
			Kinds: monitor.HolderCompute, InNamespace: true})
	}
	return s
}

func digits(gpu int) string {
	return map[int]string{0: "00112230445566778899aabbccddee00", 1: "00112231445566778899aabbccddee01"}[gpu]
}

func TestTheUUIDInTheDevicesPropertiesNamesTheGPUExactly(t *testing.T) {
	t.Parallel()
	p := start(t, library(t), withEnv("CUDA_VISIBLE_DEVICES=0,1")) // which is not the truth
	p.do("init 2", "uuid 0 "+digits(1)+" Test GPU", "uuid 1 "+digits(0)+" Test GPU",
		"reserve 0 0 20971520 0", "reserve 1 0 41943040 0")
	rows := read(newReader(t, Config{}), time.Now(), onGPUs(2, p.pid, 0, 1), p.pid)
	if len(rows) != 2 {
		t.Fatalf("%d rows, want 2", len(rows))
	}
	for i, want := range []int{1, 0} {
		if rows[i].GPU.Or(-1) != want || rows[i].GPUAssumed {
			t.Errorf("ordinal %d: GPU %v assumed %v, want %d", i, rows[i].GPU, rows[i].GPUAssumed, want)
		}
	}
}

func TestOneUUIDForTwoDevicesIsNotBelieved(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 2", "uuid 0 "+digits(1)+" Test GPU", "uuid 1 "+digits(1)+" Test GPU",
		"reserve 0 0 20971520 0", "reserve 1 0 41943040 0")
	for _, row := range read(newReader(t, Config{}), time.Now(), onGPUs(3, p.pid, 0, 1), p.pid) {
		if row.GPU.Known() {
			t.Errorf("ordinal %v: GPU %v, want unknown", row.Ordinal, row.GPU)
		}
		wantState(t, row, monitor.AllocatorOK, "")
	}
}

func TestUUIDsThatBecomeKnownLaterAreUsed(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 2", "uuid 0 "+digits(1)+" Test GPU", "uuid 1 "+digits(0)+" Test GPU",
		"reserve 0 0 20971520 0", "reserve 1 0 41943040 0", "thread "+cudaThread)
	r := newReader(t, Config{})
	now := time.Now()
	for _, row := range read(r, now, nil, p.pid) {
		if row.GPU.Known() {
			t.Errorf("GPU %v without any GPU in the sample", row.GPU)
		}
	}
	rows := read(r, now.Add(time.Second), onGPUs(2, p.pid, 0, 1), p.pid)
	if len(rows) != 2 || rows[0].GPU.Or(-1) != 1 || rows[1].GPU.Or(-1) != 0 {
		t.Errorf("%+v", rows)
	}
}

func TestOneListedGPUAndOneDeviceInUseBelongTogether(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 4", "reserve 0 0 20971520 0")
	r := newReader(t, Config{})
	now := time.Now()
	row := only(t, read(r, now, onGPUs(4, p.pid, 3), p.pid))
	if row.GPU.Or(-1) != 3 || !row.GPUAssumed {
		t.Errorf("GPU %v assumed %v; the list may be older than the device's use", row.GPU, row.GPUAssumed)
	}
	row = only(t, read(r, now.Add(time.Second), onGPUs(4, p.pid, 3), p.pid))
	if row.GPU.Or(-1) != 3 || row.GPUAssumed {
		t.Errorf("GPU %v assumed %v, want 3 for sure", row.GPU, row.GPUAssumed)
	}
}

func TestTheEnvironmentIsAnAssumptionThatTheDriverCanRefute(t *testing.T) {
	t.Parallel()
	p := start(t, library(t), withEnv("CUDA_VISIBLE_DEVICES=2,1"))
	p.do("init 2", "reserve 0 0 20971520 0", "reserve 1 0 41943040 0")
	rows := read(newReader(t, Config{}), time.Now(), onGPUs(3, p.pid, 1, 2), p.pid)
	if len(rows) != 2 || rows[0].GPU.Or(-1) != 2 || rows[1].GPU.Or(-1) != 1 || !rows[0].GPUAssumed {
		t.Errorf("%+v", rows)
	}
	rows = read(newReader(t, Config{}), time.Now(), onGPUs(3, p.pid, 0, 1), p.pid)
	if len(rows) != 2 || rows[0].GPU.Known() || rows[1].GPU.Or(-1) != 1 {
		t.Errorf("the driver does not list the process on GPU 2: %+v", rows)
	}
}

func TestVisibleDevicesAreResolvedAsCUDADoes(t *testing.T) {
	plain := readGPUs(nil, &monitor.Sample{GPUs: gpus(4)})
	mixed := readGPUs(nil, &monitor.Sample{GPUs: gpus(4)})
	mixed[2].name = "Other GPU"
	split := readGPUs(nil, &monitor.Sample{GPUs: gpus(4)})
	split[1].mig = true
	set := func(v string) devicesEnv { return devicesEnv{visible: v, hasVisible: true} }
	cases := []struct {
		name    string
		env     devicesEnv
		gpus    []gpuFact
		foreign bool
		want    []int
	}{
		{"unset", devicesEnv{}, plain, false, []int{0, 1, 2, 3}},
		{"unset, different models", devicesEnv{}, mixed, false, nil},
		{"unset, different models in bus order", devicesEnv{order: "PCI_BUS_ID"}, mixed, false, []int{0, 1, 2, 3}},
		{"numbers", set("3, 1"), plain, false, []int{3, 1}},
		{"numbers, different models", set("3,1"), mixed, false, []int{unmatched, unmatched}},
		{"stops at what names nothing", set("1,-1,0"), plain, false, []int{1}},
		{"stops at a number too large", set("0,9,1"), plain, false, []int{0}},
		{"empty", set(""), plain, false, nil},
		{"twice the same", set("1,1"), plain, false, nil},
		{"UUID", set("GPU-00112232-4455-6677-8899-aabbccddee02,GPU-00112230"), plain, false, []int{2, 0}},
		{"UUID prefix of several", set("GPU-0011223,0"), plain, false, nil},
		{"MIG of the only split GPU", set("MIG-11111111-2222-3333-4444-555555555555"), split, false, []int{1}},
		{"MIG without a split GPU", set("MIG-11111111-2222-3333-4444-555555555555"), plain, false, []int{unmatched}},
		{"MIG in its older form", set("MIG-GPU-00112231-4455-6677-8899-aabbccddee01/3/0"), split, false, []int{1}},
		{"a number that is a split GPU", set("1"), split, false, []int{unmatched}},
		{"a container with a list of its own", devicesEnv{container: "2,3"}, plain, true, nil},
		{"a container with all", devicesEnv{container: "all"}, plain, true, []int{0, 1, 2, 3}},
		{"the same container", devicesEnv{container: "2,3"}, plain, false, []int{0, 1, 2, 3}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.env.visibleGPUs(c.gpus, c.foreign)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUUIDsAreParsedStrictly(t *testing.T) {
	if _, ok := parseUUID("GPU-00112230-4455-6677-8899-AABBCCDDEE00"); !ok {
		t.Error("a UUID in capitals is refused")
	}
	for _, bad := range []string{"", "GPU-", "MIG-00112230-4455-6677-8899-aabbccddee00", "GPU-0011223044556677-8899-aabb-ccddee00xx",
		"GPU-00000000-0000-0000-0000-000000000000", "GPU-00112230-4455-6677-8899-aabbccddeeg0"} {
		if _, ok := parseUUID(bad); ok {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestReservedAboveTheDriversFigureIsNotShown(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 1073741824 0")
	seen := func(used int64) *monitor.Sample {
		s := listed(p.pid)
		s.Holders[0].UsedBytes = monitor.Known(used)
		return s
	}
	r := newReader(t, Config{})
	now := time.Now()
	ask := func(used int64) monitor.Allocator {
		now = now.Add(time.Second)
		return only(t, read(r, now, seen(used), p.pid))
	}
	wantState(t, ask(512<<20), monitor.AllocatorImplausible, "1.00 GiB reserved and the driver gives the process 512.0 MiB")
	wantState(t, ask(512<<20), monitor.AllocatorImplausible, "")
	wantBytes(t, ask(1<<30), 0, 1<<30)
	for range maxDisagreeing {
		wantBytes(t, ask(512<<20), 0, 1<<30)
	}
	wantState(t, ask(512<<20), monitor.AllocatorImplausible, "")
	wantBytes(t, ask(2<<30), 0, 1<<30)
}

func TestAnAssumedGPUThatCannotHoldTheFiguresIsDropped(t *testing.T) {
	t.Parallel()
	p := start(t, library(t), withEnv("CUDA_VISIBLE_DEVICES=1,0"))
	p.do("init 2", "reserve 0 0 8589934592 0", "reserve 1 0 20971520 0")
	s := onGPUs(2, p.pid, 0, 1)
	s.Holders[1].UsedBytes = monitor.Known[int64](1 << 30)
	rows := read(newReader(t, Config{}), time.Now(), s, p.pid)
	if len(rows) != 2 || rows[0].GPU.Known() || rows[1].GPU.Or(-1) != 0 {
		t.Fatalf("%+v", rows)
	}
	wantBytes(t, rows[0], 0, 8589934592)
}

func TestAJobThatGrowsBetweenTheTwoReadsIsNotAccused(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 1073741824 0")
	r := newReader(t, Config{})
	now := time.Now()
	for i := range int64(20) {
		s := listed(p.pid)
		s.Holders[0].UsedBytes = monitor.Known(max(i, 1)<<30 + 200<<20) // as it was before the job grew
		now = now.Add(time.Second)
		wantBytes(t, only(t, read(r, now, s, p.pid)), 0, (i+1)<<30)
		p.do("reserve 0 0 1073741824 0")
	}
}

func TestMoreThanTheGPUHasIsNotShown(t *testing.T) {
	t.Parallel()
	p := start(t, library(t))
	p.do("init 1", "reserve 0 0 107374182400 0", "thread "+cudaThread)
	s := listed(p.pid)
	s.Holders[0].UsedBytes = monitor.Unknown[int64](monitor.NotAvailable, "")
	wantState(t, readOne(t, s, p.pid), monitor.AllocatorImplausible, "more memory than the GPU has")
}

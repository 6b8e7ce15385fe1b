package proc_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/proc"
)

var _ monitor.Source = (*proc.Source)(nil)

func TestAProcessIsToldWithAllItsFacts(t *testing.T) {
	tr := newTree(t)
	tr.add(process{
		pid: 446, parent: 400, name: "pt_main (x) y", state: "R", start: 360000, pages: 1000, nspid: "446\t17",
		args: []string{"python", "train.py", "--hf-token", "abc", "--lr", "1e-4"},
		env: []string{"HF_TOKEN=abc", "RANK=3", "LOCAL_RANK=1", "WORLD_SIZE=8", "SLURM_PROCID=0", "CUDA_VISIBLE_DEVICES=2,3",
			"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", "PYTORCH_NO_CUDA_MEMORY_CACHING=0"},
	})
	part := read(t, tr.source(), noon, 446)
	if part.Status.State != monitor.StateOK || part.Status.Name != "proc" || !part.Status.GoodAt.Equal(noon) {
		t.Errorf("status is %+v", part.Status)
	}
	unset := func(name string) monitor.Reading[string] {
		return monitor.Unknown[string](monitor.NotApplicable, name+" was not set when the process started")
	}
	want := []monitor.Process{{
		PID: 446, ParentPID: 400, StartTicks: 360000, Started: time.Unix(1700003600, 0), User: "ann",
		Name: "pt_main (x) y", Command: "python train.py --hf-token *** --lr 1e-4", State: "R", Threads: 12,
		CPUPercent: monitor.Unknown[float64](monitor.NotRead, "CPU use needs two samples"),
		HostBytes:  monitor.Known[int64](4096000),
		Container:  monitor.Container{LimitBytes: monitor.Unknown[int64](monitor.NotAvailable, "no control groups with memory are mounted here")},
		Rank:       monitor.Known(3), LocalRank: monitor.Known(1), World: monitor.Known(8),
		VisibleDevices: monitor.Known("2,3"), DeviceOrder: unset("CUDA_DEVICE_ORDER"),
		AllocConf: monitor.Known("expandable_segments:True"), NoCaching: monitor.Known(true),
		TorchVersion: monitor.Unknown[string](monitor.NotAvailable, "the version stands in the job's own files, which are not opened"),
		InnerPID:     monitor.Known(17),
	}}
	if diff := cmp.Diff(want, part.Processes, cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }), readings()); diff != "" {
		t.Errorf("process differs (-want +got):\n%s", diff)
	}
}

// readings compares readings of every type that a process has.
func readings() cmp.Option {
	return cmp.Options{
		cmp.AllowUnexported(monitor.Reading[int]{}, monitor.Reading[int64]{}, monitor.Reading[float64]{}, monitor.Reading[string]{}, monitor.Reading[bool]{}),
	}
}

func TestCPUUseIsMeasuredBetweenSamples(t *testing.T) {
	tr := newTree(t)
	s := tr.source()
	step := func(ticks uint64, at time.Duration) monitor.Reading[float64] {
		tr.add(process{pid: 446, cpuTicks: ticks})
		return read(t, s, noon.Add(at), 446).Processes[0].CPUPercent
	}
	if got := step(1000, 0); got.Known() {
		t.Errorf("the first sample says %v", got)
	}
	if got := step(1150, time.Second).Or(-1); got != 150 {
		t.Errorf("150 ticks in one second are %v %%, want 150", got)
	}
	if got := step(1160, time.Second+10*time.Millisecond).Or(-1); got != 150 {
		t.Errorf("a moment later it says %v %%, want the last figure", got)
	}
	if got := step(1250, 2*time.Second).Or(-1); got != 100 {
		t.Errorf("the next second says %v %%, want 100", got)
	}
	if got := step(1300, time.Second); got.Known() {
		t.Errorf("a clock that went back gives %v", got)
	}
}

func TestTheStateOfAProcessIsReadTwiceASecondAtMostAndIsNeverOlder(t *testing.T) {
	tr := newTree(t)
	s := tr.source()
	reads, last := 0, int64(-1)
	for tenth := range 100 {
		tr.add(process{pid: 446, pages: int64(tenth)})
		pages := read(t, s, noon.Add(time.Duration(tenth)*100*time.Millisecond), 446).Processes[0].HostBytes.Or(-1) / 4096
		if age := int64(tenth) - pages; age < 0 || age > 4 {
			t.Errorf("sample %d shows the state of sample %d", tenth, pages)
		}
		if pages != last {
			reads, last = reads+1, pages
		}
	}
	if reads != 20 {
		t.Errorf("read %d times in ten seconds, want 20", reads)
	}
}

func TestAPIDThatIsReusedIsAnotherProcess(t *testing.T) {
	tr := newTree(t)
	s := tr.source()
	tr.add(process{pid: 446, start: 100, cpuTicks: 10, args: []string{"python", "old.py"}, env: []string{"RANK=1"}})
	read(t, s, noon, 446)
	tr.add(process{pid: 446, start: 200, cpuTicks: 900, args: []string{"python", "new.py"}, env: nil})
	p := read(t, s, noon.Add(time.Second), 446).Processes[0]
	if p.Command != "python new.py" || p.StartTicks != 200 || p.Rank.Known() || p.CPUPercent.Known() {
		t.Errorf("the new process has facts of the old: %+v", p)
	}
}

func TestExecIsNoticedAndATitleKeepsTheSettings(t *testing.T) {
	tr := newTree(t)
	p := process{pid: 446, stack: 1, args: []string{"bash", "run.sh"}, env: []string{"A=1"}}
	tr.add(p)
	synctest.Test(t, func(t *testing.T) {
		s := tr.source()
		read(t, s, noon, 446)
		p.stack, p.args, p.env = 9, []string{"python", "train.py"}, []string{"RANK=5"}
		tr.add(p)
		got := read(t, s, noon.Add(time.Second), 446).Processes[0]
		if got.Command != "python train.py" || got.Rank.Or(-1) != 5 {
			t.Fatalf("after exec: %q rank %v", got.Command, got.Rank)
		}
		p.name, p.args, p.env = "worker 5", []string{"worker 5"}, []string{"", "", ""}
		tr.add(p)
		// The title is read beside the sampling and comes with the next sample.
		read(t, s, noon.Add(2*time.Second), 446)
		synctest.Wait()
		got = read(t, s, noon.Add(3*time.Second), 446).Processes[0]
		if got.Command != "worker 5" || got.Rank.Or(-1) != 5 {
			t.Errorf("after a title: %q rank %v, want the rank from the start", got.Command, got.Rank)
		}
	})
}

func TestOldFactsAreReadAgain(t *testing.T) {
	tr := newTree(t)
	p := process{pid: 446, cgroup: "0::/a.service\n"}
	tr.add(p)
	synctest.Test(t, func(t *testing.T) {
		s := tr.source()
		read(t, s, noon, 446)
		p.cgroup = "0::/system.slice/slurmstepd.scope/job_12/step_0\n"
		tr.add(p)
		read(t, s, noon.Add(time.Second), 446)
		synctest.Wait()
		if got := read(t, s, noon.Add(2*time.Second), 446).Processes[0].Container.Runtime; got != "systemd" {
			t.Errorf("two seconds later the runtime is %q, want it kept", got)
		}
		read(t, s, noon.Add(time.Minute), 446)
		synctest.Wait()
		if got := read(t, s, noon.Add(time.Minute+time.Second), 446).Processes[0].Container.Runtime; got != "slurm" {
			t.Errorf("a minute later the runtime is %q, want slurm", got)
		}
	})
}

func TestAnOverwrittenEnvironmentIsUnknownAndNotEmpty(t *testing.T) {
	tr := newTree(t)
	tr.add(process{pid: 446, args: []string{"worker"}, env: []string{"", "", "", ""}})
	p := read(t, tr.source(), noon, 446).Processes[0]
	if p.NoCaching.Known() || p.Rank.Why().Code != monitor.NotAvailable {
		t.Errorf("rank %+v, no caching %+v", p.Rank.Why(), p.NoCaching)
	}
}

func TestAZombieIsShownWithWhatWasKnownOfIt(t *testing.T) {
	tr := newTree(t)
	s := tr.source()
	tr.add(process{pid: 446, stack: 1, args: []string{"python", "t.py"}, env: []string{"RANK=2"}})
	read(t, s, noon, 446)
	tr.add(process{pid: 446, state: "Z", stack: 0})
	p := read(t, s, noon.Add(time.Minute), 446).Processes[0]
	if p.State != "Z" || p.Command != "python t.py" || p.Rank.Or(-1) != 2 {
		t.Errorf("zombie is %q %q rank %v", p.State, p.Command, p.Rank)
	}
	tr.add(process{pid: 447, state: "Z"})
	p = read(t, s, noon.Add(2*time.Minute), 447).Processes[0]
	if p.State != "Z" || p.Rank.Why().Code != monitor.Gone {
		t.Errorf("a process that was a zombie from the first is %q, rank %+v", p.State, p.Rank.Why())
	}
}

func TestAVanishedProcessHasNoRowAndIsNoFailure(t *testing.T) {
	tr := newTree(t)
	s := tr.source()
	tr.add(process{pid: 446})
	read(t, s, noon, 446, 999)
	if err := os.RemoveAll(filepath.Join(tr.proc, "446")); err != nil {
		t.Fatal(err)
	}
	part := read(t, s, noon.Add(time.Second), 446, 999)
	if len(part.Processes) != 0 || part.Status.State != monitor.StateOK {
		t.Errorf("got %v, %+v", pidsOf(part), part.Status)
	}
}

func TestOnlyLocalPIDsAreAskedFor(t *testing.T) {
	tr := newTree(t)
	tr.add(process{pid: 446})
	tr.add(process{pid: 447})
	seen := &monitor.Sample{
		Holders: []monitor.Holder{{PID: 446, InNamespace: false}, {PID: 0, InNamespace: true}, {PID: -4, InNamespace: true}},
		Torch:   []monitor.Allocator{{PID: 447}, {PID: 447}},
	}
	part := tr.source().Read(context.Background(), monitor.Request{Time: noon, Seen: seen})
	if diff := cmp.Diff([]int{447}, pidsOf(part)); diff != "" {
		t.Error(diff)
	}
	if part := tr.source().Read(context.Background(), monitor.Request{Time: noon}); part.Status.State != monitor.StateOK {
		t.Errorf("nothing seen gives %+v", part.Status)
	}
}

func TestParentsUpToTheLauncherAreAdded(t *testing.T) {
	for _, c := range []struct {
		name string
		up   []process // 10 is the parent of the ranks 100 and 101
		want []int
	}{
		{"torchrun", []process{{pid: 10, parent: 9, name: "torchrun", args: []string{"/usr/bin/python", "/opt/bin/torchrun", "t.py"}}, {pid: 9, parent: 1, name: "bash"}}, []int{10, 100, 101}},
		{"python -m", []process{{pid: 10, parent: 9, args: []string{"python3.11", "-u", "-X", "dev", "-m", "torch.distributed.run", "t.py"}}}, []int{10, 100, 101}},
		{"a shell under srun", []process{{pid: 10, parent: 9, name: "bash"}, {pid: 9, parent: 1, name: "slurmstepd", args: []string{"slurmstepd: [4711.0]"}}}, []int{9, 10, 100, 101}},
		{"mp.spawn", []process{{pid: 10, parent: 9, args: []string{"python", "spawn.py"}}, {pid: 9, parent: 1, name: "bash"}}, []int{10, 100, 101}},
		{"two jobs of one shell", []process{{pid: 10, parent: 9, name: "bash"}, {pid: 9, parent: 1, name: "sshd"}}, []int{100, 101}},
		{"two kernels of one notebook server", []process{{pid: 10, parent: 1, name: "jupyter-lab"}}, []int{100, 101}},
		{"beyond a container's shim", []process{{pid: 10, parent: 9, name: "containerd-shim"}, {pid: 9, parent: 1, name: "torchrun"}}, []int{100, 101}},
		{"a parent that is younger", []process{{pid: 10, parent: 1, start: 99999, name: "torchrun"}}, []int{100, 101}},
		{"a circle", []process{{pid: 10, parent: 9, name: "a"}, {pid: 9, parent: 10, name: "b"}}, []int{10, 100, 101}},
		{"a parent that is gone", nil, []int{100, 101}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTree(t)
			for _, p := range append(c.up, process{pid: 100, parent: 10}, process{pid: 101, parent: 10}) {
				tr.add(p)
			}
			if diff := cmp.Diff(c.want, pidsOf(read(t, tr.source(), noon, 100, 101))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEveryLauncherTellsRanksInItsOwnWords(t *testing.T) {
	for _, c := range []struct {
		name              string
		env               []string
		rank, local, size int // -1: unknown
	}{
		{"torchrun", []string{"RANK=1", "LOCAL_RANK=0", "WORLD_SIZE=4"}, 1, 0, 4},
		{"torchrun without a size under srun", []string{"RANK=1", "SLURM_PROCID=0", "SLURM_NTASKS=9"}, 1, -1, -1},
		{"Open MPI", []string{"OMPI_COMM_WORLD_RANK=5", "OMPI_COMM_WORLD_LOCAL_RANK=1", "OMPI_COMM_WORLD_SIZE=8"}, 5, 1, 8},
		{"srun", []string{"SLURM_PROCID=7", "SLURM_LOCALID=3", "SLURM_NTASKS=16", "SLURM_STEP_NUM_TASKS=8"}, 7, 3, 8},
		{"MPICH", []string{"PMI_RANK=2", "PMI_SIZE=4", "MPI_LOCALRANKID=2"}, 2, 2, 4},
		{"none", []string{"PATH=/bin"}, -1, -1, -1},
		{"nonsense", []string{"RANK=first", "LOCAL_RANK=-1", "WORLD_SIZE=99999999999"}, -1, -1, -1},
		{"twice", []string{"RANK=1", "RANK=2"}, 1, -1, -1},
		{"nothing set at all", nil, -1, -1, -1},
	} {
		tr := newTree(t)
		tr.add(process{pid: 446, env: c.env})
		p := read(t, tr.source(), noon, 446).Processes[0]
		if p.Rank.Or(-1) != c.rank || p.LocalRank.Or(-1) != c.local || p.World.Or(-1) != c.size {
			t.Errorf("%s: rank %v local %v world %v", c.name, p.Rank, p.LocalRank, p.World)
		}
		if caching, known := p.NoCaching.Get(); !known || caching {
			t.Errorf("%s: no caching is %v", c.name, p.NoCaching)
		}
	}
}

func TestWhatMayNotBeReadNamesTheRightThatHelps(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	tr := newTree(t)
	tr.add(process{pid: 446, args: []string{"python", "t.py"}, env: []string{"RANK=1"}})
	tr.add(process{pid: 447})
	for _, name := range []string{"446/environ", "447/stat"} {
		if err := os.Chmod(filepath.Join(tr.proc, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	part := read(t, tr.source(), noon, 446, 447)
	if part.Status.State != monitor.StatePartial || !strings.Contains(part.Status.Reason, "CAP_SYS_PTRACE") {
		t.Errorf("status is %+v", part.Status)
	}
	p := part.Processes[0]
	if p.Command != "python t.py" || p.Rank.Why().Code != monitor.NoPermission || !strings.Contains(p.Rank.Why().Detail, "CAP_SYS_PTRACE") {
		t.Errorf("process is %+v", p)
	}
	if p := part.Processes[1]; p.PID != 447 || p.HostBytes.Why().Code != monitor.NoPermission {
		t.Errorf("hidden process is %+v", p)
	}
}

func TestWithoutAProcFileSystemTheSourceSaysSo(t *testing.T) {
	s := proc.New(proc.Config{Root: filepath.Join(t.TempDir(), "proc")})
	part := read(t, s, noon, 1)
	if part.Status.State != monitor.StateUnavailable || !strings.Contains(part.Status.Reason, "no proc file system") {
		t.Errorf("status is %+v", part.Status)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestANameThatIsNotInPasswdIsAskedForBesideTheSampling(t *testing.T) {
	tr := newTree(t)
	tr.add(process{pid: 446, uid: "4000000001\t4000000001\t1\t1"})
	tr.add(process{pid: 447, uid: "0\t1000\t1000\t1000"})
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := proc.New(proc.Config{Root: tr.proc, CgroupRoot: tr.sys, Passwd: tr.passwd, LookupUser: func(uid string) (string, error) {
			asked++
			time.Sleep(time.Hour) // a directory server that hangs
			if uid != "4000000001" {
				return "", errors.New("no such user")
			}
			return "eve", nil
		}})
		part := read(t, s, noon, 446, 447)
		if part.Processes[0].User != "4000000001" || part.Processes[1].User != "ann" {
			t.Errorf("users are %q and %q", part.Processes[0].User, part.Processes[1].User)
		}
		read(t, s, noon.Add(time.Second), 446)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if got := read(t, s, noon.Add(2*time.Hour), 446).Processes[0].User; got != "eve" {
			t.Errorf("user is %q after the answer", got)
		}
		if asked != 1 {
			t.Errorf("asked %d times", asked)
		}
	})
}

func TestAVeryLongCommandLineIsCut(t *testing.T) {
	tr := newTree(t)
	args := []string{"python"}
	for i := range 20000 {
		args = append(args, "word"+strconv.Itoa(i))
	}
	tr.add(process{pid: 446, args: args})
	if got := len(read(t, tr.source(), noon, 446).Processes[0].Command); got == 0 || got > 4096 {
		t.Errorf("command has %d bytes", got)
	}
}

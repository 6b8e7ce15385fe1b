package proc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/proc"
)

func figureText[T any](r monitor.Reading[T]) string {
	if v, ok := r.Get(); ok {
		return fmt.Sprint(v)
	}
	return r.Why().Code.String()
}

func resourcesText(r proc.Resources) string {
	return fmt.Sprintf("v%d limit %s used %s kills %s hits %s cpus %s throttled %s on %s", r.Version, figureText(r.LimitBytes), figureText(r.UsedBytes),
		figureText(r.OOMKills), figureText(r.LimitHits), figureText(r.CPUs), figureText(r.Throttled), figureText(r.Cpuset))
}

func TestResourcesAreReadFromBothVersionsOfControlGroups(t *testing.T) {
	const container = "/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for name, c := range map[string]struct {
		cgroup string
		self   string // of this program; "/" when empty
		files  map[string]string
		want   string
	}{
		"version 2": {"0::/a/b\n", "", map[string]string{
			"cgroup.procs": "", "a/memory.max": "1000000", "a/memory.current": "900000", "a/memory.stat": "anon 1\ninactive_file 100000\n",
			"a/memory.events": "low 0\nmax 12\noom 3\noom_kill 2\n", "a/b/memory.max": "max", "a/b/memory.current": "5",
			"a/b/cpu.max": "max 100000", "a/cpu.max": "150000 100000", "a/cpu.stat": "usage_usec 1\nnr_throttled 4\n",
			"a/b/cpuset.cpus.effective": "0-3,8\n",
		}, "v2 limit 1000000 used 800000 kills 2 hits 12 cpus 1.5 throttled 4 on 0-3,8"},
		"version 2 without a limit": {"0::/a\n", "", map[string]string{
			"cgroup.procs": "", "a/memory.max": "max", "a/memory.current": "77", "a/memory.events": "max 0\noom_kill 0\n", "a/cpu.max": "max 100000",
		}, "v2 limit not applicable used 77 kills 0 hits 0 cpus not applicable throttled not available on not available"},
		"version 1": {"4:cpu,cpuacct:" + container + "\n3:cpuset:" + container + "\n2:memory:" + container + "\n", "", map[string]string{
			"memory/cgroup.procs": "", "memory/memory.limit_in_bytes": "9223372036854771712",
			"memory" + container + "/memory.limit_in_bytes": "34359738368", "memory" + container + "/memory.usage_in_bytes": "20000",
			"memory" + container + "/memory.stat": "cache 1\ntotal_inactive_file 5000\n", "memory" + container + "/memory.failcnt": "9",
			"memory" + container + "/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
			"cpu" + container + "/cpu.cfs_quota_us":      "50000", "cpu" + container + "/cpu.cfs_period_us": "100000",
			"cpu" + container + "/cpu.stat":       "nr_periods 8\nnr_throttled 6\nthrottled_time 5\n",
			"cpuset" + container + "/cpuset.cpus": "4",
		}, "v1 limit 34359738368 used 15000 kills 1 hits 9 cpus 0.5 throttled 6 on 4"},
		"version 1, mounted at the container's own group": {"2:memory:" + container + "\n", "2:memory:" + container + "\n", map[string]string{
			"memory/cgroup.procs": "", "memory/memory.limit_in_bytes": "1024", "memory/memory.usage_in_bytes": "512",
			"memory/memory.failcnt": "0", "memory/memory.oom_control": "under_oom 0\n",
		}, "v1 limit 1024 used 512 kills not supported hits 0 cpus not available throttled not available on not available"},
		"no quota in version 1": {"2:cpu:/x\n", "", map[string]string{
			"cpu/x/cpu.cfs_quota_us": "-1", "cpu/x/cpu.cfs_period_us": "100000",
		}, "v1 limit not available used not available kills not available hits not available cpus not applicable throttled not available on not available"},
		"nonsense": {"0::/../../etc\n", "", map[string]string{"cgroup.procs": ""},
			"v0 limit not available used not available kills not available hits not available cpus not available throttled not available on not available"},
		"figures that are none": {"0::/a\n", "", map[string]string{
			"cgroup.procs": "", "a/memory.max": "1000", "a/memory.current": "-5", "a/memory.events": "max many\n", "a/cpu.max": "0 0", "a/cpuset.cpus.effective": "9-3",
		}, "v2 limit 1000 used failed kills not supported hits failed cpus not applicable throttled not available on not available"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t)
			if c.self != "" {
				tr.write(filepath.Join(tr.proc, "self", "cgroup"), c.self)
			}
			for file, text := range c.files {
				tr.write(filepath.Join(tr.sys, file), text)
			}
			tr.add(process{pid: 100, cgroup: c.cgroup})
			got := resourcesText(proc.ReadResources(proc.Config{Root: tr.proc, CgroupRoot: tr.sys}, 100))
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestResourcesOfAProcessThatIsGoneAreUnknown(t *testing.T) {
	tr := newTree(t)
	r := proc.ReadResources(proc.Config{Root: tr.proc, CgroupRoot: tr.sys}, 4711)
	if r.LimitBytes.Known() || r.CPUs.Known() || r.LimitBytes.Why().Code != monitor.Gone {
		t.Error(resourcesText(r))
	}
}

func TestProcessorsOfAListAreCounted(t *testing.T) {
	for list, want := range map[string]int{"0": 1, "0-3": 4, "0-3,8": 5, "1,3,5-6": 4, "0-127": 128} {
		if n, ok := proc.CountCPUs(list); !ok || n != want {
			t.Errorf("%q: %d, %v", list, n, ok)
		}
	}
	for _, list := range []string{"", "-", "3-1", "a", "0-", "0,,1", "0-99999999999"} {
		if n, ok := proc.CountCPUs(list); ok {
			t.Errorf("%q: %d", list, n)
		}
	}
}

func FuzzCountCPUs(f *testing.F) {
	f.Add("0-3,8")
	f.Fuzz(func(t *testing.T, list string) {
		if n, ok := proc.CountCPUs(list); ok && (n < 1 || n > 1<<16) {
			t.Errorf("%q: %d", list, n)
		}
	})
}

func TestSharedMemoryIsMeasuredAsTheProcessSeesIt(t *testing.T) {
	tr := newTree(t)
	tr.add(process{pid: 100})
	shm := filepath.Join(tr.proc, "100", "root", "dev", "shm")
	if err := os.MkdirAll(shm, 0o755); err != nil {
		t.Fatal(err)
	}
	space, ok := proc.ReadShm(proc.Config{Root: tr.proc}, 100).Get()
	if !ok || space.TotalBytes <= 0 || space.UsedBytes < 0 || space.UsedBytes > space.TotalBytes {
		t.Errorf("%+v, %v", space, ok)
	}
	if r := proc.ReadShm(proc.Config{Root: tr.proc}, 101); r.Known() {
		t.Errorf("a process that is not there has %v", r)
	}
}

func FuzzResources(f *testing.F) {
	f.Add("0::/a\n", "100000", "50", "oom_kill 2\nmax 3\n", "150000 100000")
	f.Add("2:memory:/a\n", "max", "x", "", "max 1")
	f.Fuzz(func(t *testing.T, cgroup, limit, current, events, quota string) {
		tr := newTree(t)
		for _, dir := range []string{"a", "memory/a"} {
			for name, text := range map[string]string{"memory.max": limit, "memory.limit_in_bytes": limit, "memory.current": current,
				"memory.usage_in_bytes": current, "memory.events": events, "cpu.max": quota} {
				tr.write(filepath.Join(tr.sys, dir, name), text)
			}
		}
		tr.add(process{pid: 100, cgroup: cgroup})
		r := proc.ReadResources(proc.Config{Root: tr.proc, CgroupRoot: tr.sys}, 100)
		if r.LimitBytes.Or(0) < 0 || r.UsedBytes.Or(0) < 0 || r.OOMKills.Or(0) < 0 || r.CPUs.Or(1) <= 0 {
			t.Error(resourcesText(r))
		}
	})
}

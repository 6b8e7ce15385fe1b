package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// machine is a machine of a fixture: a proc file system and control groups of
// our making.
type machine struct {
	nested   bool // in a PID namespace of its own
	userNS   bool // in a user namespace of its own
	capEff   string
	yama     string // content of ptrace_scope; empty for a kernel without
	nspid    string // of this program; more than one number for the host's proc
	cgroup   int    // version of control groups, 0 for none mounted
	limit    int64  // of memory, 0 for none
	oomKills int
	module   string // version of the loaded kernel module
	jobs     []fixtureJob
}

// fixtureJob is a process with a CUDA context.
type fixtureJob struct {
	pid    int
	minors []int // of the devices it has open
	env    []string
	thread int // number of a thread of it, 0 for none
}

const allCapabilities, noCapabilities = "000001ffffffffff", "00000000a80425fb" // the second is Docker's default

// build writes the machine below dir and returns its roots.
func (m machine) build(t *testing.T, dir string) roots {
	t.Helper()
	r := roots{proc: filepath.Join(dir, "proc"), cgroup: filepath.Join(dir, "cgroup"), passwd: filepath.Join(dir, "passwd")}
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	pid, user := "pid:[4026531836]", "user:[4026531837]"
	if m.nested {
		pid = "pid:[4026532178]"
	}
	if m.userNS {
		user = "user:[4026532177]"
	}
	put(r.passwd, "root:x:0:0::/root:/bin/sh\n")
	put(r.proc+"/stat", "cpu  1 2 3\nbtime 1700000000\n")
	put(r.proc+"/meminfo", "MemTotal: 131072000 kB\nMemAvailable: 65536000 kB\n")
	put(r.proc+"/self/status", fmt.Sprintf("Name:\tvramscope\nNSpid:\t%s\nCapEff:\t%s\n", orText(m.nspid, "9"), orText(m.capEff, allCapabilities)))
	link(pid, r.proc+"/self/ns/pid")
	link(user, r.proc+"/self/ns/user")
	put(r.proc+"/self/cgroup", m.groups(""))
	if m.yama != "" {
		put(r.proc+"/sys/kernel/yama/ptrace_scope", m.yama+"\n")
	}
	if m.module != "" {
		put(r.proc+"/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  "+m.module+"  Thu Feb 22\n")
	}
	m.buildGroups(put, r.cgroup)
	for _, j := range m.jobs {
		j.build(put, link, r.proc, pid, m.groups("/job"))
	}
	return r
}

func orText(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (m machine) groups(path string) string {
	if m.cgroup == 1 {
		return fmt.Sprintf("4:cpu,cpuacct:%s\n3:cpuset:%s\n2:memory:%s\n", orText(path, "/"), orText(path, "/"), orText(path, "/"))
	}
	return fmt.Sprintf("0::%s\n", orText(path, "/"))
}

func (m machine) buildGroups(put func(name, text string), root string) {
	switch m.cgroup {
	case 1:
		for _, at := range []string{root + "/memory", root + "/memory/job"} {
			put(at+"/memory.limit_in_bytes", fmt.Sprintln(m.limit))
			put(at+"/memory.usage_in_bytes", fmt.Sprintln(m.limit/2))
			put(at+"/memory.stat", "total_inactive_file 0\n")
			put(at+"/memory.failcnt", "7\n")
			put(at+"/memory.oom_control", fmt.Sprintf("oom_kill_disable 0\nunder_oom 0\noom_kill %d\n", m.oomKills))
			put(at+"/cgroup.procs", "")
		}
		for _, at := range []string{root + "/cpu", root + "/cpu/job"} {
			put(at+"/cpu.cfs_quota_us", "250000\n")
			put(at+"/cpu.cfs_period_us", "100000\n")
			put(at+"/cpu.stat", "nr_periods 9\nnr_throttled 0\n")
		}
		for _, at := range []string{root + "/cpuset", root + "/cpuset/job"} {
			put(at+"/cpuset.effective_cpus", "0-3,8\n")
		}
	case 2:
		for _, at := range []string{root, root + "/job"} {
			put(at+"/memory.max", fmt.Sprintln(m.limit))
			put(at+"/memory.current", fmt.Sprintln(m.limit/2))
			put(at+"/memory.stat", "inactive_file 0\n")
			put(at+"/memory.events", fmt.Sprintf("low 0\nhigh 0\nmax 7\noom 1\noom_kill %d\n", m.oomKills))
			put(at+"/cpu.max", "250000 100000\n")
			put(at+"/cpu.stat", "nr_throttled 0\n")
			put(at+"/cpuset.cpus.effective", "0-3,8\n")
			put(at+"/cgroup.procs", "")
		}
	}
}

func (j fixtureJob) build(put func(name, text string), link func(to, name string), proc, space, groups string) {
	dir := fmt.Sprintf("%s/%d", proc, j.pid)
	put(dir+"/stat", fmt.Sprintf("%d (python) S 1 1 1 0 -1 4194304 99 0 0 0 5 0 7 7 20 0 12 0 5000 3133440 100 18446744073709551615 1 2 3 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 1 2 3 4 5 6 7 0\n", j.pid))
	put(dir+"/status", fmt.Sprintf("Name:\tjob%d\nTgid:\t%d\nPid:\t%d\nPPid:\t1\nUid:\t0\t0\t0\t0\nNSpid:\t%d\n", j.pid, j.pid, j.pid, j.pid))
	put(dir+"/cmdline", fmt.Sprintf("python\x00train%d.py\x00", j.pid))
	env := ""
	for _, e := range j.env {
		env += e + "\x00"
	}
	put(dir+"/environ", env+"PATH=/bin\x00")
	put(dir+"/cgroup", groups)
	put(dir+"/maps", "00400000-00401000 r-xp 00000000 00:00 0 /usr/bin/python\n")
	link(space, dir+"/ns/pid")
	link("/dev/null", dir+"/fd/0")
	if len(j.minors) > 0 {
		link("/dev/nvidia-uvm", dir+"/fd/3")
	}
	for i, minor := range j.minors {
		link(fmt.Sprintf("/dev/nvidia%d", minor), fmt.Sprintf("%s/fd/%d", dir, 4+i))
	}
	if j.thread != 0 {
		put(fmt.Sprintf("%s/%d/status", proc, j.thread), fmt.Sprintf("Name:\tcuda\nTgid:\t%d\nPid:\t%d\n", j.pid, j.thread))
	}
}

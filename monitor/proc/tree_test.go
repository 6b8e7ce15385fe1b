package proc_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/proc"
)

// tree is a proc root and a cgroup root of our making.
type tree struct {
	t         testing.TB
	proc, sys string
	passwd    string
}

func newTree(t testing.TB) *tree {
	t.Helper()
	dir := t.TempDir()
	tr := &tree{t: t, proc: filepath.Join(dir, "proc"), sys: filepath.Join(dir, "sys"), passwd: filepath.Join(dir, "passwd")}
	tr.write(filepath.Join(tr.proc, "stat"), "cpu  1 2 3\nintr 5 6\nbtime 1700000000\nprocesses 9\n")
	tr.write(filepath.Join(tr.proc, "self", "cgroup"), "0::/\n")
	tr.write(tr.passwd, "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nann2:x:1000:1000::/:/bin/sh\nbroken\n")
	if err := os.MkdirAll(tr.sys, 0o755); err != nil {
		t.Fatal(err)
	}
	return tr
}

func (tr *tree) write(name, text string) {
	tr.t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

// process is one process of a tree; zero fields get plain values.
type process struct {
	pid, parent int
	name, state string
	start       uint64
	cpuTicks    uint64
	pages       int64
	stack       uint64
	uid         string
	nspid       string
	args        []string
	env         []string
	cgroup      string
	mountinfo   string
}

func (tr *tree) add(p process) {
	tr.t.Helper()
	or := func(value, fallback string) string {
		if value == "" {
			return fallback
		}
		return value
	}
	if p.start == 0 {
		p.start = 5000
	}
	dir := filepath.Join(tr.proc, strconv.Itoa(p.pid))
	tr.write(filepath.Join(dir, "stat"), fmt.Sprintf(
		"%d (%s) %s %d 1 1 0 -1 4194304 99 0 0 0 %d 0 7 7 20 0 12 0 %d 3133440 %d 18446744073709551615 94799072116736 94799072136617 %d 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 1 2 3 %d 5 %d 7 0\n",
		p.pid, or(p.name, "python"), or(p.state, "S"), p.parent, p.cpuTicks, p.start, p.pages, p.stack+1000, p.stack+2000, p.stack+3000))
	tr.write(filepath.Join(dir, "status"), fmt.Sprintf("Name:\t%s\nTgid:\t%d\nUid:\t%s\nNSpid:\t%s\n",
		or(p.name, "python"), p.pid, or(p.uid, "1000\t1000\t1000\t1000"), or(p.nspid, strconv.Itoa(p.pid))))
	tr.write(filepath.Join(dir, "cmdline"), ended(p.args))
	tr.write(filepath.Join(dir, "environ"), ended(p.env))
	tr.write(filepath.Join(dir, "cgroup"), or(p.cgroup, "0::/\n"))
	tr.write(filepath.Join(dir, "mountinfo"), p.mountinfo)
}

func ended(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w + "\x00")
	}
	return b.String()
}

func (tr *tree) source() *proc.Source {
	return proc.New(proc.Config{Root: tr.proc, CgroupRoot: tr.sys, Passwd: tr.passwd, PageBytes: 4096, Patience: time.Minute})
}

// noon is the time of the first sample of the tests.
var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// read asks for processes that hold memory on GPU 0.
func read(t testing.TB, s *proc.Source, at time.Time, pids ...int) monitor.Part {
	t.Helper()
	seen := &monitor.Sample{}
	for _, pid := range pids {
		seen.Holders = append(seen.Holders, monitor.Holder{PID: pid, InNamespace: true})
	}
	return s.Read(context.Background(), monitor.Request{Time: at, Seen: seen})
}

func pidsOf(part monitor.Part) []int {
	var pids []int
	for _, p := range part.Processes {
		pids = append(pids, p.PID)
	}
	return pids
}

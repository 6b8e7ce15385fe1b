package doctor

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
	"github.com/vramscope/vramscope/monitor/proc"
	"github.com/vramscope/vramscope/monitor/torch"
)

// Config says where to look. The zero Config is this machine.
type Config struct {
	Proc     string   // proc file system; /proc
	HostProc string   // as given with --host-proc; empty for none
	Cgroup   string   // control groups; /sys/fs/cgroup
	Root     string   // root of the file system; /
	Environ  []string // of this process
	// KernelLog is where the kernel's messages are read, /dev/kmsg on the
	// machine itself; empty reads none.
	KernelLog string
}

// Gather reads the facts that a sample does not have. It never fails: what
// cannot be read is unknown, with its reason.
func Gather(c Config, sample monitor.Sample) Facts {
	if c.Proc == "" {
		c.Proc = "/proc"
	}
	if c.Root == "" {
		c.Root = "/"
	}
	pc := proc.Config{Root: c.Proc, CgroupRoot: c.Cgroup}
	f := Facts{
		Sample: sample, Self: torch.ReadSelf(c.Proc), HostProc: c.HostProc,
		ReadvRefused: torch.ReadvRefused(),
		NestedPIDs:   nested(c.Proc, "pid", "pid:[4026531836]"),
		NestedUsers:  nested(c.Proc, "user", "user:[4026531837]"),
		Hidden:       hidesProcesses(c.Proc),
		Own:          proc.ReadOwnResources(pc),
		Shm:          proc.ReadShm(pc, 0),
		Terminal:     TerminalOf(c.Environ),
	}
	f.Xids = readXids(c.KernelLog)
	f.Container = ownContainer(c, f.Own.Container, sample.Host)
	for _, pid := range jobPIDs(&sample) {
		f.Jobs = append(f.Jobs, JobFacts{
			PID: pid, Resources: proc.ReadResources(pc, pid), Shm: proc.ReadShm(pc, pid),
			TorchVersion: torchVersion(c.Proc, pid), Owner: owner(c.Proc, pid),
		})
	}
	return f
}

// nested tells whether this process is in a namespace of its own, by the
// number of the machine's first one (include/linux/proc_ns.h).
func nested(root, kind, first string) monitor.Reading[bool] {
	link, err := os.Readlink(root + "/self/ns/" + kind)
	if err != nil {
		return monitor.Unknown[bool](monitor.NotAvailable, "the kernel does not tell its namespaces")
	}
	return monitor.Known(link != first)
}

// maxJobs bounds the processes that are told of.
const maxJobs = 256

// jobPIDs returns the processes that use a GPU or have PyTorch loaded.
func jobPIDs(s *monitor.Sample) []int {
	var pids []int
	for _, h := range s.Holders {
		if h.InNamespace && h.PID > 0 {
			pids = append(pids, h.PID)
		}
	}
	for _, a := range s.Torch {
		if a.PID > 0 {
			pids = append(pids, a.PID)
		}
	}
	slices.Sort(pids)
	pids = slices.Compact(pids)
	return pids[:min(len(pids), maxJobs)]
}

// owner says whose a process is, and whether its mappings can be read.
func owner(root string, pid int) torch.Owner {
	var o torch.Owner
	dir := root + "/" + strconv.Itoa(pid)
	status, err := readSmall(dir+"/status", 64<<10)
	if err == nil {
		for line := range bytes.Lines(status) {
			if rest, ok := bytes.CutPrefix(line, []byte("Uid:")); ok {
				if fields := strings.Fields(string(rest)); len(fields) > 0 {
					uid, err := strconv.Atoi(fields[0])
					o.UID, o.Known = uid, err == nil
				}
			}
		}
	}
	maps, err := os.Open(dir + "/maps")
	if err == nil {
		o.Mapped = maps.Close() == nil
	}
	return o
}

// hidesProcesses tells whether the proc file system at root is mounted with
// hidepid (proc(5)), by its line in mountinfo.
func hidesProcesses(root string) bool {
	text, err := readSmall(root+"/self/mountinfo", 1<<20)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		before, after, ok := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if !ok || len(fields) < 5 || fields[4] != root || !strings.HasPrefix(after, "proc ") {
			continue
		}
		for option := range strings.SplitSeq(strings.TrimSpace(after), ",") {
			_, value, set := strings.Cut(option, "hidepid=")
			if set && value != "0" && value != "off" {
				return true
			}
		}
	}
	return false
}

// ownContainer puts together what this program's container tells of itself.
// Podman writes a file of its own; Docker gives nothing but the host name.
func ownContainer(c Config, seen monitor.Container, host string) Container {
	out := Container{Runtime: seen.Runtime, ID: seen.ID}
	if raw, err := readSmall(filepath.Join(c.Root, "run/.containerenv"), 16<<10); err == nil {
		if out.Runtime == "" {
			out.Runtime = "podman"
		}
		out.Name, out.Image = quoted(string(raw), "name"), quoted(string(raw), "image")
		if id := quoted(string(raw), "id"); out.ID == "" {
			out.ID = id[:min(len(id), 12)]
		}
	} else if _, err := os.Stat(filepath.Join(c.Root, ".dockerenv")); err == nil && out.Runtime == "" {
		out.Runtime = "docker"
	}
	if has(c.Environ, "KUBERNETES_SERVICE_HOST") != "" && (out.Runtime == "" || out.Runtime == "containerd" || out.Runtime == "docker") {
		out.Runtime = "kubernetes"
	}
	switch out.Runtime {
	case "", "systemd", "slurm":
		return out
	}
	if out.Name == "" && host != "" && !strings.HasPrefix(out.ID, host) {
		out.Name = host
	}
	if out.Image == "" {
		// NVIDIA's own images name themselves; others have nothing to be known by.
		if version := has(c.Environ, "NVIDIA_PYTORCH_VERSION"); version != "" {
			out.Image = "nvcr.io/nvidia/pytorch " + version
		}
	}
	return Container{Runtime: out.Runtime, ID: plain(out.ID), Name: plain(out.Name), Image: plain(out.Image)}
}

// plain makes a name from outside fit to stand in a sentence.
func plain(s string) string {
	s = clean.Line(s)
	return s[:min(len(s), 200)]
}

// quoted returns the value of a line NAME="VALUE".
func quoted(text, name string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

func has(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// readSmall reads a regular file or one of a proc file system up to a limit.
func readSmall(name string, limit int64) (b []byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, limit))
}

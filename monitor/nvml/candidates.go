package nvml

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// candidate is a process that has a CUDA context by the files it has open:
// the devices it has open and the driver's memory manager (/dev/nvidia-uvm,
// which monitors do not open).
type candidate struct {
	pid    int
	parent int
	inner  int // its PID in this program's namespace, 0 when it is not in it
	name   string
	minors map[int]bool // N of /dev/nvidiaN
	own    bool         // the driver runs a thread in it, which no fork inherits
}

// scan is the last look at all processes.
type scan struct {
	at    time.Time
	found []candidate
	asked map[int]bool // PIDs that were looked for and not found by it
}

// maxScanned bounds the processes of one look; far above what a container has.
const maxScanned = 8192

// depthBelow returns how many PID namespaces this program is below the one
// that the proc file system at root shows: NSpid in /proc/self/status has a
// number for each (Linux 4.1). A proc file system of the own namespace shows
// one, also inside a container.
func depthBelow(root string) int {
	data, err := os.ReadFile(filepath.Join(root, "self", "status"))
	if err != nil {
		return 0
	}
	return max(0, len(statusNumbers(data, "NSpid"))-1)
}

// statusNumbers returns the numbers of one line of /proc/PID/status.
func statusNumbers(status []byte, key string) []int {
	for line := range bytes.Lines(status) {
		name, rest, ok := bytes.Cut(line, []byte(":"))
		if !ok || string(name) != key {
			continue
		}
		var out []int
		for _, field := range strings.Fields(string(rest)) {
			n, err := strconv.Atoi(field)
			if err != nil || n < 0 || n > maxPID {
				return nil
			}
			out = append(out, n)
		}
		return out
	}
	return nil
}

// candidates returns the processes with a CUDA context that can be seen. The
// look is repeated every n.every, and sooner for a PID that it did not know.
func (n *namespace) candidates(wanted ...int) []candidate {
	since := n.now.Sub(n.scanned.at)
	stale := n.scanned.at.IsZero() || since < 0 || since >= n.every
	for _, pid := range wanted {
		stale = stale || !n.scanned.asked[pid]
	}
	if !stale {
		return n.scanned.found
	}
	n.scanned = scan{at: n.now, asked: map[int]bool{}, found: n.scanAll()}
	for _, pid := range wanted {
		n.scanned.asked[pid] = true
	}
	return n.scanned.found
}

func (n *namespace) scanAll() []candidate {
	dir, err := os.Open(n.root)
	if err != nil {
		return nil
	}
	defer dir.Close() //nolint:errcheck // nothing was written
	names, err := dir.Readdirnames(-1)
	if err != nil && len(names) == 0 {
		return nil
	}
	own, _ := os.Readlink(n.root + "/self/ns/pid")
	self, _ := os.Readlink(n.root + "/self")
	var found []candidate
	seen := 0
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid <= 0 || name == self {
			continue
		}
		if seen++; seen > maxScanned {
			break
		}
		if c, ok := n.candidate(pid, own); ok {
			found = append(found, c)
		}
	}
	return withoutCopies(found)
}

// candidate looks at the open files of one process.
func (n *namespace) candidate(pid int, own string) (candidate, bool) {
	c := candidate{pid: pid, minors: map[int]bool{}}
	dir := n.path(pid, "fd")
	files, err := os.ReadDir(dir)
	if err != nil {
		return c, false
	}
	managed := false
	for _, file := range files {
		target, err := os.Readlink(filepath.Join(dir, file.Name()))
		if err != nil {
			continue
		}
		managed = managed || target == "/dev/nvidia-uvm"
		if number, ok := strings.CutPrefix(target, "/dev/nvidia"); ok {
			if minor, err := strconv.ParseUint(number, 10, 16); err == nil {
				c.minors[int(minor)] = true
			}
		}
	}
	if !managed || len(c.minors) == 0 {
		return c, false
	}
	status, err := os.ReadFile(n.path(pid, "status"))
	if err != nil {
		return c, false
	}
	c.name = cleanText(statusText(status, "Name"))
	if parent := statusNumbers(status, "PPid"); len(parent) == 1 {
		c.parent = parent[0]
	}
	if numbers := statusNumbers(status, "NSpid"); n.depth > 0 && len(numbers) > n.depth {
		if space, err := os.Readlink(n.path(pid, "ns/pid")); err == nil && space == own {
			c.inner = numbers[n.depth]
		}
	}
	c.own = n.hasDriverThread(pid)
	return c, true
}

func statusText(status []byte, key string) string {
	for line := range bytes.Lines(status) {
		if name, rest, ok := bytes.Cut(line, []byte(":")); ok && string(name) == key {
			return string(bytes.TrimSpace(rest))
		}
	}
	return ""
}

// driverThread is the name that the CUDA driver gives the thread that it
// starts in every process with a context.
const driverThread = "cuda-EvtHandlr"

func (n *namespace) hasDriverThread(pid int) bool {
	tasks, err := os.ReadDir(n.path(pid, "task"))
	if err != nil {
		return false
	}
	for _, task := range tasks[:min(len(tasks), 1024)] {
		name, err := os.ReadFile(n.path(pid, "task/"+task.Name()+"/comm"))
		if err == nil && string(bytes.TrimSpace(name)) == driverThread {
			return true
		}
	}
	return false
}

// withoutCopies drops processes that have only inherited their parent's open
// files, as DataLoader workers do.
func withoutCopies(found []candidate) []candidate {
	byPID := make(map[int]bool, len(found))
	for _, c := range found {
		byPID[c.pid] = true
	}
	out := found[:0]
	for _, c := range found {
		if c.own || !byPID[c.parent] {
			out = append(out, c)
		}
	}
	return out
}

// hostFinder maps listed PIDs with the host's proc file system: a driver that
// lists the host's numbers means the process under it there, one that
// translates means the process of this program's own namespace with that
// number. A number that fits both ways is given to nobody.
func (n *namespace) hostFinder(pids []int) func(pid int) owner {
	owners := make(map[int]owner, len(pids))
	list := n.candidates(pids...)
	for _, pid := range pids {
		var fit []candidate
		for _, c := range list {
			if c.pid == pid || c.inner == pid {
				fit = append(fit, c)
			}
		}
		owners[pid] = owner{pid: pid}
		if len(fit) == 1 {
			owners[pid] = owner{pid: fit[0].pid, name: fit[0].name, seen: true}
		}
	}
	return func(pid int) owner { return owners[pid] }
}

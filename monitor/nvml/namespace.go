package nvml

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// initPIDNamespace is the inode of the machine's first PID namespace
// (PROC_PID_INIT_INO, include/linux/proc_ns.h).
const initPIDNamespace = "pid:[4026531836]"

// namespace is the view of /proc that listed PIDs are joined with.
type namespace struct {
	root   string
	nested bool
	// depth is how many PID namespaces this program is below the one that root
	// shows, as with the host's /proc mounted in a container.
	depth int
	// hostNumbers says that the driver is known to list the host's PIDs.
	hostNumbers bool
	scanned     scan
	tied        bool            // files below root are tied to their processes
	living      map[int]*living // by listed PID
	ends        ends
	owners      map[int]owner  // of this sample
	recent      map[int]gpuUse // by process, what its open files told
	now         time.Time
	every       time.Duration
	buffer      [512]byte
}

// gpuUse is whether a process has a GPU's device file open.
type gpuUse struct {
	answer useAnswer
	at     time.Time // when it was looked at
	listed time.Time // when the driver last listed the process
}

type useAnswer uint8

const (
	useUnreadable useAnswer = iota
	useYes
	useNo
)

func newNamespace(root string, every time.Duration) *namespace {
	link, err := os.Readlink(filepath.Join(root, "self", "ns", "pid"))
	return &namespace{root: root, every: every, recent: map[int]gpuUse{}, tied: tied(root), living: map[int]*living{}, owners: map[int]owner{},
		nested: err == nil && link != initPIDNamespace, depth: depthBelow(root)}
}

// finder returns the function that maps a listed PID to its process, for one
// sample, until the next call. pids are all that the driver listed.
//
// Outside of containers a PID is the process that /proc has under it. In a
// nested namespace older drivers list the host's numbers, which can meet a
// local process by accident; such a process counts only when it has a GPU
// open, or, when that cannot be read, when every listed number is known here.
func (n *namespace) finder(t time.Time, pids []int) func(pid int) owner {
	n.now = t
	if n.depth > 0 {
		return n.hostFinder(pids)
	}
	n.ends.mark(n.living)
	clear(n.owners)
	owners, all := n.owners, true
	for _, pid := range pids {
		if _, done := owners[pid]; !done {
			owners[pid] = n.lookUp(pid)
			all = all && owners[pid].seen
		}
	}
	n.dropUnlisted()
	if n.nested {
		for pid, o := range owners {
			if !o.seen {
				continue
			}
			use := n.usesGPU(o.pid)
			if use == useNo || use == useUnreadable && (!all || n.hostNumbers) {
				owners[pid] = owner{pid: pid}
			}
		}
		n.forget()
	}
	return func(pid int) owner { return owners[pid] }
}

// look reads the first lines of /proc/PID/status. Some drivers list the thread
// that started CUDA; /proc opens under its number too, and Tgid is the process.
func (n *namespace) look(pid int) owner {
	o := owner{pid: pid}
	f, err := os.Open(n.path(pid, "status"))
	if err != nil {
		o.seen = errors.Is(err, fs.ErrPermission)
		return o
	}
	defer f.Close() //nolint:errcheck // nothing was written
	size, err := f.Read(n.buffer[:])
	if err != nil && size == 0 {
		return o
	}
	o.seen = true
	for line := range bytes.Lines(n.buffer[:size]) {
		key, value, _ := bytes.Cut(line, []byte(":"))
		switch string(key) {
		case "Name":
			o.name = cleanText(string(bytes.TrimSpace(value)))
		case "Tgid":
			if tgid, err := strconv.Atoi(string(bytes.TrimSpace(value))); err == nil && tgid > 0 {
				o.pid = tgid
			}
			return o
		}
	}
	return o
}

// usesGPU tells whether the process has a GPU's device file open. The answer
// is kept for a while, since the open files of a training job are many.
func (n *namespace) usesGPU(pid int) useAnswer {
	known, ok := n.recent[pid]
	if since := n.now.Sub(known.at); !ok || since < 0 || since >= n.every {
		known = gpuUse{answer: n.openFiles(pid), at: n.now}
	}
	known.listed = n.now
	n.recent[pid] = known
	return known.answer
}

func (n *namespace) openFiles(pid int) useAnswer {
	dir := n.path(pid, "fd")
	files, err := os.ReadDir(dir)
	if err != nil {
		return useUnreadable
	}
	for _, file := range files {
		target, err := os.Readlink(filepath.Join(dir, file.Name()))
		if err == nil && isGPUFile(target) {
			return useYes
		}
	}
	return useNo
}

// isGPUFile knows the device files of the NVIDIA driver: /dev/nvidia*, on
// Tegra /dev/nvhost* and /dev/nvmap, under WSL /dev/dxg.
func isGPUFile(path string) bool {
	return strings.HasPrefix(path, "/dev/nv") && !strings.HasPrefix(path, "/dev/nvme") || path == "/dev/dxg"
}

// forget drops processes that the driver no longer lists.
func (n *namespace) forget() {
	for pid, use := range n.recent {
		if !use.listed.Equal(n.now) {
			delete(n.recent, pid)
		}
	}
}

func (n *namespace) path(pid int, file string) string {
	return n.root + "/" + strconv.Itoa(pid) + "/" + file
}

// systemMemory reads the machine's memory from /proc/meminfo: what a device
// without memory of its own can use.
func systemMemory(root string) (memoryInfo, error) {
	data, err := os.ReadFile(filepath.Join(root, "meminfo"))
	if err != nil {
		return memoryInfo{}, err
	}
	return parseMeminfo(data)
}

// parseMeminfo reads MemTotal and MemAvailable (proc(5), in KiB).
func parseMeminfo(data []byte) (memoryInfo, error) {
	var total, available uint64
	var haveTotal, haveAvailable bool
	for line := range bytes.Lines(data) {
		key, rest, _ := bytes.Cut(line, []byte(":"))
		fields := bytes.Fields(rest)
		if len(fields) == 0 {
			continue
		}
		kib, err := strconv.ParseUint(string(fields[0]), 10, 50)
		if err != nil {
			continue
		}
		switch string(key) {
		case "MemTotal":
			total, haveTotal = kib<<10, true
		case "MemAvailable":
			available, haveAvailable = kib<<10, true
		}
	}
	if !haveTotal || !haveAvailable || total == 0 || available > total {
		return memoryInfo{}, errors.New("meminfo has no usable MemTotal and MemAvailable")
	}
	return memoryInfo{total: total, free: available, used: total - available}, nil
}

// moduleVersion reads the version of the loaded kernel module from
// /proc/driver/nvidia/version; empty when there is none.
func moduleVersion(root string) string {
	data, err := os.ReadFile(filepath.Join(root, "driver", "nvidia", "version"))
	if err != nil {
		return ""
	}
	return parseModuleVersion(string(data))
}

// parseModuleVersion finds the first word made of digits and dots, such as
// 550.54.14 in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14 …".
func parseModuleVersion(data string) string {
	first, _, _ := strings.Cut(data, "\n")
	for _, word := range strings.Fields(first) {
		if len(word) <= 20 && strings.Contains(word, ".") && strings.Trim(word, "0123456789.") == "" {
			return word
		}
	}
	return ""
}

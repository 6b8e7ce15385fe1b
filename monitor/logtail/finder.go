package logtail

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// OpenFile is one entry of /proc/PID/fd with what /proc/PID/fdinfo says of it.
type OpenFile struct {
	PID     int
	FD      int
	Path    string // as the process sees it
	Regular bool
	Write   bool // open for writing (O_WRONLY or O_RDWR)
	Append  bool // open for appending (O_APPEND)
	Deleted bool
	// Telling is whether the file's tail has memory or step lines. It decides
	// only for files that are neither standard output nor standard error.
	Telling bool
	// Reach is a path by which this process can open the file.
	Reach string
	// Device and Inode name the file itself; several processes can share it.
	Device, Inode uint64
}

// Candidate is a file that is the log of a process.
type Candidate struct {
	PID  int    // the process that has it open; 0 when several have
	PIDs []int  // all of them
	Path string // as the process sees it
	Open string // a path by which this process can open it
	FD   int
}

// How says how a log was found, for the screen.
func (c Candidate) How() string {
	if len(c.PIDs) > 1 {
		return fmt.Sprintf("found by open file of %d processes, first pid %d", len(c.PIDs), c.PIDs[0])
	}
	if len(c.PIDs) == 1 {
		return fmt.Sprintf("found by open file of pid %d", c.PIDs[0])
	}
	return fmt.Sprintf("found by open file of pid %d", c.PID)
}

// String names the log and how it was found: "slurm-4711.out, found by open
// file of pid 812".
func (c Candidate) String() string { return filepath.Base(c.Path) + ", " + c.How() }

// Candidates decides which open files are logs: standard output and standard
// error when they are files, and files open for append whose tail tells of
// memory or steps. A file that several processes share is one candidate
// without a single PID. The order is that of the processes, then of the file
// descriptors.
func Candidates(fds []OpenFile) []Candidate {
	sorted := append([]OpenFile(nil), fds...)
	sort.SliceStable(sorted, func(i, j int) bool {
		if sorted[i].PID != sorted[j].PID {
			return sorted[i].PID < sorted[j].PID
		}
		return sorted[i].FD < sorted[j].FD
	})
	var out []Candidate
	at := map[string]int{}
	for _, f := range sorted {
		if !isLog(f) {
			continue
		}
		key := f.identity()
		if i, ok := at[key]; ok {
			out[i].join(f.PID)
			continue
		}
		at[key] = len(out)
		out = append(out, Candidate{PID: f.PID, PIDs: []int{f.PID}, Path: f.Path, Open: f.Reach, FD: f.FD})
	}
	return out
}

func isLog(f OpenFile) bool {
	if !f.Regular || !f.Write || f.Deleted || f.Path == "" || noLog(f.Path) {
		return false
	}
	if f.FD == 1 || f.FD == 2 {
		return true
	}
	return f.Append && f.Telling
}

// noLog tells the places where no log is: the terminals, devices and shared
// memory that a process has many of.
func noLog(path string) bool {
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

func (f OpenFile) identity() string {
	if f.Inode != 0 {
		return strconv.FormatUint(f.Device, 16) + ":" + strconv.FormatUint(f.Inode, 16)
	}
	return f.Path
}

func (c *Candidate) join(pid int) {
	for _, p := range c.PIDs {
		if p == pid {
			return
		}
	}
	c.PIDs = append(c.PIDs, pid)
	c.PID = 0
}

// Finder reads the lists of open files of processes.
type Finder struct {
	// ProcRoot is where procfs is mounted, usually "/proc".
	ProcRoot string
	// Telling reports whether a line is about memory or steps.
	Telling func(line string) bool
}

// maxOpenFiles bounds how many entries of one process are looked at; tailBytes
// how much of a file's end decides whether it is a log.
const (
	maxOpenFiles = 4096
	maxTails     = 16
	tailBytes    = 16 << 10
)

// Find returns the logs of the processes that a sample shows on GPUs or with
// PyTorch.
func (f Finder) Find(seen *monitor.Sample) []Candidate {
	var fds []OpenFile
	for _, pid := range watched(nil, seen) {
		open, err := f.OpenFiles(pid)
		if err != nil {
			continue // gone, or not ours to look at
		}
		fds = append(fds, open...)
	}
	return Candidates(fds)
}

// OpenFiles lists the open regular files of a process that may be logs; none
// below /dev or /proc is one. Of
// files other than standard output and standard error it reads the tail when
// they are open for append. The error is that of reading /proc/PID/fd.
func (f Finder) OpenFiles(pid int) ([]OpenFile, error) {
	dir := filepath.Join(f.ProcRoot, strconv.Itoa(pid), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open files of pid %d: %w", pid, err)
	}
	var out []OpenFile
	tails := 0
	for _, e := range entries[:min(len(entries), maxOpenFiles)] {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd == 0 {
			continue
		}
		o, ok := f.openFile(pid, fd, filepath.Join(dir, e.Name()))
		if !ok {
			continue
		}
		if fd > 2 && o.Append && o.Write && tails < maxTails {
			tails++
			o.Telling = f.telling(o.Reach)
		}
		out = append(out, o)
	}
	return out, nil
}

// openFile describes one file descriptor; false when it can be no log.
func (f Finder) openFile(pid, fd int, link string) (OpenFile, bool) {
	path, err := os.Readlink(link)
	if err != nil || !strings.HasPrefix(path, "/") || noLog(path) {
		return OpenFile{}, false // socket:[…], pipe:[…], /dev/nvidia0
	}
	o := OpenFile{PID: pid, FD: fd, Path: strings.TrimSuffix(path, " (deleted)"), Deleted: strings.HasSuffix(path, " (deleted)")}
	info, err := os.Stat(link)
	if err != nil || !info.Mode().IsRegular() {
		return OpenFile{}, false
	}
	o.Regular = true
	o.Device, o.Inode = fileID(info)
	o.Write, o.Append = f.flags(pid, fd)
	o.Reach = link
	if at, err := os.Stat(o.Path); err == nil && os.SameFile(at, info) {
		o.Reach = o.Path // the same file here: it outlives the process
	} else if inside := filepath.Join(f.ProcRoot, strconv.Itoa(pid), "root", o.Path); sameFile(inside, info) {
		o.Reach = inside
	}
	return o, true
}

func sameFile(path string, info os.FileInfo) bool {
	at, err := os.Stat(path)
	return err == nil && os.SameFile(at, info)
}

// flags reads how a file was opened: octal open(2) flags in /proc/PID/fdinfo.
func (f Finder) flags(pid, fd int) (write, appends bool) {
	b, err := os.ReadFile(filepath.Join(f.ProcRoot, strconv.Itoa(pid), "fdinfo", strconv.Itoa(fd)))
	if err != nil {
		return false, false
	}
	for _, line := range bytes.Split(b, []byte("\n")) {
		rest, ok := bytes.CutPrefix(line, []byte("flags:"))
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(rest)), 8, 64)
		if err != nil {
			return false, false
		}
		return n&3 != 0, n&0o2000 != 0
	}
	return false, false
}

// telling reports whether the end of a file has lines about memory or steps.
func (f Finder) telling(path string) bool {
	if f.Telling == nil {
		return false
	}
	h, info, err := openRegular(path, path)
	if err != nil {
		return false
	}
	defer func() { _ = h.Close() }()
	buf := make([]byte, min(info.Size(), tailBytes))
	n, _ := h.ReadAt(buf, info.Size()-int64(len(buf)))
	found := false
	s := NewSplitter()
	s.Write(buf[:n], func(_ int64, text []byte) bool {
		found = f.Telling(string(text))
		return !found
	})
	return found
}

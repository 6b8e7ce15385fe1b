package torch

import (
	"bytes"
	"strconv"
)

// procfs reads the small files of a proc file system into buffers that it
// keeps, so that a tick does not allocate.
type procfs struct {
	root   string
	buf    []byte
	limit  int // of one file
	dir    dirReader
	dirBuf []byte
	path   []byte
}

// file returns the bytes of a file of a process, at most the limit. They hold
// until the next call.
func (p *procfs) file(pid int, name string) ([]byte, error) {
	b, err := readWhole(p.pathOf(pid, name), p.buf[:0], p.limit)
	p.buf = b
	return b, err
}

// line returns the bytes of a file of a process that is one short line. They
// hold until the next call.
func (p *procfs) line(pid int, name string) ([]byte, error) {
	b, err := readOnce(p.pathOf(pid, name), p.buf[:0])
	p.buf = b
	return b, err
}

func (p *procfs) pathOf(pid int, name string) string {
	p.path = append(p.path[:0], p.root...)
	p.path = append(p.path, '/')
	p.path = strconv.AppendInt(p.path, int64(pid), 10)
	p.path = append(p.path, '/')
	p.path = append(p.path, name...)
	return string(p.path)
}

// link returns where a link of a process points to, empty when that is not
// told.
func (p *procfs) link(pid int, name string) string {
	return readLink(p.root + "/" + strconv.Itoa(pid) + "/" + name)
}

// identity is what tells one process from the next of the same number, and
// from its parent.
type identity struct {
	parent int
	start  uint64 // field 22, clock ticks since boot
	state  byte
}

// parseStat reads /proc/PID/stat (proc_pid_stat(5)). The name in the second
// field may hold anything, so fields are counted from the last parenthesis.
func parseStat(b []byte) (identity, bool) {
	var id identity
	end := bytes.LastIndexByte(b, ')')
	if end < 0 || len(b) < end+3 {
		return id, false
	}
	rest := b[end+2:]
	for field := 3; len(rest) > 0; field++ {
		word := rest
		if i := bytes.IndexByte(rest, ' '); i >= 0 {
			word, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		switch field {
		case 3:
			if len(word) != 1 || word[0] < 'A' || word[0] > 'z' {
				return id, false
			}
			id.state = word[0]
		case 4:
			v, ok := decimal(word)
			if !ok || v > 1<<31 {
				return id, false
			}
			id.parent = int(v)
		case 22:
			var ok bool
			id.start, ok = decimal(bytes.TrimRight(word, "\n"))
			return id, ok
		}
	}
	return id, false
}

// decimal reads a number without a sign.
func decimal(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	var v uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, true
}

// statusField returns the first number after "Name:" in /proc/PID/status.
func statusField(b []byte, name string) (uint64, bool) {
	for len(b) > 0 {
		line := b
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line, b = b[:i], b[i+1:]
		} else {
			b = nil
		}
		if len(line) > len(name) && line[len(name)] == ':' && string(line[:len(name)]) == name {
			line = bytes.TrimLeft(line[len(name)+1:], " \t")
			end := 0
			for end < len(line) && line[end] >= '0' && line[end] <= '9' {
				end++
			}
			return decimal(line[:end])
		}
	}
	return 0, false
}

// identify reads who a process is.
func (p *procfs) identify(pid int) (identity, error) {
	b, err := p.line(pid, "stat")
	if err != nil {
		return identity{}, err
	}
	id, ok := parseStat(b)
	if !ok {
		return identity{}, errShort
	}
	return id, nil
}

// threadGroup returns the process that a thread belongs to. NVML lists thread
// ids where CUDA was started off the main thread by some drivers.
func (p *procfs) threadGroup(pid int) (int, bool) {
	b, err := p.file(pid, "status")
	if err != nil {
		return 0, false
	}
	v, ok := statusField(b, "Tgid")
	return int(v), ok && v > 0 && v < 1<<31
}

// pages returns how many pages a process has mapped: the first number of
// /proc/PID/statm (proc_pid_statm(5)). Unlike its mappings it is told without a
// lock in the process.
func (p *procfs) pages(pid int) (uint64, bool) {
	b, err := p.line(pid, "statm")
	if err != nil {
		return 0, false
	}
	first, _, _ := bytes.Cut(b, []byte{' '})
	return decimal(first)
}

// owner returns the real user of a process.
func (p *procfs) owner(pid int) (int, bool) {
	b, err := p.file(pid, "status")
	if err != nil {
		return 0, false
	}
	v, ok := statusField(b, "Uid")
	return int(v), ok
}

// eachNumber calls f for every name in the directory that is a number, until
// f returns false.
func (p *procfs) eachNumber(path string, f func(n int) bool) error {
	if p.dirBuf == nil {
		p.dirBuf = make([]byte, 32<<10)
	}
	return p.dir.each(path, p.dirBuf, func(name []byte) bool {
		n, ok := decimal(name)
		if !ok || n == 0 || n > 1<<31-1 {
			return true
		}
		return f(int(n))
	})
}

func (p *procfs) taskPath(pid int) string {
	return p.root + "/" + strconv.Itoa(pid) + "/task"
}

// hasThread tells whether a thread of that number belongs to the process.
func (p *procfs) hasThread(pid int, tid int32) bool {
	group, ok := p.threadGroup(int(tid))
	return ok && group == pid
}

// cudaThread is the name that the CUDA driver gives the thread it starts in
// every process that has a CUDA context.
const cudaThread = "cuda-EvtHandlr"

// maxThreadsRead bounds the search for it.
const maxThreadsRead = 1024

// hasCUDAThread tells whether the driver runs a thread in this process. A
// fork does not take threads along, and a process forked after its parent
// started CUDA cannot start it, so a thread of that name proves that the
// process's CUDA state is its own. The main thread does not count: its name is
// inherited.
func (p *procfs) hasCUDAThread(pid int) bool {
	has := false
	read := 0
	// The walk holds the directory buffer, names are read into another one.
	err := p.eachNumber(p.taskPath(pid), func(tid int) bool {
		if tid == pid {
			return true
		}
		read++
		if b, err := p.line(tid, "comm"); err == nil {
			has = string(bytes.TrimRight(b, "\n")) == cudaThread
		}
		return !has && read < maxThreadsRead
	})
	return err == nil && has
}

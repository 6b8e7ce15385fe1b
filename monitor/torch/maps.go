package torch

import (
	"bytes"
	"sort"
)

// role says why a mapped file matters here.
type role uint8

const (
	roleNone  role = iota
	roleC10        // libc10_cuda.so or libc10_hip.so: the allocator's own library
	roleTorch      // libtorch_cuda*.so: holds the allocator in some monolithic builds
	roleCUDA       // libcuda.so or libcudart.so: some CUDA program
	roleExe        // the program itself
)

// mapping is one line of /proc/PID/maps (proc_pid_maps(5)).
type mapping struct {
	lo, hi   uint64
	offset   uint64
	readable bool
	writable bool
	role     role
	name     string // base name, for the roles that matter
}

// addressSpace is what a process has mapped, lowest address first, without
// overlaps.
type addressSpace struct {
	maps []mapping
}

// parseMaps appends the mappings of the text of /proc/PID/maps. Lines that
// are not of that form, or out of order, are left out. exe is the path of the
// program, empty when not known.
func parseMaps(into []mapping, text []byte, exe string) []mapping {
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		m, ok := parseMapping(line, exe)
		if !ok {
			continue
		}
		if n := len(into); n > 0 && m.lo < into[n-1].hi {
			continue
		}
		into = append(into, m)
	}
	return into
}

// parseMapping reads "lo-hi perms offset dev inode path".
func parseMapping(line []byte, exe string) (mapping, bool) {
	var m mapping
	var ok bool
	if m.lo, line, ok = hexField(line, '-'); !ok {
		return m, false
	}
	if m.hi, line, ok = hexField(line, ' '); !ok || m.hi <= m.lo {
		return m, false
	}
	if len(line) < 5 || line[4] != ' ' {
		return m, false
	}
	m.readable, m.writable = line[0] == 'r', line[1] == 'w'
	if m.offset, line, ok = hexField(line[5:], ' '); !ok {
		return m, false
	}
	slash := bytes.IndexByte(line, '/')
	if slash < 0 {
		return m, true
	}
	m.role = roleOf(line[slash:], exe)
	if m.role != roleNone {
		m.name = string(baseName(line[slash:]))
	}
	return m, true
}

// hexField reads a hexadecimal number of at most 16 digits up to the
// separator, and returns what follows it.
func hexField(line []byte, end byte) (uint64, []byte, bool) {
	var v uint64
	for i, c := range line {
		switch {
		case c == end:
			return v, line[i+1:], i > 0
		case i == 16:
			return 0, nil, false
		case c >= '0' && c <= '9':
			v = v<<4 | uint64(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | uint64(c-'a'+10)
		default:
			return 0, nil, false
		}
	}
	return 0, nil, false
}

func baseName(path []byte) []byte {
	return path[bytes.LastIndexByte(path, '/')+1:]
}

// roleOf judges by the name alone: the file may be deleted, replaced or in
// another mount namespace, and is never opened.
func roleOf(path []byte, exe string) role {
	name := baseName(path)
	switch {
	case isLibrary(name, "libc10_cuda"), isLibrary(name, "libc10_hip"):
		return roleC10
	case isLibrary(name, "libtorch_cuda"), isLibrary(name, "libtorch_hip"):
		return roleTorch
	case isLibrary(name, "libcuda"), isLibrary(name, "libcudart"):
		return roleCUDA
	case exe != "" && string(bytes.TrimSuffix(path, []byte(" (deleted)"))) == exe:
		return roleExe
	}
	return roleNone
}

// isLibrary tells whether name is that library: the stem, then nothing but a
// separator (wheels repaired by auditwheel add "-hash", builds add "_part"),
// then ".so".
func isLibrary(name []byte, stem string) bool {
	rest, ok := bytes.CutPrefix(name, []byte(stem))
	if !ok || len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '.', '-', '_':
		return bytes.Contains(rest, []byte(".so"))
	}
	return false
}

// find returns the mapping that holds the address.
func (s *addressSpace) find(addr uint64) (int, bool) {
	i := sort.Search(len(s.maps), func(i int) bool { return s.maps[i].hi > addr })
	return i, i < len(s.maps) && s.maps[i].lo <= addr
}

// writable tells whether n bytes from addr on lie in mappings that can be read
// and written, as live C++ objects do.
func (s *addressSpace) writable(addr, n uint64) bool {
	return s.writableRun(addr, n) == n
}

// writableRun returns how many of n bytes from addr on lie in mappings that
// follow each other and can be read and written.
func (s *addressSpace) writableRun(addr, n uint64) uint64 {
	if addr+n < addr {
		return 0
	}
	i, ok := s.find(addr)
	if !ok {
		return 0
	}
	at := addr
	for ; i < len(s.maps) && at < addr+n; i++ {
		m := &s.maps[i]
		if m.lo > at || !m.readable || !m.writable {
			break
		}
		at = m.hi
	}
	return min(at-addr, n)
}

// eachWritable calls f for every piece of n bytes from addr on that can be read
// and written.
func (s *addressSpace) eachWritable(addr, n uint64, f func(lo, n uint64)) {
	end := addr + n
	if end < addr {
		return
	}
	i, _ := s.find(addr)
	for at := addr; i < len(s.maps) && s.maps[i].lo < end; i++ {
		at = max(at, s.maps[i].lo)
		if at >= s.maps[i].hi || !s.maps[i].readable || !s.maps[i].writable {
			continue
		}
		run := s.writableRun(at, end-at)
		f(at, run)
		at += run
	}
}

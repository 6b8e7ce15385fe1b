package proc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// stat is what one line of /proc/PID/stat says (proc_pid_stat(5)).
type stat struct {
	pid        int
	name       string // 2: short name, at most 15 bytes of anything
	state      byte   // 3
	parent     int    // 4
	cpuTicks   uint64 // 14 and 15: user and system time of all threads
	threads    int    // 20
	startTicks uint64 // 22: since boot
	rssPages   int64  // 24: approximate, see proc_pid_stat(5)
	image      image
}

// image tells one program of a process from the next: the addresses are drawn
// anew by exec. Without the right to look into the process they are 0 or 1.
type image struct {
	stackStart, argStart, envStart uint64 // 28, 48, 50
}

var errStat = errors.New("not a line of /proc/PID/stat")

// parseStat reads a line of /proc/PID/stat. The name may hold anything, also
// brackets and line ends, so the last bracket ends it. A name that is still
// the one known does not become a new string.
func parseStat(line []byte, known string) (stat, error) {
	var s stat
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open || end+2 >= len(line) {
		return s, fmt.Errorf("%w: %.40q", errStat, line)
	}
	pid, ok := number(bytes.TrimSpace(line[:open]))
	if !ok {
		return s, fmt.Errorf("%w: pid in %.40q", errStat, line)
	}
	s.pid, s.name = int(pid), known
	if name := line[open+1 : end]; string(name) != known {
		s.name = string(name)
	}
	rest := line[end+2:]
	seen := 0
	for field := 3; len(rest) > 0 && field <= 50; field++ {
		length := 0
		for length < len(rest) && rest[length] != ' ' && rest[length] != '\n' {
			length++
		}
		word := rest[:length]
		rest = rest[min(length+1, len(rest)):]
		if fieldsKept>>field&1 != 0 && !s.take(field, word) {
			return stat{}, fmt.Errorf("%w: field %d is %.20q", errStat, field, word)
		}
		seen = field
	}
	if seen < 24 {
		return stat{}, fmt.Errorf("%w: it ends at field %d", errStat, seen)
	}
	return s, nil
}

// fieldsKept has a bit for each field that take keeps.
const fieldsKept uint64 = 1<<3 | 1<<4 | 1<<14 | 1<<15 | 1<<20 | 1<<22 | 1<<24 | 1<<28 | 1<<48 | 1<<50

// take keeps one field; false when it is not what it must be.
func (s *stat) take(field int, word []byte) bool {
	if field == 3 {
		if len(word) != 1 {
			return false
		}
		s.state = word[0]
		return true
	}
	n, ok := number(word)
	if !ok {
		return false
	}
	switch field {
	case 4:
		s.parent = int(n)
	case 14, 15:
		s.cpuTicks += n
	case 20:
		s.threads = int(n)
	case 22:
		s.startTicks = n
	case 24:
		s.rssPages = int64(n)
	case 28:
		s.image.stackStart = n
	case 48:
		s.image.argStart = n
	case 50:
		s.image.envStart = n
	}
	return true
}

// number reads an unsigned decimal without allocating.
func number(word []byte) (uint64, bool) {
	if len(word) == 0 || len(word) > 20 {
		return 0, false
	}
	var n uint64
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		next := n*10 + uint64(c-'0')
		if n > (1<<64-1)/10 || next < n {
			return 0, false
		}
		n = next
	}
	return n, true
}

// status is what is needed of /proc/PID/status (proc_pid_status(5)).
type status struct {
	uid      uint32 // effective
	uidKnown bool
	// namespacePIDs are the numbers of NSpid, outermost first: from the
	// namespace of the proc mount down to the process's own. Empty before
	// Linux 4.1.
	namespacePIDs []int
}

// parseStatus reads /proc/PID/status. What is missing or malformed stays
// unknown.
func parseStatus(text []byte) status {
	var s status
	for line := range bytes.Lines(text) {
		key, value, ok := bytes.Cut(line, []byte{':'})
		if !ok {
			continue
		}
		fields := bytes.Fields(value)
		switch string(key) {
		case "Uid":
			if len(fields) < 2 {
				continue
			}
			if n, ok := number(fields[1]); ok && n <= 1<<32-1 {
				s.uid, s.uidKnown = uint32(n), true
			}
		case "NSpid":
			s.namespacePIDs = nil
			for _, f := range fields {
				n, ok := number(f)
				if !ok || n > 1<<31 {
					s.namespacePIDs = nil
					break
				}
				s.namespacePIDs = append(s.namespacePIDs, int(n))
			}
		}
	}
	return s
}

// bootSeconds returns the time of boot in seconds since 1970 from the text of
// /proc/stat.
func bootSeconds(text string) (int64, bool) {
	_, rest, ok := strings.Cut(text, "\nbtime ")
	if !ok {
		return 0, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	n, ok := number([]byte(strings.TrimSpace(line)))
	if !ok || n > 1<<40 {
		return 0, false
	}
	return int64(n), true
}

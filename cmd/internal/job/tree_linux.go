package job

import (
	"bytes"
	"os"
	"strconv"
)

// descendants returns the processes whose line of parents leads to pid, without
// pid itself, by /proc/PID/stat. Processes that come and go meanwhile may be
// missing.
func descendants(pid int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(child); ok {
			children[parent] = append(children[parent], child)
		}
	}
	var out []int
	for next := children[pid]; len(next) > 0; {
		out = append(out, next...)
		var further []int
		for _, p := range next {
			further = append(further, children[p]...)
		}
		next = further
	}
	return out
}

// maxDepth bounds a line of parents; PIDs that are reused while it is followed
// could make a ring.
const maxDepth = 256

// Under reports whether a process is a descendant of another, by /proc/PID/stat.
func Under(pid, ancestor int) bool {
	for range maxDepth {
		parent, ok := parentOf(pid)
		if !ok || parent <= 1 && ancestor != parent {
			return false
		}
		if parent == ancestor {
			return true
		}
		pid = parent
	}
	return false
}

// parentOf reads the fourth field of /proc/PID/stat; the second, the name, may
// hold anything and ends at the last bracket.
func parentOf(pid int) (int, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}

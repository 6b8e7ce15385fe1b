package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// limits reads memory limits below a cgroup root.
type limits struct {
	root string
	// own are the groups of this process. Where they are mounted as the root
	// (a container without a cgroup namespace), paths are taken from there.
	own cgroups
}

// noLimitFrom is where version 1 means "no limit": its largest value is 2⁶³
// rounded down to a page.
const noLimitFrom = 1 << 62

// of returns the smallest limit of the groups of a process and of those above
// them (memory.max, memory.limit_in_bytes; Linux: admin-guide/cgroup-v2,
// cgroup-v1/memory).
func (l limits) of(c cgroups) monitor.Reading[int64] {
	root, path, own, file := l.root, c.unified, l.own.unified, "memory.max"
	if c.memory != "" {
		root, path, own, file = filepath.Join(l.root, "memory"), c.memory, l.own.memory, "memory.limit_in_bytes"
	}
	if path == "" {
		return monitor.Unknown[int64](monitor.NotAvailable, "the kernel names no memory group for this process")
	}
	path, ok := visiblePath(root, path, own)
	if !ok {
		return monitor.Unknown[int64](monitor.NotAvailable, "the memory group of this process is not mounted here")
	}
	return smallest(root, path, file)
}

// visiblePath returns the path below root, or false when it lies elsewhere.
func visiblePath(root, path, own string) (string, bool) {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == ".." {
			return "", false
		}
	}
	if isDir(filepath.Join(root, path)) {
		return path, true
	}
	if rest, under := strings.CutPrefix(path, own); under && own != "" && own != "/" && (rest == "" || rest[0] == '/') {
		return "/" + rest, isDir(filepath.Join(root, rest))
	}
	return "", false
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// smallest walks from the group up to the root.
func smallest(root, path, file string) monitor.Reading[int64] {
	best, denied := int64(noLimitFrom), false
	// The root group has no limit file, but it has this one; a folder without
	// either is no group at all.
	_, err := os.Stat(filepath.Join(root, "cgroup.procs"))
	grouped := err == nil
	for dir := filepath.Clean("/" + path); ; dir = filepath.Dir(dir) {
		limit, err := readLimit(filepath.Join(root, dir, file))
		switch {
		case err == nil:
			best, grouped = min(best, limit), true
		case errors.Is(err, fs.ErrPermission):
			denied = true
		case !errors.Is(err, fs.ErrNotExist):
			return monitor.Unknown[int64](monitor.Failed, "the memory limit cannot be read: "+err.Error())
		}
		if dir == "/" || dir == "." || dir == filepath.Dir(dir) {
			break
		}
	}
	switch {
	case denied:
		return monitor.Unknown[int64](monitor.NoPermission, "the memory limit may not be read by this user")
	case !grouped:
		return monitor.Unknown[int64](monitor.NotAvailable, "no control groups with memory are mounted here")
	case best >= noLimitFrom:
		return monitor.Unknown[int64](monitor.NotApplicable, "no memory limit is set")
	}
	return monitor.Known(best)
}

var errLimit = errors.New("not a memory limit")

func readLimit(name string) (int64, error) {
	raw, err := readSmall(name, 64)
	if err != nil {
		return 0, err
	}
	return parseLimit(string(raw))
}

// parseLimit reads "max" or a number of bytes.
func parseLimit(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if text == "max" {
		return noLimitFrom, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errLimit
	}
	return int64(min(n, noLimitFrom)), nil
}

//go:build !linux

package proc

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// files reads command lines where gopsutil asks the system and not a proc
// root. It serves copies of a proc tree only.
type files struct{ root string }

func (f files) commandLine(_ context.Context, pid int) ([]string, error) {
	raw, err := os.ReadFile(filepath.Join(f.root, strconv.Itoa(pid), "cmdline"))
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00"), nil
}

// systemCommandLines returns the reader of command lines below root.
func systemCommandLines(root string) commandLines { return files{root: root} }

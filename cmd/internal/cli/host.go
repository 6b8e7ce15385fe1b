package cli

import (
	"fmt"
	"os"
	"path/filepath"
)

// roots are where a machine is read: all empty for this one as it shows itself.
type roots struct {
	proc     string // proc file system
	cgroup   string // control groups
	passwd   string // names of users
	root     string // of this program's own file system
	hostProc string // as given with --host-proc
}

// roots are those that the command line names.
func (sys System) roots() (roots, error) {
	if sys.hostProc == nil {
		return roots{}, nil
	}
	return hostRoots(*sys.hostProc)
}

// hostRoots are those of a monitor in a container that has the host's proc file
// system mounted. Through it the host's own files can be reached where the
// rights allow; where they do not, those of the container are used.
func hostRoots(hostProc string) (roots, error) {
	if hostProc == "" {
		return roots{}, nil
	}
	dir := filepath.Clean(hostProc)
	if _, err := os.Stat(filepath.Join(dir, "self", "status")); err != nil {
		return roots{}, fmt.Errorf("--host-proc %s is no proc file system: mount the host's /proc there (docker run -v /proc:/host/proc:ro)", hostProc)
	}
	r := roots{proc: dir, hostProc: dir}
	first := filepath.Join(dir, "1", "root")
	if _, err := os.Stat(filepath.Join(first, "sys/fs/cgroup")); err == nil {
		r.cgroup = filepath.Join(first, "sys/fs/cgroup")
	}
	if _, err := os.Stat(filepath.Join(first, "etc/passwd")); err == nil {
		r.passwd = filepath.Join(first, "etc/passwd")
	}
	return r, nil
}

// kernelLog is where this machine's kernel messages are; a fixture has none.
func (r roots) kernelLog() string {
	if r.root != "" {
		return ""
	}
	return "/dev/kmsg"
}

// procRoot is the proc file system, never empty.
func (r roots) procRoot() string {
	if r.proc == "" {
		return "/proc"
	}
	return r.proc
}

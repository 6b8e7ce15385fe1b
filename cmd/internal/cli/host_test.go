package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheHostsProcLeadsToTheHostsOtherFilesWhereTheyCanBeReached(t *testing.T) {
	dir := t.TempDir()
	if _, err := hostRoots(dir); err == nil || !strings.Contains(err.Error(), "--host-proc "+dir) {
		t.Errorf("a folder that is no proc file system: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "self"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "self", "status"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	at, err := hostRoots(dir + "/")
	if err != nil || at.proc != dir || at.hostProc != dir || at.cgroup != "" || at.passwd != "" || at.procRoot() != dir {
		t.Errorf("without the right to the host's root: %+v, %v", at, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "1/root/sys/fs/cgroup"), 0o755); err != nil {
		t.Fatal(err)
	}
	if at, err = hostRoots(dir); err != nil || at.cgroup != filepath.Join(dir, "1/root/sys/fs/cgroup") {
		t.Errorf("with it: %+v, %v", at, err)
	}
	if at, err = hostRoots(""); err != nil || at != (roots{}) || at.procRoot() != "/proc" {
		t.Errorf("none: %+v, %v", at, err)
	}
}

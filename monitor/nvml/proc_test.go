package nvml

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func writeFile(t testing.TB, root, name, data string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fakeProc makes a /proc with the given PID namespace and processes.
func fakeProc(t testing.TB, root, namespace string, pids ...int) {
	t.Helper()
	dir := filepath.Join(root, "self", "ns")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "pid")
	_ = os.Remove(link)
	if err := os.Symlink(namespace, link); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		addProcess(t, root, pid, pid, "/dev/nvidia0")
	}
}

// addProcess adds one process or thread with one open file.
func addProcess(t testing.TB, root string, pid, tgid int, open string) {
	t.Helper()
	dir := filepath.Join(root, fmt.Sprint(pid))
	if err := os.MkdirAll(filepath.Join(dir, "fd"), 0o755); err != nil {
		t.Fatal(err)
	}
	status := fmt.Sprintf("Name:\tpython%d\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t%d\nNgid:\t0\nPid:\t%d\n", tgid, tgid, pid)
	if err := os.WriteFile(filepath.Join(dir, "status"), []byte(status), 0o600); err != nil {
		t.Fatal(err)
	}
	if open != "" {
		if err := os.Symlink(open, filepath.Join(dir, "fd", "3")); err != nil {
			t.Fatal(err)
		}
	}
}

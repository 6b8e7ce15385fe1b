package job

import (
	"os"
	"testing"
	"time"
)

// folder returns a temporary folder into which a process may still write when
// the test is over: the output of a job that is kept goes on until its keeper
// has noticed the end.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "job")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 500 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	return dir
}

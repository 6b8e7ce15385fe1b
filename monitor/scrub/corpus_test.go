package scrub_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/vramscope/vramscope/monitor/scrub"
)

// Log lines of real trainings hold figures, tokens per second and special
// words; none of them holds a secret.
func TestLinesOfRealLogsStayAsTheyAre(t *testing.T) {
	shared := os.Getenv("VRAMSCOPE_SHARED")
	if shared == "" {
		t.Skip("VRAMSCOPE_SHARED is not set: no public log lines to test against")
	}
	f, err := os.Open(filepath.Join(shared, "corpus", "log-lines.jsonl"))
	if err != nil {
		t.Skipf("no public log lines: %v", err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	n := 0
	for lines.Scan() {
		var row struct{ Line string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		n++
		if got := scrub.Text(row.Line); got != row.Line {
			t.Errorf("a log line was changed\n got %q\nwant %q", got, row.Line)
		}
	}
	if err := lines.Err(); err != nil || n == 0 {
		t.Errorf("read %d lines: %v", n, err)
	}
}

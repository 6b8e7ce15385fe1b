package advisor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/history"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
	"github.com/vramscope/vramscope/monitor/record"
)

// shared returns a path in the folder of recordings and cases, or skips.
func shared(t testing.TB, name ...string) string {
	t.Helper()
	dir := os.Getenv("VRAMSCOPE_SHARED")
	if dir == "" {
		t.Skip("VRAMSCOPE_SHARED names no folder with recordings and cases")
	}
	return filepath.Join(append([]string{dir}, name...)...)
}

// slow skips a test of many windows under -short, which is how the race
// detector runs: the advisor starts no goroutine.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("many windows; not with -short")
	}
}

// manifestEntry says what must be found first in a recording.
type manifestEntry struct {
	File   string   `json:"file"`
	Expect []string `json:"expect"`
	AlsoOK []string `json:"also_ok"`
	Scored bool     `json:"scored"`
}

func manifest(t testing.TB) []manifestEntry {
	t.Helper()
	var out []manifestEntry
	readJSON(t, shared(t, "recordings", "manifest.json"), &out)
	return out
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// samplesOf loads a recording, its log lines parsed.
func samplesOf(t testing.TB, path string) []monitor.Sample {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := record.Load(f, filepath.Base(path), formats.NewParser(formats.Config{}))
	if err != nil {
		t.Fatal(err)
	}
	return rec.Samples
}

// inputOf puts samples into a history and takes the whole of it.
func inputOf(samples []monitor.Sample) advisor.Input {
	if len(samples) == 0 {
		return advisor.Input{}
	}
	span := samples[len(samples)-1].Time.Sub(samples[0].Time)
	store := history.New(history.WholeFile(len(samples), span))
	var in advisor.Input
	for _, s := range samples {
		store.Append(s)
		in.Lines = append(in.Lines, s.Lines...)
	}
	in.Window = store.Window(samples[0].Time, samples[len(samples)-1].Time)
	return in
}

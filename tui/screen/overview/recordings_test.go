package overview

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vramscope/vramscope/monitor/record"
	"github.com/vramscope/vramscope/tui/internal/scene"
	"github.com/vramscope/vramscope/tui/theme"
)

func TestRecordingsOfRealRunsFitEverySize(t *testing.T) {
	shared := os.Getenv("VRAMSCOPE_SHARED")
	if shared == "" {
		t.Skip("VRAMSCOPE_SHARED names no folder with recordings")
	}
	paths, err := filepath.Glob(filepath.Join(shared, "recordings", "*.jsonl"))
	if err != nil || len(paths) == 0 {
		t.Skipf("no recordings in %s: %v", shared, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			rec, err := record.Load(f, filepath.Base(path), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []int{1, 2, 3, 4} {
				n := max(1, len(rec.Samples)*part/4)
				sc := scene.Scene{Interval: rec.Interval, Samples: rec.Samples[:n]}
				st := stateOf(t, sc, theme.Terminal, part%2 == 0)
				for _, size := range [][2]int{{20, 5}, {40, 10}, {80, 24}, {133, 43}, {200, 60}} {
					checkFrame(t, New().View(st, size[0], size[1]), size[0], size[1], part%2 == 0)
				}
			}
		})
	}
}

package cli

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
)

// slow is a feed whose first sample takes long, as a driver's start does.
type slow struct{ n int }

func (f *slow) Next(ctx context.Context) (monitor.Batch, error) {
	wait := 100 * time.Millisecond
	if f.n == 0 {
		wait = 5 * time.Second
	}
	f.n++
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return monitor.Batch{}, ctx.Err()
	}
	return monitor.Batch{Samples: []monitor.Sample{{Time: time.Now(), Seq: uint64(f.n)}}}, nil
}

func (*slow) Close() error { return nil }

func TestTheTimeOfARecordingCountsFromItsFirstSample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := openRecording(t.Context(), patience{t.Context(), 0}, System{}, filepath.Join(t.TempDir(), "run.jsonl"), record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := copier{file: file, begun: func() { time.AfterFunc(350*time.Millisecond, cancel) }, absent: func() error { return nil }}
		if err := c.copy(ctx, &slow{}); err != nil {
			t.Fatal(err)
		}
		if c.count != 4 {
			t.Errorf("%d samples, want that of the beginning and 3 in 350 ms", c.count)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

package logtail_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
	"github.com/vramscope/vramscope/monitor/logtail/formats"
)

func newParser(_ string, rank monitor.Reading[int]) logtail.Parser {
	return formats.NewParser(formats.Config{Rank: rank})
}

// bench is a directory with logs and a source that follows some of them. Its
// clock moves only when it is told to.
type bench struct {
	t   *testing.T
	dir string
	now time.Time
	src *logtail.Source
}

func newBench(t *testing.T, cfg logtail.Config, names ...string) *bench {
	t.Helper()
	b := &bench{t: t, dir: t.TempDir(), now: time.Unix(1_700_000_000, 0)}
	for _, n := range names {
		if n == "-" {
			cfg.Paths = append(cfg.Paths, n)
			continue
		}
		cfg.Paths = append(cfg.Paths, b.path(n))
	}
	if cfg.NewParser == nil {
		cfg.NewParser = newParser
	}
	b.src = logtail.New(cfg)
	t.Cleanup(func() {
		if err := b.src.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// read takes what has come, a second later.
func (b *bench) read() monitor.Part { return b.readAfter(time.Second) }

func (b *bench) readAfter(d time.Duration) monitor.Part {
	b.now = b.now.Add(d)
	return b.src.Read(context.Background(), monitor.Request{Time: b.now, Seen: &monitor.Sample{}})
}

// add appends to a log, as a job does.
func (b *bench) add(name, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(name)), 0o700); err != nil {
		b.t.Fatal(err)
	}
	f, err := os.OpenFile(b.path(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		b.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) rename(from, to string) {
	b.t.Helper()
	if err := os.Rename(b.path(from), b.path(to)); err != nil {
		b.t.Fatal(err)
	}
}

// allocated are the allocated figures of a part, in MiB.
func allocated(p monitor.Part) []int64 {
	var out []int64
	for _, r := range p.Readings {
		if v, ok := r.AllocatedBytes.Get(); ok {
			out = append(out, v>>20)
		}
	}
	return out
}

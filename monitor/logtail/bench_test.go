package logtail_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/logtail"
)

// BenchmarkAnIdleLog is what one Read costs when nothing has come.
func BenchmarkAnIdleLog(b *testing.B) {
	path := filepath.Join(b.TempDir(), "train.log")
	if err := os.WriteFile(path, []byte(line(3)), 0o600); err != nil {
		b.Fatal(err)
	}
	src := logtail.New(logtail.Config{Paths: []string{path}, NewParser: newParser})
	now := time.Unix(1_700_000_000, 0)
	src.Read(b.Context(), monitor.Request{Time: now})
	b.ReportAllocs()
	for b.Loop() {
		src.Read(b.Context(), monitor.Request{Time: now})
	}
}

// BenchmarkAGrowingLog is the whole path from the file to the readings, on a
// log of chatter with a step now and then.
func BenchmarkAGrowingLog(b *testing.B) {
	path := filepath.Join(b.TempDir(), "train.log")
	chatter := "2025-06-16 22:30:01,100 INFO dataloader worker 3 fetched shard_00012.tar in 31 ms, queue depth 12, lengths mean 812.3 p95 2044\n"
	text := strings.Repeat(strings.Repeat(chatter, 200)+"step: 12 allocated: 3.25 GiB, reserved: 4.50 GiB\n", 400)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		src := logtail.New(logtail.Config{Paths: []string{path}, NewParser: newParser, FromStart: true})
		n := len(src.Read(b.Context(), monitor.Request{Time: time.Unix(1_700_000_000, 0)}).Readings)
		if n != 400 {
			b.Fatalf("%d readings", n)
		}
		if err := src.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

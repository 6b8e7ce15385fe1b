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

func TestAFileIsReadFromWhereTheLastReadEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "train.log")
	write := func(text string) {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	s := logtail.New(logtail.Config{Paths: []string{path}, NewParser: newParser})
	now := time.Unix(1000, 0)
	read := func() monitor.Part {
		now = now.Add(time.Second)
		return s.Read(context.Background(), monitor.Request{Time: now})
	}
	if p := read(); p.Status.State != monitor.StateUnavailable {
		t.Fatalf("a log that does not exist is %v", p.Status)
	}
	write("Allocated: 3.25 GB\nReserved: 4.5")
	p := read()
	if len(p.Readings) != 1 || len(p.Lines) != 1 || p.Lines[0].Number != 1 {
		t.Fatalf("got %+v", p)
	}
	write("0 GB\n")
	p = read()
	if len(p.Readings) != 1 || p.Lines[0].Text != "Reserved: 4.50 GB" || p.Lines[0].Number != 2 {
		t.Fatalf("got %+v", p)
	}
}

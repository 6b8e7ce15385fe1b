package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/vramscope/vramscope/monitor/record"
)

// loadPatience is how long a recording may take to load before the screen says
// that it does. Nearly all are there by then.
const loadPatience = 50 * time.Millisecond

// loading is a recording that is being read.
type loading struct {
	title   string
	size    int64 // of the file in bytes; 0 for a pipe
	read    atomic.Int64
	samples atomic.Int64

	begun chan struct{} // closed once it turned out to be a recording
	done  chan struct{} // closed when rec and err are there
	rec   *record.Recording
	err   error
}

// openLoading opens a recording, standard input for a dash, and begins to read
// it, until ctx ends.
func openLoading(ctx context.Context, sys System, name string, opts *options) (*loading, error) {
	in, info, err := openUntil(ctx, sys, name)
	if err != nil {
		return nil, err
	}
	l := &loading{title: filepath.Base(name), begun: make(chan struct{}), done: make(chan struct{})}
	if name == "-" {
		l.title, name = "standard input", "standard input"
	} else if info.Mode().IsRegular() {
		l.size = info.Size()
	}
	go l.load(ctx, in, name, newRecordedLogs(opts))
	return l, nil
}

// openUntil is openInput until ctx ends: a pipe with a name is open when it has a
// writer, and that may never come.
func openUntil(ctx context.Context, sys System, name string) (io.ReadCloser, os.FileInfo, error) {
	type opened struct {
		in   io.ReadCloser
		info os.FileInfo
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		in, info, err := openInput(sys, name)
		done <- opened{in, info, err}
	}()
	select {
	case o := <-done:
		return o.in, o.info, o.err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

func (l *loading) load(ctx context.Context, in io.ReadCloser, name string, parse record.LineParser) {
	defer close(l.done)
	defer in.Close() //nolint:errcheck // read only
	defer func() {
		if what := recover(); what != nil { // beside the screen it would leave the terminal as it is
			l.rec, l.err = nil, fmt.Errorf("%s: reading it went wrong inside the program: %v", name, what)
		}
	}()
	l.rec, l.err = record.LoadWatched(&counted{in, &l.read}, name, parse, func(samples int) error {
		if samples == 0 {
			close(l.begun)
		}
		l.samples.Store(int64(samples))
		return ctx.Err()
	})
	if l.err == nil && len(l.rec.Samples) == 0 {
		l.rec, l.err = nil, fmt.Errorf("%s: the recording has no sample", name)
	}
}

// counted counts the bytes that are read through it.
type counted struct {
	io.Reader
	read *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// isOne waits until the file turned out to be a recording, or not to be one,
// and then a little: a recording of usual length is loaded by then, which the
// result tells.
func (l *loading) isOne(ctx context.Context) (loaded bool, err error) {
	select {
	case <-l.begun:
	case <-l.done:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	select {
	case <-l.done:
		return true, l.err
	case <-ctx.Done():
		return false, ctx.Err()
	case <-time.After(loadPatience):
		return false, nil
	}
}

// wait waits for the whole recording.
func (l *loading) wait(ctx context.Context) (*record.Recording, error) {
	select {
	case <-l.done:
		return l.rec, l.err
	case <-ctx.Done(): // a pipe may never end
		return nil, ctx.Err()
	}
}

// progress says in a sentence how far it is.
func (l *loading) progress() string {
	read := float64(l.read.Load()) / 1e6
	far := fmt.Sprintf("%.0f MB read", read)
	if l.size > 0 {
		far = fmt.Sprintf("%d %%, %.0f of %.0f MB", min(l.read.Load()*100/l.size, 100), read, float64(l.size)/1e6)
	}
	count := l.samples.Load()
	word := "samples"
	if count == 1 {
		word = "sample"
	}
	return fmt.Sprintf("Loading %s: %s, %s %s. q quits.", l.title, far, grouped(count), word)
}

// grouped writes a count with commas between the thousands.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

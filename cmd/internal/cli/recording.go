package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
)

// recording is where a command records to.
type recording struct {
	*record.Writer
	name   string    // for people
	under  io.Closer // what the writer does not close itself; nil for none
	leave  func()    // ends the patience with a reader; nil where it ends by itself
	failed bool
}

// Write adds a sample.
func (r *recording) Write(s monitor.Sample) error {
	err := r.Writer.Write(s)
	r.failed = r.failed || err != nil
	return err
}

// hurry ends the patience with a reader who stands still.
func (r *recording) hurry() {
	if r != nil && r.leave != nil {
		r.leave()
	}
}

// Close ends the recording. After a write that failed it is silent: it could
// only say the same again.
func (r *recording) Close() error {
	r.hurry()
	err := r.Writer.Close()
	if r.failed {
		err = nil
	}
	if r.under != nil {
		err = errors.Join(err, r.under.Close())
	}
	return err
}

// openRecording opens what -o or --record names: standard output for a dash, a
// new file, or a pipe or device that is there, where nothing can be lost. For a
// reader of a pipe is waited until ctx ends, for it to read as the patience says.
func openRecording(ctx context.Context, reading patience, sys System, name string, opts record.Options) (*recording, error) {
	if isStandardOutput(name) {
		// A terminal may be there, which must not obey what a process is called.
		to := &wholeLines{to: harmless{&leavable{patience: reading, to: sys.Stdout}}}
		return &recording{Writer: record.NewWriter(to, opts), name: "standard output"}, nil
	}
	info, err := os.Stat(name)
	switch {
	case err != nil || info.Mode().IsRegular():
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; name a file in it", name)
	default:
		return openStream(ctx, reading, name, opts)
	}
	w, err := record.Create(name, opts)
	if errors.Is(err, fs.ErrExist) {
		return nil, &existsError{name}
	}
	if err != nil {
		return nil, err
	}
	return &recording{Writer: w, name: name}, nil
}

// isStandardOutput reports whether a name means standard output.
func isStandardOutput(name string) bool {
	return slices.Contains([]string{"-", "/dev/stdout", "/dev/fd/1"}, name)
}

// existsError is a recording that is there and would be lost.
type existsError struct{ name string }

func (e *existsError) Error() string { return e.name + " is there already" }

// openStream opens a pipe or a device. A pipe is open when it has a reader, and
// that may never come.
func openStream(ctx context.Context, reading patience, name string, opts record.Options) (*recording, error) {
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		done <- opened{f, err}
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: nobody reads from it", name)
	case o := <-done:
		if o.err != nil {
			return nil, fmt.Errorf("open a recording to write: %w", o.err)
		}
		opts.Gzip = opts.Gzip || strings.HasSuffix(name, ".gz")
		return &recording{Writer: record.NewWriter(&leavable{patience: reading, to: o.file}, opts), name: name, under: o.file}, nil
	}
}

// wholeLines hands lines on whole, however they come.
type wholeLines struct {
	to   io.Writer
	rest []byte
}

// Write takes any part of a line.
func (w *wholeLines) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	end := bytes.LastIndexByte(w.rest, '\n')
	if end < 0 {
		return len(p), nil
	}
	_, err := w.to.Write(w.rest[:end+1])
	w.rest = append(w.rest[:0], w.rest[end+1:]...)
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/scrub"
)

// debugLogTitle is the first line of a debug log. A file that begins with
// anything else is the user's and is not touched.
const debugLogTitle = "# debug log of vramscope\n"

// debugLogBytes is the most that one file of the debug log holds. There are two:
// when it is full it becomes FILE.old and a new one begins.
const debugLogBytes = 1 << 20

// debugLogPath returns where the debug log is written: the file that was named,
// or for "auto" vramscope/debug.log in XDG_STATE_HOME or ~/.local/state.
func debugLogPath(name string, environ []string) (string, error) {
	if name != "auto" {
		return name, nil
	}
	if dir, _ := lookup(environ, "XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "vramscope", "debug.log"), nil
	}
	if home, _ := lookup(environ, "HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "state", "vramscope", "debug.log"), nil
	}
	return "", errors.New("--debug-log auto: neither XDG_STATE_HOME nor HOME says where; name a file")
}

// openDebugLog makes the log of what goes wrong inside the program, which has no
// place on the screen, where --debug-log asks for one. The caller closes it.
func (o *options) openDebugLog(sys System) (io.Closer, error) {
	if o.screen.debugLog == "" {
		return io.NopCloser(nil), nil
	}
	path, err := debugLogPath(o.screen.debugLog, sys.Environ)
	if err != nil {
		return nil, err
	}
	if o.screen.debugLog == "auto" {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("debug log: %w", err)
		}
	}
	file := &boundedFile{path: path}
	if err := file.open(); err != nil {
		return nil, fmt.Errorf("debug log: %w", err)
	}
	o.screen.log = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{ReplaceAttr: withoutSecrets}))
	o.screen.log.Info("start", "version", versionLine(), "pid", os.Getpid(), "interval", o.interval, "term", termOf(sys.Environ))
	return file, nil
}

func termOf(environ []string) string {
	name, _ := lookup(environ, "TERM")
	return name
}

// withoutSecrets scrubs what may come from a command line or a log.
func withoutSecrets(_ []string, a slog.Attr) slog.Attr {
	switch v := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(scrub.Text(v))
	case error:
		a.Value = slog.StringValue(scrub.Text(v.Error()))
	}
	return a
}

// boundedFile is a file that begins anew when it is full. What cannot be written
// is lost: a full disk must not end the program.
type boundedFile struct {
	path string
	mu   sync.Mutex
	f    *os.File
	size int64
}

// open opens the file at its end, and has the runtime write there as well how
// the program fell over. The file that is replaced when this one is full must
// be one of ours too.
func (b *boundedFile) open() error {
	old, err := ownLog(b.path+".old", os.O_RDONLY)
	if err == nil {
		_ = old.Close()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := ownLog(b.path, os.O_CREATE|os.O_APPEND|os.O_RDWR)
	if err != nil {
		return err
	}
	if b.size, err = f.Seek(0, io.SeekEnd); err == nil && b.size == 0 {
		var n int
		n, err = f.WriteString(debugLogTitle)
		b.size = int64(n)
	}
	if err != nil {
		_ = f.Close()
		return err
	}
	b.f = f
	return debug.SetCrashOutput(f, debug.CrashOptions{})
}

// ownLog opens a debug log that is empty or begins as one, for its owner alone.
// It neither waits for the other end of a pipe nor follows a link.
func ownLog(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no ordinary file", path)
	}
	if err == nil && info.Size() > 0 {
		begin := make([]byte, len(debugLogTitle))
		if _, e := f.ReadAt(begin, 0); e != nil || string(begin) != debugLogTitle {
			err = fmt.Errorf("%s holds something else and is left alone; name another file", path)
		}
	}
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Write appends a line.
func (b *boundedFile) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.f == nil {
		return 0, os.ErrClosed
	}
	if b.size+int64(len(line)) > debugLogBytes {
		_ = b.f.Close()
		b.f = nil
		_ = os.Rename(b.path, b.path+".old")
		if err := b.open(); err != nil {
			return 0, err
		}
	}
	n, err := b.f.Write(line)
	b.size += int64(n)
	return n, err
}

// Close closes the file.
func (b *boundedFile) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.f == nil {
		return nil
	}
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	err := b.f.Close()
	b.f = nil
	return err
}

// diagnosed is a feed that notes what goes wrong on its way.
type diagnosed struct {
	monitor.Feed
	log    *slog.Logger
	states map[string]monitor.State
}

// diagnosed has what goes wrong on the way of a feed noted in the debug log;
// without one it is the feed itself.
func (o *options) diagnosed(feed monitor.Feed) monitor.Feed {
	if o.screen.log == nil {
		return feed
	}
	return &diagnosed{Feed: feed, log: o.screen.log, states: map[string]monitor.State{}}
}

// Next waits for the next batch and notes which sources changed their state.
func (d *diagnosed) Next(ctx context.Context) (monitor.Batch, error) {
	b, err := d.Feed.Next(ctx)
	if err != nil && ctx.Err() == nil {
		d.log.Info("feed ended", "why", err)
	}
	if b.Dropped > 0 {
		d.log.Info("samples dropped: the screen was late", "count", b.Dropped)
	}
	for i := range b.Samples {
		for _, s := range b.Samples[i].Sources {
			if was, known := d.states[s.Name]; !known || was != s.State {
				d.states[s.Name] = s.State
				d.log.Info("source", "name", s.Name, "state", s.State.String(), "reason", s.Reason, "took", s.Took)
			}
		}
	}
	return b, err
}

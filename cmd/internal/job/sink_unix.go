//go:build linux || darwin

package job

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	moveBytes   = 64 << 10
	recentBytes = 256 << 10 // kept to begin a file with that is opened late
)

// sink is where the output of a job goes: a file, the monitor and, without a
// pseudo-terminal, the stream that the job would have written to itself. A file
// that cannot be written does not hold the job up.
type sink struct {
	events *lines
	toward *queue // the monitor

	mu     sync.Mutex
	file   *os.File
	recent []byte // the end of the output, while there is no file
	keep   bool   // recent is wanted
}

// write takes what the job wrote.
func (s *sink) write(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		if _, err := s.file.Write(p); err != nil {
			s.events.send(event{What: evNoFile, Text: err.Error()})
			_ = s.file.Close()
			s.file = nil
		}
	} else if s.keep {
		s.recent = append(s.recent, p...)
		if over := len(s.recent) - 2*recentBytes; over > 0 {
			s.recent = append(s.recent[:0], s.recent[len(s.recent)-recentBytes:]...)
		}
	}
	_, _ = s.toward.Write(p)
}

// openSpare begins a file for a job that goes on alone, with the newest output.
func (s *sink) openSpare(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file != nil {
		s.events.send(event{What: evFile, Text: s.file.Name()})
		return
	}
	f, err := createSpare(name)
	if err == nil {
		_, err = f.Write(s.recent)
	}
	s.recent, s.keep = nil, false
	if err != nil {
		s.events.send(event{What: evNoFile, Text: err.Error()})
		return
	}
	s.file = f
	s.events.send(event{What: evFile, Text: f.Name()})
}

// maxSpares bounds the numbers that are tried behind a name that is taken.
const maxSpares = 100

// createSpare creates a file of that name that was not there, in the current
// folder or else in the user's or the temporary one.
func createSpare(name string) (*os.File, error) {
	if name == "" {
		return nil, errors.New("no file was named")
	}
	folders := []string{filepath.Dir(name), os.TempDir()}
	if home, err := os.UserHomeDir(); err == nil {
		folders = []string{filepath.Dir(name), home, os.TempDir()}
	}
	base := filepath.Base(name)
	ext := filepath.Ext(base)
	var first error
	for _, folder := range folders {
		for i := range maxSpares {
			try := base
			if i > 0 {
				try = fmt.Sprintf("%s-%d%s", base[:len(base)-len(ext)], i, ext)
			}
			f, err := os.OpenFile(filepath.Join(folder, try), os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
			if err == nil {
				return f, nil
			}
			if first == nil {
				first = err
			}
			if !errors.Is(err, os.ErrExist) {
				break
			}
		}
	}
	return nil, first
}

// intake moves what can be read from one descriptor.
type intake struct {
	fd      int
	through int // the descriptor that gets the same bytes, −1 for none
	ended   atomic.Bool

	mu           sync.Mutex
	taken, moved int64 // bytes read, and of them passed on
}

// move moves bytes until there are no more writers, or until the reader of the
// stream behind is gone: then the job shall learn of it as it would alone.
func (in *intake) move(s *sink) {
	buf := make([]byte, moveBytes)
	defer func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.ended.Store(true)
		_ = unix.Close(in.fd)
	}()
	for {
		if !in.readable(-1) {
			continue
		}
		n, err := in.take(buf)
		if n > 0 {
			broken := in.through >= 0 && writeAll(in.through, buf[:n]) != nil
			s.write(buf[:n])
			in.passed(n)
			if broken {
				return
			}
		}
		// The read end of a pseudo-terminal says EIO when nobody has the other end.
		if n <= 0 && !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.EAGAIN) {
			return
		}
	}
}

// take reads what is there.
func (in *intake) take(buf []byte) (int, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	n, err := unix.Read(in.fd, buf)
	in.taken += int64(max(n, 0))
	return n, err
}

func (in *intake) passed(n int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.moved += int64(n)
}

// written returns how many bytes have been written so far, read or not.
func (in *intake) written() int64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.ended.Load() {
		return in.taken
	}
	waiting, err := unix.IoctlGetInt(in.fd, readableBytes)
	if err != nil {
		waiting = 0
	}
	return in.taken + int64(waiting)
}

// reached reports whether so many bytes have been passed on.
func (in *intake) reached(n int64) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.ended.Load() || in.moved >= n
}

// readable waits so many milliseconds for bytes or the end; −1 for ever.
func (in *intake) readable(ms int) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(in.fd), Events: unix.POLLIN}}, ms)
	return err == nil && n > 0
}

// drained reports whether there is nothing more to move just now.
func (in *intake) drained() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.ended.Load() || in.moved == in.taken && !in.readable(0)
}

func writeAll(fd int, p []byte) error {
	for len(p) > 0 {
		n, err := unix.Write(fd, p)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN): // somebody made the stream non-blocking
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 100)
		case err != nil:
			return err
		default:
			p = p[n:]
		}
	}
	return nil
}

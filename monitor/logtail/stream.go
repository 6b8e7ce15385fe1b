package logtail

import (
	"fmt"
	"io"
	"sync"

	"github.com/vramscope/vramscope/monitor"
)

// maxQueued bounds what waits between two Reads, in bytes. What a job writes
// beyond it is dropped, the oldest first: a full pipe would stop the job.
const maxQueued = 2 << 20

// stdinName is the name of standard input in lines.
const stdinName = "stdin"

// stream reads standard input, or a job's output, all the time, so that the job that writes it
// never waits.
type stream struct {
	parser Parser
	lines  *Splitter
	log    *follower

	mu      sync.Mutex
	queue   []byte
	lost    bool  // bytes were dropped in front of the queue
	skipped int64 // of them in all
	ended   bool
	err     error

	finished bool
}

func newStream(from Stream, p Parser) *stream {
	s := &stream{parser: p, lines: NewSplitter()}
	s.log = &follower{file: file{path: from.Name}, parser: p, pid: from.PID}
	go s.pump(from.Reader)
	return s
}

// pump moves bytes from r to the queue until r ends.
func (s *stream) pump(r io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		s.mu.Lock()
		s.queue = append(s.queue, buf[:n]...)
		if over := len(s.queue) - maxQueued; over > 0 {
			s.queue = append(s.queue[:0], s.queue[over:]...)
			s.lost = true
			s.skipped += int64(over)
		}
		if err != nil {
			s.ended = true
			if err != io.EOF {
				s.err = err
			}
		}
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// read hands over the lines that wait.
func (s *stream) read(t *tick) {
	if s.finished {
		return
	}
	t.at(s.log)
	s.mu.Lock()
	queue, lost, ended := s.queue, s.lost, s.ended
	s.queue, s.lost = nil, false
	s.mu.Unlock()
	if lost {
		s.lines.End(t.take)
		s.lines = newMiddleSplitter()
	}
	took := 0
	for took < len(queue) && !t.full() {
		took += s.lines.Write(queue[took:], t.take)
	}
	if took < len(queue) {
		s.mu.Lock()
		s.queue = append(queue[took:len(queue):len(queue)], s.queue...)
		s.mu.Unlock()
		return
	}
	if took > 0 {
		s.log.grown, s.log.open = t.time, true
	}
	if ended {
		s.lines.End(t.take)
		t.flush()
		s.finished = true
		return
	}
	if s.log.open && t.time.Sub(s.log.grown) >= idleFlush {
		s.log.open = false
		t.flush()
	}
}

func (s *stream) status() FileStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.log.file.path
	if name == stdinName {
		name = "standard input"
	}
	st := FileStatus{Path: s.log.file.path, PID: s.log.pid, State: monitor.StateOK, BehindBytes: int64(len(s.queue)), SkippedBytes: s.skipped}
	switch {
	case s.err != nil:
		st.State, st.Reason = monitor.StateUnavailable, fmt.Sprintf("cannot read %s: %v", name, s.err)
	case s.ended:
		st.State, st.Reason = monitor.StateStale, name+" has ended"
	}
	return st
}

// close leaves the pump to end with its reader; nobody can interrupt a read of
// standard input.
func (s *stream) close() {}

package job

import (
	"fmt"
	"io"
	"sync"
)

// NewPipe returns a pipe whose writer never waits: what its reader leaves unread
// beyond some MiB is dropped, the oldest first, and a line says so. Read returns
// io.EOF after Close.
func NewPipe() io.ReadWriteCloser { return newQueue(queueBytes) }

// queueBytes is for a reader that is slow or suspended.
const queueBytes = 2 << 20

// queue is a pipe that never makes its writer wait: beyond twice its room the
// oldest bytes are dropped, and a line that says so stands in their place.
type queue struct {
	mu      sync.Mutex
	more    *sync.Cond
	buf     []byte
	room    int
	dropped int64
	handed  int64 // bytes handed out
	closed  bool
}

func newQueue(room int) *queue {
	q := &queue{room: room}
	q.more = sync.NewCond(&q.mu)
	return q
}

// Write takes all of p.
func (q *queue) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return len(p), nil
	}
	q.buf = append(q.buf, p...)
	if len(q.buf) > 2*q.room { // half at a time: moving bytes costs too
		over := len(q.buf) - q.room
		q.buf = append(q.buf[:0], q.buf[over:]...)
		q.dropped += int64(over)
	}
	q.more.Broadcast()
	return len(p), nil
}

// Read waits for bytes. It returns io.EOF after Close, when all is read.
func (q *queue) Read(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.buf) == 0 && q.dropped == 0 && !q.closed {
		q.more.Wait()
	}
	if q.dropped > 0 {
		q.buf = append([]byte(fmt.Sprintf("\r\n[%d bytes of output are left out here]\r\n", q.dropped)), q.buf...)
		q.dropped = 0
	}
	if len(q.buf) == 0 {
		return 0, io.EOF
	}
	n := copy(p, q.buf)
	q.buf = q.buf[n:]
	if len(q.buf) == 0 {
		q.buf = nil
	}
	q.handed += int64(n)
	return n, nil
}

// Close ends the queue after what is in it.
func (q *queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.more.Broadcast()
	return nil
}

// empty reports whether nothing waits, and how many bytes were handed out.
func (q *queue) empty() (bool, int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.buf) == 0 && q.dropped == 0, q.handed
}

package nvml

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// eventSet waits for what the driver tells by itself. It belongs to one
// goroutine.
type eventSet interface {
	// wait blocks in the driver until something happens. A time that ends is a
	// fault with returnTimeout.
	wait(timeout time.Duration) (event, error)
	free()
}

// event is one thing that the driver told.
type event struct {
	gpu int    // index; -1 when the driver names a device that is not known
	xid uint64 // number of the Xid; 0 for an uncorrectable memory error (nvmlEventTypeDoubleBitEccError)
}

const (
	// eventWait is how long one wait may last. Nothing is polled: a long wait
	// costs nothing, it only has to end before the driver is started anew.
	eventWait = 10 * time.Second
	// eventRetries bound the pauses after a wait that failed: a GPU that fell
	// off the bus makes every wait return at once.
	firstEventRetry, lastEventRetry = time.Second, time.Minute
	// maxEvents is how many events wait for the next Read.
	maxEvents = 64
)

// EventSource is the source that lines made of the driver's events carry.
const EventSource = "driver"

// watcher is the one goroutine that waits for the driver's events. A wait that
// hangs hangs here, and nothing waits for it but a new start of the driver.
type watcher struct {
	found   chan event
	dropped atomic.Int64
	stop    chan struct{}
	ended   chan struct{}

	mu    sync.Mutex
	err   error     // why nothing is told, or not of every device
	since time.Time // of the wait under way
}

// startWatcher begins to wait for events of that many devices.
func startWatcher(drv driver, devices int) *watcher {
	w := &watcher{found: make(chan event, maxEvents), stop: make(chan struct{}), ended: make(chan struct{})}
	go w.run(drv, devices)
	return w
}

func (w *watcher) run(drv driver, devices int) {
	defer close(w.ended)
	defer func() {
		if p := recover(); p != nil {
			w.note(fault{call: fmt.Sprintf("waiting for events (%v)", p), code: returnPanic})
		}
	}()
	set, troubles := drv.events(devices)
	w.note(troubles)
	if set == nil {
		return
	}
	defer set.free()
	pause := firstEventRetry
	for !w.stopped(0) {
		w.begin()
		e, err := set.wait(eventWait)
		switch code := codeOf(err); {
		case err == nil:
			w.tell(e)
			fallthrough
		case code == returnTimeout:
			w.note(troubles)
			pause = firstEventRetry
		case code.permanent() || code.driverGone():
			w.note(err)
			return
		default:
			w.note(err)
			w.stopped(pause)
			pause = min(2*pause, lastEventRetry)
		}
	}
}

// stopped tells whether the end was asked for, waiting that long for it.
func (w *watcher) stopped(patience time.Duration) bool {
	if patience <= 0 {
		select {
		case <-w.stop:
			return true
		default:
			return false
		}
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-w.stop:
		return true
	case <-timer.C:
		return false
	}
}

func (w *watcher) tell(e event) {
	select {
	case w.found <- e:
	default:
		w.dropped.Add(1)
	}
}

func (w *watcher) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err, w.since = err, time.Time{}
}

func (w *watcher) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Now()
}

// trouble says why nothing is told; nil when everything is.
func (w *watcher) trouble() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && !w.since.IsZero() && time.Since(w.since) > 2*eventWait {
		return fmt.Errorf("nvmlEventSetWait: %w", errSilent)
	}
	return w.err
}

// end asks for the end and waits for it no longer than one wait lasts.
func (w *watcher) end() {
	close(w.stop)
	timer := time.NewTimer(eventWait + time.Second)
	defer timer.Stop()
	select {
	case <-w.ended:
	case <-timer.C:
	}
}

// done tells whether no call of the watcher is under way.
func (w *watcher) done() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// Watching says why the driver's events (Xid errors, uncorrectable memory
// errors) are not told as they happen, or not for every device: an error; nil
// when they are, and before the driver is started. It may be called at any time
// from any goroutine.
func (s *Source) Watching() error {
	if w := s.watching.Load(); w != nil {
		return w.trouble()
	}
	return nil
}

// happened takes what the driver told since the last call: a line in the
// wording of the kernel's log, and a mark, for each.
func (s *Source) happened(t time.Time) (lines []monitor.LogLine, marks []monitor.Mark) {
	w := s.session.watch
	for w != nil && len(lines) < maxEvents {
		select {
		case e := <-w.found:
			line, mark := e.words()
			lines = append(lines, monitor.LogLine{Time: t, Source: EventSource, Text: line})
			marks = append(marks, monitor.Mark{Time: t, Text: mark})
			continue
		default:
		}
		break
	}
	if w != nil {
		if n := w.dropped.Swap(0); n > 0 {
			marks = append(marks, monitor.Mark{Time: t, Text: fmt.Sprintf("%d more errors of the driver", n)})
		}
	}
	return lines, marks
}

// words says an event as a line and, shorter, as a mark.
func (e event) words() (line, mark string) {
	where := "unknown GPU"
	if e.gpu >= 0 {
		where = fmt.Sprintf("GPU %d", e.gpu)
	}
	if e.xid == 0 {
		return "NVRM: " + where + ": uncorrectable ECC error", "memory error, " + where
	}
	line = fmt.Sprintf("NVRM: Xid (%s): %d", where, e.xid)
	if e.xid < 1<<16 {
		if text, _ := monitor.XidText(int(e.xid)); text != "" {
			line += ", " + text
		}
	}
	return line, fmt.Sprintf("Xid %d, %s", e.xid, where)
}

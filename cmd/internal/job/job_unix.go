//go:build linux || darwin

package job

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Job is a job that runs on a pseudo-terminal under a keeper. Its methods may be
// called from any goroutine.
type Job struct {
	spec    Spec
	pid     int
	keeper  *os.Process
	control *lines
	pipes   []io.Closer
	master  *os.File

	done     chan struct{} // closed when the job has ended and its output is here
	tapEnded chan struct{}
	tapped   atomic.Int64
	typed    chan []byte
	flushed  chan int64
	filed    chan event // where output goes after a detach

	mu     sync.Mutex
	state  State
	result Result
	ending bool   // the job has ended, and its last output is on its way
	note   string // what went wrong with the file
}

// Start starts a job. The error is a *StartError when the program is missing or
// cannot be executed.
func Start(spec Spec) (*Job, error) {
	path, err := findProgram(spec.Args[0])
	if err != nil {
		return nil, err
	}
	if spec.Spare != "" {
		if spec.Spare, err = filepath.Abs(spec.Spare); err != nil {
			return nil, err
		}
	}
	j := &Job{spec: spec, done: make(chan struct{}), tapEnded: make(chan struct{}), typed: make(chan []byte, maxTyped), flushed: make(chan int64, 1), filed: make(chan event, 4)}
	events, data, err := j.startKeeper()
	if err != nil {
		return nil, err
	}
	first := order{Path: path, Args: spec.Args, Stdin: spec.Stdin != nil, Spare: spec.Spare}
	if spec.Output != nil {
		first.File = spec.Output.Name()
	}
	j.control.send(first)
	told := json.NewDecoder(bufio.NewReader(events))
	var answer event
	if err := told.Decode(&answer); err != nil {
		j.close()
		return nil, fmt.Errorf("the keeper of the job ended at its start: %w", err)
	}
	if answer.What == evRefused {
		j.close()
		return nil, &StartError{Code: answer.Code, Err: errors.New(answer.Text)}
	}
	j.pid = answer.PID
	go j.tap(data)
	go j.listen(told)
	go j.typist()
	return j, nil
}

// startKeeper opens the pseudo-terminal and starts the keeper on it.
func (j *Job) startKeeper() (events, data *os.File, err error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("open a pseudo-terminal for the job: %w", err)
	}
	defer slave.Close() //nolint:errcheck // the keeper has its own
	j.master, j.pipes = master, []io.Closer{master}
	if err := prepareTerminal(master, slave, j.spec.Size); err != nil {
		j.close()
		return nil, nil, fmt.Errorf("set up a pseudo-terminal for the job: %w", err)
	}
	p, err := newPipes()
	if err != nil {
		j.close()
		return nil, nil, err
	}
	defer p.closeTheirs()
	j.control, j.pipes = &lines{w: p.control}, append(j.pipes, p.control, p.events, p.data)
	output, stdin := j.spec.Output, j.spec.Stdin
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		j.close()
		return nil, nil, err
	}
	defer null.Close() //nolint:errcheck // nothing is written
	if output == nil {
		output = null
	}
	if stdin == nil {
		stdin = null
	}
	files := append(p.theirs(), output, master, slave, stdin)
	attr := &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: fdSlave}
	if j.keeper, err = helper(KeeperCommand, [3]*os.File{}, files, attr); err != nil {
		j.close()
		return nil, nil, err
	}
	return p.events, p.data, nil
}

// prepareTerminal sets the size, and leaves line ends as the job writes them:
// its output goes to a file and a pane, neither of which needs a carriage
// return.
func prepareTerminal(master, slave *os.File, size Size) error {
	if err := setSize(master, size); err != nil {
		return err
	}
	return changeTermios(int(slave.Fd()), func(t *unix.Termios) { t.Oflag &^= unix.ONLCR })
}

func setSize(master *os.File, s Size) error {
	if s.Rows <= 0 || s.Columns <= 0 {
		s = Size{Rows: 24, Columns: 80}
	}
	return pty.Setsize(master, &pty.Winsize{Rows: uint16(min(s.Rows, 1<<15)), Cols: uint16(min(s.Columns, 1<<15))})
}

// PID returns the job's process number.
func (j *Job) PID() int { return j.pid }

// KeeperPID returns that of its keeper.
func (j *Job) KeeperPID() int { return j.keeper.Pid }

// Done is closed when the job has ended and what it wrote has reached Tap and
// Output.
func (j *Job) Done() <-chan struct{} { return j.done }

// State returns what the job is doing and, when it has ended, how.
func (j *Job) State() (State, Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state, j.result
}

// Trouble returns why output is not written to its file; empty when it is.
func (j *Job) Trouble() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.note
}

// Forward passes on a signal that this process was sent. What the keyboard
// would send goes to the group in front of the job's terminal, an end to the
// job's group, and anything else to the job itself. A new size is not a signal:
// use Resize.
func (j *Job) Forward(s syscall.Signal) {
	to := toJob
	switch s {
	case syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTSTP:
		to = toFront
	case syscall.SIGTERM, syscall.SIGHUP, syscall.SIGCONT:
		to = toGroup
	case syscall.SIGWINCH:
		return
	default:
	}
	j.control.send(command{Do: doSignal, Signal: int(s), To: to})
}

// Resize says how large the job's terminal is now; the job gets SIGWINCH when
// that is a change.
func (j *Job) Resize(s Size) error { return setSize(j.master, s) }

// Write types p on the job's terminal. It does not wait for a job that does not
// read: what it leaves unread beyond some lines is refused.
func (j *Job) Write(p []byte) (int, error) {
	select {
	case j.typed <- append([]byte(nil), p...):
		return len(p), nil
	default:
		return 0, errors.New("the job does not read what is typed")
	}
}

// maxTyped bounds the lines that wait for a job that does not read.
const maxTyped = 64

func (j *Job) typist() {
	for {
		select {
		case p := <-j.typed:
			if _, err := j.master.Write(p); err != nil {
				return
			}
		case <-j.done:
			return
		}
	}
}

// End asks the job to end with SIGTERM and ends it with SIGKILL, children and
// all, when it has not after the grace period. It does not wait: see Done.
func (j *Job) End(grace time.Duration) {
	j.control.send(command{Do: doEnd, MS: grace.Milliseconds()})
}

// detachLimit is how long a keeper may take to say where output goes.
const detachLimit = 5 * time.Second

// Detach leaves the job running under its keeper. It returns the name of the
// file that gets the job's output from now on; the error says why none does,
// and the job goes on all the same. The Job must not be used afterwards.
func (j *Job) Detach() (string, error) {
	j.control.send(command{Do: doDetach})
	defer j.close()
	timer := time.NewTimer(detachLimit)
	defer timer.Stop()
	select {
	case e := <-j.filed:
		if e.What == evFile {
			return e.Text, nil
		}
		return "", fmt.Errorf("the job's output is dropped: %s", e.Text)
	case <-j.done:
		return "", errors.New("the job has ended")
	case <-timer.C:
		return "", errors.New("the keeper does not say where the job's output goes")
	}
}

// Close lets go of a job that has ended.
func (j *Job) Close() {
	j.control.send(command{Do: doDone})
	j.close()
	farewell(j.keeper)
}

// farewell gives a keeper whose work is done a moment to end, so that it leaves
// no zombie to an init that does not reap. One that still moves the output of
// processes that the job left behind is left alone.
func farewell(keeper *os.Process) {
	if keeper == nil {
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = keeper.Wait()
	}()
	select {
	case <-gone:
	case <-time.After(2 * quiet):
	}
}

func (j *Job) close() {
	for _, p := range j.pipes {
		_ = p.Close()
	}
}

// tap hands the output on.
func (j *Job) tap(data io.Reader) {
	defer close(j.tapEnded)
	buf := make([]byte, moveBytes)
	for {
		n, err := data.Read(buf)
		if n > 0 {
			if j.spec.Tap != nil {
				_, _ = j.spec.Tap.Write(buf[:n])
			}
			j.tapped.Add(int64(n))
		}
		if err != nil {
			return
		}
	}
}

// listen follows what the keeper tells.
func (j *Job) listen(told *json.Decoder) {
	for {
		var e event
		if err := told.Decode(&e); err != nil {
			j.keeperGone()
			return
		}
		switch e.What {
		case evStopped:
			j.set(Stopped, Result{})
		case evContinued:
			j.set(Running, Result{})
		case evEnded:
			j.mu.Lock()
			j.ending = true
			j.mu.Unlock()
			go j.finish(Result{Code: e.Code, Signal: syscall.Signal(e.Signal), Core: e.Core})
		case evFlushed:
			select {
			case j.flushed <- e.Bytes:
			default:
			}
		case evFile, evNoFile:
			if e.What == evNoFile {
				j.mu.Lock()
				j.note = e.Text
				j.mu.Unlock()
			}
			select {
			case j.filed <- e:
			default:
			}
		}
	}
}

// finish waits for the rest of the output before the end is told.
func (j *Job) finish(r Result) {
	j.control.send(command{Do: doFlush})
	timer := time.NewTimer(2 * flushLimit)
	defer timer.Stop()
	select {
	case n := <-j.flushed:
		for j.tapped.Load() < n {
			select {
			case <-j.tapEnded:
				n = 0
			case <-time.After(time.Millisecond):
			}
		}
	case <-j.tapEnded:
	case <-timer.C:
	}
	j.set(Ended, r)
}

// keeperGone settles a job whose keeper was killed: how it ended is not known.
func (j *Job) keeperGone() {
	<-j.tapEnded
	j.mu.Lock()
	ending := j.ending
	j.mu.Unlock()
	if ending {
		return // finish tells
	}
	j.set(Ended, Result{Code: codeSignal + int(syscall.SIGKILL), Signal: syscall.SIGKILL})
}

func (j *Job) set(state State, r Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.state == Ended {
		return
	}
	j.state, j.result = state, r
	if state == Ended {
		close(j.done)
	}
}

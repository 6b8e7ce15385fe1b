//go:build linux || darwin

package job

import (
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Plain is a job that runs as a child of this process and nothing else: in its
// process group, with its standard streams. Use StartPlain and then Wait.
type Plain struct {
	family  family
	witness *witness
	tee     *tee
	changes chan change
	signals chan os.Signal

	stopped     bool      // the job is
	askedToStop time.Time // by SIGTSTP
}

type change struct {
	state  State
	result Result
}

// StartPlain starts a job with the standard streams of this process. The error
// is a *StartError when the program is missing or cannot be executed.
func StartPlain(spec PlainSpec) (*Plain, error) {
	path, err := findProgram(spec.Args[0])
	if err != nil {
		return nil, err
	}
	p := &Plain{changes: make(chan change, 64), signals: make(chan os.Signal, 64)}
	forwarded := Forwarded()
	signal.Notify(p.signals, forwarded...)
	adoptOrphans()
	p.witness = newWitness()
	out := []uintptr{0, 1, 2}
	if spec.Output != nil {
		if p.tee, err = newTee(spec); err != nil {
			p.close()
			return nil, err
		}
		out[1], out[2] = p.tee.stdout.Fd(), p.tee.stderr.Fd()
	}
	err = p.family.start(path, spec.Args, os.Environ(), out, nil)
	p.tee.handedOver()
	if err != nil {
		p.close()
		return nil, err
	}
	go p.family.wait(func(s State, r Result) { p.changes <- change{s, r} })
	return p, nil
}

// PID returns the job's process number.
func (p *Plain) PID() int { return p.family.pid }

// Trouble says why the copy of the output is not whole; empty when it is. It is
// known after Wait.
func (p *Plain) Trouble() string {
	if p.tee == nil {
		return ""
	}
	if why := p.tee.trouble.Load(); why != nil {
		return *why
	}
	return ""
}

// Wait passes signals on until the job has ended, and returns how. With a copy
// of the output being made, it waits for what was written before the end, not
// for processes that the job left behind.
func (p *Plain) Wait() Result {
	defer p.close()
	for {
		select {
		case s := <-p.signals:
			p.forward(s.(syscall.Signal)) //nolint:errcheck,forcetypeassert // os/signal has no others on Unix
		case c := <-p.changes:
			p.stopped = c.state == Stopped
			if c.state == Ended {
				p.tee.flush()
				return c.result
			}
		}
		p.followStop()
	}
}

// forward passes a signal on that was sent to this process alone.
func (p *Plain) forward(s syscall.Signal) {
	if !p.witness.sawToo(s) {
		_ = p.family.signal(s, false)
	}
	if s == syscall.SIGTSTP {
		p.askedToStop = time.Now()
	}
}

// stopTime is how long a job may take to stop on SIGTSTP.
const stopTime = time.Second

// followStop stops this process when the job has stopped on a SIGTSTP that this
// process got too, so that whoever started it sees a stopped job. A job that is
// stopped in another way is left to whoever did it: they would not continue
// this process. SIGTSTP itself would not do: Go keeps its handler.
func (p *Plain) followStop() {
	if p.stopped && time.Since(p.askedToStop) < stopTime {
		p.askedToStop = time.Time{}
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
}

func (p *Plain) close() {
	signal.Stop(p.signals)
	p.witness.close()
	p.tee.close()
}

// tee is a keeper without a job: it copies two streams to a file and to this
// process. It is a process of its own so that the job does not lose its output
// when this one is killed.
type tee struct {
	stdout, stderr *os.File // for the job
	control        *lines
	pipes          *pipes
	keeper         *os.Process
	copied         atomic.Int64
	trouble        atomic.Pointer[string] // why the file has not got everything
	ended          chan struct{}
	told           chan struct{} // the keeper has said its last
	flushed        chan int64
	once           sync.Once
}

func newTee(spec PlainSpec) (*tee, error) {
	t := &tee{ended: make(chan struct{}), told: make(chan struct{}), flushed: make(chan int64, 1)}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer outR.Close() //nolint:errcheck // the keeper's
	errR, errW, err := os.Pipe()
	if err != nil {
		_ = outW.Close()
		return nil, err
	}
	defer errR.Close() //nolint:errcheck // the keeper's
	t.stdout, t.stderr = outW, errW
	if t.pipes, err = newPipes(); err != nil {
		t.handedOver()
		return nil, err
	}
	defer t.pipes.closeTheirs()
	t.control = &lines{w: t.pipes.control}
	std := [3]*os.File{nil, os.Stdout, os.Stderr}
	files := append(t.pipes.theirs(), spec.Output, outR, errR)
	if t.keeper, err = helper(KeeperCommand, std, files, &syscall.SysProcAttr{Setsid: true}); err != nil {
		t.handedOver()
		t.close()
		return nil, err
	}
	t.control.send(order{File: spec.Output.Name()})
	go t.tap(t.pipes.data, spec.Tap)
	go t.listen(t.pipes.events)
	return t, nil
}

// handedOver closes the job's ends once it has them.
func (t *tee) handedOver() {
	if t != nil {
		_ = t.stdout.Close()
		_ = t.stderr.Close()
	}
}

func (t *tee) tap(data io.Reader, to io.Writer) {
	defer close(t.ended)
	buf := make([]byte, moveBytes)
	for {
		n, err := data.Read(buf)
		if n > 0 && to != nil {
			_, _ = to.Write(buf[:n])
		}
		t.copied.Add(int64(n))
		if err != nil {
			return
		}
	}
}

func (t *tee) listen(events io.Reader) {
	defer close(t.told)
	told := json.NewDecoder(events)
	for {
		var e event
		if told.Decode(&e) != nil {
			return
		}
		switch e.What {
		case evFlushed:
			t.flushed <- e.Bytes
		case evNoFile:
			t.trouble.Store(&e.Text)
		}
	}
}

// flush waits until all that the job wrote has been copied.
func (t *tee) flush() {
	if t == nil {
		return
	}
	t.control.send(command{Do: doFlush})
	select {
	case n := <-t.flushed:
		for t.copied.Load() < n {
			select {
			case <-t.ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	case <-t.ended: // the keeper had moved everything before it was asked, and goes
		select {
		case <-t.told:
		case <-time.After(flushLimit):
		}
	}
}

func (t *tee) close() {
	if t == nil || t.pipes == nil {
		return
	}
	t.once.Do(func() {
		t.control.send(command{Do: doDone})
		for _, c := range []*os.File{t.pipes.control, t.pipes.events, t.pipes.data} {
			_ = c.Close()
		}
		farewell(t.keeper)
	})
}

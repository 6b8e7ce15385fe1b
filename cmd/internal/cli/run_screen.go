package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/vramscope/vramscope/advisor"
	"github.com/vramscope/vramscope/cmd/internal/job"
	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/tui/screen/output"
)

// lastLook bounds the wait for one more sample after the end of a job.
const lastLook = 3 * time.Second

// attended is a job with a screen on it.
type attended struct {
	sys   System
	opts  *options
	how   *running
	job   *job.Job
	watch *watch
	page  *page
	keys  *os.File
	began time.Time
	ended chan time.Time // when the job ended, once it has

	onFinding func(advisor.Finding) error

	mu     sync.Mutex
	cancel context.CancelFunc // ends the screen that is up
	leave  leaving
	asking bool // the user is at a question, to which ctrl-c is no answer
}

// leaving is why the screen goes without the user's word.
type leaving uint8

const (
	stay    leaving = iota
	withJob         // the job was told to end; the screen goes with it
	alone           // the terminal is lost: the job goes on
)

// onScreen runs the job on a pseudo-terminal and shows the live screen.
func (how *running) onScreen(sys System, opts *options, file *os.File, rec *recording) error {
	a := &attended{sys: sys, opts: opts, how: how, began: sys.Now(), ended: make(chan time.Time, 1)}
	spec := job.Spec{Args: how.args, Size: terminalSize(sys), Output: file, Spare: "vramscope-run-" + a.began.Format("20060102-150405") + ".log"}
	diagnostics, err := opts.openDebugLog(sys)
	if err != nil {
		return err
	}
	defer diagnostics.Close() //nolint:errcheck // a debug log that is lost is no failure
	if a.keys, spec.Stdin, err = keysAndInput(sys); err != nil {
		return err
	}
	if a.onFinding, err = notifier(context.Background(), sys, opts.onFinding()); err != nil {
		return err
	}
	pipe := job.NewPipe()
	ring := output.NewRing(0)
	spec.Tap = io.MultiWriter(pipe, ring)
	if a.job, err = job.Start(spec); err != nil {
		return refused(err)
	}
	a.page = &page{job: a.job, ring: ring}
	opts.job = &jobOutput{name: outputName(how.output), pid: a.job.PID(), reader: pipe}
	if a.watch, err = newWatch(sys, opts); err != nil {
		a.job.End(0)
		return err
	}
	defer a.watch.Close() //nolint:errcheck // nothing is written
	go func() {
		<-a.job.Done()
		at := sys.Now()
		a.ended <- at
		_, result := a.job.State()
		a.watch.sampler.Mark(monitor.Mark{Time: at, Text: "the job " + result.String()})
		_ = pipe.Close()
	}()
	defer a.obeySignals()()
	watching, over := context.WithCancel(context.Background())
	defer over()
	frugal(watching)
	return a.show(newNotebook(rec, false, opts))
}

// keysAndInput tells where keys come from and, when standard input is no
// terminal, that it is the job's own.
func keysAndInput(sys System) (keys, jobInput *os.File, err error) {
	in, isFile := sys.Stdin.(*os.File)
	if isFile && isTerminal(in) {
		return in, nil, nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("standard input is the job's, and keys cannot be read elsewhere: %w; --headless needs none", err)
	}
	return tty, in, nil
}

// terminalSize is the size of the screen, which is the job's terminal's too.
func terminalSize(sys System) job.Size {
	if f, ok := sys.Stdout.(*os.File); ok {
		if columns, rows, err := term.GetSize(int(f.Fd())); err == nil {
			return job.Size{Rows: rows, Columns: columns}
		}
	}
	return job.Size{}
}

// obeySignals passes signals on to the job until the function it returns is
// called. SIGTSTP and SIGCONT are the screen's own: the job does not stop with
// it.
func (a *attended) obeySignals() (stop func()) {
	in := make(chan os.Signal, 16)
	var wanted []os.Signal
	for _, s := range job.Forwarded() {
		if s != syscall.SIGTSTP && s != syscall.SIGCONT {
			wanted = append(wanted, s)
		}
	}
	signal.Notify(in, wanted...)
	done := make(chan struct{})
	go func() {
		ended := a.job.Done()
		for {
			select {
			case s := <-in:
				if sig, ok := s.(syscall.Signal); ok {
					a.obey(sig, ended == nil)
				}
			case <-ended:
				ended = nil
				if a.why() == withJob {
					a.leaveNow(withJob)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { signal.Stop(in); close(done) }
}

// obey acts on one signal.
func (a *attended) obey(s syscall.Signal, ended bool) {
	hangup := s == syscall.SIGHUP && !a.how.hangup
	switch {
	case s == syscall.SIGWINCH:
		_ = a.job.Resize(terminalSize(a.sys))
	case s == syscall.SIGINT && a.isAsking():
		_, _ = fmt.Fprint(a.sys.Stderr, "\n> ") // no answer
	case ended && (s == syscall.SIGINT || s == syscall.SIGTERM || s == syscall.SIGHUP):
		a.leaveNow(withJob)
	case hangup:
		a.leaveNow(alone)
	default:
		a.job.Forward(s)
		if s == syscall.SIGINT || s == syscall.SIGTERM || s == syscall.SIGHUP {
			a.mu.Lock()
			a.leave = withJob
			a.mu.Unlock()
		}
	}
}

// leaveNow ends the screen.
func (a *attended) leaveNow(why leaving) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.leave = why
	if a.cancel != nil {
		a.cancel()
	}
}

func (a *attended) why() leaving {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.leave
}

func (a *attended) isAsking() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asking
}

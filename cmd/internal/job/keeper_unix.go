//go:build linux || darwin

package job

import (
	"bufio"
	"encoding/json"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// keeper is the process between the monitor and the job.
type keeper struct {
	order  order
	in     *bufio.Reader
	events *lines
	sink   *sink
	ins    []*intake
	job    family
	master int // the pseudo-terminal; −1 without one

	moving sync.WaitGroup
}

// Keep is the whole of the process that KeeperCommand starts. It returns the
// exit code of that process when the job has ended and its output is moved.
func Keep() int {
	// The job's terminal is this process's too; what comes from it is for the
	// job. SIGTERM at a shutdown ends the job and with it the keeper. They are
	// taken and dropped: ignored signals would stay ignored in the job.
	signal.Notify(make(chan os.Signal, 1), Forwarded()...)
	nameSelf("vramscope")
	k := &keeper{
		in:     bufio.NewReader(os.NewFile(fdControl, "control")),
		events: &lines{w: os.NewFile(fdEvents, "events")},
		master: -1,
	}
	line, err := k.in.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &k.order) != nil {
		return 1 // started by hand, or the monitor is gone already
	}
	for fd := fdControl; fd < fdFirstFree; fd++ {
		unix.CloseOnExec(fd)
	}
	closeInherited(fdFirstFree)
	k.sink = &sink{events: k.events, toward: newQueue(queueBytes), keep: k.order.Path != ""}
	if k.order.File != "" {
		k.sink.file = os.NewFile(fdFile, k.order.File)
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		k.feedMonitor(os.NewFile(fdData, "data"))
	}()
	if k.order.Path != "" {
		if code := k.startJob(); code != 0 {
			return code
		}
	} else {
		k.ins = []*intake{{fd: fdMaster, through: 1}, {fd: fdSlave, through: 2}}
	}
	for _, in := range k.ins {
		k.moving.Go(func() { in.move(k.sink) })
	}
	go k.obey()
	if k.order.Path != "" {
		k.job.wait(k.tell)
	}
	k.moving.Wait()
	_ = k.sink.toward.Close()
	<-fed // it ends when all is taken or the monitor is gone
	return 0
}

// startJob starts the job on the pseudo-terminal and returns 0, or the exit
// code for one that cannot be started.
func (k *keeper) startJob() int {
	adoptOrphans()
	k.master = fdMaster
	stdin := uintptr(fdSlave)
	if k.order.Stdin {
		stdin = fdStdin
	}
	err := k.job.start(k.order.Path, k.order.Args, os.Environ(), []uintptr{stdin, fdSlave, fdSlave},
		&syscall.SysProcAttr{Foreground: true, Ctty: fdSlave})
	_ = unix.Close(fdSlave) // or the end of the output would never show
	if k.order.Stdin {
		_ = unix.Close(fdStdin)
	}
	if err != nil {
		code := CodeNotExecutable
		if start, ok := err.(*StartError); ok { //nolint:errorlint // made here
			code = start.Code
		}
		k.events.send(event{What: evRefused, Code: code, Text: err.Error()})
		return code
	}
	k.events.send(event{What: evStarted, PID: k.job.pid})
	k.ins = []*intake{{fd: fdMaster, through: -1}}
	return 0
}

// tell passes on how the job is.
func (k *keeper) tell(state State, r Result) {
	switch state {
	case Stopped:
		k.events.send(event{What: evStopped})
	case Running:
		k.events.send(event{What: evContinued})
	case Ended:
		k.events.send(event{What: evEnded, Code: r.Code, Signal: int(r.Signal), Core: r.Core})
	}
}

// feedMonitor hands the output to the monitor as far as it takes it.
func (k *keeper) feedMonitor(to *os.File) {
	buf := make([]byte, moveBytes)
	for {
		n, err := k.sink.toward.Read(buf)
		if err != nil {
			break
		}
		if _, err := to.Write(buf[:n]); err != nil {
			_ = k.sink.toward.Close() // the monitor is gone
			break
		}
	}
	_ = to.Close()
}

// obey does what the monitor says until it is gone. When it goes without a word
// the job is to go on as if it had been detached.
func (k *keeper) obey() {
	leave := command{Do: doDetach}
	for {
		line, err := k.in.ReadBytes('\n')
		if err != nil {
			break
		}
		var c command
		if json.Unmarshal(line, &c) != nil {
			continue
		}
		switch c.Do {
		case doSignal:
			k.signal(syscall.Signal(c.Signal), c.To)
		case doEnd:
			go k.end(time.Duration(c.MS) * time.Millisecond)
		case doFlush:
			k.flush()
		case doDetach, doDone:
			leave = c
			k.leave(c.Do)
		}
	}
	if leave.Do == doDetach && k.job.running() {
		k.leave(doDetach)
	}
	_ = k.sink.toward.Close()
}

// leave prepares for a monitor that goes.
func (k *keeper) leave(how string) {
	if how == doDetach {
		k.sink.openSpare(k.order.Spare)
	}
}

// signal sends a signal to the job.
func (k *keeper) signal(s syscall.Signal, to target) {
	if to == toFront && k.master >= 0 {
		if front, err := unix.IoctlGetInt(k.master, unix.TIOCGPGRP); err == nil && front > 0 && k.job.running() {
			_ = syscall.Kill(-front, s)
			return
		}
	}
	_ = k.job.signal(s, to != toJob)
}

// end asks the job to end and, after a time, ends it.
func (k *keeper) end(grace time.Duration) {
	for _, to := range []target{toGroup, toFront} {
		k.signal(syscall.SIGTERM, to)
		k.signal(syscall.SIGCONT, to) // one that is stopped cannot act on it
	}
	time.Sleep(grace)
	if !k.job.running() {
		k.endRest()
		return
	}
	for _, pid := range descendants(k.job.pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	k.signal(syscall.SIGKILL, toGroup)
}

// endRest ends what is left of the group of a job that has ended by itself:
// workers that heeded no SIGTERM would keep their memory. They are this
// process's children by now, so that the numbers are theirs.
func (k *keeper) endRest() {
	for _, pid := range descendants(os.Getpid()) {
		if group, err := unix.Getpgid(pid); err == nil && group == k.job.pid {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// quiet is how long nothing must come before the output of a job that has ended
// counts as moved while others still hold its terminal; flushLimit bounds it.
const (
	quiet      = 100 * time.Millisecond
	flushLimit = 5 * time.Second
)

// flush waits until what the job wrote is moved, and tells how much the monitor
// was handed.
func (k *keeper) flush() {
	if k.master >= 0 {
		k.flushTerminal()
	} else {
		k.flushPipes()
	}
	k.settle()
	_, n := k.sink.toward.empty()
	k.events.send(event{What: evFlushed, Bytes: n})
}

// flushPipes waits for exactly what is in the pipes, however slow its reader is:
// alone, the job would have waited for it as well.
func (k *keeper) flushPipes() {
	for _, in := range k.ins {
		for goal := in.written(); !in.reached(goal); {
			time.Sleep(time.Millisecond)
		}
	}
}

// flushTerminal waits for a moment of silence: the kernel moves what is written
// to a terminal in its own time, and does not tell how much is on its way.
func (k *keeper) flushTerminal() {
	began, calm := time.Now(), time.Now()
	for time.Since(began) < flushLimit {
		all, drained := true, true
		for _, in := range k.ins {
			all, drained = all && in.ended.Load(), drained && in.drained()
		}
		if !drained {
			calm = time.Now()
		}
		if all || time.Since(calm) >= quiet {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// settle waits until the monitor has taken what waits for it, as long as it
// takes anything.
func (k *keeper) settle() {
	last, calm := int64(-1), time.Now()
	for {
		empty, n := k.sink.toward.empty()
		if n != last {
			last, calm = n, time.Now()
		}
		if empty || time.Since(calm) > flushLimit {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

package job

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
	"time"
)

// The exit codes of a job that could not be started, as in a shell.
const (
	CodeNotExecutable = 126
	CodeNotFound      = 127
	codeSignal        = 128 // plus the signal's number
)

// KeeperCommand and WitnessCommand are the first arguments with which this
// program is started again; the program hands over to Keep and to Witness.
const (
	KeeperCommand  = "run-keeper"
	WitnessCommand = "run-witness"
)

// Size is that of a terminal, in cells.
type Size struct{ Rows, Columns int }

// Spec says what to start on a pseudo-terminal, and how.
type Spec struct {
	Args []string // the program and its arguments
	// Stdin is the job's standard input; nil for the pseudo-terminal.
	Stdin *os.File
	Size  Size
	// Output gets every byte that the job writes; nil for no file.
	Output *os.File
	// Spare names the file that output goes to when the job is left running
	// without Output. A name that is taken is followed by a number.
	Spare string
	// Tap gets what the job writes, as far as it keeps up. It is called from
	// one goroutine.
	Tap io.Writer
}

// PlainSpec says what to start without a screen.
type PlainSpec struct {
	Args []string
	// Output gets a copy of standard output and standard error; nil leaves both
	// exactly as they are.
	Output *os.File
	Tap    io.Writer // as in Spec; gets nothing without Output
}

// Result is how a job ended.
type Result struct {
	Code   int            // its exit code, or 128 and the signal's number
	Signal syscall.Signal // that ended it; 0 when it exited
	Core   bool           // it left a core dump
}

// String says it in words: "exited with code 1", "was killed by SIGKILL".
func (r Result) String() string {
	switch {
	case r.Signal == 0 && r.Code == 0:
		return "ended well"
	case r.Signal == 0:
		return "exited with code " + strconv.Itoa(r.Code)
	case r.Core:
		return "was ended by " + SignalName(r.Signal) + " (core dumped)"
	}
	return "was ended by " + SignalName(r.Signal)
}

// StartError is why a job could not be started.
type StartError struct {
	Code int // CodeNotFound or CodeNotExecutable
	Err  error
}

// Error returns the reason.
func (e *StartError) Error() string { return e.Err.Error() }

// Unwrap returns the reason as an error.
func (e *StartError) Unwrap() error { return e.Err }

// State is what a job is doing.
type State uint8

// The states.
const (
	Running State = iota
	Stopped       // by a signal, until SIGCONT
	Ended
)

// Grace is how long a job has between SIGTERM and SIGKILL when it is to end.
const Grace = 10 * time.Second

// OpenOutput opens the file for a job's output, readable by its owner and group
// as the umask allows. A regular file with something in it is refused unless
// it is to be appended to: it may be the log of an earlier run.
func OpenOutput(name string, appendTo bool) (*os.File, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !appendTo {
		return nil, fmt.Errorf("output %s: there is something in this file already; --append adds to it", name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	return f, nil
}

// SignalName returns "SIGTERM" and the like.
func SignalName(s syscall.Signal) string {
	if name, ok := signalNames()[s]; ok {
		return name
	}
	return "signal " + strconv.Itoa(int(s))
}

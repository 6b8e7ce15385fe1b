// Package signal sends a signal to one process, and says beforehand what that
// would do. It is the only place that sends any.
//
// It must not decide whether to send: who calls Send has asked the user and
// knows that signals are not turned off. A number alone names no process for
// good, so the start time is looked at again right before sending.
package signal

import (
	"errors"
	"fmt"
)

// Signal is one of the signals that can be sent.
type Signal uint8

// The signals, the gentlest first.
const (
	Interrupt Signal = iota // as ctrl-c: Python raises KeyboardInterrupt
	Terminate               // asks to end
	Kill                    // ends at once, nothing is saved
)

// All returns the signals in the order of a menu.
func All() []Signal { return []Signal{Terminate, Interrupt, Kill} }

// String returns the signal's name: SIGINT, SIGTERM, SIGKILL.
func (s Signal) String() string {
	switch s {
	case Interrupt:
		return "SIGINT"
	case Terminate:
		return "SIGTERM"
	case Kill:
		return "SIGKILL"
	}
	return fmt.Sprintf("signal(%d)", uint8(s))
}

// Effect says in a few words what the signal does to a training job.
func (s Signal) Effect() string {
	switch s {
	case Interrupt:
		return "as ctrl-c: Python raises KeyboardInterrupt and may save"
	case Terminate:
		return "asks it to end; it may save first"
	case Kill:
		return "ends it at once; nothing is saved"
	}
	return ""
}

// Self is the program that sends: a signal to itself is refused, and a missing
// right is explained by who it runs as.
type Self struct {
	PID int
	UID int
}

// The kinds of refusal and failure, for errors.Is.
var (
	ErrRefused     = errors.New("no signal was sent")
	ErrGone        = errors.New("the process has ended")
	ErrReused      = errors.New("its number belongs to another process by now")
	ErrPermission  = errors.New("not permitted")
	ErrUnsupported = errors.New("signals are not supported on this system")
)

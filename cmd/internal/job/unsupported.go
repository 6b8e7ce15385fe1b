//go:build !linux && !darwin

package job

import (
	"errors"
	"os"
	"syscall"
	"time"
)

var errUnsupported = errors.New("run works on Linux and macOS only")

// Job is a job on a pseudo-terminal; there is none on this system.
type Job struct{}

// Plain is a job without a screen; there is none on this system.
type Plain struct{}

// Start returns an error: this system has no pseudo-terminals.
func Start(Spec) (*Job, error) { return nil, errUnsupported }

// StartPlain returns an error.
func StartPlain(PlainSpec) (*Plain, error) { return nil, errUnsupported }

// PID and all that follow are never called: there is no Job.
func (*Job) PID() int { return 0 }

// KeeperPID is never called.
func (*Job) KeeperPID() int { return 0 }

// Done is never called.
func (*Job) Done() <-chan struct{} { return nil }

// State is never called.
func (*Job) State() (State, Result) { return Ended, Result{} }

// Trouble is never called.
func (*Job) Trouble() string { return "" }

// Forward is never called.
func (*Job) Forward(syscall.Signal) {}

// Resize is never called.
func (*Job) Resize(Size) error { return errUnsupported }

// Write is never called.
func (*Job) Write([]byte) (int, error) { return 0, errUnsupported }

// End is never called.
func (*Job) End(time.Duration) {}

// Detach is never called.
func (*Job) Detach() (string, error) { return "", errUnsupported }

// Close is never called.
func (*Job) Close() {}

// PID is never called.
func (*Plain) PID() int { return 0 }

// Trouble is never called.
func (*Plain) Trouble() string { return "" }

// Wait is never called.
func (*Plain) Wait() Result { return Result{} }

// Keep is never called.
func Keep() int { return 1 }

// Witness is never called.
func Witness() int { return 1 }

// Under reports false.
func Under(int, int) bool { return false }

// Forwarded returns nothing.
func Forwarded() []os.Signal { return nil }

func signalNames() map[syscall.Signal]string { return nil }

//go:build !linux

package torch

import "errors"

// OpenMemory fails: reading the memory of another process is done on Linux
// only.
func OpenMemory(string, int) (Memory, error) { return nil, errors.ErrUnsupported }

// ReadvRefused is true: the call is Linux's.
func ReadvRefused() bool { return true }

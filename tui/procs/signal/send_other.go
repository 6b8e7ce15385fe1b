//go:build !linux

package signal

import (
	"fmt"

	"github.com/vramscope/vramscope/monitor"
)

// Send returns ErrUnsupported: without /proc nothing tells a process from a
// later one of the same number.
func Send(target monitor.ProcessKey, s Signal, _ Self) error {
	return fmt.Errorf("%s to PID %d: %w", s, target.PID, ErrUnsupported)
}

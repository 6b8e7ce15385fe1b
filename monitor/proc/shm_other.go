//go:build !linux

package proc

import "github.com/vramscope/vramscope/monitor"

// Space is the size and the use of a file system, in bytes.
type Space struct{ TotalBytes, UsedBytes int64 }

// ReadShm knows nothing: /dev/shm is Linux's.
func ReadShm(Config, int) monitor.Reading[Space] {
	return monitor.Unknown[Space](monitor.NotSupported, "/dev/shm is read on Linux only")
}

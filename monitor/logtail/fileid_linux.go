package logtail

import (
	"os"
	"syscall"
)

// fileID returns the device and inode of a file.
func fileID(info os.FileInfo) (device, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev), st.Ino //nolint:unconvert // Dev is not 64 bits wide everywhere
	}
	return 0, 0
}

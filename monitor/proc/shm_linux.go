package proc

import (
	"strconv"
	"syscall"

	"github.com/vramscope/vramscope/monitor"
)

// Space is the size and the use of a file system, in bytes.
type Space struct{ TotalBytes, UsedBytes int64 }

// ReadShm reads the size and the use of /dev/shm as a process sees it, through
// PROC/PID/root; pid 0 is this process. DataLoader workers pass their batches
// through it.
func ReadShm(config Config, pid int) monitor.Reading[Space] {
	who := "self"
	if pid != 0 {
		who = strconv.Itoa(pid)
	}
	return readSpace(rootOr(config.Root, "/proc") + "/" + who + "/root/dev/shm")
}

func readSpace(path string) monitor.Reading[Space] {
	var fs syscall.Statfs_t
	_, err := again(func() (int, error) { return 0, syscall.Statfs(path, &fs) })
	if err != nil {
		why := reason(err, "/dev/shm of the process")
		if err == syscall.ENOENT { //nolint:errorlint // a bare number of the kernel
			why = monitor.Reason{Code: monitor.NotAvailable, Detail: "there is no /dev/shm"}
		}
		return monitor.Unknown[Space](why.Code, why.Detail)
	}
	unit := int64(fs.Bsize) //nolint:unconvert // 32 bits on some architectures
	return monitor.Known(Space{TotalBytes: int64(fs.Blocks) * unit, UsedBytes: int64(fs.Blocks-fs.Bfree) * unit})
}

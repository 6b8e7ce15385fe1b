package nvml

import "syscall"

// procMagic is the type of a proc file system (PROC_SUPER_MAGIC,
// include/uapi/linux/magic.h).
const procMagic = 0x9fa0

// tied tells whether files below root are tied to processes: in a copy of a
// proc file system they are not.
func tied(root string) bool {
	var at syscall.Statfs_t
	return syscall.Statfs(root, &at) == nil && at.Type == procMagic
}

package torch

import (
	"bytes"
	"os"
	"strconv"

	"github.com/vramscope/vramscope/monitor"
)

// Self is what this process may do, as far as it explains why the memory of
// another cannot be read (ptrace(2), "Ptrace access mode checking").
type Self struct {
	UID    int                  // effective user
	Ptrace bool                 // has the capability CAP_SYS_PTRACE
	Yama   monitor.Reading[int] // kernel.yama.ptrace_scope, 0 to 3; unknown without Yama
	// Nested says that this process runs in a PID or user namespace of its own,
	// as in a container.
	Nested bool
}

// The machine's first namespaces (PROC_PID_INIT_INO and PROC_USER_INIT_INO,
// include/linux/proc_ns.h).
const (
	firstPIDNamespace  = "pid:[4026531836]"
	firstUserNamespace = "user:[4026531837]"
)

const capSysPtrace = 19

// ReadSelf reads it from the proc file system at root.
func ReadSelf(root string) Self {
	s := Self{UID: os.Geteuid(), Yama: monitor.Unknown[int](monitor.NotSupported, "the kernel has no Yama")}
	if b, err := readWhole(root+"/self/status", nil, 1<<16); err == nil {
		s.Ptrace = hasCapability(b, capSysPtrace)
	}
	if b, err := readWhole(root+"/sys/kernel/yama/ptrace_scope", nil, 64); err == nil {
		if v, ok := decimal(bytes.TrimSpace(b)); ok && v <= 3 {
			s.Yama = monitor.Known(int(v))
		}
	}
	pid, user := readLink(root+"/self/ns/pid"), readLink(root+"/self/ns/user")
	s.Nested = pid != "" && pid != firstPIDNamespace || user != "" && user != firstUserNamespace
	return s
}

// hasCapability reads the effective capabilities from /proc/PID/status.
func hasCapability(status []byte, number uint) bool {
	for line := range bytes.SplitSeq(status, []byte("\n")) {
		if rest, ok := bytes.CutPrefix(line, []byte("CapEff:")); ok {
			set, err := strconv.ParseUint(string(bytes.TrimSpace(rest)), 16, 64)
			return err == nil && set&(1<<number) != 0
		}
	}
	return false
}

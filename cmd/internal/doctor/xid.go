package doctor

import (
	"fmt"
	"os"
	"regexp"
	"strconv"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/clean"
)

// Xid is an error that the NVIDIA kernel module wrote into the kernel's log
// (NVIDIA, "XID Errors").
type Xid struct {
	Code   int
	Device string // PCI address as printed
}

// The bounds of a look into the kernel's log, whose buffer is a few MiB.
const (
	maxKernelRecords = 1 << 16
	maxXids          = 256
)

var xidLine = regexp.MustCompile(`NVRM: Xid \((?:PCI:)?([0-9A-Fa-f:.]{4,20})[^)]{0,40}\): ([0-9]{1,4})\b`)

// readXids reads the Xid lines of the kernel's log, a record a read (Linux,
// ABI/testing/dev-kmsg). Mostly root alone may; nil is nothing or no right.
func readXids(name string) []Xid {
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // read only
	var found []Xid
	buf := make([]byte, 64<<10)
	for range maxKernelRecords {
		n, err := readRecord(f, buf)
		for _, m := range xidLine.FindAllSubmatch(buf[:n], -1) {
			code, _ := strconv.Atoi(string(m[2])) // four digits at most
			found = append(found, Xid{Code: code, Device: string(m[1])})
		}
		if err != nil {
			break
		}
	}
	return found[max(0, len(found)-maxXids):]
}

// xidFacts says what the kernel's log has, the worst with what to do.
func xidFacts(list []Xid) (said, cures []string) {
	if len(list) == 0 {
		return nil, nil
	}
	last := list[len(list)-1]
	bad := false
	for _, x := range list {
		if _, ofJob := monitor.XidText(x.Code); !ofJob {
			last, bad = x, true
		}
	}
	meaning, _ := monitor.XidText(last.Code)
	line := fmt.Sprintf("the kernel log has %s since it begins, one of them Xid %d on %s", plural(len(list), "Xid error"), last.Code, clean.Line(last.Device))
	if meaning != "" {
		line += " (" + meaning + ")"
	}
	if bad {
		cures = []string{"read them with 'dmesg | grep Xid'; a GPU that shows them again and again needs a reset (nvidia-smi -r), a reboot or a replacement"}
	}
	return []string{line}, cures
}

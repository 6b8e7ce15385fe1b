package nvml

import (
	"bytes"
	"os"
	"time"
)

// maxHeld bounds the files held open; listed PIDs beyond it are looked up anew
// in every sample.
const maxHeld = 256

// living is what was found of a listed PID, together with its open
// /proc/PID/comm. That file stays tied to the process or thread that it was
// opened for: once that has ended, reading fails with ESRCH, also when the
// number is given to another (comm_show in fs/proc/base.c). So a name that can
// be read proves the rest, which does not change while it lives.
type living struct {
	owner  owner
	name   string // as read
	comm   *os.File
	listed time.Time // when the driver last listed it
}

// lookUp returns the process that a listed PID means.
func (n *namespace) lookUp(pid int) owner {
	if k := n.living[pid]; k != nil {
		if k.renew(n.buffer[:]) {
			k.listed = n.now
			return k.owner
		}
		n.drop(pid)
	}
	if !n.tied || len(n.living) >= maxHeld {
		return n.look(pid)
	}
	// Opened before the look and read after it, so that both are of one process.
	comm, err := os.Open(n.path(pid, "comm"))
	if err != nil {
		return n.look(pid)
	}
	k := &living{owner: n.look(pid), comm: comm, listed: n.now}
	if !k.owner.seen || !k.renew(n.buffer[:]) {
		_ = comm.Close()
		return k.owner
	}
	n.living[pid] = k
	return k.owner
}

// renew reads the name again; false once the process has ended.
func (k *living) renew(buf []byte) bool {
	size, _ := k.comm.ReadAt(buf, 0) // which ends with io.EOF when all is well
	if size == 0 {
		return false
	}
	name := bytes.TrimSuffix(buf[:size], []byte{'\n'})
	if string(name) != k.name {
		k.name = string(name)
		k.owner.name = cleanText(k.name)
	}
	return true
}

func (n *namespace) drop(pid int) {
	_ = n.living[pid].comm.Close()
	delete(n.living, pid)
}

// dropUnlisted lets go of PIDs that the driver no longer lists.
func (n *namespace) dropUnlisted() {
	for pid, k := range n.living {
		if !k.listed.Equal(n.now) {
			n.drop(pid)
		}
	}
}

func (n *namespace) close() {
	for pid := range n.living {
		n.drop(pid)
	}
}

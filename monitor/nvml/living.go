package nvml

import (
	"bytes"
	"os"
	"time"
)

// maxHeld bounds the PIDs of which files are held open; those beyond it are looked up anew
// in every sample.
const maxHeld = 128

// living is what was found of a listed PID, together with its open
// /proc/PID/comm. That file stays tied to the process or thread that it was
// opened for: once that has ended, reading fails with ESRCH, also when the
// number is given to another (comm_show in fs/proc/base.c). So a name that can
// be read proves the rest, which does not change while it lives.
//
// Where the kernel can tell for all of them in one call that they live, the
// name is read seldom.
type living struct {
	owner  owner
	name   string // as read
	comm   *os.File
	end    int       // descriptor that tells of its end, -1 without one
	alive  bool      // which it told for this sample
	read   time.Time // when the name was read last
	listed time.Time // when the driver last listed it
}

// lookUp returns the process that a listed PID means.
func (n *namespace) lookUp(pid int) owner {
	if k := n.living[pid]; k != nil {
		if since := n.now.Sub(k.read); k.alive && since >= 0 && since < n.every || n.renew(k) {
			k.listed = n.now
			return k.owner
		}
		n.drop(pid)
	}
	if !n.tied || len(n.living) >= maxHeld {
		return n.look(pid)
	}
	// Opened before the look and read after it, so that all is of one process.
	comm, err := os.Open(n.path(pid, "comm"))
	if err != nil {
		return n.look(pid)
	}
	k := &living{owner: n.look(pid), comm: comm, end: -1, listed: n.now}
	if n.depth == 0 && k.owner.pid == pid {
		k.end = openEnd(pid)
	}
	if !k.owner.seen || !n.renew(k) {
		k.close()
		return k.owner
	}
	n.living[pid] = k
	return k.owner
}

// renew reads the name again; false once the process has ended.
func (n *namespace) renew(k *living) bool {
	size, _ := k.comm.ReadAt(n.buffer[:], 0) // which ends with io.EOF when all is well
	if size == 0 {
		return false
	}
	name := bytes.TrimSuffix(n.buffer[:size], []byte{'\n'})
	if string(name) != k.name {
		k.name = string(name)
		k.owner.name = cleanText(k.name)
	}
	k.read = n.now
	return true
}

func (k *living) close() {
	closeEnd(k.end)
	_ = k.comm.Close()
}

func (n *namespace) drop(pid int) {
	n.living[pid].close()
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

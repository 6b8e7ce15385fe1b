package torch

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/vramscope/vramscope/monitor"
)

// gpuFact is what joining needs to know of one GPU of the sample.
type gpuFact struct {
	index   int
	uuid    [16]byte
	hasUUID bool
	uuidRaw string
	name    string
	total   int64 // 0 when not known
	healthy bool  // its list of processes was read just now
	mig     bool
}

// readGPUs takes the facts out of a sample into a buffer.
func readGPUs(into []gpuFact, seen *monitor.Sample) []gpuFact {
	if seen == nil {
		return into
	}
	for i := range seen.GPUs {
		g := &seen.GPUs[i]
		f := gpuFact{index: g.Index, uuidRaw: g.UUID.Or(""), name: g.Name.Or(""), healthy: g.State == monitor.StateOK || g.State == monitor.StatePartial}
		f.uuid, f.hasUUID = parseUUID(f.uuidRaw)
		f.total = g.Memory.TotalBytes.Or(0)
		f.mig = g.MIG.Or(false)
		into = append(into, f)
	}
	return into
}

// parseUUID reads the bytes of "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".
func parseUUID(s string) ([16]byte, bool) {
	var out [16]byte
	s, ok := strings.CutPrefix(s, "GPU-")
	if !ok || len(s) != 36 {
		return out, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return out, false
			}
			continue
		}
		d, ok := hexDigit(s[i])
		if !ok {
			return out, false
		}
		out[n/2] = out[n/2]<<4 | d
		n++
	}
	return out, n == 32 && out != [16]byte{}
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// gpuMatch is the GPU that a CUDA ordinal of a process stands for.
type gpuMatch struct {
	index   int
	known   bool
	assumed bool // by a rule that may be wrong; replaced when better is found
}

// The device's properties inside a DeviceCachingAllocator, from about 2.10:
// cudaDeviceProp (cuda_runtime_api, driver_types.h) starts with char name[256]
// and the 16 bytes of the UUID.
const (
	propNameBytes  = 256
	maxDeviceBytes = 16 << 10
)

// findUUID returns the GPU whose UUID stands in a copy of a device's memory
// behind a name, and at which offset; false when there is none or more than
// one.
func findUUID(b []byte, gpus []gpuFact) (gpu, offset int, ok bool) {
	for i := range gpus {
		if !gpus[i].hasUUID {
			continue
		}
		for from := 0; ; {
			n := bytes.Index(b[from:], gpus[i].uuid[:])
			if n < 0 {
				break
			}
			at := from + n
			from = at + 1
			if at < propNameBytes || !isDeviceName(b[at-propNameBytes:at]) {
				continue
			}
			if ok {
				return 0, 0, false
			}
			gpu, offset, ok = gpus[i].index, at, true
		}
	}
	return gpu, offset, ok
}

// isDeviceName tells whether the field is a printable text and a NUL.
func isDeviceName(field []byte) bool {
	end := bytes.IndexByte(field, 0)
	if end < 3 {
		return false
	}
	for _, c := range field[:end] {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// matchUUIDs finds the exact GPU of every device that keeps its properties.
// All must keep them at the same offset and name different GPUs; else none is
// taken.
func (a *attachment) matchUUIDs(e *explorer, gpus []gpuFact) {
	buf := make([]byte, maxDeviceBytes)
	var matches []gpuMatch
	offsetOfAll := -1
	for i, addr := range a.elements {
		n := a.deviceSize(e, i)
		m := gpuMatch{}
		if e.view.read(addr, buf[:n]) == nil {
			gpu, offset, ok := findUUID(buf[:n], gpus)
			if ok && offsetOfAll >= 0 && offset != offsetOfAll {
				return
			}
			if ok {
				offsetOfAll = offset
				m = gpuMatch{index: gpu, known: true}
			}
		}
		for _, other := range matches {
			if other.known && m.known && other.index == m.index {
				return
			}
		}
		matches = append(matches, m)
	}
	for i, m := range matches {
		if m.known {
			a.devices[i].gpu = m
		}
	}
}

// deviceSize returns how many bytes from an element on surely belong to it or
// to no other element: up to the next one, and within the heap block as glibc
// notes it before the object.
func (a *attachment) deviceSize(e *explorer, i int) uint64 {
	addr := a.elements[i]
	n := e.space.writableRun(addr, maxDeviceBytes)
	for _, other := range a.elements {
		if other > addr {
			n = min(n, other-addr)
		}
	}
	var head [8]byte
	if e.view.read(addr-8, head[:]) == nil {
		block := binary.LittleEndian.Uint64(head[:]) &^ 7
		if block > 1024 && block <= maxDeviceBytes {
			n = min(n, block-8)
		}
	}
	return n
}

// matchGPUs joins the devices of a process that the UUID did not join: by the
// driver's list where it leaves no doubt, else by the environment the process
// was started with, which is an assumption.
func (r *Reader) matchGPUs(t *target) {
	devices := t.attached.devices
	exact, inUse, last := 0, 0, 0
	for i := range devices {
		d := &devices[i]
		if d.gpu.known && !d.gpu.assumed {
			exact++
		}
		if d.used || len(devices) == 1 {
			inUse++
			last = i
		}
	}
	if exact == len(devices) {
		return
	}
	if gpu, assumed, only := r.holders.onlyGPU(t.pid); only && inUse == 1 && exact == 0 {
		d := &devices[last]
		// The driver's list is older than the figures: a device that came into
		// use only now may be missing from it.
		sure := !assumed && r.allHealthy() && (len(devices) == 1 || d.usedBefore)
		d.gpu = gpuMatch{index: gpu, known: true, assumed: !sure}
		return
	}
	r.matchEnvironment(t)
}

func (r *Reader) matchEnvironment(t *target) {
	devices := t.attached.devices
	visible := r.visible(t)
	for i := range devices {
		d := &devices[i]
		if d.gpu.known && !d.gpu.assumed {
			continue
		}
		d.gpu = gpuMatch{}
		if len(visible) != len(devices) || visible[i] < 0 || taken(devices, visible[i]) {
			continue
		}
		// Where the driver lists the process at all it lists it on every GPU
		// that it uses.
		if d.used && r.holders.listed(t.pid) && !r.holders.on(t.pid, visible[i]) {
			continue
		}
		d.gpu = gpuMatch{index: visible[i], known: true, assumed: true}
	}
}

func taken(devices []device, gpu int) bool {
	for i := range devices {
		if devices[i].gpu.known && !devices[i].gpu.assumed && devices[i].gpu.index == gpu {
			return true
		}
	}
	return false
}

func (r *Reader) allHealthy() bool {
	for i := range r.gpus {
		if !r.gpus[i].healthy {
			return false
		}
	}
	return true
}

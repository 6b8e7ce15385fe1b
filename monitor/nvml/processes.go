package nvml

import (
	"github.com/vramscope/vramscope/monitor"
)

// listReader reads the three process lists of one device or MIG device and
// remembers those that it will never answer.
type listReader struct {
	dev   device
	never [listCount]*monitor.Reason
}

// read appends the entries of all lists. The reason tells why the compute
// list, the one that counts here, gave nothing; the other two are extras that
// many devices do not have.
func (l *listReader) read(o *outcome, to []processEntry) ([]processEntry, monitor.Reason) {
	var why monitor.Reason
	for list := listCompute; list < listCount; list++ {
		if o.fatal != nil {
			break
		}
		if l.never[list] != nil {
			if list == listCompute {
				why = *l.never[list]
			}
			continue
		}
		more, err := l.dev.processes(list, to)
		if err == nil {
			to = more
			continue
		}
		o.note(err)
		reason := reasonOf(err)
		if codeOf(err).permanent() {
			l.never[list] = &reason
		}
		if list == listCompute {
			why = reason
		}
	}
	return to, why
}

// instance is one MIG device of a split GPU.
type instance struct {
	number uint32 // of its GPU instance, or noInstance
	lists  listReader
	memory memoryReader
}

// processReader reads who holds memory on one device: from its own lists, or
// from those of its MIG devices when it is split. The lists of a split device
// as a whole need a right that most users lack (nvml.h on
// nvmlDeviceGetComputeRunningProcesses_v3).
type processReader struct {
	whole     listReader
	split     bool
	instances []instance
	refused   monitor.Reason // why the MIG devices could not be listed
	capacity  int            // entries of the last round
}

func newProcessReader(dev device) processReader {
	return processReader{whole: listReader{dev: dev}}
}

// setSplit tells whether the device is split, and lists its MIG devices anew,
// since they come and go while MIG is on.
func (p *processReader) setSplit(o *outcome, split bool) {
	p.split = split
	p.instances, p.refused = nil, monitor.Reason{}
	if !split || o.fatal != nil {
		return
	}
	devices, err := p.whole.dev.migDevices()
	if err != nil {
		o.note(err)
		p.refused = reasonOf(err)
		return
	}
	noSystem := func() (memoryInfo, error) {
		return memoryInfo{}, fault{call: "MIG device memory", code: returnNotSupported}
	}
	for _, dev := range devices {
		number := uint32(noInstance)
		if n, err := dev.gpuInstance(); err == nil && n >= 0 && int64(n) < noInstance {
			number = uint32(n)
		} else if err != nil {
			o.note(err)
		}
		p.instances = append(p.instances, instance{number: number, lists: listReader{dev: dev}, memory: newMemoryReader(dev, noSystem)})
	}
}

// read returns the entries of one round, duplicates included.
func (p *processReader) read(o *outcome) ([]processEntry, monitor.Reason) {
	entries := make([]processEntry, 0, p.capacity)
	var why monitor.Reason
	if p.split {
		entries, why = p.readInstances(o, entries)
	} else {
		entries, why = p.whole.read(o, entries)
	}
	p.capacity = len(entries)
	return entries, why
}

// readInstances asks the MIG devices, and the device as a whole only when
// none of them answered.
func (p *processReader) readInstances(o *outcome, entries []processEntry) ([]processEntry, monitor.Reason) {
	answered, why := 0, p.refused
	for i := range p.instances {
		in := &p.instances[i]
		from := len(entries)
		var failed monitor.Reason
		entries, failed = in.lists.read(o, entries)
		if failed != (monitor.Reason{}) {
			why = failed
			continue
		}
		answered++
		for j := from; j < len(entries); j++ {
			entries[j].instance = in.number
		}
	}
	if answered > 0 {
		return entries, why
	}
	return p.whole.read(o, entries)
}

// instanceMemory adds up the memory of the MIG devices that can be seen; ok is
// false when there are none or one does not answer. Compute instances of one
// GPU instance share its memory, so each GPU instance counts once.
func (p *processReader) instanceMemory(o *outcome) (sum monitor.DeviceMemory, ok bool) {
	seen := map[uint32]bool{}
	zero := monitor.Known[int64](0)
	sum = monitor.DeviceMemory{TotalBytes: zero, UsedBytes: zero, FreeBytes: zero, DriverReservedBytes: zero}
	for i := range p.instances {
		in := &p.instances[i]
		if in.number == noInstance {
			return sum, false
		}
		if seen[in.number] {
			continue
		}
		seen[in.number] = true
		m := in.memory.read(o)
		sum.TotalBytes = monitor.Plus(sum.TotalBytes, m.TotalBytes)
		sum.UsedBytes = monitor.Plus(sum.UsedBytes, m.UsedBytes)
		sum.FreeBytes = monitor.Plus(sum.FreeBytes, m.FreeBytes)
		sum.DriverReservedBytes = monitor.Plus(sum.DriverReservedBytes, m.DriverReservedBytes)
		if sum.Source == "" || m.Source == monitor.MemoryV1 {
			sum.Source = m.Source
		}
	}
	return sum, len(seen) > 0 && sum.TotalBytes.Known()
}

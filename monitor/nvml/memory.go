package nvml

import (
	"github.com/vramscope/vramscope/monitor"
)

// memoryReader reads a device's memory with the best question that the driver
// answers: version 2 first, which tells the driver's own part apart, then
// version 1. Only a device that has no memory of its own, and therefore
// answers neither, gets the system's figures as an estimate.
type memoryReader struct {
	v2, v1 question[memoryInfo]
	system func() (memoryInfo, error)
	// refused says that version 1 was asked and the device does not have it, as
	// opposed to a library that lacks the question.
	refused *bool
}

func newMemoryReader(dev device, system func() (memoryInfo, error)) memoryReader {
	refused := new(bool)
	first := func() (memoryInfo, error) {
		info, err := dev.memoryV1()
		*refused = err != nil && codeOf(err) == returnNotSupported
		return info, err
	}
	return memoryReader{v2: newQuestion(dev.memoryV2), v1: newQuestion(first), system: system, refused: refused}
}

func (m *memoryReader) read(o *outcome) monitor.DeviceMemory {
	second := m.v2.ask(o)
	if info, ok := second.Get(); ok && info.total != 0 {
		return deviceMemory(info, monitor.MemoryV2)
	}
	first := m.v1.ask(o)
	info, ok := first.Get()
	switch {
	case ok && info.total != 0:
		return deviceMemory(info, monitor.MemoryV1)
	case ok, *m.refused && lacksV2(second):
		return m.estimate()
	}
	return unknownMemory(first.Why())
}

// lacksV2 tells whether version 2 was refused for good or answered with a
// total of nothing, rather than having failed this once.
func lacksV2(second monitor.Reading[memoryInfo]) bool {
	return second.Known() || second.Why().Code == monitor.NotSupported
}

// estimate stands in for devices that share the system's memory (GB10, some
// Grace and Jetson systems): NVML answers NotSupported or a total of 0 there.
func (m *memoryReader) estimate() monitor.DeviceMemory {
	info, err := m.system()
	if err != nil {
		return unknownMemory(monitor.Reason{Code: monitor.NotSupported,
			Detail: "this device shares the system's memory, and that could not be read: " + err.Error()})
	}
	memory := deviceMemory(info, monitor.MemorySystem)
	memory.DriverReservedBytes = monitor.Unknown[int64](monitor.NotApplicable, "this device shares the system's memory")
	return memory
}

func deviceMemory(info memoryInfo, source monitor.MemorySource) monitor.DeviceMemory {
	if info.total > maxCount || info.used > info.total || info.free > info.total || info.reserved > info.total {
		return unknownMemory(monitor.Reason{Code: monitor.Failed, Detail: "the driver's memory figures contradict themselves"})
	}
	memory := monitor.DeviceMemory{
		TotalBytes: monitor.Known(int64(info.total)),
		UsedBytes:  monitor.Known(int64(info.used)),
		FreeBytes:  monitor.Known(int64(info.free)),
		Source:     source,
	}
	if source == monitor.MemoryV2 {
		memory.DriverReservedBytes = monitor.Known(int64(info.reserved))
	} else {
		memory.DriverReservedBytes = monitor.Unknown[int64](monitor.NotSupported,
			"this driver counts its own part as used (nvmlDeviceGetMemoryInfo version 1)")
	}
	return memory
}

func unknownMemory(why monitor.Reason) monitor.DeviceMemory {
	none := monitor.Unknown[int64](why.Code, why.Detail)
	return monitor.DeviceMemory{TotalBytes: none, UsedBytes: none, FreeBytes: none, DriverReservedBytes: none}
}

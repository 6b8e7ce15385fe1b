package monitor

import "time"

// GPU is one device of the machine as its driver describes it. Figures are
// those of ReadAt; when the device stopped answering they are left as they
// were last read, State is StateStale, and ReadAt tells how old they are.
type GPU struct {
	Index  int             // NVML index, from 0
	UUID   Reading[string] // "GPU-…"
	Name   Reading[string] // product name
	ReadAt time.Time
	State  State
	Reason string // why State is not StateOK

	Memory DeviceMemory

	UtilPercent    Reading[float64] // time with a kernel running
	MemUtilPercent Reading[float64] // time with memory being read or written
	TemperatureC   Reading[float64]
	PowerW         Reading[float64]
	PowerLimitW    Reading[float64]
	SMClockMHz     Reading[float64]
	MemClockMHz    Reading[float64]
	Throttle       Reading[[]string] // names of the active throttle reasons, none when it runs freely

	ECC      ECC
	MIG      Reading[bool] // whether the device is split into MIG instances
	Activity Activity

	// UnseenBytes is what the device holds and no process in the driver's list
	// does: in a PID namespace of its own, the memory of processes outside of it
	// ("others: not visible from this PID namespace"). Not applicable in the
	// machine's first namespace.
	UnseenBytes Reading[int64]
}

// UnseenFrom is the number of bytes from which on unseen memory is somebody's:
// below it lie what the driver keeps for itself and the rounding of figures
// that were not read at the same moment.
const UnseenFrom = 256 << 20

// MemorySource says which question to the driver the memory figures answer.
type MemorySource string

// The sources of a device's memory figures.
const (
	MemoryV2     MemorySource = "nvml-v2"   // nvmlDeviceGetMemoryInfo_v2: driver-reserved is apart
	MemoryV1     MemorySource = "nvml-v1"   // nvmlDeviceGetMemoryInfo: used includes driver-reserved
	MemorySystem MemorySource = "estimate"  // unified memory: the system's figure stands in
	MemoryFile   MemorySource = "recording" // read from a recording
)

// DeviceMemory is the memory of a whole device, in bytes, everybody's use
// included.
type DeviceMemory struct {
	TotalBytes          Reading[int64]
	UsedBytes           Reading[int64] // without driver-reserved when Source is MemoryV2
	FreeBytes           Reading[int64]
	DriverReservedBytes Reading[int64]
	Source              MemorySource
}

// ECC is the state of a device's error correction.
type ECC struct {
	Enabled           Reading[bool]
	CorrectedCount    Reading[int64] // since the driver was loaded
	UncorrectedCount  Reading[int64] // since the driver was loaded
	PendingRowRemap   Reading[bool]  // a reset is needed to take a bad row out of use
	RowRemapFailure   Reading[bool]  // the device has no spare row left
	RetiredPagesCount Reading[int64] // older devices, instead of row remaps
}

// Activity is what the chip's own counters say of the last interval, in
// percent of its peak (NVML GPM, from Hopper on).
type Activity struct {
	SMPercent     Reading[float64]
	TensorPercent Reading[float64]
	FP32Percent   Reading[float64]
	DRAMPercent   Reading[float64]
}

// ID names the device across samples: its UUID, or its index when the driver
// does not give one.
func (g GPU) ID() string {
	if id, ok := g.UUID.Get(); ok {
		return id
	}
	return "index:" + itoa(g.Index)
}

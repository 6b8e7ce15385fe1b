package nvml

// driver is what this package asks of NVML as a whole, in its own types. One
// implementation speaks to the library, one says that it was built without,
// and tests bring their own. Every method may hang, so none is called from
// Read itself.
type driver interface {
	// open loads and initialises the library and counts the devices. After an
	// error nothing but open may be called.
	open() (opened, error)
	// device returns the handle of a device; index counts from 0.
	device(index int) (device, error)
	// events begins to wait for what the driver tells of that many devices by
	// itself. There may be a set and an error: that of a device left out.
	events(devices int) (eventSet, error)
	// close ends the use of the library.
	close() error
}

// opened is what a good start tells.
type opened struct {
	version string // of the driver; empty when it does not tell
	count   int    // devices
}

// device is one GPU or one MIG device. Errors are faults.
type device interface {
	name() (string, error)
	uuid() (string, error)
	minor() (int, error) // N of /dev/nvidiaN
	memoryV2() (memoryInfo, error)
	memoryV1() (memoryInfo, error)
	utilisation() (utilisation, error)
	temperature() (uint32, error) // °C
	powerUsage() (uint32, error)  // mW
	powerLimit() (uint32, error)  // mW
	smClock() (uint32, error)     // MHz
	memClock() (uint32, error)    // MHz
	throttle() (uint64, error)    // bits of nvmlClocksEventReason…
	eccMode() (bool, error)
	eccCorrected() (uint64, error)   // since the driver was loaded
	eccUncorrected() (uint64, error) // since the driver was loaded
	rowRemaps() (rowRemaps, error)
	retiredPages() (int64, error)
	migMode() (bool, error)
	// migDevices returns the MIG devices that can be seen from here.
	migDevices() ([]device, error)
	// gpuInstance returns the number of the GPU instance of a MIG device.
	gpuInstance() (int, error)
	// processes appends the entries of one of the driver's lists to to.
	processes(list processList, to []processEntry) ([]processEntry, error)
	activitySupported() (bool, error)
	// activity returns the counters since the call before; the first call
	// answers returnNoData.
	activity() (activityPercent, error)
	// release gives back what the device keeps for itself.
	release()
}

// memoryInfo is nvmlMemory_t or nvmlMemory_v2_t, in bytes.
type memoryInfo struct {
	total, used, free uint64
	reserved          uint64 // v2 only
}

// utilisation is nvmlUtilization_t, in percent of the driver's last period.
type utilisation struct{ gpu, memory uint32 }

// rowRemaps is what nvmlDeviceGetRemappedRows tells apart from counts.
type rowRemaps struct{ pending, failed bool }

// activityPercent are GPM metrics, in percent of the chip's peak.
type activityPercent struct{ sm, tensor, fp32, dram float64 }

// processList names one of the driver's three lists of processes.
type processList int

const (
	listCompute processList = iota
	listGraphics
	listMPS
	listCount
)

// noInstance is the driver's "not on a MIG instance" in a process entry
// (nvmlProcessInfo_t.gpuInstanceId).
const noInstance = 0xFFFFFFFF

// noMemory is the driver's "not available" for a process's memory
// (NVML_VALUE_NOT_AVAILABLE in nvmlProcessInfo_t.usedGpuMemory).
const noMemory = 0xFFFFFFFFFFFFFFFF

// processEntry is one raw entry of a process list, sentinels included.
type processEntry struct {
	pid       uint32
	instance  uint32 // GPU instance, or noInstance
	usedBytes uint64 // or noMemory
	list      processList
}

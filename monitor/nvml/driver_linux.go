//go:build linux && cgo

package nvml

import (
	"errors"
	"fmt"
	"slices"

	gonvml "github.com/NVIDIA/go-nvml/pkg/nvml"

	_ "github.com/vramscope/vramscope/monitor/nvml/latebind" // starts where every name is bound at once
)

// library is the driver library as go-nvml binds it. go-nvml resolves each
// function when it is first called, and a function that the installed library
// lacks ends the process in the dynamic linker. So every symbol is looked up
// once after the library was opened, and a call of one that is not there is
// answered here instead of made.
type library struct {
	api    gonvml.Interface
	direct *directLibrary
	has    map[string]bool
	live   bool // nvmlInit succeeded, so that nvmlShutdown may be called
}

// newDriver returns the driver of this machine.
func newDriver() driver { return &library{api: gonvml.New()} }

// needed are the functions without which nothing can be read. Of a list the
// first or the second is enough, as go-nvml takes the newest that is there.
var needed = [][]string{
	{"nvmlInit_v2", "nvmlInit"},
	{"nvmlShutdown"},
	{"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"},
	{"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"},
}

// optional are the functions without which something is not known.
var optional = []string{
	"nvmlSystemGetDriverVersion",
	"nvmlDeviceGetName",
	"nvmlDeviceGetUUID",
	"nvmlDeviceGetMinorNumber",
	"nvmlDeviceGetMemoryInfo",
	"nvmlDeviceGetMemoryInfo_v2",
	"nvmlDeviceGetUtilizationRates",
	"nvmlDeviceGetTemperature",
	"nvmlDeviceGetPowerUsage",
	"nvmlDeviceGetEnforcedPowerLimit",
	"nvmlDeviceGetClockInfo",
	"nvmlDeviceGetCurrentClocksEventReasons",
	"nvmlDeviceGetCurrentClocksThrottleReasons",
	"nvmlDeviceGetEccMode",
	"nvmlDeviceGetTotalEccErrors",
	"nvmlDeviceGetRemappedRows",
	"nvmlDeviceGetRetiredPages",
	"nvmlDeviceGetMigMode",
	"nvmlDeviceGetMaxMigDeviceCount",
	"nvmlDeviceGetMigDeviceHandleByIndex",
	"nvmlDeviceGetGpuInstanceId",
}

func (l *library) open() (opened, error) {
	if l.direct == nil {
		direct, err := openDirect()
		if err != nil {
			return opened{}, err
		}
		l.direct = direct
	}
	l.has = make(map[string]bool, len(optional))
	for _, names := range needed {
		if !slices.ContainsFunc(names, l.direct.has) {
			return opened{}, fmt.Errorf("the driver library cannot be used: %w", fault{call: names[0], code: returnMissing})
		}
	}
	if ret := l.api.Init(); ret != gonvml.SUCCESS {
		return opened{}, fault{call: "nvmlInit", code: returnCode(ret)}
	}
	l.live = true
	for _, name := range optional {
		l.has[name] = l.api.Extensions().LookupSymbol(name) == nil
	}
	count, ret := l.api.DeviceGetCount()
	if ret != gonvml.SUCCESS {
		return opened{}, fault{call: "nvmlDeviceGetCount", code: returnCode(ret)}
	}
	if count < 0 || count > 1024 {
		return opened{}, fault{call: "nvmlDeviceGetCount", code: returnInconsistent}
	}
	result := opened{count: count}
	if l.has["nvmlSystemGetDriverVersion"] {
		if version, ret := l.api.SystemGetDriverVersion(); ret == gonvml.SUCCESS {
			result.version = cleanText(version)
		}
	}
	return result, nil
}

func (l *library) close() error {
	if !l.live {
		return nil
	}
	l.live = false
	return check("nvmlShutdown", l.api.Shutdown())
}

func (l *library) device(index int) (device, error) {
	dev, ret := l.api.DeviceGetHandleByIndex(index)
	if ret != gonvml.SUCCESS {
		return nil, fault{call: "nvmlDeviceGetHandleByIndex", code: returnCode(ret)}
	}
	return l.wrap(dev)
}

func (l *library) wrap(dev gonvml.Device) (device, error) {
	direct, err := l.direct.device(dev)
	if err != nil {
		return nil, err
	}
	return &libraryDevice{lib: l, dev: dev, direct: direct}, nil
}

// missing returns the fault of a function that the library lacks, nil when it
// has it.
func (l *library) missing(name string) error {
	if l.has[name] {
		return nil
	}
	return fault{call: name, code: returnMissing}
}

func check(call string, ret gonvml.Return) error {
	if ret == gonvml.SUCCESS {
		return nil
	}
	return fault{call: call, code: returnCode(ret)}
}

// libraryDevice is one GPU or MIG device of the library.
type libraryDevice struct {
	lib    *library
	dev    gonvml.Device
	direct *directDevice
}

func (d *libraryDevice) name() (string, error) {
	return call(d, "nvmlDeviceGetName", gonvml.Device.GetName)
}

func (d *libraryDevice) uuid() (string, error) {
	return call(d, "nvmlDeviceGetUUID", gonvml.Device.GetUUID)
}

func (d *libraryDevice) minor() (int, error) {
	return call(d, "nvmlDeviceGetMinorNumber", gonvml.Device.GetMinorNumber)
}

// call makes one call of a function with one answer, when the library has it.
func call[T any](d *libraryDevice, name string, get func(gonvml.Device) (T, gonvml.Return)) (value T, err error) {
	if err := d.lib.missing(name); err != nil {
		return value, err
	}
	value, ret := get(d.dev)
	return value, check(name, ret)
}

// memoryV2 asks with the struct version sizeof|2<<24, which go-nvml sets; a
// plain 2 is refused by every driver (NVIDIA/nvidia-settings#78).
func (d *libraryDevice) memoryV2() (memoryInfo, error) {
	m, err := call(d, "nvmlDeviceGetMemoryInfo_v2", gonvml.Device.GetMemoryInfo_v2)
	return memoryInfo{total: m.Total, used: m.Used, free: m.Free, reserved: m.Reserved}, err
}

func (d *libraryDevice) memoryV1() (memoryInfo, error) {
	m, err := call(d, "nvmlDeviceGetMemoryInfo", gonvml.Device.GetMemoryInfo)
	return memoryInfo{total: m.Total, used: m.Used, free: m.Free}, err
}

func (d *libraryDevice) utilisation() (utilisation, error) {
	u, err := call(d, "nvmlDeviceGetUtilizationRates", gonvml.Device.GetUtilizationRates)
	return utilisation{gpu: u.Gpu, memory: u.Memory}, err
}

func (d *libraryDevice) temperature() (uint32, error) {
	return call(d, "nvmlDeviceGetTemperature", func(dev gonvml.Device) (uint32, gonvml.Return) {
		return dev.GetTemperature(gonvml.TEMPERATURE_GPU)
	})
}

func (d *libraryDevice) powerUsage() (uint32, error) {
	return call(d, "nvmlDeviceGetPowerUsage", gonvml.Device.GetPowerUsage)
}

func (d *libraryDevice) powerLimit() (uint32, error) {
	return call(d, "nvmlDeviceGetEnforcedPowerLimit", gonvml.Device.GetEnforcedPowerLimit)
}

func (d *libraryDevice) smClock() (uint32, error) { return d.clock(gonvml.CLOCK_SM) }

func (d *libraryDevice) memClock() (uint32, error) { return d.clock(gonvml.CLOCK_MEM) }

func (d *libraryDevice) clock(which gonvml.ClockType) (uint32, error) {
	return call(d, "nvmlDeviceGetClockInfo", func(dev gonvml.Device) (uint32, gonvml.Return) {
		return dev.GetClockInfo(which)
	})
}

// throttle asks under the newer of two names for the same thing; R535 renamed
// throttle reasons to event reasons.
func (d *libraryDevice) throttle() (uint64, error) {
	if d.lib.has["nvmlDeviceGetCurrentClocksEventReasons"] {
		return call(d, "nvmlDeviceGetCurrentClocksEventReasons", gonvml.Device.GetCurrentClocksEventReasons)
	}
	return call(d, "nvmlDeviceGetCurrentClocksThrottleReasons", gonvml.Device.GetCurrentClocksThrottleReasons)
}

func (d *libraryDevice) eccMode() (bool, error) {
	return call(d, "nvmlDeviceGetEccMode", func(dev gonvml.Device) (bool, gonvml.Return) {
		current, _, ret := dev.GetEccMode()
		return current == gonvml.FEATURE_ENABLED, ret
	})
}

func (d *libraryDevice) eccCorrected() (uint64, error) {
	return d.eccErrors(gonvml.MEMORY_ERROR_TYPE_CORRECTED)
}

func (d *libraryDevice) eccUncorrected() (uint64, error) {
	return d.eccErrors(gonvml.MEMORY_ERROR_TYPE_UNCORRECTED)
}

func (d *libraryDevice) eccErrors(kind gonvml.MemoryErrorType) (uint64, error) {
	return call(d, "nvmlDeviceGetTotalEccErrors", func(dev gonvml.Device) (uint64, gonvml.Return) {
		return dev.GetTotalEccErrors(kind, gonvml.VOLATILE_ECC)
	})
}

func (d *libraryDevice) rowRemaps() (rowRemaps, error) {
	return call(d, "nvmlDeviceGetRemappedRows", func(dev gonvml.Device) (rowRemaps, gonvml.Return) {
		_, _, pending, failed, ret := dev.GetRemappedRows()
		return rowRemaps{pending: pending, failed: failed}, ret
	})
}

func (d *libraryDevice) retiredPages() (int64, error) {
	var sum int64
	for _, cause := range []gonvml.PageRetirementCause{
		gonvml.PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS,
		gonvml.PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR,
	} {
		pages, err := call(d, "nvmlDeviceGetRetiredPages", func(dev gonvml.Device) ([]uint64, gonvml.Return) {
			return dev.GetRetiredPages(cause)
		})
		if err != nil {
			return 0, err
		}
		sum += int64(len(pages))
	}
	return sum, nil
}

func (d *libraryDevice) migMode() (bool, error) {
	return call(d, "nvmlDeviceGetMigMode", func(dev gonvml.Device) (bool, gonvml.Return) {
		current, _, ret := dev.GetMigMode()
		return current == gonvml.DEVICE_MIG_ENABLE, ret
	})
}

func (d *libraryDevice) migDevices() ([]device, error) {
	limit, err := call(d, "nvmlDeviceGetMaxMigDeviceCount", gonvml.Device.GetMaxMigDeviceCount)
	if err != nil {
		return nil, err
	}
	var devices []device
	for i := range min(limit, 64) {
		dev, err := call(d, "nvmlDeviceGetMigDeviceHandleByIndex", func(dev gonvml.Device) (gonvml.Device, gonvml.Return) {
			return dev.GetMigDeviceHandleByIndex(i)
		})
		// The numbers up to the limit are slots, and some are empty.
		if code := codeOf(err); err != nil && (code == returnNotFound || code == 2) {
			continue
		}
		if err != nil {
			return nil, err
		}
		wrapped, err := d.lib.wrap(dev)
		if err != nil {
			return nil, err
		}
		devices = append(devices, wrapped)
	}
	return devices, nil
}

func (d *libraryDevice) gpuInstance() (int, error) {
	return call(d, "nvmlDeviceGetGpuInstanceId", gonvml.Device.GetGpuInstanceId)
}

func (d *libraryDevice) processes(list processList, to []processEntry) ([]processEntry, error) {
	return d.direct.processes(list, to)
}

func (d *libraryDevice) activitySupported() (bool, error) { return d.direct.activitySupported() }

func (d *libraryDevice) activity() (activityPercent, error) { return d.direct.activity() }

func (d *libraryDevice) release() { d.direct.release() }

var errNoHandle = errors.New("go-nvml's device has no handle that can be read")

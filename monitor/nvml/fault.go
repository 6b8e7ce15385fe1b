package nvml

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/vramscope/vramscope/monitor"
)

// The reasons why a machine has nothing to read, for errors.Is on
// Source.Err. Any other error is a failure of something that is there.
var (
	// ErrNoLibrary: libnvidia-ml.so.1 is not installed or not on the loader's path.
	ErrNoLibrary = errors.New("no NVIDIA driver library (libnvidia-ml.so.1) here")
	// ErrNoDriver: the library is there, the kernel module is not loaded (NVML_ERROR_DRIVER_NOT_LOADED).
	ErrNoDriver = errors.New("the NVIDIA kernel driver is not loaded")
	// ErrNoGPU: the driver works and shows no device (nvmlDeviceGetCount_v2 answers 0).
	ErrNoGPU = errors.New("the NVIDIA driver shows no GPU here")
	// ErrNotBuilt: this binary was built without cgo or not for Linux.
	ErrNotBuilt = errors.New("built without the NVIDIA driver interface")
)

// errSilent is the state of a start that has not come back yet.
var errSilent = errors.New("the driver does not answer")

// returnCode is nvmlReturn_t (nvml.h), and one value of our own.
type returnCode uint32

const (
	returnUninitialized  returnCode = 1
	returnNotSupported   returnCode = 3
	returnNoPermission   returnCode = 4
	returnNotFound       returnCode = 6
	returnNoDriver       returnCode = 9
	returnTimeout        returnCode = 10
	returnNoLibrary      returnCode = 12
	returnNoFunction     returnCode = 13
	returnLost           returnCode = 15
	returnResetRequired  returnCode = 16
	returnMismatch       returnCode = 18
	returnNoData         returnCode = 21
	returnVersion        returnCode = 25
	returnDeprecated     returnCode = 26
	returnGPUNotFound    returnCode = 28
	returnUnknown        returnCode = 999
	returnMissing        returnCode = 1 << 16 // the installed library lacks the function
	returnPanic          returnCode = 1<<16 + 1
	returnInconsistent   returnCode = 1<<16 + 2 // the answer contradicts itself
	returnUnusableHandle returnCode = 1<<16 + 3
)

var returnTexts = map[returnCode]string{
	returnUninitialized:  "the driver library is not initialised",
	returnNotSupported:   "not supported by this device",
	returnNoPermission:   "no permission",
	returnNotFound:       "not found",
	returnNoDriver:       "the kernel driver is not loaded",
	returnTimeout:        "the driver timed out",
	returnNoLibrary:      "a part of the driver is missing",
	returnNoFunction:     "the driver does not have it",
	returnLost:           "the GPU is lost: it fell off the bus or became unreachable",
	returnResetRequired:  "the GPU must be reset before it answers again",
	returnMismatch:       "the driver library and the kernel module do not match",
	returnNoData:         "the driver has no data yet",
	returnVersion:        "the driver does not know this version of the question",
	returnDeprecated:     "the driver no longer answers this",
	returnGPUNotFound:    "the GPU is not there",
	returnUnknown:        "unknown error in the driver",
	returnMissing:        "this driver is too old to have it",
	returnPanic:          "the answer could not be read",
	returnInconsistent:   "the answer contradicts itself",
	returnUnusableHandle: "the device handle could not be used",
}

// fault is a call and what the driver answered instead of a value.
type fault struct {
	call string
	code returnCode
}

// Error names the call and says the answer in words.
func (f fault) Error() string { return f.call + ": " + f.code.text() }

func (c returnCode) text() string {
	if t, ok := returnTexts[c]; ok {
		return t
	}
	return "driver error " + strconv.FormatUint(uint64(c), 10)
}

// codeOf returns the driver's answer inside err, returnUnknown for an error of
// another kind.
func codeOf(err error) returnCode {
	var f fault
	if errors.As(err, &f) {
		return f.code
	}
	return returnUnknown
}

// reasonOf says in the vocabulary of a reading why err left no value.
func reasonOf(err error) monitor.Reason {
	code := monitor.Failed
	switch codeOf(err) {
	case returnNotSupported, returnMissing, returnNoFunction, returnVersion, returnDeprecated:
		code = monitor.NotSupported
	case returnNoPermission:
		code = monitor.NoPermission
	case returnTimeout:
		code = monitor.TimedOut
	case returnNoData:
		code = monitor.NotAvailable
	case returnLost, returnGPUNotFound:
		code = monitor.Gone
	default:
	}
	return monitor.Reason{Code: code, Detail: err.Error()}
}

// permanent tells whether asking the same question again would be answered
// the same way until the driver is started anew.
func (c returnCode) permanent() bool {
	switch c {
	case returnNotSupported, returnMissing, returnNoFunction, returnVersion, returnDeprecated:
		return true
	default:
		return false
	}
}

// fatal tells whether a device that answers this answers nothing else.
func (c returnCode) fatal() bool {
	switch c {
	case returnLost, returnResetRequired, returnGPUNotFound, returnPanic:
		return true
	default:
		return c.driverGone()
	}
}

// driverGone tells whether the answer is about the driver as a whole, so that
// only a new start can help.
func (c returnCode) driverGone() bool {
	return c == returnUninitialized || c == returnNoDriver || c == returnMismatch
}

// openError turns the answer of a start into a sentence with its cure.
// module is the version of the loaded kernel module, empty when not known.
func openError(f fault, module string) error {
	switch f.code {
	case returnNoDriver, returnNoLibrary:
		return fmt.Errorf("%w: load it (modprobe nvidia); in a container, give the container the GPUs (docker run --gpus all): %w", ErrNoDriver, f)
	case returnMismatch:
		loaded := ""
		if module != "" {
			loaded = " (loaded module: " + module + ")"
		}
		return fmt.Errorf("the driver was updated while its old kernel module is still loaded%s: reboot, or stop all GPU programs and reload the module (rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia; modprobe nvidia), then start this program again: %w", loaded, f)
	case returnNoPermission:
		return fmt.Errorf("the driver refuses this user: check the rights of /dev/nvidiactl and /dev/nvidia*: %w", f)
	default:
		return fmt.Errorf("the NVIDIA driver could not be started: %w", f)
	}
}

// goneError says that a driver which worked is gone, given the answer of a
// device.
func goneError(err error, module string) error {
	code := codeOf(err)
	switch {
	case code == returnUninitialized:
		return fmt.Errorf("the driver was restarted or went away; it is being started again: %w", err)
	case code.driverGone():
		return openError(fault{call: "reading the GPUs", code: code}, module)
	}
	return fmt.Errorf("no GPU can be read any more; a GPU reset or a reboot may be needed: %w", err)
}

//go:build linux && cgo

package nvml

import (
	"time"

	gonvml "github.com/NVIDIA/go-nvml/pkg/nvml"
)

// wantedEvents are the kinds that are asked for, where a device has them.
const wantedEvents = gonvml.EventTypeXidCriticalError | gonvml.EventTypeDoubleBitEccError

// eventFunctions are those without which nothing is told.
var eventFunctions = []string{"nvmlEventSetCreate", "nvmlEventSetWait", "nvmlEventSetFree", "nvmlDeviceRegisterEvents"}

// libraryEvents is a set of events of the library.
type libraryEvents struct {
	set   gonvml.EventSet
	index map[gonvml.Device]int
}

// events makes a set of events of all devices. A device that cannot be
// registered does not keep the others from being told of: then there is a set
// and an error.
func (l *library) events(devices int) (eventSet, error) {
	for _, name := range eventFunctions {
		if !l.direct.has(name) && !l.direct.has(name+"_v2") {
			return nil, fault{call: name, code: returnMissing}
		}
	}
	set, ret := l.api.EventSetCreate()
	if err := check("nvmlEventSetCreate", ret); err != nil {
		return nil, err
	}
	e := &libraryEvents{set: set, index: map[gonvml.Device]int{}}
	var trouble error
	for i := range devices {
		if err := l.register(e, i); err != nil {
			trouble = err
		}
	}
	if len(e.index) == 0 {
		e.free()
		return nil, trouble
	}
	return e, trouble
}

func (l *library) register(e *libraryEvents, index int) error {
	dev, ret := l.api.DeviceGetHandleByIndex(index)
	if err := check("nvmlDeviceGetHandleByIndex", ret); err != nil {
		return err
	}
	kinds := uint64(gonvml.EventTypeXidCriticalError)
	if l.direct.has("nvmlDeviceGetSupportedEventTypes") {
		all, ret := dev.GetSupportedEventTypes()
		if err := check("nvmlDeviceGetSupportedEventTypes", ret); err != nil {
			return err
		}
		kinds = all & wantedEvents
	}
	if kinds&gonvml.EventTypeXidCriticalError == 0 {
		return fault{call: "nvmlDeviceGetSupportedEventTypes", code: returnNotSupported}
	}
	if err := check("nvmlDeviceRegisterEvents", dev.RegisterEvents(kinds, e.set)); err != nil {
		return err
	}
	e.index[dev] = index
	return nil
}

func (e *libraryEvents) wait(timeout time.Duration) (event, error) {
	data, ret := e.set.Wait(uint32(timeout.Milliseconds()))
	if err := check("nvmlEventSetWait", ret); err != nil {
		return event{}, err
	}
	out := event{gpu: -1}
	if index, ok := e.index[data.Device]; ok {
		out.gpu = index
	}
	if data.EventType == gonvml.EventTypeXidCriticalError {
		out.xid = data.EventData
	}
	return out, nil
}

func (e *libraryEvents) free() { _ = e.set.Free() } // nothing is left to do about one that cannot be freed

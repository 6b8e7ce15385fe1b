package nvml

import (
	"sync"

	"github.com/vramscope/vramscope/monitor"
)

// goDriver is a driver in Go for the tests of everything above the library.
// Its hooks run at the start of every call and may return an error, panic, or
// wait.
type goDriver struct {
	mu      sync.Mutex
	count   int
	version string
	openErr error
	opens   int
	closes  int
	onOpen  func()
	onClose func()
	devices []*goDevice
	set     func() (eventSet, error) // what events answers; nil tells none
}

func newGoDriver(devices int) *goDriver {
	d := &goDriver{count: devices, version: "580.95.05"}
	for range devices {
		d.devices = append(d.devices, newGoDevice())
	}
	return d
}

func (d *goDriver) open() (opened, error) {
	d.mu.Lock()
	d.opens++
	err, count, hook := d.openErr, d.count, d.onOpen
	d.mu.Unlock()
	if hook != nil {
		hook()
	}
	if err != nil {
		return opened{}, err
	}
	return opened{version: d.version, count: count}, nil
}

func (d *goDriver) device(index int) (device, error) {
	dev := d.devices[index]
	return dev, dev.enter("handle")
}

func (d *goDriver) events(int) (eventSet, error) {
	if d.set == nil {
		return nil, fault{call: "nvmlEventSetCreate", code: returnNotSupported}
	}
	return d.set()
}

func (d *goDriver) close() error {
	d.mu.Lock()
	d.closes++
	hook := d.onClose
	d.mu.Unlock()
	if hook != nil {
		hook()
	}
	return nil
}

// goDevice answers like a healthy card of 80 GiB.
type goDevice struct {
	mu    sync.Mutex
	hook  func(call string) error
	calls map[string]int

	v2, v1    memoryInfo
	lists     [listCount][]processEntry
	mig       bool
	instances []*goDevice
	instance  int
	counters  activityPercent
	mask      uint64
	millideg  uint32
	noGPM     bool
	file      int // N of /dev/nvidiaN
}

func newGoDevice() *goDevice {
	const g = 1 << 30
	return &goDevice{
		calls:    map[string]int{},
		v2:       memoryInfo{total: 80 * g, used: 10 * g, free: 69 * g, reserved: g},
		v1:       memoryInfo{total: 80 * g, used: 11 * g, free: 69 * g},
		counters: activityPercent{sm: 60, tensor: 30, fp32: 10, dram: 20},
		millideg: 40,
	}
}

func (d *goDevice) enter(call string) error {
	d.mu.Lock()
	d.calls[call]++
	hook := d.hook
	d.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(call)
}

func (d *goDevice) set(hook func(call string) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hook = hook
}

func (d *goDevice) called(call string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls[call]
}

// always returns a hook that answers every call with that code.
func always(code returnCode) func(string) error {
	return func(call string) error { return fault{call: call, code: code} }
}

// on returns a hook that answers some calls with that code.
func on(code returnCode, calls ...string) func(string) error {
	return func(call string) error {
		for _, c := range calls {
			if c == call {
				return fault{call: call, code: code}
			}
		}
		return nil
	}
}

func (d *goDevice) name() (string, error)         { return "Go GPU", d.enter("name") }
func (d *goDevice) uuid() (string, error)         { return "GPU-go", d.enter("uuid") }
func (d *goDevice) minor() (int, error)           { return d.file, d.enter("minor") }
func (d *goDevice) memoryV2() (memoryInfo, error) { return d.v2, d.enter("memoryV2") }
func (d *goDevice) memoryV1() (memoryInfo, error) { return d.v1, d.enter("memoryV1") }
func (d *goDevice) temperature() (uint32, error)  { return d.millideg, d.enter("temperature") }
func (d *goDevice) powerUsage() (uint32, error)   { return 300000, d.enter("powerUsage") }
func (d *goDevice) powerLimit() (uint32, error)   { return 700000, d.enter("powerLimit") }
func (d *goDevice) smClock() (uint32, error)      { return 1980, d.enter("smClock") }
func (d *goDevice) memClock() (uint32, error)     { return 2619, d.enter("memClock") }
func (d *goDevice) throttle() (uint64, error)     { return d.mask, d.enter("throttle") }
func (d *goDevice) eccMode() (bool, error)        { return true, d.enter("eccMode") }
func (d *goDevice) eccCorrected() (uint64, error) { return 0, d.enter("eccCorrected") }
func (d *goDevice) rowRemaps() (rowRemaps, error) { return rowRemaps{}, d.enter("rowRemaps") }
func (d *goDevice) retiredPages() (int64, error)  { return 0, d.enter("retiredPages") }
func (d *goDevice) migMode() (bool, error)        { return d.mig, d.enter("migMode") }
func (d *goDevice) gpuInstance() (int, error)     { return d.instance, d.enter("gpuInstance") }
func (d *goDevice) release()                      { _ = d.enter("release") }
func (d *goDevice) activitySupported() (bool, error) {
	return !d.noGPM, d.enter("activitySupported")
}
func (d *goDevice) eccUncorrected() (uint64, error)    { return 0, d.enter("eccUncorrected") }
func (d *goDevice) activity() (activityPercent, error) { return d.counters, d.enter("activity") }
func (d *goDevice) utilisation() (utilisation, error) {
	return utilisation{gpu: 50, memory: 25}, d.enter("utilisation")
}

func (d *goDevice) migDevices() ([]device, error) {
	var devices []device
	for _, i := range d.instances {
		devices = append(devices, i)
	}
	return devices, d.enter("migDevices")
}

func (d *goDevice) processes(list processList, to []processEntry) ([]processEntry, error) {
	if err := d.enter([]string{"compute", "graphics", "mps"}[list]); err != nil {
		return to, err
	}
	return append(to, d.lists[list]...), nil
}

// readOnce asks a device one round outside of any worker.
func readOnce(d *goDevice) answer {
	return newGPUReader(0, d, 10, noSystemMemory).read(monitorTime)
}

func noSystemMemory() (memoryInfo, error) { return memoryInfo{}, ErrNotBuilt }

var _ monitor.Source = (*Source)(nil)

//go:build linux && cgo

package nvml

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// open_library keeps dlerror's text, which belongs to the thread: a second call
// from Go may be made on another.
static void *open_library(const char *name, char **why) {
	void *handle = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
	const char *text = handle ? NULL : dlerror();
	*why = text ? strdup(text) : NULL;
	return handle;
}

typedef struct { unsigned int id, ret; double value; char *names[3]; } gpm_metric;

// nvmlGpmMetricsGet_t with room to spare: the length of metrics has grown from
// driver to driver under the same struct version.
typedef struct {
	unsigned int version, count;
	void *before, *after;
	gpm_metric metrics[1024];
} gpm_request;

static int call_list(void *fn, void *dev, unsigned int *count, uint64_t *words) {
	return ((int (*)(void *, unsigned int *, void *))fn)(dev, count, words);
}
static int call_alloc(void *fn, void **sample) { return ((int (*)(void **))fn)(sample); }
static int call_free(void *fn, void *sample) { return ((int (*)(void *))fn)(sample); }
static int call_sample(void *fn, void *dev, void *sample) { return ((int (*)(void *, void *))fn)(dev, sample); }
static int call_support(void *fn, void *dev, unsigned int version, unsigned int *supported) {
	unsigned int request[2] = { version, 0 }; // nvmlGpmSupport_t
	int ret = ((int (*)(void *, unsigned int *))fn)(dev, request);
	*supported = request[1];
	return ret;
}
static int call_metrics(void *fn, gpm_request *r) { return ((int (*)(gpm_request *))fn)(r); }
static gpm_request *new_request(void) { return calloc(1, sizeof(gpm_request)); }
*/
import "C"

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"unsafe"

	gonvml "github.com/NVIDIA/go-nvml/pkg/nvml"
)

// directLibrary makes the few calls that go-nvml makes at a cost, through
// pointers to the functions: process lists, whose layout go-nvml takes for
// granted and which it asks twice when there is more than one process, and the
// counters, for which it copies 25 KiB a call.
type directLibrary struct {
	handle unsafe.Pointer
	lists  [listCount]unsafe.Pointer
	list   [listCount]string // names of the functions found
	alloc  unsafe.Pointer
	free   unsafe.Pointer
	sample unsafe.Pointer
	get    unsafe.Pointer
	query  unsafe.Pointer
}

const libraryName = "libnvidia-ml.so.1"

// openDirect opens the library, before go-nvml does, to tell "not there" from
// "there and of no use". The library stays open for the life of the process.
func openDirect() (*directLibrary, error) {
	name := C.CString(libraryName)
	defer C.free(unsafe.Pointer(name))
	var text *C.char
	handle := C.open_library(name, &text)
	if handle == nil {
		why := "no reason given"
		if text != nil {
			why = C.GoString(text)
			C.free(unsafe.Pointer(text))
		}
		return nil, loadError(why)
	}
	l := &directLibrary{handle: handle}
	for list, name := range [listCount]string{
		listCompute:  "nvmlDeviceGetComputeRunningProcesses",
		listGraphics: "nvmlDeviceGetGraphicsRunningProcesses",
		listMPS:      "nvmlDeviceGetMPSComputeRunningProcesses",
	} {
		for _, version := range []string{"_v3", "_v2", ""} {
			l.list[list] = name + version
			if l.lists[list] = l.find(name + version); l.lists[list] != nil {
				break
			}
		}
	}
	l.alloc, l.free = l.find("nvmlGpmSampleAlloc"), l.find("nvmlGpmSampleFree")
	l.sample, l.get = l.find("nvmlGpmSampleGet"), l.find("nvmlGpmMetricsGet")
	l.query = l.find("nvmlGpmQueryDeviceSupport")
	return l, nil
}

// loadError tells a library that is not there from one that cannot be loaded.
// why is dlerror's text (glibc, elf/dl-load.c).
func loadError(why string) error {
	if strings.Contains(why, "No such file or directory") && strings.HasPrefix(why, libraryName+":") {
		return fmt.Errorf("%w: install the NVIDIA driver, or run where it is installed (in a container: docker run --gpus all)", ErrNoLibrary)
	}
	return fmt.Errorf("the NVIDIA driver library cannot be loaded: %s", cleanLine(why))
}

func (l *directLibrary) find(symbol string) unsafe.Pointer {
	name := C.CString(symbol)
	defer C.free(unsafe.Pointer(name))
	return C.dlsym(l.handle, name)
}

func (l *directLibrary) has(symbol string) bool { return l.find(symbol) != nil }

// directDevice holds what the calls for one device reuse. It belongs to the
// goroutine of that device.
type directDevice struct {
	lib     *directLibrary
	handle  unsafe.Pointer
	words   []uint64
	count   C.uint
	before  unsafe.Pointer // GPM samples, of the library
	after   unsafe.Pointer
	primed  bool // before holds a sample
	support C.uint
	request *C.gpm_request
}

// device takes the handle out of go-nvml's device, which is a struct around
// the C pointer.
func (l *directLibrary) device(dev gonvml.Device) (*directDevice, error) {
	value := reflect.ValueOf(dev)
	if value.Kind() != reflect.Struct {
		return nil, errNoHandle
	}
	field := value.FieldByName("Handle")
	if !field.IsValid() || field.Kind() != reflect.Pointer || field.IsNil() {
		return nil, errNoHandle
	}
	return &directDevice{lib: l, handle: field.UnsafePointer(), words: make([]uint64, 32*entryWords)}, nil
}

// processes asks one list. The driver tells how much room it needs when there
// is not enough; processes may start between two tries, so a few are made.
func (d *directDevice) processes(list processList, to []processEntry) ([]processEntry, error) {
	fn, name := d.lib.lists[list], d.lib.list[list]
	if fn == nil {
		return to, fault{call: name, code: returnMissing}
	}
	const insufficientSize = 7
	for range 4 {
		fillUnwritten(d.words)
		room := len(d.words) / entryWords
		d.count = C.uint(room)
		code := returnCode(C.call_list(fn, d.handle, &d.count, (*C.uint64_t)(unsafe.Pointer(&d.words[0]))))
		got := int(d.count)
		switch {
		case code == 0 && got <= room:
			return appendEntries(to, d.words, got, list), nil
		case code == 0:
			return to, fault{call: name, code: returnInconsistent}
		case code != insufficientSize:
			return to, fault{call: name, code: code}
		}
		if got > 1<<16 {
			return to, fault{call: name, code: returnInconsistent}
		}
		d.words = make([]uint64, (max(got, 2*room)+16)*entryWords)
	}
	return to, fault{call: name, code: insufficientSize}
}

// The metrics asked of NVML GPM (nvmlGpmMetricId_t).
var gpmMetrics = [...]C.uint{
	C.uint(gonvml.GPM_METRIC_SM_UTIL),
	C.uint(gonvml.GPM_METRIC_ANY_TENSOR_UTIL),
	C.uint(gonvml.GPM_METRIC_FP32_UTIL),
	C.uint(gonvml.GPM_METRIC_DRAM_BW_UTIL),
}

// activitySupported asks whether the chip has the counters. nvml.h defines the
// version of this struct as a plain 1; go-nvml sends sizeof|1<<24, which an
// H200 under 580.159.04 refuses, so that form is only the second try.
func (d *directDevice) activitySupported() (bool, error) {
	const call, sized = "nvmlGpmQueryDeviceSupport", 8 | gonvml.GPM_SUPPORT_VERSION<<24
	if d.lib.query == nil {
		return false, fault{call: call, code: returnMissing}
	}
	code := returnCode(C.call_support(d.lib.query, d.handle, C.uint(gonvml.GPM_SUPPORT_VERSION), &d.support))
	if code == returnVersion {
		code = returnCode(C.call_support(d.lib.query, d.handle, C.uint(sized), &d.support))
	}
	if code != 0 {
		return false, fault{call: call, code: code}
	}
	return d.support != 0, nil
}

// activity takes a sample of the counters and compares it with the one before.
func (d *directDevice) activity() (activityPercent, error) {
	if err := d.prepare(); err != nil {
		return activityPercent{}, err
	}
	if code := returnCode(C.call_sample(d.lib.sample, d.handle, d.after)); code != 0 {
		d.primed = false
		return activityPercent{}, fault{call: "nvmlGpmSampleGet", code: code}
	}
	d.before, d.after = d.after, d.before
	if !d.primed {
		d.primed = true
		return activityPercent{}, fault{call: "nvmlGpmSampleGet", code: returnNoData}
	}
	return d.compare()
}

func (d *directDevice) prepare() error {
	l := d.lib
	if l.alloc == nil || l.free == nil || l.sample == nil || l.get == nil {
		return fault{call: "nvmlGpmSampleGet", code: returnMissing}
	}
	if d.request == nil {
		if d.request = C.new_request(); d.request == nil {
			return fault{call: "nvmlGpmMetricsGet", code: 20}
		}
	}
	for _, sample := range []*unsafe.Pointer{&d.before, &d.after} {
		if *sample != nil {
			continue
		}
		var fresh unsafe.Pointer
		if code := returnCode(C.call_alloc(l.alloc, &fresh)); code != 0 {
			return fault{call: "nvmlGpmSampleAlloc", code: code}
		}
		*sample = fresh
	}
	return nil
}

// compare asks for the metrics between the older sample, which the swap left
// in after, and the newer one in before.
func (d *directDevice) compare() (activityPercent, error) {
	r := d.request
	r.version, r.count = C.uint(gonvml.GPM_METRICS_GET_VERSION), C.uint(len(gpmMetrics))
	r.before, r.after = d.after, d.before
	for i, id := range gpmMetrics {
		r.metrics[i] = C.gpm_metric{id: id}
	}
	if code := returnCode(C.call_metrics(d.lib.get, r)); code != 0 {
		return activityPercent{}, fault{call: "nvmlGpmMetricsGet", code: code}
	}
	var values [len(gpmMetrics)]float64
	for i := range values {
		values[i] = math.NaN()
		if r.metrics[i].ret == 0 {
			values[i] = float64(r.metrics[i].value)
		}
	}
	return activityPercent{sm: values[0], tensor: values[1], fp32: values[2], dram: values[3]}, nil
}

// release gives the samples back to the library. The library must still be in
// use.
func (d *directDevice) release() {
	for _, sample := range []*unsafe.Pointer{&d.before, &d.after} {
		if *sample != nil {
			C.call_free(d.lib.free, *sample)
			*sample = nil
		}
	}
	C.free(unsafe.Pointer(d.request))
	d.request, d.primed = nil, false
}

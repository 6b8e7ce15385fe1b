package history

import "github.com/vramscope/vramscope/monitor"

// Metric names one figure of a device, of a process on a device, or of a
// process on the host.
type Metric uint8

// The metrics. Bytes unless another unit is given. Those of a device that come
// from PyTorch are sums over its processes as monitor.LayersOf gives them.
const (
	Used           Metric = iota // of a device: everybody; of a process: on that device
	Reserved                     // taken from the driver by PyTorch
	Allocated                    // in live tensors
	PeakAllocated                // as the job counts it; of a device only with one process
	PeakReserved                 // likewise
	Free                         // device
	DriverReserved               // device
	NonTorch                     // used outside PyTorch's allocator by processes that have one
	Others                       // device: used by everybody else
	InactiveSplit                // idle, and empty_cache cannot return it
	Active                       // process
	Requested                    // process: as asked for, before rounding
	PrivatePools                 // process: reserved by private pools
	Segments                     // process: count
	AllocRetries                 // process: count since start
	OOMs                         // process: count since start
	Util                         // device: percent of time with a kernel running
	MemUtil                      // device: percent of time with memory traffic
	Power                        // device: watts
	Temp                         // device: degrees Celsius
	SMClock                      // device: MHz
	SM                           // device: percent, from the chip's counters
	Tensor                       // device: percent
	FP32                         // device: percent
	DRAM                         // device: percent
	HostBytes                    // process on the host: resident set
	CPU                          // process on the host: percent of one core
	metricCount
)

// Metrics is how many metrics there are: one more than the largest.
const Metrics = int(metricCount)

var metricNames = [metricCount]string{
	"used", "reserved", "allocated", "peak_allocated", "peak_reserved", "free", "driver_reserved",
	"non_torch", "others", "inactive_split", "active", "requested", "private_pools", "segments",
	"alloc_retries", "ooms", "util", "mem_util", "power", "temp", "sm_clock", "sm", "tensor", "fp32",
	"dram", "host_bytes", "cpu",
}

// String returns the metric's name in lower case with underscores.
func (m Metric) String() string {
	if m < metricCount {
		return metricNames[m]
	}
	return "unknown"
}

// Key names one series. The zero Process means the device itself. HostBytes
// and CPU belong to a process as a whole: GPU is ignored for them. GPU is
// empty for a process whose device could not be told.
type Key struct {
	Metric  Metric
	GPU     string // monitor.GPU.ID()
	Process monitor.ProcessKey
}

// kind is the sort of thing a series describes; each has its own columns, so
// that nothing is kept for figures a thing cannot have.
type kind uint8

const (
	kindDevice  kind = iota
	kindProcess      // a process on a device
	kindHost         // a process on the host
	kindCount
)

var kindMetrics = [kindCount][]Metric{
	kindDevice: {Used, Reserved, Allocated, PeakAllocated, PeakReserved, Free, DriverReserved, NonTorch, Others,
		InactiveSplit, Util, MemUtil, Power, Temp, SMClock, SM, Tensor, FP32, DRAM},
	kindProcess: {Used, Reserved, Allocated, PeakAllocated, PeakReserved, NonTorch, InactiveSplit, Active,
		Requested, PrivatePools, Segments, AllocRetries, OOMs},
	kindHost: {HostBytes, CPU},
}

// column returns the place of a metric among those of its kind.
func (k kind) column(m Metric) (int, bool) {
	for i, have := range kindMetrics[k] {
		if have == m {
			return i, true
		}
	}
	return 0, false
}

// thingKey names what a set of series is about.
type thingKey struct {
	kind    kind
	gpu     string
	process monitor.ProcessKey
}

// thing returns what the key's series is about.
func (k Key) thing() thingKey {
	switch {
	case k.Metric == HostBytes || k.Metric == CPU:
		return thingKey{kind: kindHost, process: k.Process}
	case k.Process == (monitor.ProcessKey{}):
		return thingKey{kind: kindDevice, gpu: k.GPU}
	}
	return thingKey{kind: kindProcess, gpu: k.GPU, process: k.Process}
}

// patience is how many samples on the value of one sample may be repeated: the
// chip's counters are read less often than the rest and their figures cover
// the time since they were last read.
func (m Metric) patience() int {
	if m == SM || m == Tensor || m == FP32 || m == DRAM {
		return 10
	}
	return 1
}

package formats

// wordBits are the kinds of words a label has.
type wordBits uint32

const (
	wordAllocated wordBits = 1 << iota
	wordReserved
	wordCache     // reserved too, and stronger than allocated: "cache allocated"
	wordPeak      // max, peak
	wordMemory    // memory, mem
	wordDevice    // GPU, CUDA, VRAM, torch: it is about a device's memory
	wordDriver    // device: with "used", counted by the driver
	wordNVML      // nvidia-smi, NVML: likewise
	wordTotal     // total, capacity
	wordUsed      // used, usage: says nothing by itself
	wordVeto      // host, delta, plan, count: no figure of the allocator
	wordObject    // checkpoint, weights: likewise, unless it names a moment
	wordGlue      // is, so far, by: no noun
	wordWhen      // after, before, during: a moment follows
	wordHost      // with wordVeto: memory that is not a GPU's
	wordDelta     // with wordVeto: a difference, and so may be what follows
	wordFor       // "reserved for X" is a plan or a difference
	wordNeighbour // current, own, now: changes nothing
	wordShort     // with wordReserved: "res", which is said of many things
	wordUnknown
)

// vocab types a word of a label, in lower case. A word that is not here is
// unknown: as a noun behind "allocated" it makes the figure something else.
func vocab(w []byte) wordBits {
	switch string(w) {
	case "allocated", "alloc", "allocation", "occupied":
		return wordAllocated
	case "reserved", "rsv", "rsvd", "resv":
		return wordReserved
	case "res":
		return wordReserved | wordShort
	case "cached", "cache", "caching":
		return wordCache
	case "max", "peak", "maximum", "highest":
		return wordPeak
	case "memory", "mem", "bytes", "byte":
		return wordMemory
	case "gpu", "gpus", "cuda", "vram", "torch", "pytorch", "nvidia", "hip":
		return wordDevice
	case "device":
		return wordDriver
	case "nvml", "smi", "sys":
		return wordNVML
	case "total", "capacity":
		return wordTotal
	case "used", "usage", "consumption":
		return wordUsed
	case "cpu", "host", "ram", "rss", "virtual", "swap", "pinned", "shared", "shm", "shmem", "disk", "heap", "jvm", "node", "memstats", "docker", "container", "redis", "metaspace", "gc", "lambda", "zram", "zswap", "nvme", "arrow", "plasma":
		return wordVeto | wordHost
	case "xpu", "mps", "npu", "hpu", "tpu", "xla", "mlx", "kv":
		return wordVeto | wordHost
	case "plan", "planned", "budget", "estimated", "estimate", "expected", "required", "needed", "limit", "limits", "allowed", "theoretical", "quota":
		return wordVeto
	case "per", "each", "fraction", "ratio", "percent", "pct", "perc", "percentage", "utilization", "threshold", "bandwidth", "average", "avg", "mean", "min", "minimum", "sum": //nolint:misspell // as printed
		return wordVeto
	case "delta", "diff", "difference", "change", "increase", "increased", "decrease", "growth", "saved", "saving", "net", "freed", "released", "reclaimed":
		return wordVeto | wordDelta
	case "free", "available", "avail", "remaining", "unallocated", "unused", "inactive", "active", "requested", "releasable", "fragmentation", "wasted", "overhead":
		return wordVeto
	case "retries", "retires", "count", "counts", "num", "allocs", "allocations", "segments", "blocks", "entries", "slabs", "slab", "pages", "port", "inode", "oom", "ooms":
		return wordVeto
	case "small", "large", "oversize", "workload", "freeable", "offloaded":
		return wordVeto
	case "tensors", "tokens", "parameters", "params", "buffer", "buffers", "workers", "checkpoint", "file", "dataset", "weights", "storage", "store", "space", "size":
		return wordObject
	case "so", "far", "was", "is", "of", "the", "by", "and", "reached", "remained", "observed", "within":
		return wordGlue
	case "after", "before", "at", "on", "during", "in", "end", "since", "when", "from":
		return wordWhen
	case "for", "to":
		return wordFor
	case "current", "currently", "now", "cur", "own", "steady", "live", "all", "step", "train", "perf", "amount", "value", "training", "with":
		return wordNeighbour
	}
	return wordUnknown
}

// has reports whether any of the bits is set.
func (b wordBits) has(want wordBits) bool { return b&want != 0 }

// counter is what a figure counts.
type counter uint8

const (
	counterNone     counter = iota // nothing of ours
	counterIgnored                 // a frame says: not this one
	counterA                       // memory_allocated
	counterR                       // memory_reserved
	counterMaxA                    // max_memory_allocated
	counterMaxR                    // max_memory_reserved
	counterUsed                    // of the device, as the driver counts
	counterTotal                   // of the device
	counterCache                   // reserved − allocated
	counterMisc                    // device used − reserved
	counterPeak                    // "peak" alone: the peak of its neighbour
	counterCapacity                // "total" alone: capacity when the line is about the allocator
	counterDevice                  // "device" alone: used and total when it is a pair
	counters                       // how many there are
)

// peak returns the peak of a current counter.
func (c counter) peak() counter {
	switch c {
	case counterA:
		return counterMaxA
	case counterR:
		return counterMaxR
	default:
		return c
	}
}

// isReserved reports whether figures of c are whole 2 MiB blocks.
func (c counter) isReserved() bool { return c == counterR || c == counterMaxR }

// isAllocated reports whether figures of c are multiples of 512 bytes.
func (c counter) isAllocated() bool { return c == counterA || c == counterMaxA }

// isTorch reports whether c is one of the allocator's four counters.
func (c counter) isTorch() bool { return c.isReserved() || c.isAllocated() }

package formats

import "strings"

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

// wordLists types the words of labels. A word in none of them is unknown: as a
// noun behind "allocated" it makes the figure something else.
var wordLists = []struct {
	bits  wordBits
	words string
}{
	{wordAllocated, "allocated alloc allocation occupied"},
	{wordReserved, "reserved rsv rsvd resv"},
	{wordReserved | wordShort, "res"},
	{wordCache, "cached cache caching"},
	{wordPeak, "max peak maximum highest"},
	{wordMemory, "memory mem bytes byte"},
	{wordDevice, "gpu gpus cuda vram torch pytorch nvidia hip"},
	{wordDriver, "device"},
	{wordNVML, "nvml smi sys"},
	{wordTotal, "total capacity"},
	{wordUsed, "used usage consumption"},
	{wordVeto | wordHost, "cpu host ram rss virtual swap pinned shared shm shmem disk heap jvm node memstats docker container redis metaspace gc lambda zram zswap nvme arrow plasma"},
	{wordVeto | wordHost, "xpu mps npu hpu tpu xla mlx kv"},
	{wordVeto, "plan planned budget estimated estimate expected required needed limit limits allowed theoretical quota"},
	{wordVeto, "per each fraction ratio percent pct perc percentage utilization threshold bandwidth average avg mean min minimum sum"}, //nolint:misspell // as printed
	{wordVeto | wordDelta, "delta diff difference change increase increased decrease growth saved saving net freed released reclaimed"},
	{wordVeto, "free available avail remaining unallocated unused inactive active requested releasable fragmentation wasted overhead"},
	{wordVeto, "retries retires count counts num allocs allocations segments blocks entries slabs slab pages port inode oom ooms"},
	{wordVeto, "small large oversize workload freeable offloaded"},
	{wordObject, "tensors tokens parameters params buffer buffers workers checkpoint file dataset weights storage store space size"},
	{wordGlue, "so far was is of the by and reached remained observed within"},
	{wordWhen, "after before at on during in end since when from"},
	{wordFor, "for to"},
	{wordNeighbour, "current currently now cur own steady live all step train perf amount value training with"},
}

// vocabulary is wordLists by word.
var vocabulary = newVocabulary()

func newVocabulary() map[string]wordBits {
	m := make(map[string]wordBits)
	for _, l := range wordLists {
		for _, w := range strings.Fields(l.words) {
			m[w] = l.bits
		}
	}
	return m
}

// vocab returns the bits of a lower-case word.
func vocab(w []byte) wordBits {
	if b, ok := vocabulary[string(w)]; ok {
		return b
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

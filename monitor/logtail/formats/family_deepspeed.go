package formats

// DeepSpeed: "CA" and "cache" are what PyTorch calls reserved; "GB" is 2^30
// throughout (deepspeed/runtime/utils.py, deepspeed/utils/timer.py).
var deepspeedFrames = []frame{
	{
		producer: "DeepSpeed see_memory_usage", all: []string{"Max_MA "},
		labels: map[string]counter{
			"ma": counterA, "max ma": counterMaxA, "ca": counterR, "max ca": counterMaxR,
		},
		divisor: 1024, reset: resetEach, zeroNone: true,
	},
	{
		producer: "DeepSpeed see_memory_usage", all: []string{"GigaBytes"}, divisor: 1024,
	},
	{
		producer: "DeepSpeed ThroughputTimer", any: []string{"MemAllocated="},
		divisor: 1024, reset: resetNever, zeroNone: true,
	},
	{
		producer: "DeepSpeed timer", any: []string{"cache_allocated:"},
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "DeepSpeed memory_status", all: []string{"MEMSTATS"},
		divisor: 1024,
	},
	{
		producer: "InstructLab", all: []string{"cuda_mem_allocated:"},
		divisor: 1024,
	},
}

package formats

// statsFrame names the keys of torch.cuda.memory_stats()
// (torch/cuda/memory.py): raw bytes; ".allocated" and ".freed" are cumulative.
var statsFrame = frame{
	producer: "PyTorch memory_stats",
	any:      []string{"_bytes.all.current", "_bytes.all.peak", "_bytes.all.allocated"},
	bare:     unit{form: unitBytes},
	labels: map[string]counter{
		"allocated bytes all current":   counterA,
		"allocated bytes all peak":      counterMaxA,
		"allocated bytes all allocated": counterIgnored,
		"allocated bytes all freed":     counterIgnored,
		"reserved bytes all current":    counterR,
		"reserved bytes all peak":       counterMaxR,
		"reserved bytes all allocated":  counterIgnored,
		"reserved bytes all freed":      counterIgnored,
		"active all allocated":          counterIgnored,
		"allocation all allocated":      counterIgnored,
		"segment all allocated":         counterIgnored,
		"allocation all current":        counterIgnored,
		"allocation all peak":           counterIgnored,
	},
}.complete()

var pytorchFrames = []frame{
	{
		// parts of an out-of-memory text are read as one, or not at all
		producer: "PyTorch", any: []string{
			"Tried to allocate", "Of the allocated memory", "is allocated by", "is reserved by", "PyTorch but unallocated", "already allocated",
			"reserved in total", "total capac", "in private pools", "out of memory", "out-of-memory",
		},
		silent: true,
	},
	statsFrame,
}
